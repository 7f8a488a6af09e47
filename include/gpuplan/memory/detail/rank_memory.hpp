#pragma once
/// \file
/// The memory of one rank: its chunks together, and what it holds only at some moments.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>

#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
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
  bool chunks_alike = true;  ///< all keep the same of a micro-batch
};

/// The parameters of these layers and ends.
template <class Footprint>
constexpr rank_parameters parameters_of(const rank_sum& rank, const Footprint& job) {
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

template <class Footprint>
[[gnu::always_inline]] constexpr chunk_memory memory_of_chunk(const Footprint& job,
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
  if (chunk.has_head)
    rank.heads = heads_alive(job.recipe.schedule, job.parallelism.pipeline, alive);
  rank.passes = (std::max)(rank.passes, alive.forward);
  rank.layers = rank.layers + memory.layers;
  rank.has_embedding = rank.has_embedding || chunk.has_embedding;
  rank.has_head = rank.has_head || chunk.has_head;
  const bool directions_apart = job.recipe.schedule == pipeline_schedule::dualpipe;
  const bool beside = directions_apart ? chunk.has_embedding : rank.has_embedding;
  if (chunk.has_head && !(beside && job.model.tied_embeddings)) rank.head_apart = true;
}

/// The chunks of a rank of an interleaved schedule between two passes of its steady state: `begun`
/// forward passes, `done` backward passes.
template <class Footprint>
constexpr rank_sum sum_of_passes(const Footprint& job, const pipeline_layers& layers, int index,
                                 std::int64_t begun, std::int64_t done) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const begun_rounds forward = rounds_of(how, cut, begun, job.micro_batches);
  const begun_rounds backward = rounds_of(how, cut, done, job.micro_batches);
  rank_sum rank;
  stage_layers before;
  chunk_memory memory;
  bytes first_kept{};
  for (int chunk = 0; chunk < cut.interleave; ++chunk) {
    const stage_layers here = layers.of_chunk(index, chunk);
    const bool alike = here.dense == before.dense && here.moe == before.moe && !here.has_head;
    if (chunk == 0 || !alike) memory = memory_of_chunk(job, here);
    before = here;
    if (chunk == 0) first_kept = memory.kept;
    if (memory.kept != first_kept) rank.chunks_alike = false;
    const double alive = forward.of_chunk(chunk) - backward.of_chunk(cut.interleave - 1 - chunk);
    add_chunk(rank, job, here, memory, {cut.pipeline > 1 ? alive : 1, 0});
    if (here.has_head && backward.chunk_at_work() > 0) rank.heads.waiting = alive;
  }
  return rank;
}

/// What a rank holds while layers are at work, of what one moment has more of than another.
template <class Footprint>
constexpr bytes held_in_layers(const Footprint& job, const rank_sum& rank) {
  return rank.activations + rank.embedding +
         rank.heads.waiting * (job.ends.head + job.ends.kept_logits);
}

/// The fullest moment of the first and of the last round of an interleaved schedule, `first` or one
/// at which the rank goes on to another chunk, forward or backward.
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
  rank_sum fullest = first;
  for (std::int64_t done = 0; begun + done <= all;) {
    const rank_sum next = sum_of_passes(job, layers, index, begun + done, done);
    if (held_in_layers(job, fullest) < held_in_layers(job, next)) fullest = next;
    done += (std::min)(rounds_of(how, cut, begun + done, job.micro_batches).left_of_chunk(),
                       rounds_of(how, cut, done, job.micro_batches).left_of_chunk());
    if (done > round && begun + done < last_round) done = last_round - begun;
  }
  fullest.passes = first.passes;
  return fullest;
}

