#pragma once
/// \file
/// Batches that run one after another on one GPU.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One batch of a sequence.
struct sequential_batch {
  bytes memory{};  ///< while it runs; >= 0
  seconds time{};  ///< >= 0
};

/// What a sequence of batches needs.
struct batch_sequence {
  bytes peak{};    ///< of the largest batch: each frees its memory before the next begins
  seconds time{};  ///< of all of them

  [[nodiscard]] constexpr bool fits(bytes capacity, seconds limit) const {
    return peak <= capacity && time <= limit;
  }
};

/// Batches in sequence.
///
///     M = max M_m,   T = sum t_m      fits where M <= C and T <= limit
///
/// The sum of memories is what batches at the same time would need; the bound on time holds for
/// their sum, not for each.
///
/// Source: C. Lawler et al., "Sequencing and Scheduling: Algorithms and Complexity", Handbooks in
/// Operations Research 4 (1993), for jobs of one machine.
///
/// \throws invalid_input if a memory < 0 B or a time < 0 s
template <class Batches>
constexpr batch_sequence in_sequence(const Batches& batches) {
  batch_sequence all;
  for (const sequential_batch& one : batches) {
    require(one.memory >= bytes{0}, "sequential_batch.memory must be >= 0 B");
    require(one.time >= seconds{0}, "sequential_batch.time must be >= 0 s");
    if (one.memory > all.peak) all.peak = one.memory;
    all.time += one.time;
  }
  return all;
}

}  // namespace gpuplan
