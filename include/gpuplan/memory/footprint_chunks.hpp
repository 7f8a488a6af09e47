#pragma once
/// \file
/// What the chunks of one rank hold together.

#include <gpuplan/memory/footprint_job.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// What one rank sums over its chunks.
struct rank_sum {
  layer_counts layers{};
  bytes activations{};
  bytes embedding{};
  bool head_apart{};  ///< with a table that is not an embedding of the same chunk
  bool has_embedding{};
  bool has_head{};
};

/// The parameters of these layers and ends.
constexpr rank_parameters parameters_of(const rank_sum& rank, const footprint& job) {
  rank_parameters held = sum_over(job.layers, rank.layers, &layer_memory::parameters);
  if (rank.has_embedding) held = held + job.first;
  if (rank.has_head) held = held + job.last;
  if (rank.head_apart) held = held + job.table;
  return held;
}

/// The layers of a chunk, and what they keep of one micro-batch.
struct chunk_memory {
  layer_counts layers{};
  bytes kept{};
};

[[gnu::always_inline]] constexpr chunk_memory memory_of_chunk(const footprint& job,
                                                              const stage_layers& chunk) {
  const transformer& m = job.model;
  layer_counts held{.dense = static_cast<double>(chunk.dense),
                    .moe = static_cast<double>(chunk.moe)};
  if (m.encoder_layers > 0) [[unlikely]]
    held.encoder = static_cast<double>(chunk.total()) / m.layers * m.encoder_layers;
  if (chunk.has_head) held.prediction = m.multi_token_prediction_layers;

  bytes kept = sum_over(job.layers, held, &layer_memory::kept);
  if (job.recipe.recompute == recompute::full && held.total() > 0) {
    const int blocks = static_cast<int>((held.total() - 1) / job.recipe.recompute_every) + 1;
    kept *= blocks / held.total();
  }
  bytes of_each = kept;
  if (m.encoder_layers > 0)  // its final norm's input, and its output for all to read
    of_each += 2 * job.layers.encoder.activations.attention.norm_input;
  if (job.workspace.kernels.outputs_kept && job.parallelism.pipeline > 1) [[unlikely]]
    of_each += m.hidden_size * job.seen.decoder.residual *
               bytes_per_activation(job.recipe.precision).value;
  return {held, of_each};
}

/// Adds a chunk, of which `alive` micro-batches are in flight, and its ends.
[[gnu::always_inline]] constexpr void add_chunk(rank_sum& rank, const footprint& job,
                                                const stage_layers& chunk,
                                                const chunk_memory& memory,
                                                const micro_batches_in_flight& alive) {
  rank.activations += alive.forward * memory.kept;
  if (alive.weight_gradient > 0)
    rank.activations += alive.weight_gradient *
                        sum_over(job.layers, memory.layers, &layer_memory::until_weight_gradient);

  if (chunk.has_embedding) rank.embedding += alive.total() * job.ends.embedding;
  if (chunk.has_head && !(chunk.has_embedding && job.model.tied_embeddings)) rank.head_apart = true;
  rank.layers = rank.layers + memory.layers;
  rank.has_embedding = rank.has_embedding || chunk.has_embedding;
  rank.has_head = rank.has_head || chunk.has_head;
}

/// The chunks of a rank: of an interleaved schedule each with its own passes in flight, of DualPipe
/// the layers of this stage and of its mirror, half of the micro-batches each way.
constexpr rank_sum sum_over_chunks(const footprint& job, const pipeline_layers& layers, int index) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  rank_sum rank;
  if (how.schedule == pipeline_schedule::one_forward_one_backward && cut.interleave > 1) {
    const begun_rounds begun = rounds_begun(how, cut, index, job.micro_batches);
    stage_layers before;
    chunk_memory memory;
    for (int chunk = 0; chunk < cut.interleave; ++chunk) {
      const stage_layers here = layers.of_chunk(index, chunk);
      const bool alike = here.dense == before.dense && here.moe == before.moe && !here.has_head;
      if (chunk == 0 || !alike) memory = memory_of_chunk(job, here);
      before = here;
      add_chunk(rank, job, here, memory, {cut.pipeline > 1 ? begun.of_chunk(chunk) : 1, 0});
    }
    return rank;
  }
  const micro_batches_in_flight alive = in_flight(how, cut, index, job.micro_batches);
  stage_layers own = layers.of_stage(index);
  if (how.schedule == pipeline_schedule::dualpipe && cut.pipeline > 1) {
    const micro_batches_in_flight each_way{alive.forward / 2, 0};
    const stage_layers mirror = layers.of_stage(cut.pipeline - 1 - index);
    add_chunk(rank, job, own, memory_of_chunk(job, own), each_way);
    add_chunk(rank, job, mirror, memory_of_chunk(job, mirror), each_way);
    return rank;
  }
  if (how.schedule == pipeline_schedule::zero_bubble_v && cut.pipeline > 1)
    own.has_head = own.has_embedding;  // the second chunk goes back the way the first came
  add_chunk(rank, job, own, memory_of_chunk(job, own), alive);
  return rank;
}

}  // namespace gpuplan::detail