/// The chunks of a rank of an interleaved schedule, when its first backward pass begins; where
/// they are unlike, or a group of micro-batches is cut short, at the fullest moment of its first or
/// its last round.
template <class Footprint>
constexpr rank_sum sum_over_interleaved(const Footprint& job, const pipeline_layers& layers,
                                        int index) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const std::int64_t begun = passes_begun(how, cut, index, job.micro_batches);
  const rank_sum first = sum_of_passes(job, layers, index, begun, 0);
  const begun_rounds step =
      rounds_of(how, cut, std::int64_t{job.micro_batches} * cut.interleave, job.micro_batches);
  if (first.chunks_alike && step.rest == 0 && first.embedding == bytes{0}) [[likely]]
    return first;
  return fullest_of_rounds(job, layers, index, first);
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
/// them begins its first backward pass.
template <class Footprint>
constexpr rank_sum sum_over_v(const Footprint& job, const pipeline_layers& layers, int index) {
  const int stages = job.parallelism.pipeline;
  const auto [there, back] = folded_layers_of(job, layers, index);
  const chunk_memory on_the_way = memory_of_chunk(job, there);
  const chunk_memory on_return = memory_of_chunk(job, back);
  const bytes mask = there.has_embedding ? job.ends.embedding : bytes{0};
  const auto held_at = [&](const folded_in_flight& at) {
    return at.there * (on_the_way.kept + mask) + at.back * on_return.kept;
  };
  const folded_in_flight first = v_at_return(stages, index, job.micro_batches);
  const folded_in_flight last = v_at_end(stages, index, job.micro_batches);
  const folded_in_flight alive = held_at(first) < held_at(last) ? last : first;
  rank_sum rank;
  add_chunk(rank, job, there, on_the_way, {alive.there, 0});
  add_chunk(rank, job, back, on_return, {alive.back, 0});
  rank.passes = first.there;
  return rank;
}

/// The layers of a stage and of its mirror, as DualPipe runs them.
template <class Footprint>
constexpr rank_sum sum_over_directions(const Footprint& job, const pipeline_layers& layers,
                                       int index) {
  const int stages = job.parallelism.pipeline;
  const folded_in_flight alive = dualpipe_in_flight(stages, index, job.micro_batches);
  const stage_layers near = layers.of_stage((std::min)(index, stages - 1 - index));
  const stage_layers far = layers.of_stage((std::max)(index, stages - 1 - index));
  rank_sum rank;
  add_chunk(rank, job, near, memory_of_chunk(job, near), {alive.there, 0});
  add_chunk(rank, job, far, memory_of_chunk(job, far), {alive.back, 0});
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
  rank_sum rank;
  const stage_layers own = layers.of_stage(index);
  const chunk_memory memory = memory_of_chunk(job, own);
  const micro_batches_in_flight first = in_flight(job.recipe, cut, index, job.micro_batches);
  add_chunk(rank, job, own, memory, fullest_in_flight(job, memory, first, index));
  rank.passes = first.forward;
  return rank;
}

/// Parameters of the unit at work that a rank gathers or reduces: the larger of a layer and a
/// table.
struct working_unit {
  double layer{};
  double largest{};
};

template <class Footprint>
constexpr working_unit working_unit_of(const Footprint& job, const rank_sum& rank) {
  const double layer = largest_of(job.layers, rank.layers,
                                  [](const layer_memory& one) { return one.parameters.total(); });
  const bool has_table = rank.has_embedding || rank.has_head;
  return {layer, has_table ? (std::max)(layer, job.table.tables) : layer};
}

/// What sharding makes whole: parameters of the unit at work, the larger of a layer and a table,
/// and of the layer fetched ahead; with FSDP2 a table beside two layers; gradients of the unit at
/// work, whose reduction runs beside the next unit's work.  Never more than the rank lacks.
/// Likewise where weights are fetched from the host.  Without either, weights kept in FP32 have
/// their 16-bit copies through the step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// VLDB (2023), section 3.2, arXiv:2304.11277; PyTorch, torch.distributed.fsdp.fully_shard (2025),
/// whose last unit stays whole between the passes.
template <class Footprint>
constexpr void add_gathered(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                            const rank_parameters& held) {
  const recipe& how = job.recipe;
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.weights == weight_storage::fp32 && how.zero != zero_stage::parameters &&
      value < job.rates.per.weight)
    at.gathered_parameters = held.total() * value;
  if (how.zero < zero_stage::gradients && how.offload != offloaded_states::all) return;

  const bool fetched = how.offload == offloaded_states::all;
  const double lacking = fetched ? held.total() : held.total() - updated_on_rank(held, job.rates);
  const bool has_table = rank.has_embedding || rank.has_head;
  const auto [layer, unit] = working_unit_of(job, rank);
  at.whole_gradients = (std::min)(unit, lacking) * job.rates.per.gradient;
  if (how.zero == zero_stage::parameters || fetched) {
    const bool prefetches = how.framework == framework::fsdp2 && has_table && !fetched;
    const double tables = prefetches ? job.table.tables + layer : unit;
    at.gathered_parameters = (std::min)(tables + layer, lacking) * value;
  }
}

