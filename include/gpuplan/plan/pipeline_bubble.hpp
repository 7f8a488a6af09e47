#pragma once
/// \file
/// The pipeline bubble: the share of a step that stages are idle, by schedule.

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

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

/// The part of the whole step that a pipeline waits.
///
///     w = (p - 1) / (v m + p - 1)
///
///     p  stages          count, >= 1
///     m  micro-batches   count, >= 1
///     v  chunks a stage  count, >= 1
///
/// Relative to the step without waiting it is pipeline_bubble.  Without micro-batches, m = 1, one
/// stage in p works: 1 - w = 1/p.  Holds for GPipe and 1F1B with equal stages.
///
/// Source: Y. Huang et al., "GPipe: Efficient Training of Giant Neural Networks using Pipeline
/// Parallelism", NeurIPS (2019), section 2.3, arXiv:1811.06965.
///
/// \throws invalid_input if one of them is < 1
constexpr double bubble_of_step(int stages, double micro_batches, int chunks = 1) {
  const double bubble = pipeline_bubble(stages, micro_batches, chunks);
  return bubble / (1 + bubble);
}

/// Time of model-parallel training, as a chapter has it: compute over the devices, and a bubble for
/// each stage but one.
///
///     T / n  +  (p - 1) T_b
///
///     T    compute on one device          s, >= 0
///     n    devices                        count, >= 1
///     p    stages                         count, >= 1
///     T_b  one bubble                     s, >= 0
///
/// With the time of one micro-batch on a stage as the bubble, T / (n m), that is the time of a step
/// of m micro-batches over p = n stages; with the same T_b for every m it is not.
///
/// Holds: one device a stage, equal stages; messages hidden.
///
/// Source: a textbook's chapter on allocation; Y. Huang et al., "GPipe", NeurIPS (2019), section
/// 2.3, arXiv:1811.06965, for the bubble.
///
/// \throws invalid_input if a time is not >= 0 s, or a count < 1
constexpr seconds coarse_model_parallel_time(seconds compute, int devices, int stages,
                                             seconds bubble) {
  require(compute >= seconds{0}, "coarse_model_parallel_time: compute must be >= 0 s");
  require(devices >= 1, "coarse_model_parallel_time: devices must be >= 1");
  require(stages >= 1, "coarse_model_parallel_time: stages must be >= 1");
  require(bubble >= seconds{0}, "coarse_model_parallel_time: bubble must be >= 0 s");
  return compute / devices + (stages - 1.0) * bubble;
}

/// How long the passes of a micro-batch through a stage are, in any one unit.
struct pass_lengths {
  double forward = 1;          ///< F, > 0
  double input_gradient = 1;   ///< B, >= 0
  double weight_gradient = 1;  ///< W, >= 0; the zero-bubble schedules move it into the bubble

  [[nodiscard]] constexpr double total() const {
    return forward + input_gradient + weight_gradient;
  }
};

/// What a schedule leaves of the bubble of 1F1B, which is (p - 1) (F + B + W) for one chunk.
///
///     gpipe, one_forward_one_backward   1
///     zero_bubble_h1                    (F + B - W) / (F + B + W)
///     zero_bubble_h2                    (F + B - 2W) / (F + B + W)
///     zero_bubble_v                     0
///     dualpipe                          (p/2 - 1) (F + 2B - W) / ((p - 1) (F + B + W))
///
///     p        stages   count, >= 1
///     F, B, W  passes   lengths of one micro-batch on a stage
///
/// Never below 0.  1/3, 0 and 2 (p/2 - 1) / (3 (p - 1)) for passes of equal length, which
/// zero_bubble_v supposes.  Holds from micro_batches_of_schedule on, and dualpipe for an even p.
///
/// Source: P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR (2024), table 2,
/// arXiv:2401.10241; DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), table 2,
/// arXiv:2412.19437, a forward and a backward pass run beside each other counted as long as both.
///
/// \throws invalid_input if stages < 1, passes.forward <= 0 or another pass < 0
constexpr double bubble_share(pipeline_schedule schedule, int stages,
                              const pass_lengths& passes = {}) {
  require(stages >= 1, "bubble_share: stages must be >= 1");
  require(passes.forward > 0, "bubble_share: passes.forward must be > 0");
  require(passes.input_gradient >= 0, "bubble_share: passes.input_gradient must be >= 0");
  require(passes.weight_gradient >= 0, "bubble_share: passes.weight_gradient must be >= 0");

  const double moved = passes.weight_gradient;
  const double waits = passes.forward + passes.input_gradient;
  const double of_both = (stages / 2.0 - 1) * (waits + passes.input_gradient - moved);
  const auto share = [](double left, double all) { return left > 0 ? left / all : 0; };
  switch (schedule) {
    case pipeline_schedule::gpipe:
    case pipeline_schedule::one_forward_one_backward: return 1;
    case pipeline_schedule::zero_bubble_h1: return share(waits - moved, passes.total());
    case pipeline_schedule::zero_bubble_h2: return share(waits - 2 * moved, passes.total());
    case pipeline_schedule::zero_bubble_v: return 0;
    case pipeline_schedule::dualpipe:
      return stages > 2 ? share(of_both, (stages - 1) * passes.total()) : 0;
  }
  require(false, "bubble_share: schedule must be one of pipeline_schedule");
  return 0;
}

/// The fewest micro-batches with which a schedule leaves no more than bubble_share of the bubble.
///
///     gpipe, one_forward_one_backward    1
///     zero_bubble_h1, zero_bubble_v      p
///     zero_bubble_h2                     2 p - 1
///     dualpipe                           2 p
///
///     p  stages   count, >= 1
///
/// With fewer than p no schedule can have all stages at work.
///
/// Source: P. Qi et al. (2024) as above, section 2; DeepSeek-AI, "DualPipe", dualpipe.py (2025).
///
/// \throws invalid_input if stages < 1, or schedule is none of pipeline_schedule
constexpr double micro_batches_of_schedule(pipeline_schedule schedule, int stages) {
  require(stages >= 1, "micro_batches_of_schedule: stages must be >= 1");
  const double p = stages;
  switch (schedule) {
    case pipeline_schedule::gpipe:
    case pipeline_schedule::one_forward_one_backward: return 1;
    case pipeline_schedule::zero_bubble_h1:
    case pipeline_schedule::zero_bubble_v: return p;
    case pipeline_schedule::zero_bubble_h2: return 2 * p - 1;
    case pipeline_schedule::dualpipe: return 2 * p;
  }
  require(false, "micro_batches_of_schedule: schedule must be one of pipeline_schedule");
  return 0;
}

/// bubble_share of a step of m micro-batches, an upper bound where they are fewer than m*.
///
///     min(1, s + (m* - m) / (p - 1))     below m*; else s
///
///     s   bubble_share of p stages          1
///     m*  micro_batches_of_schedule         count
///     m   micro_batches                     count, > 0
///     p   stages                            count, >= 1
///
/// A step of m* micro-batches of which m* - m are idle has no more of a bubble; nor has 1F1B.
///
/// Source: ours.
///
/// \throws invalid_input as bubble_share does
constexpr double bubble_share_of(pipeline_schedule schedule, int stages, double micro_batches) {
  const double share = bubble_share(schedule, stages);
  const double idle = micro_batches_of_schedule(schedule, stages) - micro_batches;
  if (!(idle > 0) || stages == 1) return share;
  const double more = share + idle / (stages - 1.0);
  return more < 1 ? more : 1;
}

}  // namespace gpuplan
