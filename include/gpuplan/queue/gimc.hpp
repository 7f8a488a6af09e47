#pragma once
/// \file
/// GI/M/c: independent times between arrivals of any variability, and jobs of exponential duration.

#include <cmath>
#include <limits>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

// Laws of the time T between arrivals, of mean 1, by A(s) = E e^(-s T).  Each has `reached`, A(s);
// `missed`, 1 - A(s); and `slope`, (A(s) - A(t)) / (t - s), which is -A'(s) where t = s.  None of
// them cancels.

/// One of two exponential laws, which contribute alike to the mean: the more arrivals vary, the
/// more the two differ.
struct bursty_arrivals {
  double rare = 0.5;  ///< q, share of the longer times; 1 - q are short

  /// Of a squared coefficient of variation v >= 1.
  static bursty_arrivals of(double v) { return {rarer_phase_share(v)}; }

  [[nodiscard]] constexpr double reached(double s) const {
    return rare / (1 + s * longer()) + (1 - rare) / (1 + s * shorter());
  }
  [[nodiscard]] constexpr double missed(double s) const {
    return s / 2 / (1 + s * longer()) + s / 2 / (1 + s * shorter());
  }
  [[nodiscard]] constexpr double slope(double s, double t) const {
    return 0.5 / ((1 + s * longer()) * (1 + t * longer())) +
           0.5 / ((1 + s * shorter()) * (1 + t * shorter()));
  }

 private:
  [[nodiscard]] constexpr double longer() const { return 0.5 / rare; }
  [[nodiscard]] constexpr double shorter() const { return 0.5 / (1 - rare); }
};

/// A gamma law: Erlang's where 1/v is whole, and clockwork at v = 0.
struct regular_arrivals {
  double v = 0;  ///< squared coefficient of variation; 0 to 1

  [[nodiscard]] double reached(double s) const { return std::exp(-exponent(s)); }
  [[nodiscard]] double missed(double s) const { return -std::expm1(-exponent(s)); }
  [[nodiscard]] double slope(double s, double t) const {
    if (s == t) return reached(s) / (1 + s * v);
    const double further = t - s;
    const double more = v == 0 ? further : std::log1p(further * v / (1 + s * v)) / v;
    return -reached(s) * std::expm1(-more) / further;
  }

 private:
  [[nodiscard]] double exponent(double s) const { return v == 0 ? s : std::log1p(s * v) / v; }
};

/// u = 1 - z of the root z of z = A(c mu (1 - z)) below 1, with c mu over lambda = 1 / rho: by
/// Newton's method on 1 - A(u / rho) - u, which is concave, from u = 1 down.
template <class Arrivals>
constexpr double spare_root(const Arrivals& arrivals, double rho) {
  double u = 1;
  for (int i = 0; i < 100; ++i) {
    const double excess = u - arrivals.missed(u / rho);
    const double next = u - excess / (1 - arrivals.slope(u / rho, u / rho) / rho);
    if (!(next > 0 && next < u)) break;
    u = next;
  }
  return u;
}

/// Takacs' probability of waiting, 1 / (1 + u sum t_r).  Factors of t_r grow at first; the sum is
/// kept below 2^512.
template <class Arrivals>
constexpr double renewal_wait_probability(const Arrivals& arrivals, double servers, double load,
                                          double u) {
  const double root = u * servers / load;
  double sum = 0;
  double product = 1;  // C(c, r) prod_{k<=r} (1 - A_k) / A_k
  double unit = 1;     // of both
  for (double r = 1; r <= servers; r += 1) {
    const double at = r / load;
    const double missed = arrivals.missed(at);
    const double factor = (servers - r + 1) / r * missed / arrivals.reached(at);
    if (!(factor < 0x1p200)) return 0;  // a job has ended before the next comes
    product *= factor;
    const double of_root = 1 - servers / load * arrivals.slope(at, root);
    sum += product / missed * (of_root > 0 ? of_root : 0);
    if (sum > 0x1p256) {
      sum *= 0x1p-256;
      product *= 0x1p-256;
      unit *= 0x1p-256;
    }
    if (factor < 1 && product < 1e-17 * (1 - factor) * missed * sum) break;  // it falls from here
  }
  return unit / (unit + u * sum);
}

/// GI/M/c by the transform of its arrivals.
template <class Arrivals>
constexpr waiting renewal_wait_of(const workload& jobs, const Arrivals& arrivals) {
  require_valid(jobs);
  waiting w{.arrival_rate = jobs.arrival_rate, .mean_service = jobs.mean_service};
  const double load = jobs.offered_load();
  const double rho = jobs.utilization();
  if (load == 0) return w;
  if (!(rho < 1)) {
    w.probability = 1;
    w.mean = seconds{std::numeric_limits<double>::infinity()};
    return w;
  }
  const double u = spare_root(arrivals, rho);
  w.probability = renewal_wait_probability(arrivals, jobs.servers, load, u);
  w.mean = w.probability / (jobs.servers * u) * jobs.mean_service;
  return w;
}

}  // namespace detail

/// GI/M/c: wait probability and mean wait where the times between arrivals are independent, and
/// service is exponential.
///
///     W_q = P / (c mu u)
///     P   = 1 / (1 + u sum_{r=1..c} t_r)
///     t_r = C(c, r) prod_{k<r} (1 - A_k)/A_k  1/A_r  (c (1 - A_r) - r)/(c u - r)
///     1-u = A(c mu u), the root in (0, 1)
///     A_k = A(k mu)
///     A(s) = E e^(-s T)
///
///     lambda, S, c   of jobs;  mu = 1/S;  c_a^2 of the times T between arrivals
///
/// Jobs that wait do so for an exponential time of mean 1/(c mu u), so the tail that wait_law_of
/// makes of the result is exact, too.  A(s) follows from c_a^2:
///
///     below 1   gamma, (1 + s c_a^2 / lambda)^(-1/c_a^2); e^(-s/lambda) at 0, Erlang's at 1/k
///     1         exponential: Erlang C
///     above 1   hyperexponential, of two phases that contribute alike to the mean
///
/// Exact for these laws.  Arrivals of another law that vary as much may wait for another time.
/// Terms are positive and nothing cancels.  O(c - lambda S + sqrt c), some 100 ns a term at most.
///
/// Holds: GI/M/c; infinite where overloaded.
///
/// Source: L. Takacs, "On a queueing problem concerning telephone traffic", Acta Math. Acad. Sci.
/// Hungar. 8 (1957) 325-335; "Introduction to the Theory of Queues" (1962), chapter 2; D. Gross et
/// al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 5.3.
///
/// \throws invalid_input if jobs are invalid, or arrival_variation is not >= 0 and finite
inline waiting renewal_wait(const workload& jobs, double arrival_variation) {
  require(arrival_variation >= 0, "renewal_wait: arrival_variation must be >= 0");
  require(arrival_variation <= std::numeric_limits<double>::max(),
          "renewal_wait: arrival_variation must be finite");
  return arrival_variation < 1
             ? detail::renewal_wait_of(jobs, detail::regular_arrivals{arrival_variation})
             : detail::renewal_wait_of(jobs, detail::bursty_arrivals::of(arrival_variation));
}

}  // namespace gpuplan
