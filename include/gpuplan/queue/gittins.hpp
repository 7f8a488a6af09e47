#pragma once
/// \file
/// The Gittins policy: of jobs whose size is not known, first the one that most likely ends soonest
/// for the service it asks.

#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The ranks of a law of sizes from data.  The job of least rank runs.
///
///     r(a) = inf_d E[min(S - a, d) | S > a] / P(S - a <= d | S > a)
///
///     a  service that the job has had   s, >= 0
///     S  of the law
///
/// The Gittins index is 1 / r.  Between sizes the rank falls in straight lines; after a size it
/// starts anew.
///
/// Source: J. C. Gittins, "Bandit processes and dynamic allocation indices", J. R. Stat. Soc. B 41
/// (1979) 148-177; S. Aalto, U. Ayesta and R. Righter, "On the Gittins index in the M/G/1 queue",
/// Queueing Systems 63 (2009) 437-458.
class gittins_ranks {
 public:
  explicit gittins_ranks(const empirical_service& law)
      : atoms_(law.atoms().begin(), law.atoms().end()) {
    left_.assign(atoms_.size() + 1, 0.0);
    for (std::size_t i = atoms_.size(); i-- > 0;) left_[i] = left_[i + 1] + atoms_[i].probability;
    for (std::size_t j = 0; j < atoms_.size(); ++j) {
      seconds least = rank_within(j, age_of(j));
      for (const seconds before : starts_)  // what rounding alone tells apart is equal
        if (abs(least - before) <= 1e-12 * before) least = before;
      starts_.push_back(least);
    }
  }

  /// r(a); none is left above the longest job, which is at its end.
  /// \throws invalid_input if age < 0 s
  [[nodiscard]] seconds rank(seconds age) const {
    require(age >= seconds{0}, "gittins_ranks.rank: age must be >= 0 s");
    std::size_t j = 0;
    while (j < atoms_.size() && atoms_[j].size <= age) ++j;
    return j < atoms_.size() ? rank_within(j, age) : seconds{0};
  }

  /// The rank of a job just after it has had 0, and each size but the last.
  [[nodiscard]] std::span<const seconds> starts() const { return starts_; }

  [[nodiscard]] std::span<const service_atom> atoms() const { return atoms_; }

  /// Where stretch j begins: the age 0, or size j - 1.
  [[nodiscard]] seconds age_of(std::size_t j) const {
    return j == 0 ? seconds{0} : atoms_[j - 1].size;
  }

  /// The first age within stretch j, from there to size j, at which the rank is no more than a
  /// limit.
  [[nodiscard]] seconds age_of_rank(std::size_t j, seconds limit) const {
    if (starts_[j] <= limit) return age_of(j);
    seconds first = atoms_[j].size;
    seconds served{};
    for (std::size_t i = j; i < atoms_.size(); ++i) {
      served += atoms_[i].probability * atoms_[i].size;
      const seconds spent = served + left_[i + 1] * atoms_[i].size;
      first = smaller(first, (spent - (left_[j] - left_[i + 1]) * limit) / left_[j]);
    }
    return larger(first, age_of(j));
  }

 private:
  [[nodiscard]] seconds rank_within(std::size_t j, seconds age) const {
    seconds least = detail::for_ever;
    seconds served{};
    double ended = 0;
    for (std::size_t i = j; i < atoms_.size(); ++i) {
      const seconds quantum = atoms_[i].size - age;
      served += atoms_[i].probability * quantum;
      ended += atoms_[i].probability;
      least = smaller(least, (served + left_[i + 1] * quantum) / ended);
    }
    return least;
  }

  std::vector<service_atom> atoms_;
  std::vector<double> left_;     ///< share of the jobs of size i and longer
  std::vector<seconds> starts_;  ///< rank at the beginning of each stretch
};

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
