#pragma once
/// \file
/// What must be under way so that memory is not waited for.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that must be under way at once for a memory to reach its bandwidth, by Little's law.
///
///     m = W n / f
///
///     W  bandwidth of the memory             B/s, > 0
///     n  cycles that one access takes        count, > 0
///     f  clock in which they are counted     1/s, > 0
///
/// An access to device memory takes some hundred cycles, so that a GPU needs several hundred KB
/// under way: threads by the ten thousand, or few with wide loads.
///
/// Holds: accesses that do not depend on one another; a latency that does not grow with the load.
///
/// Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9
/// (1961) 383-387; for GPUs V. Volkov, "Understanding Latency Hiding on GPUs", dissertation,
/// University of California, Berkeley (2016).
///
/// \throws invalid_input if bandwidth, cycles or clock is <= 0 or not finite
constexpr bytes bytes_under_way(bytes_per_second bandwidth, double cycles, per_second clock) {
  require(bandwidth > bytes_per_second{0} && bandwidth < bytes_per_second{1e300},
          "bytes_under_way: bandwidth must be > 0 B/s and finite");
  require(cycles > 0 && cycles < 1e300, "bytes_under_way: cycles must be > 0 and finite");
  require(clock > per_second{0} && clock < per_second{1e300},
          "bytes_under_way: clock must be > 0 per second and finite");
  return bandwidth * (cycles / clock);
}

/// Bandwidth that accesses reach which keep so many bytes under way.
///
///     min(W, m f / n)
///
///     m  bytes under way                     B, >= 0
///     W  bandwidth of the memory             B/s, > 0
///     n  cycles that one access takes        count, > 0
///     f  clock in which they are counted     1/s, > 0
///
/// Holds: as bytes_under_way; a bound near it, where queues make accesses slower.
///
/// Source: as bytes_under_way.
///
/// \throws invalid_input if moved < 0 B, or as bytes_under_way
constexpr bytes_per_second bandwidth_at_latency(bytes moved, bytes_per_second bandwidth,
                                                double cycles, per_second clock) {
  require(moved >= bytes{0}, "bandwidth_at_latency: moved must be >= 0 B");
  const double part = moved / bytes_under_way(bandwidth, cycles, clock);
  return part < 1 ? part * bandwidth : bandwidth;
}

}  // namespace gpuplan
