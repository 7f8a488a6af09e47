#pragma once
/// \file
/// What a chunk keeps of a micro-batch, and what a rank sums over its chunks.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Micro-batches whose head a rank holds: at the head's own passes, and in the backward passes of
/// layers.
struct heads_in_flight {
  double all{};
  double waiting{};
};

/// What one rank sums over its chunks.
struct rank_sum {
  layer_counts layers{};
  bytes activations{};
  bytes embedding{};
  heads_in_flight heads{};
  double passes{};    ///< micro-batches between their passes, the most of its chunks
  bool head_apart{};  ///< with a table that is not an embedding of the same chunk
  bool has_embedding{};
  bool has_head{};
  bool chunks_alike = true;  ///< all keep the same of a micro-batch, and have the same layer_peaks
  layer_peaks work{};        ///< of the layers whose backward pass it is
};

/// The layers of a chunk, what they keep of one micro-batch, and what their backward pass adds.
struct chunk_memory {
  layer_counts layers{};
  bytes kept{};
  layer_peaks work{};
};

/// The fullest block of a chunk whose layers are of several kinds, in the order of the model.
template <class Footprint>
[[gnu::cold]] constexpr layer_peaks fullest_mixed_block(const Footprint& job,
                                                        const stage_layers& chunk,
                                                        const layer_counts& held) {
  const int every = job.recipe.recompute_every;
  const int decoder = chunk.total();
  const int all = decoder + static_cast<int>(held.prediction);
  const auto moe_before = [&](int layer) {
    return moe_layers_before(job.model, chunk.first_layer + layer) -
           moe_layers_before(job.model, chunk.first_layer);
  };
  layer_peaks most;
  for (int begin = 0; begin < all; begin += every) {
    const int end = (std::min)(begin + every, all);
    const int last = (std::min)(end, decoder);
    layer_counts block{.prediction = static_cast<double>(end - (std::max)(begin, last))};
    if (begin < last) {
      block.moe = moe_before(last) - moe_before(begin);
      block.dense = last - begin - block.moe;
    }
    most = larger_of(most, block_of(job.layers, block));
  }
  return most;
}

/// The fullest block of a chunk.  A block begins with the first layer of the chunk, and of a
/// decoder beside an encoder with the decoder's first.
template <class Footprint>
constexpr layer_peaks fullest_block(const Footprint& job, const stage_layers& chunk,
                                    const layer_counts& held) {
  const double every = job.recipe.recompute_every;
  const bool mixed = (held.dense > 0) + (held.moe > 0) + (held.prediction > 0) > 1;
  if (mixed && every > 1) return fullest_mixed_block(job, chunk, held);
  layer_peaks most;
  const auto add = [&](double layer_counts::*kind) {
    if (!(held.*kind > 0)) return;
    layer_counts block;
    block.*kind = (std::min)(every, held.*kind);
    most = larger_of(most, block_of(job.layers, block));
  };
  add(&layer_counts::dense);
  add(&layer_counts::moe);
  add(&layer_counts::encoder);
  add(&layer_counts::prediction);
  return most;
}

/// What the blocks of full recomputation keep: an input each.
template <class Footprint>
constexpr bytes kept_by_blocks(const Footprint& job, const layer_counts& held) {
  const int every = job.recipe.recompute_every;
  const layer_kinds& kinds = job.layers;
  const bytes input = held.dense > 0 ? kinds.dense.kept
                      : held.moe > 0 ? kinds.moe.kept
                                     : kinds.prediction.kept;
  return blocks_of(held.dense + held.moe + held.prediction, every) * input +
         blocks_of(held.encoder, every) * kinds.encoder.kept;
}

template <class Footprint>
[[gnu::always_inline]] constexpr chunk_memory memory_of_chunk(const Footprint& job,
                                                              const stage_layers& chunk) {
  const transformer& m = job.model;
  layer_counts held{.dense = static_cast<double>(chunk.dense),
                    .moe = static_cast<double>(chunk.moe)};
  if (m.encoder_layers > 0) [[unlikely]]
    held.encoder = static_cast<double>(chunk.total()) / m.layers * m.encoder_layers;
  if (chunk.has_head) held.prediction = m.multi_token_prediction_layers;

  const bool in_blocks = job.recipe.recompute == recompute::full;
  bytes of_each =
      in_blocks ? kept_by_blocks(job, held) : sum_over(job.layers, held, &layer_memory::kept);
  if (m.encoder_layers > 0) {  // its final norm's input, and its output for all to read
    const attention_activations& encoder = job.layers.encoder.activations.attention;
    of_each += encoder.norm_input + encoder.state;
  }
  if (job.workspace.kernels.outputs_kept && job.parallelism.pipeline > 1) [[unlikely]]
    of_each += m.hidden_size * job.seen.decoder.residual *
               bytes_per_activation(job.recipe.precision).value;
  return {held, of_each, in_blocks ? fullest_block(job, chunk, held) : peaks_of(job.layers, held)};
}