/// The input of a block that full recomputation keeps, where it is one with that of the block's
/// first norm: it is not made again.
template <class Footprint>
constexpr bytes kept_input(const Footprint& job, const layer_counts& held) {
  if (job.recipe.recompute != recompute::full || !(held.total() > 0)) return bytes{0};
  const attention_activations& first =
      (held.dense > 0 ? job.layers.dense : job.layers.moe).activations.attention;
  return first.stream == first.norm_input ? first.stream : bytes{0};
}

/// What lies on the stages that have the ends of the model.
template <class Footprint>
constexpr void add_ends(stage_footprint& at, const Footprint& job, const rank_sum& rank) {
  if (rank.has_embedding || rank.has_head) at.batch = job.ends.batch;
  if (!rank.has_head) return;
  at.head = rank.heads.all * job.ends.head + (rank.heads.all - 1) * job.ends.kept_logits;
  at.waiting_head = rank.heads.waiting * (job.ends.head + job.ends.kept_logits);
  at.logits = job.ends.logits;
  at.head_gradients = job.ends.head_gradients;
  const int limit = job.workspace.kernels.head_gradients_deferred;
  if (limit > 0)
    at.deferred_head = job.ends.deferred_head *
                       ((std::min)(limit, job.micro_batches) / static_cast<double>(limit));
  at.deferred_gradient = job.ends.deferred_gradient;
}

/// Gradients: those in the weights' format beside accumulated ones of a wider one, and when they
/// are made and freed.  Where the first backward pass begins with all micro-batches in flight, the
/// peak sees of them one unit's, unit() bytes: whole ones that wait for their reduction, or the
/// accumulated.
template <class Footprint, class Unit>
constexpr void add_gradients(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                             const rank_parameters& held, const Unit& unit) {
  const recipe& how = job.recipe;
  const parameter_bytes& per = job.rates.per;
  if (job.workspace.kernels.working_gradients && per.weight < per.gradient) {
    const bool divided = how.zero >= zero_stage::gradients;
    at.states.gradients += (divided ? updated_on_rank(held, job.rates) : held.total()) * per.weight;
  }
  if (how.gradients_live == gradient_lifetime::always) return;
  at.gradients_freed = at.states.gradients;
  if (job.micro_batches > rank.passes) return;
  at.gradients_to_come = at.states.gradients;
  if (how.zero < zero_stage::gradients)
    at.gradients_to_come -= (std::min)(unit(), at.states.gradients);
}

/// What the allocator holds beside its tensors.  PyTorch's FSDP gathers and reduces on streams of
/// their own, and memory that one stream has freed serves no other: what is reserved is the sum of
/// what each needs at most, gradients that the peak has not yet seen among it.  Elsewhere a share
/// of the peak.
///
/// Source: PyTorch, "CUDA semantics", memory management (2.x): blocks belong to the stream that
/// they were allocated for; torch.distributed.fsdp.fully_shard (2025).
template <class Footprint>
constexpr bytes reserved_beside(const stage_footprint& at, const Footprint& job, bytes peak) {
  const framework software = job.recipe.framework;
  const bool streams = (software == framework::fsdp || software == framework::fsdp2) &&
                       job.recipe.zero >= zero_stage::gradients;
  if (!streams) return job.workspace.fragmentation * peak;
  const bytes passes = (std::max)(
      {at.at(moment::loss), at.at(moment::head_backward), at.at(moment::layer_backward)});
  return (std::max)(passes + at.gradients_to_come - peak, bytes{0});
}

/// Takes away what lies on the host, once all else is added.
template <class Footprint>
[[gnu::cold]] constexpr void move_to_host(stage_footprint& at, const Footprint& job,
                                          const rank_sum& rank) {
  const recipe& how = job.recipe;
  const model_states moved = states_on_host(at.states, how.offload);
  at.states.weights -= moved.weights;
  at.states.gradients -= moved.gradients;
  at.states.master_weights -= moved.master_weights;
  at.states.optimizer -= moved.optimizer;
  at.host = moved.total();
  if (how.offload != offloaded_states::none) {
    at.host += at.gradient_copy + at.optimizer_temporaries;
    at.gradient_copy = at.optimizer_temporaries = bytes{0};
  }
  if (how.offload == offloaded_states::all) at.gradients_freed = at.gradients_to_come = bytes{0};
  if (how.offloaded_activations == 0) return;
  const bytes layer =
      largest_of(job.layers, rank.layers, [](const layer_memory& one) { return one.kept; });
  const bytes left = activations_on_device(at.activations, (std::min)(layer, at.activations),
                                           how.offloaded_activations);
  at.host += at.activations - left;
  at.activations = left;
}

}  // namespace gpuplan::detail
