#pragma once
/// \file
/// What a training job needs of each GPU's memory: every stage, every term.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/end_activations.hpp>
#include <gpuplan/memory/in_flight.hpp>
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

/// One layer of a kind, on one rank.
struct layer_on_one_rank {
  rank_parameters parameters{};
  layer_activations activations{};  ///< of one micro-batch, nothing computed again
};

/// Memory of every stage, computed when asked for.  Keeps its inputs and what all stages share.
struct footprint {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int micro_batches = 1;         ///< of one step on one replica
  int data_rank = fullest_rank;  ///< of the data-parallel group; matters to Muon alone
  stream_tokens seen{};
  layer_on_one_rank dense{};
  layer_on_one_rank moe{};
  layer_on_one_rank encoder{};
  layer_on_one_rank prediction{};  ///< of a further token, on the last stage
  rank_parameters table{};         ///< embedding or head
  rank_parameters first{};         ///< beside the layers of the first stage
  rank_parameters last{};          ///< beside the layers of the last stage

  [[nodiscard]] constexpr int stages() const { return parallelism.pipeline; }

  /// Memory of one rank of a stage.
  ///
  /// \throws invalid_input if index is not 0 to stages() - 1, or the recipe's split does not fit
  [[nodiscard]] constexpr stage_footprint stage(int index) const;

  /// The stage that needs most; of equals the first.
  [[nodiscard]] constexpr int worst() const;
  [[nodiscard]] constexpr stage_footprint worst_stage() const { return stage(worst()); }
};

/// Micro-batches that one replica runs in a step: ceil(B / (b d)).
///
///     B  how.global_batch_size, b  cut.micro_batch_size, d  cut.data
constexpr int micro_batches_of(const recipe& how, const parallelism& cut) {
  const std::int64_t at_once = std::int64_t{cut.micro_batch_size} * cut.data;
  return static_cast<int>((how.global_batch_size + at_once - 1) / at_once);
}

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
  require_valid(how);
  require_valid(beside);
  const transformer_parameters count = parameters_of(m);
  const int encoder_length =
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length;

  footprint job{.model = m, .recipe = how, .parallelism = cut, .workspace = beside};
  job.seen = {.decoder = tokens_on_rank(how.sequence_length, how, cut),
              .encoder = tokens_on_rank(encoder_length, how, cut)};
  job.micro_batches = micro_batches_of(how, cut);
  const kernel_memory& kernels = beside.kernels;
  if (m.dense_layers() > 0)
    job.dense = {layer_on_rank(m, layer_kind::dense, cut),
                 decoder_layer(m, layer_kind::dense, how, cut, job.seen, kernels)};
  if (m.moe_layers() > 0)
    job.moe = {layer_on_rank(m, layer_kind::moe, cut),
               decoder_layer(m, layer_kind::moe, how, cut, job.seen, kernels)};
  if (m.encoder_layers > 0)
    job.encoder = {parameters_on_rank(m, parameters_of_encoder_layer(m),
                                      tensor_split_of_encoder_layer(m), cut),
                   encoder_layer(m, how, cut, job.seen, kernels)};
  if (m.multi_token_prediction_layers > 0)
    job.prediction = {parameters_on_rank(m, parameters_of_prediction_layer(m),
                                         tensor_split_of_prediction_layer(m), cut),
                      prediction_layer(m, how, cut, job.seen, kernels)};
  job.table = table_on_rank(m, cut);
  job.first = first_stage_on_rank(m, count, cut);
  job.last = last_stage_on_rank(m, count, cut);
  return job;
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

/// Layers that one rank runs of one micro-batch, and how many micro-batches of them it holds.
struct held_layers {
  double dense{};
  double moe{};
  double encoder{};
  double prediction{};
  micro_batches_in_flight alive{};

  [[nodiscard]] constexpr double total() const { return dense + moe + encoder + prediction; }
};

