#pragma once
/// \file
/// The Poisson distribution, accurate in its tails: busy servers of an infinite pool.

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <gpuplan/require.hpp>

namespace gpuplan {
namespace detail {

/// ln n! less Stirling's formula: ln n! - (1/2 ln(2 pi n) + n ln n - n), n a whole number or >= 16.
inline double stirling_error(double n) {
  static constexpr std::array<double, 16> small{0,
                                                0.08106146679532725822,
                                                0.041340695955409294094,
                                                0.027677925684998339149,
                                                0.020790672103765093112,
                                                0.016644691189821192163,
                                                0.013876128823070747999,
                                                0.011896709945891770095,
                                                0.010411265261972096497,
                                                0.0092554621827127329177,
                                                0.0083305634333628712565,
                                                0.007573675487951840795,
                                                0.0069428401072095298657,
                                                0.0064089941880042070684,
                                                0.0059513701127588477356,
                                                0.005554733551962801371};
  if (n < 16) return small[static_cast<std::size_t>(n)];
  const double m = n * n;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / m) / m) / m) / m) / n;
}

/// x ln(x/m) + m - x, without the cancellation near x = m.
inline double deviance(double x, double m) {
  const double d = x - m;
  if (!(std::abs(d) < 0.1 * (x + m))) return x * std::log(x / m) + m - x;
  const double v = d / (x + m);
  double sum = d * v;
  double power = 2 * x * v;
  for (double j = 3;; j += 2) {
    power *= v * v;
    const double next = sum + power / j;
    if (next == sum) return sum;
    sum = next;
  }
}

/// ln of a^n e^-a / n!, n a whole number or >= 16, a > 0.
inline double log_poisson(double a, double n) {
  if (n == 0) return -a;
  return -stirling_error(n) - deviance(n, a) - std::log(2 * std::numbers::pi * n) / 2;
}

/// a^n e^-a / n!, whose error is a rounding error times its condition |n - a|, however small it is.
inline double poisson(double a, double n) {
  if (!(a < 0.1 * n)) return std::exp(log_poisson(a, n));
  const double q = a / n;
  const double rest = std::exp(-stirling_error(n)) / std::sqrt(2 * std::numbers::pi * n);
  return std::pow(q * std::exp(1 - q), n) * rest;
}

/// P(N > n) / P(N = n) = sum_{j >= 1} prod_{i <= j} a / (n + i), for a <= n + 1; n any number >= 0.
/// Every term is positive; what is left is added as a geometric series once that is exact.
/// O(sqrt n) at worst.
constexpr double poisson_above(double a, double n) {
  double sum = 0;
  double term = 1;
  double room = 0;  // n + j + 1 - a, whose square tells how far the rest is from geometric
  do {
    n += 1;
    term *= a / n;
    sum += term;
    room = n + 1 - a;
  } while (!(term * a <= 1e-17 * sum * room * room) && term > 0);
  return sum + term * a / room;
}

/// P(N <= n) / P(N = n) = sum_{k <= n} prod_{i < k} (n - i) / a, n whole.  O(sqrt n) for a >= n.
constexpr double poisson_below(double a, double n) {
  double sum = 1;
  for (double term = 1; n > 0 && term > 1e-17 * sum; n -= 1) {
    term *= n / a;
    sum += term;
  }
  return sum;
}

}  // namespace detail

/// Probability that n of unlimited servers are busy: ln P(N = n) in M/M/infinity, and in
/// M/G/infinity.
///
///     P(N = n) = a^n e^-a / n!
///
///     a  load, arrival rate times mean service   erlang, >= 0
///     n  busy                                    count, >= 0
///
/// Exact for Poisson arrivals and any law of service.  By the saddle point: O(1), and to the last
/// digits where exp(n ln a - a - ln n!) has lost as many as n has.
///
/// Source: C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000); D. Gross et
/// al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.7.
///
/// \throws invalid_input if load < 0 or busy < 0
inline double log_poisson_probability(double load, int busy) {
  require(load >= 0, "log_poisson_probability: load must be >= 0 erlang");
  require(busy >= 0, "log_poisson_probability: busy must be >= 0");
  if (load == 0) return busy == 0 ? 0 : -HUGE_VAL;
  if (std::isinf(load)) return -HUGE_VAL;
  return detail::log_poisson(load, busy);
}

/// Probability that more than n of unlimited servers are busy.
///
///     P(N > n) = sum_{k > n} a^k e^-a / k!
///
///     a, n  as in log_poisson_probability
///
/// Of the two sums that give it, the one that converges.  O(sqrt(a)).
///
/// Holds: M/G/infinity.
///
/// Source: as log_poisson_probability.
///
/// \throws invalid_input if load < 0 or busy < 0
inline double poisson_tail(double load, int busy) {
  require(load >= 0, "poisson_tail: load must be >= 0 erlang");
  require(busy >= 0, "poisson_tail: busy must be >= 0");
  if (load == 0) return 0;
  if (std::isinf(load)) return 1;
  const double probability = detail::poisson(load, busy);
  if (load <= busy + 1.0) return probability * detail::poisson_above(load, busy);
  return 1 - probability * detail::poisson_below(load, busy);
}

}  // namespace gpuplan
