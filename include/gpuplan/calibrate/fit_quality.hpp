#pragma once
/// \file
/// The errors of a fit on its data, and the interval of what it fits.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/confidence.hpp>

namespace gpuplan {

/// Relative errors of a fit over its samples, |said / measured - 1|.
struct fit_quality {
  std::size_t samples = 0;
  double typical = 0;  ///< root of the mean square
  double median = 0;
  double p90 = 0;  ///< by linear interpolation between order statistics
  double worst = 0;
  std::size_t outliers = 0;  ///< samples that had less than half of the usual weight
};

/// The quantile of values: at 1 + (n - 1) part in their order, between two of them a straight line.
///
/// Source: R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
/// Statistician 50 (1996) 361-365, definition 7.
///
/// \throws invalid_input if there are none, or the part is not 0 .. 1
inline double quantile_of(std::vector<double> values, double part) {
  require(!values.empty(), "quantile_of: values must be >= 1");
  require(part >= 0 && part <= 1, "quantile_of: part must be 0 .. 1");
  std::sort(values.begin(), values.end());
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// \throws invalid_input if there is no error
inline fit_quality quality_of(std::span<const double> relative_errors) {
  std::vector<double> sizes;
  double squares = 0;
  for (const double error : relative_errors) {
    sizes.push_back(std::abs(error));
    squares += error * error;
  }
  return {.samples = sizes.size(),
          .typical = std::sqrt(squares / static_cast<double>(sizes.size())),
          .median = quantile_of(sizes, 0.5),
          .p90 = quantile_of(sizes, 0.9),
          .worst = quantile_of(sizes, 1)};
}

/// How often the interval of a fitted constant holds the true one, if errors are as the model takes
/// them: independent, normal, and relative to what is measured.
inline constexpr double fit_level = 0.95;

/// Bounds of a constant that is not negative; no bound above where samples are too few to tell.
template <class Q>
struct fit_interval {
  Q low{};
  Q high{std::numeric_limits<double>::infinity()};

  [[nodiscard]] constexpr bool holds(const Q& value) const { return low <= value && value <= high; }
};

/// The interval of a fitted constant.
///
///     max(0, x - t s) .. x + t s
///
///     x      value                              >= 0
///     s      error, one standard error          >= 0, may be infinite
///     t      of student_t_quantile, (1 + fit_level) / 2 at n - p degrees of freedom
///     n - p  freedom: samples less constants    count; < 1: no bounds
///
/// Source: N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd ed., Wiley (1998), section
/// 5.1.
///
/// \throws invalid_input if value or error is not >= 0
template <class Q>
fit_interval<Q> interval_around(const Q& value, const Q& error, int freedom) {
  require(value >= Q{0}, "interval_around: value must be >= 0");
  require(error >= Q{0}, "interval_around: error must be >= 0");
  if (freedom < 1 || !(error < Q{std::numeric_limits<double>::infinity()})) return {};
  const double t = student_t_quantile((1 + fit_level) / 2, (std::min)(freedom, 1000000));
  return {(std::max)(Q{0}, value - t * error), value + t * error};
}

/// The interval of what is 1 over a constant: of a rate, from that of the time of one.
template <class Q>
constexpr auto inverse_of(const fit_interval<Q>& of) {
  using inverse = decltype(1.0 / of.low);
  const inverse infinite{std::numeric_limits<double>::infinity()};
  return fit_interval<inverse>{of.high > Q{0} ? 1.0 / of.high : infinite,
                               of.low > Q{0} ? 1.0 / of.low : infinite};
}

}  // namespace gpuplan
