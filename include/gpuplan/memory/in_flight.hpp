#pragma once
/// \file
/// Micro-batches in flight on a pipeline rank, and the layers that it holds.

#include <algorithm>
#include <cstdint>

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

namespace detail {

/// Chunk passes that an interleaved rank has begun when its first backward pass begins.
constexpr std::int64_t passes_begun(const recipe& how, const parallelism& cut, int rank,
                                    int micro_batches) {
  const std::int64_t group = how.interleave_group > 0 ? how.interleave_group : cut.pipeline;
  const std::int64_t warm_up =
      std::int64_t{2} * (cut.pipeline - rank - 1) + (cut.interleave - 1) * group;
  return (std::min)(warm_up + 1, std::int64_t{micro_batches} * cut.interleave);
}

/// The passes begun, in rounds of a group of micro-batches on every chunk; the last group has what
/// the others leave of a step.
struct begun_rounds {
  std::int64_t group = 1;
  std::int64_t whole = 0;
  std::int64_t rest = 0;        ///< passes of a round that is not whole
  std::int64_t last_group = 1;  ///< micro-batches of that round on each chunk

  /// The chunk of the next pass, as forward passes count them.
  [[nodiscard]] constexpr std::int64_t chunk_at_work() const { return rest / last_group; }
  /// Passes that are left until the one on another chunk; of none begun all of the first chunk's.
  [[nodiscard]] constexpr std::int64_t left_of_chunk() const {
    return last_group - rest % last_group;
  }
};

/// Passes of each chunk among the passes begun: the first chunks have run all of the round that is
/// not whole, one a part of it, and the others none.
class passes_by_place {
 public:
  constexpr explicit passes_by_place(const begun_rounds& begun)
      : full_{begun.chunk_at_work()},
        none_{static_cast<double>(begun.whole * begun.group)},
        part_{none_ + static_cast<double>(begun.rest - full_ * begun.last_group)},
        all_{none_ + static_cast<double>(begun.last_group)} {}

  /// `place` of a chunk in the order of passes.
  [[nodiscard]] constexpr double at(int place) const {
    return place < full_ ? all_ : place == full_ ? part_ : none_;
  }

 private:
  std::int64_t full_;  // chunks that have run all
  double none_;
  double part_;
  double all_;
};

/// The first `begun` chunk passes of a step, forward or backward, in rounds.
constexpr begun_rounds rounds_of(const recipe& how, const parallelism& cut, std::int64_t begun,
                                 int micro_batches) {
  const std::int64_t group = how.interleave_group > 0 ? how.interleave_group : cut.pipeline;
  const std::int64_t round = group * cut.interleave;
  const std::int64_t whole = begun / round;
  const std::int64_t left = (std::max)(micro_batches - whole * group, std::int64_t{1});
  return {group, whole, begun % round, (std::min)(group, left)};
}

constexpr begun_rounds rounds_begun(const recipe& how, const parallelism& cut, int rank,
                                    int micro_batches) {
  return rounds_of(how, cut, passes_begun(how, cut, rank, micro_batches), micro_batches);
}

/// Micro-batches in flight on the first chunk of an interleaved rank when its own first backward
/// pass begins, which is after those of a group on each other chunk.
constexpr double most_on_first_chunk(const recipe& how, const parallelism& cut, int rank,
                                     int micro_batches) {
  const std::int64_t group = how.interleave_group > 0 ? how.interleave_group : cut.pipeline;
  const std::int64_t begun =
      passes_begun(how, cut, rank, micro_batches) + (cut.interleave - 1) * group;
  const std::int64_t all = std::int64_t{micro_batches} * cut.interleave;
  return passes_by_place{rounds_of(how, cut, (std::min)(begun, all), micro_batches)}.at(0);
}

/// Micro-batches in flight on the two chunks of a rank of a pipeline that is folded in half.
struct folded_in_flight {
  double there{};  ///< on the chunk nearer to the embedding
  double back{};   ///< on that nearer to the head
};

/// Of a V-shaped schedule, when the first backward pass of the way back begins.  Rank i has then
/// run 2 (p - i) - 1 passes of the way there, i more on each chunk in turn, and one on the way
/// back.
constexpr folded_in_flight v_at_return(int ranks, int rank, int micro_batches) {
  return {static_cast<double>((std::min)(2 * ranks - rank - 1, micro_batches)),
          static_cast<double>((std::min)(rank + 1, micro_batches))};
}

/// Likewise, when the first backward pass of the way there begins: p - i micro-batches have made
/// their way back, and one more the way there.
constexpr folded_in_flight v_at_end(int ranks, int rank, int micro_batches) {
  const int returned = (std::min)(ranks, micro_batches) - (std::min)(ranks - rank, micro_batches);
  return {static_cast<double>((std::min)(2 * ranks - rank, micro_batches)),
          static_cast<double>(returned)};
}

/// Of DualPipe, whose rank runs a stage and its mirror, the j-th from either end: p - j of the
/// direction that enters at the near end, j + 1 of the other.
constexpr folded_in_flight dualpipe_in_flight(int ranks, int rank, int micro_batches) {
  const int place = (std::min)(rank, ranks - 1 - rank);
  const double each_way = micro_batches / 2.0;
  return {(std::min)(static_cast<double>(ranks - place), each_way),
          (std::min)(static_cast<double>(place + 1), each_way)};
}

/// Micro-batches of which a rank defers the weight gradients.
constexpr double weight_gradient_delay(pipeline_schedule schedule, int rank) {
  if (schedule == pipeline_schedule::zero_bubble_h1) return rank;
  return schedule == pipeline_schedule::zero_bubble_h2 ? 2.0 * rank : 0;
}

/// Of a schedule that defers weight gradients, when most micro-batches wait for them: `delay` of
/// them, or all but the one in its backward pass.
constexpr micro_batches_in_flight most_waiting(double forward, double delay, double micro_batches) {
  const double waiting = (std::min)(delay, micro_batches - 1);
  return {(std::min)(forward, micro_batches - waiting), waiting};
}

}  // namespace detail

