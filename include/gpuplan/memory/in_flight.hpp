#pragma once
/// \file
/// How many micro-batches a pipeline rank holds at once, and which layers are its own.

#include <algorithm>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Micro-batches whose activations one pipeline rank holds at its fullest moment, each counted as
/// all of the rank's layers.
struct micro_batches_in_flight {
  double forward{};          ///< between their forward and their backward pass
  double weight_gradient{};  ///< of them, those whose weight gradients alone are still to come

  [[nodiscard]] constexpr double total() const { return forward + weight_gradient; }
};

/// Micro-batches in flight on a pipeline rank.
///
///     gpipe                      m
///     one_forward_one_backward   min(p - i, m)
///       with v > 1 chunks        min(2 (p - i - 1) + (v - 1) p + 1, m v) / v
///     zero_bubble_h1             min(p - i, m), then i waiting for weight gradients
///     zero_bubble_h2             min(2 (p - i) - 1, m), then 2 i waiting
///     zero_bubble_v              min(p, m) on every rank
///     dualpipe                   min(p + 1, m) on every rank
///
///     p  ranks of the pipeline         count, >= 1
///     i  this rank                     0 to p - 1
///     m  micro-batches of a step       count, >= 1
///     v  chunks of layers on a rank    count, >= 1
///
/// On rank 0 the interleaved form is p (1 + (p - 1)/(p v)).  Both kinds together never exceed m.
/// DualPipe holds two copies of the parameters: see footprint.hpp.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.2.3, arXiv:2205.05198; D. Narayanan et al., "Efficient Large-Scale
/// Language Model Training on GPU Clusters Using Megatron-LM", SC21 (2021), section 2.2; P. Qi et
/// al., "Zero Bubble Pipeline Parallelism", ICLR (2024), table 1, arXiv:2401.10241; P. Qi et al.,
/// "Pipeline Parallelism with Controllable Memory", NeurIPS (2024), arXiv:2405.15362
/// (zero_bubble_v); DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), table 2, arXiv:2412.19437
/// (dualpipe).
///
/// \throws invalid_input if rank is not 0 to cut.pipeline - 1, micro_batches < 1, cut.interleave <
/// 1, or schedule is none of its values
constexpr micro_batches_in_flight in_flight(pipeline_schedule schedule, const parallelism& cut,
                                            int rank, int micro_batches) {
  require(cut.pipeline >= 1 && cut.interleave >= 1,
          "in_flight: parallelism.pipeline and interleave must be >= 1");
  require(rank >= 0 && rank < cut.pipeline, "in_flight: rank must be 0 to pipeline - 1");
  require(micro_batches >= 1, "in_flight: micro_batches must be >= 1");

  const double p = cut.pipeline;
  const double i = rank;
  const double m = micro_batches;
  const double v = cut.interleave;
  const auto with_waiting = [m](double forward, double waiting) {
    const double held = (std::min)(forward, m);
    return micro_batches_in_flight{held, (std::min)(waiting, m - held)};
  };
  switch (schedule) {
    case pipeline_schedule::gpipe: return {m, 0};
    case pipeline_schedule::one_forward_one_backward:
      if (cut.interleave == 1) return {(std::min)(p - i, m), 0};
      return {(std::min)(2 * (p - i - 1) + (v - 1) * p + 1, m * v) / v, 0};
    case pipeline_schedule::zero_bubble_h1: return with_waiting(p - i, i);
    case pipeline_schedule::zero_bubble_h2: return with_waiting(2 * (p - i) - 1, 2 * i);
    case pipeline_schedule::zero_bubble_v: return {(std::min)(p, m), 0};
    case pipeline_schedule::dualpipe: return {(std::min)(p + 1, m), 0};
  }
  require(false, "in_flight: schedule must be one of pipeline_schedule");
  return {};
}

}  // namespace gpuplan
