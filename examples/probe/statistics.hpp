#pragma once
/// \file
/// Samples of a time: how many runs one needs, which samples count, and what the report keeps.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// One sample, with the clock of the multiprocessors while it was taken.
struct timed_sample {
  seconds time{};      ///< of one run; > 0
  per_second clock{};  ///< 0: unknown
};

/// The smallest share of the highest clock at which a sample counts.
///
/// Source: NVIDIA, "NVBench", README.md (2024), option --throttle-threshold, uses 0.75; this is
/// slightly stricter.
inline constexpr double least_clock_share = 0.8;

/// The samples whose clock is unknown or at least least_clock_share of `highest`.  If those are not
/// more than half, all samples: the few fast samples of a power-limited GPU are not its usual speed.
///
/// \throws invalid_input if there is no sample, or one is not > 0 s
inline std::vector<timed_sample> kept_samples(std::span<const timed_sample> all,
                                              per_second highest) {
  require(!all.empty(), "kept_samples: samples must be >= 1");
  std::vector<timed_sample> kept;
  for (const timed_sample& sample : all) {
    require(sample.time > seconds{0}, "kept_samples: every time must be > 0 s");
    if (!(sample.clock > per_second{0}) || sample.clock >= least_clock_share * highest)
      kept.push_back(sample);
  }
  if (2 * kept.size() <= all.size()) kept.assign(all.begin(), all.end());
  return kept;
}

/// Minimum, median, 95th percentile and relative median deviation of the kept samples.
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

/// Whether the last three clocks are within `tolerance` of the largest of them.  Fewer than three
/// are not steady; unknown clocks, 0, are.
inline bool is_steady(std::span<const per_second> clocks, double tolerance = 0.02) {
  if (clocks.size() < 3) return false;
  const auto last = clocks.last(3);
  const auto [least, most] = std::minmax_element(last.begin(), last.end());
  return *most - *least <= tolerance * *most;
}

/// How many runs of `one` make a sample of at least `length`: 1 to `limit`.
///
/// \throws invalid_input if limit < 1, or a time is not > 0 s
inline int runs_of_sample(seconds one, seconds length, int limit) {
  require(limit >= 1, "runs_of_sample: limit must be >= 1");
  require(one > seconds{0} && length > seconds{0}, "runs_of_sample: one and length must be > 0 s");
  const double count = length / one;
  return count < limit ? std::max(1, static_cast<int>(std::ceil(count))) : limit;
}

}  // namespace gpuplan::probe