/// Parameters of one rank.
constexpr rank_parameters parameters_of_chunk(const footprint& job, const held_layers& layers,
                                              const stage_layers& ends) {
  rank_parameters held = layers.dense * job.dense.parameters + layers.moe * job.moe.parameters +
                         layers.encoder * job.encoder.parameters +
                         layers.prediction * job.prediction.parameters;
  if (ends.has_embedding) held = held + job.first;
  if (ends.has_head) {
    held = held + job.last;
    if (!ends.has_embedding || !job.model.tied_embeddings) held = held + job.table;
  }
  return held;
}

/// Activations of one chunk's layers: of all its micro-batches in flight.
constexpr bytes activations_of(const footprint& job, const held_layers& layers) {
  const recipe& how = job.recipe;
  const auto sum = [&](const auto& of_layer) {
    return layers.dense * of_layer(job.dense.activations) +
           layers.moe * of_layer(job.moe.activations) +
           layers.encoder * of_layer(job.encoder.activations) +
           layers.prediction * of_layer(job.prediction.activations);
  };
  bytes forward =
      sum([&](const layer_activations& layer) { return kept_by(job.model, how, layer); });
  if (how.recompute == recompute::full && layers.total() > 0) {
    const double blocks = static_cast<int>((layers.total() - 1) / how.recompute_every) + 1;
    forward = blocks / layers.total() * forward;
  }
  bytes waiting{0};
  if (layers.alive.weight_gradient > 0)
    waiting = how.recompute == recompute::full
                  ? forward
                  : sum([](const layer_activations& l) { return l.until_weight_gradient(); });
  if (job.model.encoder_layers > 0)  // its final norm's input, and its output for all to read
    forward += 2 * job.encoder.activations.attention.norm_input;
  return layers.alive.forward * forward + layers.alive.weight_gradient * waiting;
}

/// The layers of one chunk of a stage.
constexpr held_layers layers_of(const footprint& job, const stage_layers& chunk,
                                const micro_batches_in_flight& alive) {
  const double part = static_cast<double>(chunk.total()) / job.model.layers;
  return {.dense = static_cast<double>(chunk.dense),
          .moe = static_cast<double>(chunk.moe),
          .encoder = part * job.model.encoder_layers,
          .prediction = chunk.has_head ? double(job.model.multi_token_prediction_layers) : 0,
          .alive = alive};
}

/// What one rank sums over its chunks.
struct rank_layers {
  rank_parameters parameters{};
  bytes activations{};
  bytes embedding{};
  bool has_embedding{};
  bool has_head{};
  held_layers layers{};  ///< of all chunks, alive left out
};

constexpr void add_chunk(rank_layers& rank, const footprint& job, const stage_layers& chunk,
                         const micro_batches_in_flight& alive) {
  const held_layers layers = layers_of(job, chunk, alive);
  rank.parameters = rank.parameters + parameters_of_chunk(job, layers, chunk);
  rank.activations += activations_of(job, layers);
  if (job.workspace.kernels.outputs_kept && job.parallelism.pipeline > 1)
    rank.activations += alive.total() * job.model.hidden_size * job.seen.decoder.residual *
                        bytes_per_activation(job.recipe.precision).value;
  if (chunk.has_embedding)
    rank.embedding += alive.total() * embedding_mask(job.model, job.recipe, job.seen);
  rank.has_embedding = rank.has_embedding || chunk.has_embedding;
  rank.has_head = rank.has_head || chunk.has_head;
  rank.layers.dense += layers.dense;
  rank.layers.moe += layers.moe;
  rank.layers.encoder += layers.encoder;
  rank.layers.prediction += layers.prediction;
}

