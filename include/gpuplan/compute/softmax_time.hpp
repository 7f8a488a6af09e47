#pragma once
/// \file
/// Time of softmax over long rows, by how often a kernel passes over them.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How a kernel gets the largest value and the sum of a row.
enum class softmax_passes {
  separate,  ///< largest value, sum, result: three passes read, one writes
  online,    ///< largest value and sum in one pass: two passes read, one writes
  held       ///< a row stays in registers or shared memory: one pass reads, one writes
};

/// Bytes that softmax moves: all values of a row are needed before the first result.
///
///     separate    4 m n b
///     online      3 m n b
///     held        2 m n b
///
///     m  rows                   count, >= 0
///     n  values of a row        count, >= 0
///     b  bytes of a value       B, > 0
///     p  passes over the row    one of softmax_passes
///
/// Holds: rows that no cache holds between passes, unless `held`.
///
/// Source: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax",
/// arXiv:1805.02867 (2018), sections 2 and 3: 4 and 3 accesses a value.
///
/// \throws invalid_input if rows or values is < 0, value is <= 0 B, or passes is none of its values
constexpr bytes softmax_bytes(double rows, double values, bytes value, softmax_passes passes) {
  require(rows >= 0 && rows < 1e300, "softmax_bytes: rows must be >= 0 and finite");
  require(values >= 0 && values < 1e300, "softmax_bytes: values must be >= 0 and finite");
  require(value > bytes{0}, "softmax_bytes: value must be > 0 B");
  switch (passes) {
    case softmax_passes::separate: return 4 * rows * values * value;
    case softmax_passes::online: return 3 * rows * values * value;
    case softmax_passes::held: return 2 * rows * values * value;
  }
  require(false, "softmax_bytes: passes must be separate, online or held");
  return {};
}

/// Time of softmax, which memory binds.
///
///     M / W
///
///     M  softmax_bytes                 B
///     m  rows                          count, >= 0
///     n  values of a row               count, >= 0
///     b  bytes of a value              B, > 0
///     p  passes over the row           one of softmax_passes
///     W  bandwidth of device memory    B/s, > 0
///
/// Holds: rows enough for all multiprocessors; special functions that run at more than W / (2 b):
/// then an exponential takes no longer than the bytes of its value.
///
/// Source: as softmax_bytes.
///
/// \throws invalid_input as softmax_bytes, or if bandwidth is <= 0
constexpr seconds softmax_time(double rows, double values, bytes value, softmax_passes passes,
                               bytes_per_second bandwidth) {
  require(bandwidth > bytes_per_second{0}, "softmax_time: bandwidth must be > 0 B/s");
  return softmax_bytes(rows, values, value, passes) / bandwidth;
}

}  // namespace gpuplan
