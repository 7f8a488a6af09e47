#pragma once
/// \file
/// Times that were taken of one work, and which of them count.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// One of them, with the clock of the processors while it was taken.
struct timed_sample {
  seconds time{};      ///< of one work; > 0
  per_second clock{};  ///< 0: not known
};

/// The least share of the highest clock at which a sample counts.
///
/// Source: NVIDIA, "NVBench", README.md (2024), option --throttle-threshold, takes 0.75; this asks
/// for a little more.
inline constexpr double least_clock_share = 0.8;

/// The samples taken at least_clock_share of `highest` or above, or with a clock not known: all of
/// them where these would not be most of them, since the few fast ones of a GPU that its power
/// limit holds down are not what it does.
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

/// Whether the last three of the clocks are within `tolerance` of the largest of them.  Fewer than
/// three are not.  Clocks that are not known, 0, are as steady as can be told.
inline bool is_steady(std::span<const per_second> clocks, double tolerance = 0.02) {
  if (clocks.size() < 3) return false;
  const auto last = clocks.last(3);
  const auto [least, most] = std::minmax_element(last.begin(), last.end());
  return *most - *least <= tolerance * *most;
}

/// How many works make a sample of at least `length`, at most `limit` and at least 1.
///
/// \throws invalid_input if limit < 1, or a time is not > 0 s
inline int works_of_sample(seconds one, seconds length, int limit) {
  require(limit >= 1, "works_of_sample: limit must be >= 1");
  require(one > seconds{0} && length > seconds{0}, "works_of_sample: one and length must be > 0 s");
  const double count = length / one;
  if (!(count < limit)) return limit;
  const int whole = static_cast<int>(count);
  return std::max(1, whole < count ? whole + 1 : whole);
}

}  // namespace gpuplan::probe