/// The chunks of a rank: of an interleaved schedule each with its own passes in flight, of DualPipe
/// the layers of this stage and of its mirror, half of the micro-batches each way.
constexpr rank_layers layers_of_rank(const footprint& job, int index) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  rank_layers rank;
  const bool one_forward = how.schedule == pipeline_schedule::one_forward_one_backward;
  if (one_forward && cut.interleave > 1) {
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

/// The layer of a rank that a measure finds largest.
template <class Measure>
constexpr auto largest_layer(const footprint& job, const held_layers& layers,
                             const Measure& measure) {
  auto most = decltype(measure(job.dense)){};
  if (layers.dense > 0) most = (std::max)(most, measure(job.dense));
  if (layers.moe > 0) most = (std::max)(most, measure(job.moe));
  if (layers.encoder > 0) most = (std::max)(most, measure(job.encoder));
  if (layers.prediction > 0) most = (std::max)(most, measure(job.prediction));
  return most;
}

/// What the backward pass of a block of layers computes again, and the gradients in it.
constexpr void add_backward(stage_footprint& at, const footprint& job, const rank_layers& rank) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const double block = how.recompute == recompute::full ? how.recompute_every : 1;
  at.recomputed = (std::min)(block, rank.layers.total()) *
                  largest_layer(job, rank.layers, [&](const layer_on_one_rank& layer) {
                    return computed_again(how, layer.activations);
                  });
  const attention_tokens decoder{job.seen.decoder, job.seen.decoder};
  at.layer_gradients = largest_layer(job, rank.layers, [&](const layer_on_one_rank& layer) {
    return layer_gradients(job.model, how, cut, layer.activations, decoder);
  });
  if (rank.layers.encoder > 0)
    at.layer_gradients =
        (std::max)(at.layer_gradients, layer_gradients(job.model, how, cut, job.encoder.activations,
                                                       {job.seen.encoder, job.seen.encoder}));
}

/// What sharding makes whole: parameters of the unit at work, the larger of a layer and a table,
/// and of the layer fetched ahead; gradients of the unit at work, whose reduction runs beside the
/// next unit's work.  Never more than the rank lacks.  Without sharding, weights kept in FP32 have
/// their 16-bit copies through the step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// VLDB (2023), section 3.2, arXiv:2304.11277.
constexpr void add_gathered(stage_footprint& at, const footprint& job, const rank_layers& rank) {
  const recipe& how = job.recipe;
  const rank_parameters& held = rank.parameters;
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.weights == weight_storage::fp32 && how.zero != zero_stage::parameters &&
      value < bytes_per_parameter(how).weight)
    at.gathered_parameters = held.total() * value;
  if (how.zero < zero_stage::gradients) return;

  const double shards = static_cast<double>(job.parallelism.shards());
  const double expert = static_cast<double>(expert_shards(job.parallelism));
  const double lacking = held.dense() * (1 - 1 / shards) + held.experts * (1 - 1 / expert);
  const double layer = largest_layer(
      job, rank.layers, [](const layer_on_one_rank& one) { return one.parameters.total(); });
  const double unit =
      rank.has_embedding || rank.has_head ? (std::max)(layer, job.table.tables) : layer;
  at.whole_gradients = (std::min)(unit, lacking) * bytes_per_parameter(how).gradient;
  if (how.zero == zero_stage::parameters)
    at.gathered_parameters = (std::min)(unit + layer, lacking) * value;
}

/// One buffer as large as its largest use, and for each chunk of a pipeline rank the activation it
/// last received and the gradient it last made.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/utils.py, GlobalMemoryBuffer (2026).
constexpr bytes message_buffers(const footprint& job) {
  const transformer& m = job.model;
  const parallelism& cut = job.parallelism;
  const kernel_memory& kernels = job.workspace.kernels;
  const bytes value = bytes_per_activation(job.recipe.precision).value;
  const micro_batch_tokens& longest =
      m.encoder_layers > 0 && job.seen.encoder.all > job.seen.decoder.all ? job.seen.encoder
                                                                          : job.seen.decoder;
  const double stream = m.hidden_size * longest.residual;
  double reused = 0;
  if (job.recipe.sequence_parallel && cut.tensor > 1) reused = m.hidden_size * longest.all;
  if (kernels.scores_buffered && job.recipe.attention == attention_kernel::unfused)
    reused = (std::max)(reused, score_pairs(m, cut, {longest, longest}));
  if (m.moe_layers() > 0 && kernels.dispatcher == token_dispatcher::all_gather)
    reused = (std::max)(reused, stream * cut.expert * cut.expert_tensor_ranks());
  if (cut.pipeline > 1) reused += 2.0 * cut.interleave * stream;
  return reused * value;
}