/// Passes of one chunk among the passes begun: a rank runs a group of micro-batches on one chunk,
/// then the same on the next.
///
///     n_c = G floor(K / (G v)) + clamp(K mod (G v) - c L, 0, L)
///
///     K  passes begun: min(2 (p - i - 1) + (v - 1) G + 1, m v)   count, >= 1
///     G  how.interleave_group, or p                              micro-batches, >= 1
///     L  the group that is not whole: min(G, m - G floor(K / (G v)))
///     v  cut.interleave, c  chunk                                0 to v - 1
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 2.2.2, arXiv:2104.04473.
///
/// \throws invalid_input if rank is not 0 to cut.pipeline - 1, chunk not 0 to cut.interleave - 1,
///         or micro_batches < 1
constexpr double interleaved_in_flight(const recipe& how, const parallelism& cut, int rank,
                                       int chunk, int micro_batches) {
  require(rank >= 0 && rank < cut.pipeline,
          "interleaved_in_flight: rank must be 0 to pipeline - 1");
  require(chunk >= 0 && chunk < cut.interleave,
          "interleaved_in_flight: chunk must be 0 to interleave - 1");
  require(micro_batches >= 1, "interleaved_in_flight: micro_batches must be >= 1");
  if (cut.pipeline == 1) return 1;

  return detail::passes_by_place{detail::rounds_begun(how, cut, rank, micro_batches)}.at(chunk);
}

/// Micro-batches in flight on a pipeline rank.
///
///     gpipe                      m
///     one_forward_one_backward   min(p - i, m)
///       with v > 1 chunks        min(2 (p - i - 1) + (v - 1) G + 1, m v) / v
///     zero_bubble_h1             min(p - i, m), then i waiting for weight gradients
///     zero_bubble_h2             min(2 (p - i) - 1, m), then 2 i waiting
///     zero_bubble_v              min(p, m) on every rank
///     dualpipe                   min(p + 1, m) on every rank
///
///     p  pipeline ranks                               count, >= 1
///     i  this rank                                    count, 0 to p - 1
///     m  micro-batches of a step                      count, >= 1
///     v  chunks a rank                                count, >= 1
///     G  how.interleave_group, or p                   micro-batches
///
/// On rank 0 the interleaved form is p (1 + (p - 1)/(p v)).  Both kinds together never exceed m.
/// One rank alone has one: it runs each backward pass before the next forward pass.  With fewer
/// than 2 p micro-batches the earlier ranks of zero_bubble_v have fewer than the last:
/// footprint.hpp counts its two chunks apart.  DualPipe holds two copies of the parameters: see
/// there.
///
/// Holds: one forward, one backward.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.2.3, arXiv:2205.05198; P. Qi et al., "Zero Bubble Pipeline
/// Parallelism", ICLR (2024), table 1, arXiv:2401.10241; P. Qi et al., "Pipeline Parallelism with
/// Controllable Memory", NeurIPS (2024), arXiv:2405.15362 (zero_bubble_v); DeepSeek-AI,
/// "DeepSeek-V3 Technical Report" (2024), table 2, arXiv:2412.19437 (dualpipe).
///
/// \throws invalid_input if rank is not 0 to cut.pipeline - 1, micro_batches < 1, cut.interleave <
///         1, or the schedule is none of its values
constexpr micro_batches_in_flight in_flight(const recipe& how, const parallelism& cut, int rank,
                                            int micro_batches) {
  require(cut.pipeline >= 1 && cut.interleave >= 1,
          "in_flight: parallelism.pipeline and interleave must be >= 1");
  require(rank >= 0 && rank < cut.pipeline, "in_flight: rank must be 0 to pipeline - 1");
  require(micro_batches >= 1, "in_flight: micro_batches must be >= 1");
  if (cut.pipeline == 1) return {1, 0};

  const double p = cut.pipeline;
  const double i = rank;
  const double m = micro_batches;
  const auto with_waiting = [m](double forward, double waiting) {
    const double held = (std::min)(forward, m);
    return micro_batches_in_flight{held, (std::min)(waiting, m - held)};
  };
  switch (how.schedule) {
    case pipeline_schedule::gpipe: return {m, 0};
    case pipeline_schedule::one_forward_one_backward:
      if (cut.interleave == 1) return {(std::min)(p - i, m), 0};
      return {
          static_cast<double>(detail::passes_begun(how, cut, rank, micro_batches)) / cut.interleave,
          0};
    case pipeline_schedule::zero_bubble_h1:
      return with_waiting(p - i, detail::weight_gradient_delay(how.schedule, rank));
    case pipeline_schedule::zero_bubble_h2:
      return with_waiting(2 * (p - i) - 1, detail::weight_gradient_delay(how.schedule, rank));
    case pipeline_schedule::zero_bubble_v: return {(std::min)(p, m), 0};
    case pipeline_schedule::dualpipe: return {(std::min)(p + 1, m), 0};
  }
  require(false, "in_flight: schedule must be one of pipeline_schedule");
  return {};
}

}  // namespace gpuplan
