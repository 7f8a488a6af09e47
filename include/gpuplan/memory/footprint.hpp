#pragma once
/// \file
/// What a training job needs of each GPU's memory: every stage, every term.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/end_memory.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Memory of every stage, computed when asked for.  Keeps its inputs and what all stages share.
struct footprint {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int micro_batches = 1;         ///< of one step on one replica
  int data_rank = fullest_rank;  ///< of the data-parallel group; matters to Muon alone
  stream_tokens seen{};          ///< by one rank, of one micro-batch
  layer_kinds layers{};
  end_memory ends{};
  state_rates rates{};
  rank_parameters table{};  ///< embedding or head
  rank_parameters first{};  ///< what the first stage holds beside its layers
  rank_parameters last{};   ///< what the last stage holds beside its layers and the head

  [[nodiscard]] constexpr int stages() const { return parallelism.pipeline; }

  /// Memory of one rank of a stage.
  ///
  /// \throws invalid_input if index is not 0 to stages() - 1, or the recipe's split does not fit
  [[nodiscard]] constexpr stage_footprint stage(int index) const;

  /// The stage that needs most; of equals the first.
  [[nodiscard]] constexpr stage_footprint worst_stage() const;
  [[nodiscard]] constexpr int worst() const;
};

/// Micro-batches that one replica runs in a step: ceil(B / (b d)).
///
///     B  how.global_batch_size, b  cut.micro_batch_size, d  cut.data
constexpr int micro_batches_of(const recipe& how, const parallelism& cut) {
  const std::int64_t at_once = std::int64_t{cut.micro_batch_size} * cut.data;
  return static_cast<int>((how.global_batch_size + at_once - 1) / at_once);
}

namespace detail {

/// memory_footprint, of inputs that are valid.
constexpr footprint footprint_of(const transformer& m, const recipe& how, const parallelism& cut,
                                 const workspace& beside) {
  const transformer_parameters count = parameters_beside_layers(m);
  const int encoder_length =
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length;
  const stream_tokens seen{.decoder = tokens_on_rank(how.sequence_length, how, cut),
                           .encoder = tokens_on_rank(encoder_length, how, cut)};
  return {.model = m,
          .recipe = how,
          .parallelism = cut,
          .workspace = beside,
          .micro_batches = micro_batches_of(how, cut),
          .seen = seen,
          .layers = memory_of_layers(m, how, cut, seen, beside.kernels),
          .ends = memory_of_ends(m, how, cut, seen, beside.kernels),
          .rates = state_rates_of(how, cut),
          .table = table_on_rank(m, cut),
          .first = first_stage_on_rank(m, count, cut),
          .last = last_stage_on_rank(m, count, cut)};
}

}  // namespace detail

/// Memory of a training job, stage by stage.
///
/// The sum of
///
///     states       weights, gradients, master weights and optimizer states: stage_states.hpp
///     activations  of every layer and micro-batch in flight: activations.hpp, in_flight.hpp
///     ends         batch, embedding, head and logits: end_activations.hpp
///     temporaries  gathered parameters, gradients of activations, what is computed again
///     workspace    workspace.hpp
///
/// at each moment of a step; the peak is the largest.  An encoder's layers are spread over the
/// stages as the decoder's are, in equal parts.
///
/// Against runs of Megatron-LM (2026) on A100, H100 and GB200 the peak of the last stage is off by
/// 1 to 3 % in the median: benchmarks/accuracy prints the table.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), arXiv:2205.05198; S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward
/// Training Trillion Parameter Models", SC20 (2020), arXiv:1910.02054.
///
/// \throws invalid_input if an input is invalid
constexpr footprint memory_footprint(const transformer& m, const recipe& how,
                                     const parallelism& cut, const workspace& beside = {}) {
  require_valid(m);
  require_valid(how);
  require_valid(cut);
  require_valid(beside);
  return detail::footprint_of(m, how, cut, beside);
}

/// The same job with micro-batches of another size, as many of them a step: its pipeline is as full
/// as before, its global batch grows with them.
///
/// \throws invalid_input if size < 1
constexpr footprint resized(const footprint& job, int size) {
  require(size >= 1, "resized: size must be >= 1 sequence");
  parallelism cut = job.parallelism;
  cut.micro_batch_size = size;
  footprint other = memory_footprint(job.model, job.recipe, cut, job.workspace);
  other.micro_batches = job.micro_batches;
  other.data_rank = job.data_rank;
  return other;
}

