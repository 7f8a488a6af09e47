#pragma once
/// \file
/// From FLOPs to days, and the upper limit of the peak that no claim may exceed.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Time of so many operations on n devices at the rate that each sustains.
///
///     T = F / (n X)
///
///     F  operations: of the run, computed-again ones if X counts them    FLOP, >= 0
///     n  devices                                                                    count, > 0
///     X  sustained by each, at most its peak                             FLOP/s, > 0
///
/// One device in years is the "V100-years" of papers: 3.14e23 FLOP at 28 TFLOP/s are 355 of them.
///
/// Holds: X as F counts: computed-again operations in both or in none.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), equation 4, arXiv:2104.04473, with F = 8 N D there.
///
/// \throws invalid_input if work < 0 FLOP, devices <= 0 or sustained <= 0 FLOP/s
constexpr seconds training_time(flop work, double devices, flop_per_second sustained) {
  require(work >= flop{0}, "training_time: work must be >= 0 FLOP");
  require(devices > 0, "training_time: devices must be > 0");
  require(sustained > flop_per_second{0}, "training_time: sustained must be > 0 FLOP/s");
  return work / (devices * sustained);
}

/// A rate of one device beside its peak.
struct achieved_rate {
  flop_per_second each{};  ///< of one device, by the time claimed
  flop_per_second peak{};  ///< of one device

  [[nodiscard]] constexpr double utilization() const { return each / peak; }
  /// Is the claim impossible?  Above 1 no device can be: the time, the work or the peak is wrong.
  [[nodiscard]] constexpr bool beyond_hardware() const { return each > peak; }
};

/// What a claimed time asks of each device.
///
///     X = F / (n T)
///
///     F, n, T  work, devices, time   FLOP, >= 0; count, > 0; s, > 0
///
/// For 175e9 parameters and 1536 x 2048 tokens a step, 2.5 s on 1024 A100 are 4.1 times their peak;
/// 10.3 s are the least.
///
/// Source: definition; model FLOP utilization is that of A. Chowdhery et al., "PaLM: Scaling
/// Language Modeling with Pathways" (2022), appendix B, arXiv:2204.02311, if F is the model's.
///
/// \throws invalid_input if work < 0 FLOP, devices <= 0, time <= 0 s or peak <= 0 FLOP/s
constexpr achieved_rate achieved_rate_of(flop work, double devices, seconds time,
                                         flop_per_second peak) {
  require(work >= flop{0}, "achieved_rate_of: work must be >= 0 FLOP");
  require(devices > 0, "achieved_rate_of: devices must be > 0");
  require(time > seconds{0}, "achieved_rate_of: time must be > 0 s");
  require(peak > flop_per_second{0}, "achieved_rate_of: peak must be > 0 FLOP/s");
  return {.each = work / (devices * time), .peak = peak};
}

}  // namespace gpuplan