/// What a chunk keeps of a micro-batch that waits for its weight gradients.
template <class Footprint>
constexpr bytes waiting_of_chunk(const Footprint& job, const chunk_memory& memory) {
  return sum_over(job.layers, memory.layers, &layer_memory::until_weight_gradient);
}

/// Micro-batches between the two passes of the head: all in flight, of which one has its backward
/// pass before those of its layers.  Schedules that fold the model in half have one, as the
/// backward pass of the way back follows at once; DualPipe's two directions alternate, so that it
/// waits for a backward pass of the other.
constexpr heads_in_flight heads_alive(pipeline_schedule schedule, int stages,
                                      const micro_batches_in_flight& alive) {
  if (stages == 1) return {1, 0};
  if (schedule == pipeline_schedule::dualpipe) return {1, 1};
  if (schedule == pipeline_schedule::zero_bubble_v) return {1, 0};
  const double all = (std::max)(alive.forward, 1.0);
  return {all, all - 1};
}

/// Adds the head that a chunk ends with.  Tied to an embedding of the same rank it is one table,
/// unless that is of the other direction of DualPipe.
template <class Footprint>
constexpr void add_head(rank_sum& rank, const Footprint& job, const stage_layers& chunk,
                        const micro_batches_in_flight& alive) {
  const pipeline_schedule schedule = job.recipe.schedule;
  rank.has_head = true;
  rank.heads = heads_alive(schedule, job.parallelism.pipeline, alive);
  const bool beside =
      schedule == pipeline_schedule::dualpipe ? chunk.has_embedding : rank.has_embedding;
  rank.head_apart = !(beside && job.model.tied_embeddings);
}

/// Adds a chunk, of which `alive` micro-batches are in flight, and its ends.
template <class Footprint>
[[gnu::always_inline]] constexpr void add_chunk(rank_sum& rank, const Footprint& job,
                                                const stage_layers& chunk,
                                                const chunk_memory& memory,
                                                const micro_batches_in_flight& alive) {
  rank.activations += alive.forward * memory.kept;
  if (alive.weight_gradient > 0)
    rank.activations += alive.weight_gradient * waiting_of_chunk(job, memory);

  if (chunk.has_embedding) rank.embedding += alive.forward * job.ends.embedding;
  rank.passes = (std::max)(rank.passes, alive.forward);
  rank.layers = rank.layers + memory.layers;
  rank.has_embedding = rank.has_embedding || chunk.has_embedding;
  if (chunk.has_head) add_head(rank, job, chunk, alive);
}

/// Calls visit(chunk, layers, memory) for each chunk of a rank of an interleaved schedule.
template <class Footprint, class Visit>
constexpr void for_each_chunk(const Footprint& job, const pipeline_layers& layers, int index,
                              const Visit& visit) {
  stage_layers before;
  chunk_memory memory;
  for (int chunk = 0; chunk < job.parallelism.interleave; ++chunk) {
    const stage_layers here = layers.of_chunk(index, chunk);
    const bool in_order = job.recipe.recompute_every > 1 && here.dense > 0 && here.moe > 0;
    const bool alike = here.dense == before.dense && here.moe == before.moe && !here.has_head;
    if (chunk == 0 || !alike || in_order) memory = memory_of_chunk(job, here);
    before = here;
    visit(chunk, here, memory);
  }
}

/// The chunks of a rank of an interleaved schedule while the layers of one of them, `at_work`, have
/// their backward pass; alive(chunk) micro-batches are in flight on each.
template <class Footprint, class Alive>
constexpr rank_sum sum_of_passes(const Footprint& job, const pipeline_layers& layers, int index,
                                 std::int64_t at_work, const Alive& alive) {
  rank_sum rank;
  bytes first{};  // what a micro-batch adds to a rank on its first chunk
  for_each_chunk(job, layers, index,
                 [&](int chunk, const stage_layers& here, const chunk_memory& memory) {
                   if (chunk == 0) first = memory.kept + memory.work.total();
                   if (first != memory.kept + memory.work.total()) rank.chunks_alike = false;
                   if (chunk == at_work) rank.work = memory.work;
                   const double passes = job.parallelism.pipeline > 1 ? alive(chunk) : 1;
                   add_chunk(rank, job, here, memory, {passes, 0});
                   if (here.has_head && chunk != at_work) rank.heads.waiting = passes;
                 });
  return rank;
}

/// What a rank holds while layers are at work, of what one moment has more of than another, beside
/// `work`, which is what these layers need.
template <class Footprint>
constexpr bytes held_beside(const Footprint& job, const rank_sum& rank, bytes work) {
  return rank.activations + rank.embedding + work +
         rank.heads.waiting * (job.ends.head + job.ends.kept_logits);
}
template <class Footprint>
constexpr bytes held_in_layers(const Footprint& job, const rank_sum& rank) {
  return held_beside(job, rank, rank.work.total());
}

}  // namespace gpuplan::detail
