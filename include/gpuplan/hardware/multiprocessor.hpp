#pragma once
/// \file
/// What a streaming multiprocessor holds and does in a cycle, and rates without tensor cores.

#include <array>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A streaming multiprocessor of NVIDIA, by compute capability.
struct multiprocessor {
  int compute_capability = 0;  ///< ten times the number that is printed: 80 is 8.0
  int cores = 0;               ///< results in FP32 a cycle
  int half_results = 0;        ///< results in FP16 a cycle, without tensor cores
  bytes registers{};           ///< the register file
  bytes shared_and_l1{};       ///< the memory that shared memory and the L1 cache divide
  bytes shared_at_most{};      ///< the largest part of it that can be shared memory
};

/// The multiprocessors of GPUs for training.
///
///     capability  GPU           FP32  FP16  registers  shared + L1  shared
///     7.0         V100            64   128    256 KiB      128 KiB   96 KiB
///     8.0         A100            64   256    256 KiB      192 KiB  164 KiB
///     8.6         RTX A6000      128   128    256 KiB      128 KiB  100 KiB
///     8.9         L40S, RTX4090  128   128    256 KiB      128 KiB  100 KiB
///     9.0         H100, H200     128   256    256 KiB      256 KiB  228 KiB
///
/// Source: NVIDIA, "CUDA C++ Programming Guide", release 12 (2023), tables "Throughput of Native
/// Arithmetic Instructions" and "Technical Specifications per Compute Capability", recalled; the
/// cores and the shared memory of 7.0, 8.0 and 9.0 looked up: G. Lockwood, "A100",
/// glennklockwood.com/garden/processors/A100; Ultrasonics Sonochemistry 99 (2023) 106546, table 3.
inline constexpr std::array known_multiprocessors{
    multiprocessor{70, 64, 128, 256 * units::KiB, 128 * units::KiB, 96 * units::KiB},
    multiprocessor{80, 64, 256, 256 * units::KiB, 192 * units::KiB, 164 * units::KiB},
    multiprocessor{86, 128, 128, 256 * units::KiB, 128 * units::KiB, 100 * units::KiB},
    multiprocessor{89, 128, 128, 256 * units::KiB, 128 * units::KiB, 100 * units::KiB},
    multiprocessor{90, 128, 256, 256 * units::KiB, 256 * units::KiB, 228 * units::KiB}};

/// The multiprocessor of a compute capability; null if the table does not have it.
constexpr const multiprocessor* find_multiprocessor(int compute_capability) {
  for (const multiprocessor& one : known_multiprocessors)
    if (one.compute_capability == compute_capability) return &one;
  return nullptr;
}

/// Cores of a GPU, as data sheets count them.
///
///     n c
///
///     n  streaming multiprocessors           count, >= 1
///     c  results in FP32 of each, a cycle    count, >= 1
///
/// Holds: always.
///
/// Source: NVIDIA, "CUDA C++ Programming Guide", release 12 (2023), table "Throughput of Native
/// Arithmetic Instructions".
///
/// \throws invalid_input if n or c is < 1
constexpr int core_count(int n, int c) {
  require(n >= 1 && n <= 1'000'000, "core_count: n must be 1 to 1000000");
  require(c >= 1 && c <= 1000, "core_count: c must be 1 to 1000");
  return n * c;
}

/// Peak of arithmetic without tensor cores: each result is a multiplication and an addition.
///
///     2 n r f
///
///     n  streaming multiprocessors           count, >= 1
///     r  results of each, a cycle            count, >= 1; in FP32 its cores
///     f  clock                               1/s, > 0
///
/// Holds: fused multiply-adds in every cycle.  What reads memory reaches bandwidth instead.
///
/// Source: as core_count; the factor 2 is the count of a fused multiply-add.
///
/// \throws invalid_input if n or r is < 1, or f is <= 0 or not finite
constexpr flop_per_second vector_peak(int n, int r, per_second f) {
  require(n >= 1 && n <= 1'000'000, "vector_peak: n must be 1 to 1000000");
  require(r >= 1 && r <= 1000, "vector_peak: r must be 1 to 1000");
  require(f > per_second{0} && f < per_second{1e300},
          "vector_peak: f must be > 0 per second and finite");
  return 2.0 * n * r * f * units::FLOP;
}

}  // namespace gpuplan
