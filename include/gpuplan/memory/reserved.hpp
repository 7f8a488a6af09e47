#pragma once
/// \file
/// Reserved memory: what PyTorch's caching allocator takes from the device for the tensors it
/// holds, by its documented rules.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What the allocator takes from the device for one tensor where no cached block is large enough.
///
///     M <= 1 MiB:   2 MiB
///     M < 10 MiB:   20 MiB
///     else:         M rounded up to 2 MiB
///
///     M  the tensor    B, > 0
///
/// Blocks of a tensor are multiples of 512 B; what is left of a segment serves other tensors.
///
/// Holds: without expandable segments, with the default PYTORCH_CUDA_ALLOC_CONF.
///
/// Source: PyTorch, c10/cuda/CUDACachingAllocator.cpp (2.x): kSmallSize, kSmallBuffer,
/// kMinLargeAlloc, kLargeBuffer, kRoundLarge.
///
/// \throws invalid_input if tensor <= 0
constexpr bytes segment_of(bytes tensor) {
  require(tensor > bytes{0}, "segment_of: tensor must be > 0 B");
  if (tensor <= 1 * units::MiB) return 2 * units::MiB;
  if (tensor < 10 * units::MiB) return 20 * units::MiB;
  return ceiling(tensor / (2 * units::MiB)) * (2 * units::MiB);
}

namespace detail {

/// 1 + 1/2 + ... + 1/n.
inline double harmonic(std::int64_t n) {
  constexpr std::int64_t summed = 64;
  if (n > summed) {
    constexpr double euler = 0.57721566490153286;
    const auto x = static_cast<double>(n);
    return std::log(x) + euler + 1 / (2 * x) - 1 / (12 * x * x);
  }
  double sum = 0;
  for (std::int64_t k = 1; k <= n; ++k) sum += 1 / static_cast<double>(k);
  return sum;
}

}  // namespace detail

/// The most that the allocator caches for steps of lengths that differ, over what the longest
/// length takes alone, while the device has memory left.
///
///     G = r H_n + (1 - r) (H_(n+1) - 1)
///
///     n    steps                                              count, >= 1
///     r    shortest length over the longest                   1, 0 to 1
///     H_n  1 + 1/2 + ... + 1/n
///
/// Cached blocks of all shorter steps are too small for the tensors of a step that is longer than
/// those before it, so that at most each such record takes its memory anew.  The k-th of n lengths
/// is a record with probability 1/k, and is then r + (1 - r) k/(k + 1) long in the mean.
///
/// Holds: as a bound, for lengths uniform from r to 1 in any order; replays of the allocator's
/// rules (tests/memory/reserved_test.cpp) cache a third of it to all of it.  Before the allocator
/// reports that memory is full, it returns every segment that no tensor is in.
///
/// Source: PyTorch, c10/cuda/CUDACachingAllocator.cpp (2.x), for the rules; A. Renyi, "Theorie des
/// elements saillants d'une suite d'observations", Ann. Fac. Sci. Clermont-Ferrand 8 (1962), for
/// records.
///
/// \throws invalid_input if steps < 1, or shortest is not 0 to 1
inline double cached_growth(std::int64_t steps, double shortest) {
  require(steps >= 1, "cached_growth: steps must be >= 1");
  require(shortest >= 0 && shortest <= 1, "cached_growth: shortest must be 0 to 1");
  const double h = detail::harmonic(steps);
  return shortest * h + (1 - shortest) * (detail::harmonic(steps + 1) - 1);
}

/// What lengths that vary leave unusable of the memory that grows with them, after the allocator
/// has returned what it can.  Of 64 replays of its rules for steps that keep their activations none
/// needs more; of 64 that recompute every layer, so that a few large tensors are most of the peak,
/// nine of ten need no more, and none 0.7.
///
/// Source: tests/memory/reserved_test.cpp, which replays steps of a transformer in so much memory.
struct variable_length_shares {
  double kept = 0.25;        ///< where activations are kept, or some of a layer recomputed
  double recomputed = 0.50;  ///< where all layers are recomputed
};

/// What the allocator must be able to reserve beyond the tensors that it holds.
///
///     f (P - V)  +  max(f, g) V
///
///     P  the peak of the tensors                             B, >= 0
///     V  the part of it that grows with the lengths          B, 0 to P
///     f  reserved and not usable, where lengths are fixed    1, >= 0
///     g  the same of V, where they vary                      1, >= 0
///
/// Holds: without expandable segments; fixed lengths are g = 0.
///
/// Source: workspace::fragmentation for f, variable_length_shares for g.
///
/// \throws invalid_input if peak < 0, varying is not 0 to peak, or a share is < 0
constexpr bytes reserved_beyond(bytes peak, bytes varying, double fixed_share,
                                double variable_share) {
  require(peak >= bytes{0}, "reserved_beyond: peak must be >= 0 B");
  require(varying >= bytes{0} && varying <= peak, "reserved_beyond: varying must be 0 B to peak");
  require(fixed_share >= 0, "reserved_beyond: fixed_share must be >= 0");
  require(variable_share >= 0, "reserved_beyond: variable_share must be >= 0");
  return fixed_share * (peak - varying) + (std::max)(fixed_share, variable_share) * varying;
}

}  // namespace gpuplan