namespace detail {

/// What one rank sums over its chunks.
struct rank_sum {
  rank_parameters parameters{};
  layer_counts layers{};
  bytes activations{};
  bytes embedding{};
  bool has_embedding{};
  bool has_head{};
};

/// Adds the layers of a chunk, of which `alive` micro-batches are in flight, and its ends.
constexpr void add_chunk(rank_sum& rank, const footprint& job, const stage_layers& chunk,
                         const micro_batches_in_flight& alive) {
  const transformer& m = job.model;
  layer_counts held{.dense = static_cast<double>(chunk.dense),
                    .moe = static_cast<double>(chunk.moe)};
  if (m.encoder_layers > 0)
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
  if (job.workspace.kernels.outputs_kept && job.parallelism.pipeline > 1)
    of_each += m.hidden_size * job.seen.decoder.residual *
               bytes_per_activation(job.recipe.precision).value;
  rank.activations += alive.forward * of_each;
  if (alive.weight_gradient > 0)
    rank.activations +=
        alive.weight_gradient * sum_over(job.layers, held, &layer_memory::until_weight_gradient);

  rank.parameters = rank.parameters + sum_over(job.layers, held, &layer_memory::parameters);
  if (chunk.has_embedding) {
    rank.parameters = rank.parameters + job.first;
    rank.embedding += alive.total() * job.ends.embedding;
  }
  if (chunk.has_head) {
    rank.parameters = rank.parameters + job.last;
    if (!chunk.has_embedding || !m.tied_embeddings) rank.parameters = rank.parameters + job.table;
  }
  rank.layers = rank.layers + held;
  rank.has_embedding = rank.has_embedding || chunk.has_embedding;
  rank.has_head = rank.has_head || chunk.has_head;
}

/// The chunks of a rank: of an interleaved schedule each with its own passes in flight, of DualPipe
/// the layers of this stage and of its mirror, half of the micro-batches each way.
constexpr rank_sum sum_over_chunks(const footprint& job, int index) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  rank_sum rank;
  if (how.schedule == pipeline_schedule::one_forward_one_backward && cut.interleave > 1) {
    for (int chunk = 0; chunk < cut.interleave; ++chunk)
      add_chunk(rank, job, layers_of_chunk(job.model, how, cut, index, chunk),
                {interleaved_in_flight(how, cut, index, chunk, job.micro_batches), 0});
    return rank;
  }
  const micro_batches_in_flight alive = in_flight(how, cut, index, job.micro_batches);
  stage_layers own = layers_of_stage(job.model, how, cut, index);
  if (how.schedule == pipeline_schedule::dualpipe && cut.pipeline > 1) {
    const micro_batches_in_flight each_way{alive.forward / 2, 0};
    add_chunk(rank, job, own, each_way);
    add_chunk(rank, job, layers_of_stage(job.model, how, cut, cut.pipeline - 1 - index), each_way);
    return rank;
  }
  if (how.schedule == pipeline_schedule::zero_bubble_v && cut.pipeline > 1)
    own.has_head = own.has_embedding;  // the second chunk goes back the way the first came
  add_chunk(rank, job, own, alive);
  return rank;
}

/// What sharding makes whole: parameters of the unit at work, the larger of a layer and a table,
/// and of the layer fetched ahead; gradients of the unit at work, whose reduction runs beside the
/// next unit's work.  Never more than the rank lacks.  Without sharding, weights kept in FP32 have
/// their 16-bit copies through the step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// VLDB (2023), section 3.2, arXiv:2304.11277.
constexpr void add_gathered(stage_footprint& at, const footprint& job, const rank_sum& rank) {
  const recipe& how = job.recipe;
  const rank_parameters& held = rank.parameters;
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.weights == weight_storage::fp32 && how.zero != zero_stage::parameters &&
      value < job.rates.per.weight)
    at.gathered_parameters = held.total() * value;
  if (how.zero < zero_stage::gradients) return;

  const double lacking = held.total() - updated_on_rank(held, job.rates);
  const double layer = largest_of(job.layers, rank.layers,
                                  [](const layer_memory& one) { return one.parameters.total(); });
  const bool has_table = rank.has_embedding || rank.has_head;
  const double unit = has_table ? (std::max)(layer, job.table.tables) : layer;
  at.whole_gradients = (std::min)(unit, lacking) * job.rates.per.gradient;
  if (how.zero == zero_stage::parameters)
    at.gathered_parameters = (std::min)(unit + layer, lacking) * value;
}

