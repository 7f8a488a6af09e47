#pragma once
/// \file
/// What a training job needs of each GPU's memory: every term, at every moment of a step.

#include <algorithm>
#include <array>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Moments of a step at which memory may be fullest.
enum class moment {
  loss,            ///< forward end: logits and their FP32 copy, on the stage that has the head
  layer_backward,  ///< gradients of one layer, and what it computes again
  optimizer_step   ///< no activations; what the update makes for itself
};

/// Every moment, in the order of the enumeration.
inline constexpr std::array moments{moment::loss, moment::layer_backward, moment::optimizer_step};

/// Memory of one rank of a pipeline stage.
struct stage_footprint {
  int stage{};
  model_states states{};
  bytes gathered_parameters{};    ///< of the layers at work, where parameters are sharded
  bytes buffers{};                ///< reused for messages to other ranks
  bytes activations{};            ///< of layers: all micro-batches in flight
  bytes embedding{};              ///< likewise, of the embedding
  bytes head{};                   ///< inputs of the final norm and of the head
  bytes logits{};                 ///< and their FP32 copy; at the loss alone
  bytes recomputed{};             ///< of one block of layers, in its backward pass
  bytes layer_gradients{};        ///< of activations, in the backward pass of a layer
  bytes optimizer_temporaries{};  ///< at the optimizer step alone
  bytes framework{};              ///< workspaces that the framework's allocator sees
  bytes cuda_context{};           ///< seen by nvidia-smi alone, as the next two
  bytes communicators{};
  bytes fragmentation{};

  /// What stays from step to step.
  [[nodiscard]] constexpr bytes resident() const { return states.total() + buffers + framework; }
  [[nodiscard]] constexpr bytes all_activations() const { return activations + embedding + head; }

  /// What the framework's allocator has handed out at a moment.
  [[nodiscard]] constexpr bytes at(moment when) const {
    switch (when) {
      case moment::loss: return resident() + gathered_parameters + all_activations() + logits;
      case moment::layer_backward:
        return resident() + gathered_parameters + all_activations() - head + recomputed +
               layer_gradients;
      case moment::optimizer_step: return resident() + optimizer_temporaries;
    }
    return {};
  }
  /// The fullest moment.
  [[nodiscard]] constexpr moment peak_moment() const {
    moment fullest = moment::loss;
    for (const moment when : moments)
      if (at(when) > at(fullest)) fullest = when;
    return fullest;
  }
  /// The most that the framework's allocator hands out: torch.cuda.max_memory_allocated.
  [[nodiscard]] constexpr bytes peak() const { return at(peak_moment()); }
  [[nodiscard]] constexpr bytes allocator_peak() const { return peak(); }
  /// What nvidia-smi shows: what must be no more than the GPU's memory.
  [[nodiscard]] constexpr bytes device_total() const {
    return peak() + cuda_context + communicators + fragmentation;
  }
  [[nodiscard]] constexpr bytes total() const { return device_total(); }
};

/// Memory of every stage, computed when asked for.  Keeps its inputs.
struct footprint {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int micro_batches = 1;          ///< of one step on one replica
  rank_parameters dense_layer{};  ///< on one rank
  rank_parameters moe_layer{};
  double table = 0;                ///< token embedding on one rank
  double first_stage = 0;          ///< other parameters of the first stage
  double last_stage = 0;           ///< other parameters of the last stage
  layer_activations dense_kept{};  ///< by one layer, one micro-batch, without full recomputation
  layer_activations moe_kept{};

  [[nodiscard]] constexpr int stages() const { return parallelism.pipeline; }
  [[nodiscard]] constexpr stage_footprint stage(int index) const;
  /// The stage that needs most.
  [[nodiscard]] constexpr int worst() const;
  [[nodiscard]] constexpr stage_footprint worst_stage() const { return stage(worst()); }
};

namespace detail {

constexpr model_states states_of(const rank_parameters& held, const recipe& how,
                                 const parallelism& cut) {
  const parameter_bytes per = bytes_per_parameter(how.precision, how.optimizer, how.gradient);
  return model_state_memory(held.dense, cut.shards(), how.zero, per) +
         model_state_memory(held.experts, (std::max)(cut.expert_replicas(), std::int64_t{1}),
                            how.zero, per);
}

}  // namespace detail

