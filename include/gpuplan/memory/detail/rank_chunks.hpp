#pragma once
/// \file
/// The chunks of one rank: what they keep of each micro-batch, and how many micro-batches each
/// holds when the rank is fullest.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The layers of both chunks of a rank of a folded pipeline.
struct folded_layers {
  stage_layers there{};
  stage_layers back{};
};

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
    const bool alike = here.dense == before.dense && here.moe == before.moe && !here.has_head;
    if (chunk == 0 || !alike) memory = memory_of_chunk(job, here);
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

/// A moment of an interleaved schedule on one rank: `done` backward passes of chunks have ended.
struct round_moment {
  begun_rounds forward{};
  begun_rounds backward{};
  int last_chunk = 0;

  [[nodiscard]] constexpr double alive(int chunk) const {
    return forward.of_chunk(chunk) - backward.of_chunk(last_chunk - chunk);
  }
  [[nodiscard]] constexpr std::int64_t at_work() const {
    return last_chunk - backward.chunk_at_work();
  }
};

/// What each chunk of one rank adds to the moments of its schedule, so that thousands of these can
/// be compared.  Of a rank of more chunks than are at hand, the sum over the first chunks is taken
/// on from moment to moment: they come in the order of the schedule, so that all of them together
/// take a few looks at each chunk.
template <class Footprint>
class rank_moments {
 public:
  constexpr rank_moments(const Footprint& job, const pipeline_layers& layers, int index)
      : job_{job}, layers_{layers}, index_{index} {
    const bool at_hand = job.parallelism.interleave <= most_chunks;
    for_each_chunk(job, layers, index,
                   [&](int chunk, const stage_layers& here, const chunk_memory& memory) {
                     if (at_hand) {
                       kept_[static_cast<std::size_t>(chunk)] = memory.kept;
                       work_[static_cast<std::size_t>(chunk)] = memory.work.total();
                     }
                     all_kept_ += memory.kept;
                     has_embedding_ = has_embedding_ || here.has_embedding;
                     has_head_ = here.has_head;
                   });
  }

  [[nodiscard]] constexpr rank_sum sum(const round_moment& at) const {
    return sum_of_passes(job_, layers_, index_, at.at_work(),
                         [&](int chunk) { return at.alive(chunk); });
  }

  /// held_in_layers of sum(at): the same terms, and up to most_chunks in the same order.
  [[nodiscard]] constexpr bytes held(const round_moment& at) {
    const parallelism& cut = job_.parallelism;
    if (cut.pipeline == 1) return held_in_layers(job_, sum(at));
    rank_sum rank;
    if (cut.interleave > most_chunks)
      rank.activations =
          begun(at.forward, forward_, 0) - begun(at.backward, backward_, at.last_chunk);
    else
      for (int chunk = 0; chunk <= at.last_chunk; ++chunk)
        rank.activations += at.alive(chunk) * kept_[static_cast<std::size_t>(chunk)];
    if (has_embedding_) rank.embedding += at.alive(0) * job_.ends.embedding;
    const std::int64_t at_work = at.at_work();
    if (has_head_) {
      const double passes = at.alive(at.last_chunk);
      rank.heads = heads_alive(job_.recipe.schedule, cut.pipeline, {passes, 0});
      if (at_work != at.last_chunk) rank.heads.waiting = passes;
    }
    const bool works = at_work >= 0 && at_work <= at.last_chunk;
    return held_beside(job_, rank, works ? work_of(static_cast<int>(at_work)) : bytes{0});
  }

 private:
  static constexpr int most_chunks = 32;

  /// What the first `chunks` in the order of passes keep of a micro-batch.
  struct kept_before {
    std::int64_t chunks = 0;
    bytes sum{};
  };

  [[nodiscard]] constexpr chunk_memory memory_of(int chunk) const {
    return memory_of_chunk(job_, layers_.of_chunk(index_, chunk));
  }
  [[nodiscard]] constexpr bytes work_of(int chunk) const {
    if (job_.parallelism.interleave > most_chunks) return memory_of(chunk).work.total();
    return work_[static_cast<std::size_t>(chunk)];
  }

  /// What the passes begun keep, of which the first are on chunk `first`, the first of all or the
  /// last.
  constexpr bytes begun(const begun_rounds& passes, kept_before& before, int first) const {
    const auto kept_by = [&](std::int64_t place) {
      const auto chunk = static_cast<int>(place);
      return memory_of(first == 0 ? chunk : first - chunk).kept;
    };
    const std::int64_t full = passes.chunk_at_work();  // chunks whose passes of a round are begun
    if (full < before.chunks) before = {};
    for (; before.chunks < full; ++before.chunks) before.sum += kept_by(before.chunks);
    const auto in_part = static_cast<double>(passes.rest - full * passes.last_group);
    bytes kept = static_cast<double>(passes.whole * passes.group) * all_kept_ +
                 static_cast<double>(passes.last_group) * before.sum;
    if (in_part > 0) kept += in_part * kept_by(full);
    return kept;
  }

