#pragma once
/// \file
/// The errors of a fit on its data.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>

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

}  // namespace gpuplan