/// Memory of a training job, stage by stage.
///
/// \throws invalid_input if an input is invalid
constexpr footprint memory_footprint(const transformer& m, const recipe& how,
                                     const parallelism& cut, const workspace& beside = {}) {
  require_valid(m);
  require_valid(cut);
  require_valid(beside);
  const transformer_parameters count = parameters_of(m);
  const micro_batch_tokens queries = tokens_on_rank(how.sequence_length, how, cut);
  const micro_batch_tokens encoder = tokens_on_rank(
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length, how,
      cut);
  const std::int64_t wanted = std::int64_t{cut.micro_batch_size} * cut.data;
  const double t = cut.tensor;

  footprint job{.model = m, .recipe = how, .parallelism = cut, .workspace = beside};
  job.micro_batches = static_cast<int>((std::max)(std::int64_t{1}, how.global_batch_size / wanted));
  job.table = count.token_embedding / t;
  job.first_stage = count.position_embedding + count.type_embedding + count.embedding_norm;
  job.last_stage =
      count.final_norms + (count.head + count.head_bias) / t + count.pooler + count.head_transform;
  if (m.dense_layers() > 0) {
    job.dense_layer = parameters_on_rank(tensor_split_of_layer(m, layer_kind::dense), cut);
    job.dense_kept = decoder_layer(m, how, cut, queries, encoder);
  }
  if (m.moe_layers() > 0) {
    job.moe_layer = parameters_on_rank(tensor_split_of_layer(m, layer_kind::moe), cut);
    job.moe_kept = moe_decoder_layer(m, how, cut, queries);
  }
  return job;
}

constexpr stage_footprint footprint::stage(int index) const {
  const stage_layers held = layers_of_stage(model, recipe, parallelism, index);
  const micro_batch_tokens queries = tokens_on_rank(recipe.sequence_length, recipe, parallelism);
  const activation_bytes per = bytes_per_activation(recipe.precision);
  const micro_batches_in_flight alive =
      in_flight(recipe.schedule, parallelism, index, micro_batches);
  const bytes stream = model.hidden_size * queries.residual * per.value;

  rank_parameters kept = held.dense * dense_layer + held.moe * moe_layer;
  if (held.has_embedding) kept.dense += table + first_stage;
  if (held.has_head) {
    kept.dense += last_stage;
    if (model.tied_embeddings && !held.has_embedding) kept.dense += table;
  }

  stage_footprint at{.stage = index, .states = detail::states_of(kept, recipe, parallelism)};
  const bytes layers = held.dense * dense_kept.total() + held.moe * moe_kept.total();
  const bytes largest = (std::max)(held.dense > 0 ? dense_kept.total() : bytes{0},
                                   held.moe > 0 ? moe_kept.total() : bytes{0});
  if (recipe.recompute == recompute::full) {
    at.activations = alive.total() * (held.total() * stream / recipe.recompute_every);
    at.recomputed = recipe.recompute_every * largest;
  } else {
    at.activations = alive.total() * layers;
  }
  if (held.has_embedding && recipe.dropout)
    at.embedding = alive.total() * model.hidden_size * queries.residual * per.mask;
  if (held.has_head) {
    const double logits = queries.all * model.vocabulary_size / parallelism.tensor;
    at.head = 2 * stream;
    at.logits = logits * (per.value + per.softmax_statistic);
  }
  at.layer_gradients = 2 * stream;
  at.framework = workspace.framework;
  at.cuda_context = workspace.cuda_context;
  const auto group = [](int ranks) { return ranks > 1 ? 1 : 0; };
  at.communicators =
      (group(parallelism.data) + group(parallelism.tensor) + group(parallelism.pipeline) +
       group(parallelism.context) + group(parallelism.expert)) *
      workspace.communicator;
  at.fragmentation = workspace.fragmentation * at.peak();
  return at;
}

constexpr int footprint::worst() const {
  int fullest = 0;
  bytes most = stage(0).total();
  for (int index = 1; index < stages(); ++index) {
    const bytes needed = stage(index).total();
    if (needed > most) {
      most = needed;
      fullest = index;
    }
  }
  return fullest;
}

}  // namespace gpuplan