  const Footprint& job_;
  const pipeline_layers& layers_;
  int index_ = 0;
  std::array<bytes, most_chunks> kept_{};
  std::array<bytes, most_chunks> work_{};
  bytes all_kept_{};
  kept_before forward_{};
  kept_before backward_{};
  bool has_embedding_ = false;
  bool has_head_ = false;
};

/// The fullest moment of the first and of the last round of an interleaved schedule, `first` or one
/// at either side of which the rank goes on to another chunk, forward or backward.
template <class Footprint>
[[gnu::cold]] constexpr rank_sum fullest_of_rounds(const Footprint& job,
                                                   const pipeline_layers& layers, int index,
                                                   const rank_sum& first) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const std::int64_t all = std::int64_t{job.micro_batches} * cut.interleave;
  const std::int64_t begun = passes_begun(how, cut, index, job.micro_batches);
  const begun_rounds step = rounds_of(how, cut, all, job.micro_batches);
  const std::int64_t round = step.group * cut.interleave;
  const std::int64_t last_round = step.whole * round - round;
  rank_moments moments{job, layers, index};
  const auto moment_of = [&](std::int64_t done) {
    return round_moment{rounds_of(how, cut, (std::min)(begun + done, all), job.micro_batches),
                        rounds_of(how, cut, done, job.micro_batches), cut.interleave - 1};
  };
  bytes most = held_in_layers(job, first);
  std::int64_t fullest_at = -1;
  const auto look_at = [&](std::int64_t done) {
    const bytes held = moments.held(moment_of(done));
    if (!(most < held)) return;
    most = held;
    fullest_at = done;
  };
  for (std::int64_t done = 0; done < all;) {
    if (done > 0) look_at(done - 1);
    look_at(done);
    done += (std::min)(rounds_of(how, cut, begun + done, job.micro_batches).left_of_chunk(),
                       rounds_of(how, cut, done, job.micro_batches).left_of_chunk());
    if (done > round && begun + done < last_round) done = last_round - begun;
  }
  if (fullest_at < 0) return first;
  rank_sum fullest = moments.sum(moment_of(fullest_at));
  fullest.passes = first.passes;
  return fullest;
}

/// The chunks of a rank of an interleaved schedule, when its first backward pass begins: all are
/// then as full together as they will be, and the first, which has the embedding's masks, when its
/// own first backward pass begins.  Where chunks are unlike, or a group of micro-batches is cut
/// short, at the fullest moment of the first or the last round.
template <class Footprint>
constexpr rank_sum sum_over_interleaved(const Footprint& job, const pipeline_layers& layers,
                                        int index) {
  const parallelism& cut = job.parallelism;
  const begun_rounds begun = rounds_begun(job.recipe, cut, index, job.micro_batches);
  rank_sum rank = sum_of_passes(job, layers, index, cut.interleave - 1,
                                [&](int chunk) { return begun.of_chunk(chunk); });
  const bool steady = rank.chunks_alike && job.micro_batches % begun.group == 0;
  if (!steady) [[unlikely]]
    rank = fullest_of_rounds(job, layers, index, rank);
  else if (rank.embedding > bytes{0})
    rank.embedding =
        most_on_first_chunk(job.recipe, cut, index, job.micro_batches) * job.ends.embedding;
  return rank;
}

/// The chunks of a rank of a V-shaped schedule: of 2 p pieces the one on the way there and the one
/// on the way back.  A split gives the layers of both, and each half of them.
template <class Footprint>
constexpr folded_layers folded_layers_of(const Footprint& job, const pipeline_layers& layers,
                                         int index) {
  if (job.recipe.split.stages() == 0) {
    parallelism pieces = job.parallelism;
    pieces.pipeline *= 2;
    const pipeline_layers all{job.model, job.recipe, pieces};
    return {all.of_stage(index), all.of_stage(pieces.pipeline - 1 - index)};
  }
  const stage_layers both = layers.of_stage(index);
  const stage_layers there{.dense = both.dense - both.dense / 2,
                           .moe = both.moe - both.moe / 2,
                           .has_embedding = both.has_embedding};
  return {there, {.dense = both.dense / 2, .moe = both.moe / 2, .has_head = both.has_embedding}};
}

/// Both chunks of a rank of a V-shaped schedule, at the fuller one of the moments when either of
/// them begins its first backward pass; the loss is a part of the way back.
template <class Footprint>
constexpr rank_sum sum_over_v(const Footprint& job, const pipeline_layers& layers, int index) {
  const int stages = job.parallelism.pipeline;
  const folded_layers held = folded_layers_of(job, layers, index);
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
constexpr rank_sum sum_over_directions(const Footprint& job, const pipeline_layers& layers,
                                       int index) {
  const int stages = job.parallelism.pipeline;
  const folded_in_flight alive = dualpipe_in_flight(stages, index, job.micro_batches);
  const stage_layers near = layers.of_stage((std::min)(index, stages - 1 - index));
  const stage_layers far = layers.of_stage((std::max)(index, stages - 1 - index));
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
    if (schedule == pipeline_schedule::dualpipe) return sum_over_directions(job, layers, index);
    if (schedule == pipeline_schedule::zero_bubble_v) return sum_over_v(job, layers, index);
  }
  return sum_over_stage(job, layers, index);
}

}  // namespace gpuplan::detail
