#pragma once
/// \file
/// The law of a wait that is known by its probability and two moments.

#include <cmath>
#include <numbers>

#include <gpuplan/queue/detail/incomplete_gamma.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A wait that is none with probability 1 - C and else has a gamma distribution of mean D and
/// squared coefficient of variation v: exponential, as wait_law, for v = 1; nearly certain for a
/// small one, as where a whole pool must run empty.
///
/// Error: above 100 = 1 / v the tail is that of Wilson and Hilferty, within 1e-4.
///
/// Source: E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", Proc. Nat. Acad. Sci.
/// 17 (1931) 684-688, for a small v.
struct gamma_wait_law {
  double probability = 0;              ///< C, of any wait; 0 to 1
  seconds conditional_mean{};          ///< D, of the wait of those that wait; >= 0
  double conditional_variability = 1;  ///< v, of the same waits; > 0

  /// C D
  [[nodiscard]] constexpr seconds mean() const { return probability * conditional_mean; }

  /// P(W_q > t) = C Q(1 / v, t / (v D)), t >= 0
  [[nodiscard]] double tail(seconds t) const {
    require(t >= seconds{0}, "gamma_wait_law.tail: t must be >= 0 s");
    if (probability == 0 || !isfinite(conditional_mean)) return probability;  // none, or for ever
    return probability * conditional_tail(t / conditional_mean);
  }

  /// The least t with P(W_q <= t) >= q, by bisection, 0 <= q < 1
  [[nodiscard]] seconds percentile(double q) const {
    require(q >= 0 && q < 1, "gamma_wait_law.percentile: q must be >= 0 and < 1");
    if (!(probability > 1 - q) || !isfinite(conditional_mean))
      return probability > 1 - q ? conditional_mean : seconds{0};
    const double goal = (1 - q) / probability;
    double low = 0;
    double high = 1;
    while (conditional_tail(high) > goal && high < 1e12) high *= 2;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (conditional_tail(middle) > goal ? low : high) = middle;
    }
    return high * conditional_mean;
  }

 private:
  /// Of those that wait, the share that waits more than x times the mean.
  [[nodiscard]] double conditional_tail(double x) const {
    const double shape = 1 / conditional_variability;
    if (shape < 100) return detail::gamma_q(shape, shape * x);
    const double ninth = conditional_variability / 9;
    const double z = (std::cbrt(x) - (1 - ninth)) / std::sqrt(ninth);
    return std::erfc(z / std::numbers::sqrt2) / 2;
  }
};

}  // namespace gpuplan
