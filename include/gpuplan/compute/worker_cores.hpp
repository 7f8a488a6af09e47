#pragma once
/// \file
/// Workers that preprocess samples, and the cores that they share.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Samples a second that workers preprocess where they share cores.
///
///     R = min(N, n_c) / t_p
///
///     N    workers                                    count, > 0
///     n_c  cores that they may use                    count, > 0
///     t_p  preprocessing of a sample by one worker    s, > 0
///
/// More workers than cores take turns: the rate stays.  What the turns themselves cost, and memory
/// that the workers share, are not in it, so that with many more workers than cores it is a bound.
///
/// Holds: a worker keeps its core busy; one that waits for storage leaves it to others.
///
/// Source: definition.
///
/// \throws invalid_input if workers or cores <= 0 or not finite, or preprocessing <= 0 s
constexpr per_second preprocessing_rate(double workers, double cores, seconds preprocessing) {
  require(workers > 0 && workers < 1e300, "preprocessing_rate: workers must be > 0 and finite");
  require(cores > 0 && cores < 1e300, "preprocessing_rate: cores must be > 0 and finite");
  require(preprocessing > seconds{0}, "preprocessing_rate: preprocessing must be > 0 s");
  return (workers < cores ? workers : cores) / preprocessing;
}

}  // namespace gpuplan
