#pragma once
/// \file
/// The chunks of one rank: what they keep of each micro-batch, and how many micro-batches each
/// holds when the rank is fullest.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <gpuplan/memory/detail/chunk_memory.hpp>
#include <gpuplan/memory/detail/folded_chunks.hpp>
#include <gpuplan/memory/detail/interleaved_chunks.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Micro-batches in flight on a stage that is one chunk: where more waits for weight gradients than
/// a forward pass keeps, when most of them wait.
template <class Footprint>
constexpr micro_batches_in_flight fullest_in_flight(const Footprint& job,
                                                    const chunk_memory& memory,
                                                    const micro_batches_in_flight& first,
                                                    int index) {
  const double delay = weight_gradient_delay(job.recipe.schedule, index);
  const bool later =
      job.parallelism.pipeline > 1 && delay > 0 && waiting_of_chunk(job, memory) > memory.kept;
  return later ? most_waiting(first.forward, delay, job.micro_batches) : first;
}

/// A rank of one chunk.
template <class Footprint>
constexpr rank_sum sum_over_stage(const Footprint& job, const pipeline_layers& layers, int index) {
  const stage_layers own = layers.of_stage(index);
  const chunk_memory memory = memory_of_chunk(job, own);
  const micro_batches_in_flight first =
      in_flight(job.recipe, job.parallelism, index, job.micro_batches);
  rank_sum rank;
  add_chunk(rank, job, own, memory, fullest_in_flight(job, memory, first, index));
  rank.passes = first.forward;
  rank.work = memory.work;
  return rank;
}

/// The chunks of a rank at the fullest moment of its schedule.
template <class Footprint>
constexpr rank_sum sum_over_chunks(const Footprint& job, const pipeline_layers& layers, int index) {
  const parallelism& cut = job.parallelism;
  const pipeline_schedule schedule = job.recipe.schedule;
  if (schedule == pipeline_schedule::one_forward_one_backward && cut.interleave > 1)
    return sum_over_interleaved(job, layers, index);
  if (cut.pipeline > 1) {
    if (schedule == pipeline_schedule::dualpipe) return sum_over_directions(job, index);
    if (schedule == pipeline_schedule::zero_bubble_v) return sum_over_v(job, index);
  }
  return sum_over_stage(job, layers, index);
}

}  // namespace gpuplan::detail
