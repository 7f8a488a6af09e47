#pragma once
/// \file
/// Confidence bounds of a fitted constant.

#include <algorithm>
#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/confidence.hpp>

namespace gpuplan {

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
