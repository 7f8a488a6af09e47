#pragma once
/// \file
/// Samples as the report keeps them.

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/probe_report_device.hpp>

#include "samples.hpp"

namespace gpuplan::probe {

/// Least, median, 95th percentile and relative median deviation of the kept samples.
///
///     relative MAD = median |t - median(t)| / median(t)
///
/// \throws invalid_input if there is no sample, or one is not > 0 s
inline measured_time measured(std::span<const timed_sample> all, per_second highest_clock) {
  std::vector<double> times;
  for (const timed_sample& sample : kept_samples(all, highest_clock))
    times.push_back(sample.time.in_base_units());
  const double median = quantile_of(times, 0.5);
  std::vector<double> deviations;
  for (const double time : times) deviations.push_back(std::abs(time - median));
  return {.median = seconds{median},
          .min = seconds{quantile_of(times, 0)},
          .p95 = seconds{quantile_of(times, 0.95)},
          .relative_mad = quantile_of(deviations, 0.5) / median,
          .samples = static_cast<int>(times.size())};
}

/// The median of the clocks that are known among the kept samples.
inline std::optional<per_second> median_clock(std::span<const timed_sample> all,
                                              per_second highest_clock) {
  std::vector<double> clocks;
  for (const timed_sample& sample : kept_samples(all, highest_clock))
    if (sample.clock > per_second{0}) clocks.push_back(sample.clock.in_base_units());
  if (clocks.empty()) return std::nullopt;
  return per_second{quantile_of(clocks, 0.5)};
}

}  // namespace gpuplan::probe
