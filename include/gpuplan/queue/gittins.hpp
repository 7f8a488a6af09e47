#pragma once
/// \file
/// The Gittins policy: of jobs whose size is not known, first the one that most likely ends soonest
/// for the service it asks.

#include <cstddef>
#include <span>

#include <gpuplan/queue/gittins_ranks.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// E min(S, x) of the atoms.
inline seconds mean_up_to(std::span<const service_atom> atoms, seconds x) {
  seconds sum{};
  for (const auto& [size, probability] : atoms) sum += probability * smaller(size, x);
  return sum;
}

/// lambda E min(S, age at which a new job's rank first reaches `rank`): what new jobs take from
/// one.
inline double load_of_new(const gittins_ranks& ranks, per_second arrival_rate, seconds rank) {
  const auto starts = ranks.starts();
  for (std::size_t j = 0; j < starts.size(); ++j)
    if (starts[j] >= rank) return arrival_rate * mean_up_to(ranks.atoms(), ranks.age_of(j));
  return arrival_rate * mean_up_to(ranks.atoms(), for_ever);
}

/// Work of old jobs before one whose worst rank is `worst`: of their service at ages of no greater
/// rank, the load of the first stretch of ages, and the second moments of all.
struct old_work {
  double load{};
  square_seconds squares{};
};

inline old_work old_work_of(const gittins_ranks& ranks, per_second arrival_rate, seconds worst) {
  old_work work;
  const auto atoms = ranks.atoms();
  const auto add = [&](seconds from, seconds to) {
    seconds mean{};
    for (const auto& [size, probability] : atoms) {
      if (!(size > from)) continue;
      const seconds part = smaller(size, to) - from;
      mean += probability * part;
      work.squares += probability * (part * part);
    }
    if (from == seconds{0}) work.load = arrival_rate * mean;
  };
  seconds from{0};
  seconds to{0};
  for (std::size_t j = 0; j < atoms.size(); ++j) {
    const seconds begin = ranks.age_of_rank(j, worst);
    if (begin > to) {
      if (to > from) add(from, to);
      from = begin;
    }
    to = atoms[j].size;
  }
  if (to > from) add(from, to);
  return work;
}

/// The integral of da / (1 - load of new jobs before age a), along the ages of a job of size x.
inline seconds gittins_residence(const gittins_ranks& ranks, per_second arrival_rate,
                                 seconds size) {
  const auto starts = ranks.starts();
  seconds sum{};
  for (std::size_t j = 0; j < starts.size() && ranks.age_of(j) < size; ++j) {
    seconds later{0};  // the worst rank still to come, after this stretch
    for (std::size_t k = j + 1; k < starts.size() && ranks.age_of(k) < size; ++k)
      later = larger(later, starts[k]);
    seconds rank = larger(starts[j], later);
    const seconds end = j + 1 < starts.size() ? smaller(size, ranks.atoms()[j].size) : size;
    for (seconds at = ranks.age_of(j); at < end;) {
      seconds below{-1};  // the greatest rank below at which new jobs are interrupted sooner
      for (const seconds start : starts)
        if (start < rank) below = larger(below, start);
      const seconds next =
          below >= later && below > seconds{0} ? smaller(end, ranks.age_of_rank(j, below)) : end;
      const double left = 1 - load_of_new(ranks, arrival_rate, rank);
      if (next > at) sum += left > 0 ? (next - at) / left : for_ever;
      at = larger(at, next);
      rank = below;
    }
  }
  return sum;
}

}  // namespace detail

/// The Gittins policy at one server: the time that a job of size x takes.
///
///     T(x) = lambda sum_i E X_i^2 / (2 (1 - rho_old) (1 - rho_new(w)))
///            + integral_0^x da / (1 - rho_new(r_x(a)))
///
///     lambda      arrival_rate   1/s, >= 0
///     r_x(a)      worst rank of the job from age a to its end
///     w           r_x(0)
///     rho_new(r)  lambda times what a new job gets before its rank reaches r
///     X_i         service of a job in the i-th stretch of ages with rank <= w
///     rho_old     lambda E X_0
///
/// Exact.  Of all policies that do not know sizes the one with the least mean response.  Where a
/// job that has run is ever less likely to end soon it is least_attained_response; where it is ever
/// more likely, as of equal jobs, first come first served.
///
/// Source: Z. Scully, M. Harchol-Balter and A. Scheller-Wolf, "SOAP: One clean analysis of all
/// age-based scheduling policies", Proc. ACM Meas. Anal. Comput. Syst. 2 (2018) 16,
/// arXiv:1712.00790.
///
/// \throws invalid_input if arrival_rate < 0 or size < 0 s
inline seconds gittins_response(const gittins_ranks& ranks, per_second arrival_rate, seconds size) {
  require(arrival_rate >= per_second{0}, "gittins_response: arrival_rate must be >= 0 /s");
  require(size >= seconds{0}, "gittins_response: size must be >= 0 s");
  seconds worst = ranks.starts()[0];
  for (std::size_t j = 1; j < ranks.starts().size() && ranks.age_of(j) < size; ++j)
    worst = larger(worst, ranks.starts()[j]);
  const auto old = detail::old_work_of(ranks, arrival_rate, worst);
  const double left_by_new = 1 - detail::load_of_new(ranks, arrival_rate, worst);
  if (!(old.load < 1) || !(left_by_new > 0)) return detail::for_ever;
  return arrival_rate * old.squares / (2 * (1 - old.load) * left_by_new) +
         detail::gittins_residence(ranks, arrival_rate, size);
}

/// Mean of gittins_response over all jobs.
///
///     E T = E T(S)
///
/// Source: as gittins_response.
///
/// \throws invalid_input if arrival_rate < 0
inline seconds gittins_response(const gittins_ranks& ranks, per_second arrival_rate) {
  seconds sum{};
  for (const auto& [size, probability] : ranks.atoms())
    sum += probability * gittins_response(ranks, arrival_rate, size);
  return sum;
}

}  // namespace gpuplan
