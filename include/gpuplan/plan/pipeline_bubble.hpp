#pragma once
/// \file
/// The share of a step that a pipeline waits, by schedule.

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The share of a step that a pipeline waits, relative to the step without waiting.
///
///     b = (p - 1) / (v m)
///
///     p  stages          count, >= 1
///     m  micro-batches   count, >= 1
///     v  chunks a stage  count, >= 1
///
/// Relative to the whole step it is b / (1 + b).  Holds for GPipe and 1F1B with equal stages; for
/// the zero-bubble schedules it is an upper bound.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 2.2, arXiv:2104.04473.
///
/// \throws invalid_input if one of them is < 1
constexpr double pipeline_bubble(int stages, double micro_batches, int chunks = 1) {
  require(stages >= 1, "pipeline_bubble: stages must be >= 1");
  require(micro_batches >= 1, "pipeline_bubble: micro_batches must be >= 1");
  require(chunks >= 1, "pipeline_bubble: chunks must be >= 1");
  return (stages - 1.0) / (chunks * micro_batches);
}

/// What a schedule leaves of the bubble of 1F1B, with forward, input-gradient and weight-gradient
/// passes of equal length.
///
///     gpipe, one_forward_one_backward   1
///     zero_bubble_h1                    1/3
///     zero_bubble_h2, zero_bubble_v     0
///     dualpipe                          2 (p/2 - 1) / (3 (p - 1)), at least 0
///
/// Source: P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR (2024), arXiv:2401.10241;
/// DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), table 2, arXiv:2412.19437, a forward and a
/// backward pass run beside each other counted as long as both.
///
/// \throws invalid_input if stages < 1
constexpr double bubble_share(pipeline_schedule schedule, int stages) {
  require(stages >= 1, "bubble_share: stages must be >= 1");
  switch (schedule) {
    case pipeline_schedule::gpipe:
    case pipeline_schedule::one_forward_one_backward: return 1;
    case pipeline_schedule::zero_bubble_h1: return 1.0 / 3;
    case pipeline_schedule::zero_bubble_h2:
    case pipeline_schedule::zero_bubble_v: return 0;
    case pipeline_schedule::dualpipe:
      return stages > 2 ? 2 * (stages / 2.0 - 1) / (3 * (stages - 1.0)) : 0;
  }
  require(false, "bubble_share: schedule must be one of pipeline_schedule");
  return 0;
}

}  // namespace gpuplan
