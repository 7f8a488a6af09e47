#pragma once
/// \file
/// Both chunks of a rank of a schedule that folds the model, V-shaped or in two directions.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>

#include <gpuplan/memory/detail/chunk_memory.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Both chunks of a rank of a V-shaped schedule, at the fuller one of the moments when either of
/// them begins its first backward pass; the loss is a part of the way back.
template <class Footprint>
constexpr rank_sum sum_over_v(const Footprint& job, int index) {
  const int stages = job.parallelism.pipeline;
  const folded_layers held = folded_layers_of(job.model, job.recipe, job.parallelism, index);
  const chunk_memory on_the_way = memory_of_chunk(job, held.there);
  const chunk_memory on_return = memory_of_chunk(job, held.back);
  const folded_in_flight first = v_at_return(stages, index, job.micro_batches);
  const folded_in_flight last = v_at_end(stages, index, job.micro_batches);
  const auto rank_at = [&](const folded_in_flight& alive, const layer_peaks& work) {
    rank_sum rank;
    add_chunk(rank, job, held.there, on_the_way, {alive.there, 0});
    add_chunk(rank, job, held.back, on_return, {alive.back, 0});
    rank.work = work;
    rank.passes = first.there;
    return rank;
  };
  const rank_sum at_return = rank_at(first, on_return.work);
  const rank_sum at_end = rank_at(last, on_the_way.work);
  const bytes of_loss = at_return.has_head
                            ? (std::max)(job.ends.logits, job.ends.head_gradients) + job.ends.head
                            : bytes{0};
  const bytes returning =
      held_in_layers(job, at_return) + (std::max)(of_loss - at_return.work.total(), bytes{0});
  return returning < held_in_layers(job, at_end) ? at_end : at_return;
}

/// The layers of a stage and of its mirror, as DualPipe runs them.  The head of the last waits
/// while the layers of the first are at work.
template <class Footprint>
constexpr rank_sum sum_over_directions(const Footprint& job, int index) {
  const folded_in_flight alive =
      dualpipe_in_flight(job.parallelism.pipeline, index, job.micro_batches);
  const auto [near, far] = folded_layers_of(job.model, job.recipe, job.parallelism, index);
  rank_sum rank;
  const chunk_memory on_near = memory_of_chunk(job, near);
  const chunk_memory on_far = memory_of_chunk(job, far);
  add_chunk(rank, job, near, on_near, {alive.there, 0});
  add_chunk(rank, job, far, on_far, {alive.back, 0});
  rank.work = larger_of(on_near.work, on_far.work);
  if (!rank.has_head) return rank;
  const bytes waiting = job.ends.head + job.ends.kept_logits;
  const bool near_is_fuller = on_far.work.total() <= on_near.work.total() + waiting;
  rank.work = near_is_fuller ? on_near.work : on_far.work;
  rank.heads.waiting = near_is_fuller ? 1 : 0;
  return rank;
}

}  // namespace gpuplan::detail
