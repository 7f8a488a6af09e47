#pragma once
/// \file
/// The rate that transfers come to when they are long, from measured times.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Rates of so much more or less are still those of the plateau.
inline constexpr double plateau_tolerance = 0.1;

/// A buffer of so many times the last cache is read from memory: of one as large as the cache
/// alone, all but a few lines could still be there.
inline constexpr double beyond_cache = 8;

/// A plateau, how well its samples agree, and how sure it is.
struct plateau_fit {
  bytes_per_second rate{};
  fit_quality quality{};  ///< of the times of the samples that it was made of
  bytes least{};          ///< of those samples
  bytes most{};
  bytes steady_from{};  ///< from here on every sample's rate is that of the plateau
  fit_interval<bytes_per_second> rate_bounds{};
};

/// The rate of long transfers.
///
///     W = median of m / t over m >= from
///
///     m, t  message, time of samples                        B, > 0; s, > 0
///     from  beyond start-up times and caches: beyond_cache times the last cache for device memory;
///           the longest sample alone counts where all are shorter       B, >= 0
///
/// Bounds by Student's t of n - 1 degrees of freedom around the median, whose error is sqrt(pi/2)
/// times that of a mean if rates are normal and many, and less if they are few.
///
/// Source: M. G. Kendall and A. Stuart, "The Advanced Theory of Statistics", vol. 1, 4th ed.,
/// Griffin (1977), example 10.7, for the error of a median.
///
/// \throws invalid_input if there is no sample, one is not > 0 and finite, or from is not >= 0 B
inline plateau_fit fit_plateau(std::span<const transfer_sample> samples, bytes from) {
  require(!samples.empty(), "fit_plateau: samples must be >= 1");
  require(from >= bytes{0}, "fit_plateau: from must be >= 0 B");
  plateau_fit fit;
  for (const transfer_sample& sample : samples) {
    require_valid(sample);
    fit.most = larger(fit.most, sample.message);
  }
  fit.least = fit.most;
  std::vector<double> rates;
  for (const transfer_sample& sample : samples) {
    if (sample.message < from && sample.message < fit.most) continue;
    rates.push_back((sample.message / sample.time).in_base_units());
    if (sample.message < fit.least) fit.least = sample.message;
  }
  const double middle = quantile_of(rates, 0.5);
  fit.rate = bytes_per_second{middle};

  std::vector<double> errors;
  double squares = 0;
  for (const double rate : rates) {
    errors.push_back(rate / middle - 1);
    squares += (rate - middle) * (rate - middle);
  }
  fit.quality = quality_of(errors);
  const auto n = static_cast<double>(rates.size());
  if (n > 1) {
    const double error = std::sqrt(std::numbers::pi / 2 * squares / (n - 1) / n);
    fit.rate_bounds =
        interval_around(fit.rate, bytes_per_second{error}, static_cast<int>(rates.size()) - 1);
  }

  fit.steady_from = fit.most;
  bytes last_off{};
  for (const transfer_sample& sample : samples)
    if (std::abs(sample.message / sample.time / fit.rate - 1) > plateau_tolerance)
      last_off = larger(last_off, sample.message);
  for (const transfer_sample& sample : samples)
    if (sample.message > last_off && sample.message < fit.steady_from)
      fit.steady_from = sample.message;
  return fit;
}

}  // namespace gpuplan