/// What lies on the stages that have the ends of the model.
constexpr void add_ends(stage_footprint& at, const footprint& job, const rank_sum& rank) {
  if (rank.has_embedding || rank.has_head) at.batch = job.ends.batch;
  if (!rank.has_head) return;
  at.head = job.ends.head;
  at.logits = job.ends.logits;
  at.head_gradients = job.ends.head_gradients;
  at.deferred_head = job.ends.deferred_head;
  at.deferred_gradient = job.ends.deferred_gradient;
}

/// Gradients: those in the weights' format beside accumulated ones of a wider one, and when they
/// are made and freed.
constexpr void add_gradients(stage_footprint& at, const footprint& job, const rank_sum& rank) {
  const recipe& how = job.recipe;
  const parameter_bytes& per = job.rates.per;
  if (job.workspace.kernels.working_gradients && per.weight < per.gradient) {
    const bool divided = how.zero >= zero_stage::gradients;
    at.states.gradients +=
        (divided ? updated_on_rank(rank.parameters, job.rates) : rank.parameters.total()) *
        per.weight;
  }
  if (how.gradients_live == gradient_lifetime::always) return;
  at.gradients_freed = at.states.gradients;
  if (job.micro_batches == 1) at.gradients_to_come = at.states.gradients;
}

}  // namespace detail

constexpr stage_footprint footprint::stage(int index) const {
  require(index >= 0 && index < stages(), "footprint: stage must be 0 to pipeline - 1");
  const detail::rank_sum rank = detail::sum_over_chunks(*this, index);
  const rank_parameters& held = rank.parameters;
  const double block = recipe.recompute == recompute::full ? recipe.recompute_every : 1;

  stage_footprint at{
      .stage = index,
      .states = states_on_rank(held, rates, recipe, parallelism, data_rank),
      .buffers = ends.buffers,
      .framework = framework_at_start(workspace),
      .activations = rank.activations,
      .embedding = rank.embedding,
      .recomputed = (std::min)(block, rank.layers.total()) *
                    largest_of(layers, rank.layers,
                               [](const layer_memory& one) { return one.computed_again; }),
      .layer_gradients =
          largest_of(layers, rank.layers, [](const layer_memory& one) { return one.gradients; }),
      .gradient_copy = gradient_copy_on_rank(held, rates),
      .optimizer_temporaries = updated_on_rank(held, rates) * workspace.update_temporary,
      .cuda_context = workspace.cuda_context,
      .communicators = communicators_of(parallelism) * workspace.communicator};
  detail::add_ends(at, *this, rank);
  detail::add_gathered(at, *this, rank);
  detail::add_gradients(at, *this, rank);
  at.fragmentation = workspace.fragmentation * at.peak();
  return at;
}

constexpr stage_footprint footprint::worst_stage() const {
  stage_footprint fullest = stage(0);
  if (stages() == 1) return fullest;
  bytes most = fullest.total();
  stage_layers seen_layers = layers_of_stage(model, recipe, parallelism, 0);
  const bool alike = model.moe_layers() == 0 && recipe.split.stages() == 0;
  for (int index = 1; index < stages(); ++index) {
    // Without experts or a split no stage between the second and the last has more layers.
    if (alike && index == 2) index = stages() - 1;
    const stage_layers held = layers_of_stage(model, recipe, parallelism, index);
    // Among stages of the same layers the first holds the most micro-batches, so that a stage with
    // no more layers than an earlier one can only be fuller where it has the head.
    const bool fewer = held.dense <= seen_layers.dense && held.moe <= seen_layers.moe;
    if (fewer && !held.has_head) continue;
    seen_layers = held;
    const stage_footprint next = stage(index);
    if (const bytes needed = next.total(); needed > most) {
      most = needed;
      fullest = next;
    }
  }
  return fullest;
}

constexpr int footprint::worst() const {
  return worst_stage().stage;
}

}  // namespace gpuplan