/// Gradients in the weights' format beside accumulated ones of a wider one.
constexpr bytes working_gradients(const footprint& job, const rank_parameters& held) {
  const recipe& how = job.recipe;
  const parameter_bytes per = bytes_per_parameter(how);
  if (per.weight >= per.gradient) return bytes{0};
  const bool divided = how.zero >= zero_stage::gradients;
  return (divided ? updated_on_rank(held, how, job.parallelism) : held.total()) * per.weight;
}

/// Communicators of a rank: one for each axis that is cut, and those of experts.
constexpr int communicators_of(const parallelism& cut) {
  const auto more_than_one = [](std::int64_t ranks) { return ranks > 1 ? 1 : 0; };
  return more_than_one(cut.data) + more_than_one(cut.tensor) + more_than_one(cut.pipeline) +
         more_than_one(cut.context) + more_than_one(cut.expert) +
         (cut.expert > 1 ? more_than_one(cut.expert_replicas()) : 0);
}

constexpr void add_head(stage_footprint& at, const footprint& job) {
  const transformer& m = job.model;
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const kernel_memory& kernels = job.workspace.kernels;
  const bytes further = m.multi_token_prediction_layers * logits_on_rank(m, cut, job.seen) *
                        bytes_per_activation(how.precision).statistic;
  at.head = head_inputs(m, how, job.seen) + further;
  at.logits = logits_at_loss(m, how, cut, job.seen);
  at.head_gradients = head_gradients(m, how, cut, job.seen, kernels);
  if (kernels.head_gradients_deferred == 0) return;
  at.deferred_head = deferred_head(m, how, cut, job.seen, kernels);
  at.deferred_gradient = job.table.tables * bytes_per_activation(how.precision).value;
}

}  // namespace detail

constexpr stage_footprint footprint::stage(int index) const {
  require(index >= 0 && index < stages(), "footprint: stage must be 0 to pipeline - 1");
  const detail::rank_layers rank = detail::layers_of_rank(*this, index);
  const rank_parameters& held = rank.parameters;

  stage_footprint at{.stage = index,
                     .states = states_on_rank(held, recipe, parallelism, data_rank),
                     .buffers = detail::message_buffers(*this),
                     .framework = framework_at_start(workspace),
                     .activations = rank.activations,
                     .embedding = rank.embedding,
                     .gradient_copy = gradient_copy_on_rank(held, recipe, parallelism),
                     .cuda_context = workspace.cuda_context};
  if (rank.has_embedding || rank.has_head) at.batch = batch_memory(model, seen, workspace.kernels);
  if (rank.has_head) detail::add_head(at, *this);
  detail::add_backward(at, *this, rank);
  detail::add_gathered(at, *this, rank);
  if (workspace.kernels.working_gradients)
    at.states.gradients += detail::working_gradients(*this, held);
  if (recipe.gradients_live == gradient_lifetime::backward) {
    at.gradients_freed = at.states.gradients;
    if (micro_batches == 1) at.gradients_to_come = at.states.gradients;
  }
  at.optimizer_temporaries =
      updated_on_rank(held, recipe, parallelism) * workspace.update_temporary;
  at.communicators = detail::communicators_of(parallelism) * workspace.communicator;
  at.fragmentation = workspace.fragmentation * at.peak();
  return at;
}

constexpr int footprint::worst() const {
  int fullest = 0;
  bytes most = stage(0).total();
  stage_layers seen_layers = layers_of_stage(model, recipe, parallelism, 0);
  for (int index = 1; index < stages(); ++index) {
    const stage_layers held = layers_of_stage(model, recipe, parallelism, index);
    // Among stages of the same layers the first holds the most micro-batches, so that a stage with
    // no more layers than an earlier one can only be fuller where it has the head.
    const bool fewer = held.dense <= seen_layers.dense && held.moe <= seen_layers.moe;
    if (fewer && !held.has_head) continue;
    seen_layers = held;
    const bytes needed = stage(index).total();
    if (needed > most) {
      most = needed;
      fullest = index;
    }
  }
  return fullest;
}

}  // namespace gpuplan
