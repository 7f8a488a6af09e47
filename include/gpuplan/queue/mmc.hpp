#pragma once
/// \file
/// M/M/c: the distribution of wait and response: tails, percentiles, variance.

#include <cmath>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A wait that is none with probability 1 - C and else exponential with mean D: that of M/M/c, and
/// what is taken for the wait of other queues of which C and the mean are known.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.3.
struct wait_law {
  double probability = 0;      ///< C, of any wait; 0 to 1
  seconds conditional_mean{};  ///< D, of the wait of those that wait; >= 0

  /// C D
  [[nodiscard]] constexpr seconds mean() const { return probability * conditional_mean; }

  /// C (2 - C) D^2
  [[nodiscard]] constexpr square_seconds variance() const {
    return probability * (2 - probability) * (conditional_mean * conditional_mean);
  }

  /// P(W_q > t) = C exp(-t / D), t >= 0
  [[nodiscard]] double tail(seconds t) const {
    require(t >= seconds{0}, "wait_law.tail: t must be >= 0 s");
    if (probability == 0 || !isfinite(conditional_mean)) return probability;  // none, or for ever
    return probability * std::exp(-(t / conditional_mean));
  }

  /// The least t with P(W_q <= t) >= q: max(0, D ln(C / (1 - q))), 0 <= q < 1
  [[nodiscard]] seconds percentile(double q) const {
    require(q >= 0 && q < 1, "wait_law.percentile: q must be >= 0 and < 1");
    if (!(probability > 1 - q)) return seconds{0};
    return conditional_mean * std::log(probability / (1 - q));
  }
};

/// The law of a wait, from its probability and its mean; exact for M/M/c.
///
///     D = W_q / C
///
///     C, W_q  of wait(), or of another formula for a queue
///
/// For M/G/c and G/G/c an approximation.  Of one server percentiles 90 to 99 come out within 30% at
/// rho >= 0.8 and c_s^2 <= 2 (simulated, lognormal and equal times); elsewhere 0.3 to 3.5 times as
/// long, and the median up to 10 times.  Of several servers within 30%, mostly 10%.
///
/// Source: as wait_law.
///
/// \throws invalid_input if the probability is not from 0 to 1, or the mean is < 0 s
constexpr wait_law wait_law_of(const waiting& w) {
  require(w.probability >= 0 && w.probability <= 1, "waiting.probability must be from 0 to 1");
  require(w.mean >= seconds{0}, "waiting.mean must be >= 0 s");
  if (w.mean == seconds{0}) return {};
  return {.probability = w.probability, .conditional_mean = w.mean / w.probability};
}

/// ln P(W_q > t) in M/M/c, where it may be below the smallest double.
///
///     ln C - (c / S - lambda) t
///
///     lambda, S, c  of jobs
///     t             s, >= 0
///     C             log_erlang_c
///
/// Holds: M/M/c.
///
/// Source: as wait_law.
///
/// \throws invalid_input if jobs are invalid or t < 0 s
inline double log_wait_tail(const workload& jobs, seconds t) {
  require_valid(jobs);
  require(t >= seconds{0}, "log_wait_tail: t must be >= 0 s");
  const per_second spare = jobs.servers / jobs.mean_service - jobs.arrival_rate;
  if (!(spare > per_second{0})) return 0;
  return log_erlang_c(jobs.servers, jobs.offered_load()) - spare * t;
}

namespace detail {

/// P(T > t) of a wait of law `wait` and an exponential service of mean S after it:
/// e^-u (1 + C u (e^z - 1)/z), u = t/S, z = u - t/D.
inline double response_tail_of(const wait_law& wait, seconds service, seconds t) {
  const double u = t / service;
  if (std::isinf(u)) return 0;
  if (wait.probability == 0) return std::exp(-u);
  const double z = u - t / wait.conditional_mean;
  const double share = wait.probability * u;
  if (std::abs(z) > 1)  // far from equal rates: the sum of the two exponentials
    return (1 - share / z) * std::exp(-u) + share / z * std::exp(-(t / wait.conditional_mean));
  return std::exp(-u) * (1 + share * (z == 0 ? 1 : std::expm1(z) / z));
}

}  // namespace detail

/// P(T > t) in M/M/c: that a job takes longer than t from arrival to end.
///
///     (1 + C/h) e^(-t/S) - (C/h) e^(-(c/S - lambda) t),   h = c - 1 - a
///
///     lambda, S, c, a  of jobs; C erlang_c(c, a)
///     t                s, >= 0
///
/// In a form that also holds at h = 0.  1 for ever if the queue is overloaded.
///
/// Holds: M/M/c.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.3.
///
/// \throws invalid_input if jobs are invalid or t < 0 s
inline double response_tail(const workload& jobs, seconds t) {
  require(t >= seconds{0}, "response_tail: t must be >= 0 s");
  const waiting w = wait(jobs);
  if (!w.stable()) return 1;
  return detail::response_tail_of(wait_law_of(w), jobs.mean_service, t);
}

/// The time in which a share q of the jobs of M/M/c is done, from arrival to end.
///
///     the t of response_tail(t) = 1 - q
///
///     lambda  jobs that arrive     1/s, >= 0
///     S       mean service         s, 1e-9 to 1e12
///     c       servers              count, 1 to 1e6
///     q       share of the jobs    1, 0 to 1
///
///     q  1, >= 0 and < 1
///
/// By Newton's method on the logarithm of the tail, within a bracket; infinite if overloaded.
///
/// Holds: M/M/c.
///
/// Source: as response_tail.
///
/// \throws invalid_input if jobs are invalid, or q is not from 0 to 1
inline seconds response_percentile(const workload& jobs, double q) {
  require(q >= 0 && q < 1, "response_percentile: q must be >= 0 and < 1");
  const waiting w = wait(jobs);
  if (!w.stable()) return w.mean;
  const wait_law law = wait_law_of(w);
  const seconds service = jobs.mean_service;
  // Longer than the service alone, and than the wait at half the excess plus the service at half.
  seconds low = -service * std::log1p(-q);
  seconds high = law.percentile(0.5 + q / 2) - service * std::log((1 - q) / 2);
  const double goal = std::log1p(-q);
  seconds t = low;
  for (int i = 0; i < 200; ++i) {
    const double tail = detail::response_tail_of(law, service, t);
    const double excess = std::log(tail) - goal;
    (excess > 0 ? low : high) = t;
    // The density of T is (P(T > t) - P(W_q > t)) / S.
    const per_second hazard = (tail - law.tail(t)) / tail / service;
    seconds next = t + excess / hazard;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (abs(next - t) <= 1e-16 * t) return next;
    t = next;
  }
  return t;
}

}  // namespace gpuplan
