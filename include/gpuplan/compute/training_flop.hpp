#pragma once
/// \file
/// Floating-point operations of training a transformer, a multiply-add counted as two.

#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Forward pass of the head, for one token.
///
///     2 h V
///
///     h  hidden size    count, >= 1
///     V  vocabulary     count, >= 1
///
/// Holds: no map between head and layers.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
constexpr flop_per_token head_forward_flop(const transformer& m) {
  const double h = m.hidden_size;
  const double e = m.embedding_width();
  const double maps = (m.head_transform ? h * h : 0) + (m.embedding_size > 0 ? h * e : 0);
  return (e * m.vocabulary_size + maps) * detail::flop_per_weight;
}

/// The backward pass multiplies twice for each product of the forward pass: by the weights for
/// the gradient of the input, by the input for the gradient of the weights.
inline constexpr double backward_over_forward = 2;

/// Forward pass of all layers over the batch of one optimizer step, without the head: the mean
/// layer of each kind times its count, over the tokens of decoder and encoder; layers that predict
/// further tokens among them, each with its projection of 2 h to h.
///
/// Source: as head_forward_flop.
///
/// \throws invalid_input as mean_forward_flop does
constexpr layer_flop forward_layers_flop_per_token(const transformer& m, const recipe& how,
                                                   masked_scores scores) {
  const double s = how.sequence_length;
  const double e = how.encoder_sequence_length > 0 ? how.encoder_sequence_length : s;
  layer_flop sum;
  const auto add = [&](double count, const layer_flop& one) {
    sum.attention_projections += count * one.attention_projections;
    sum.attention_core += count * one.attention_core;
    sum.ffn += count * one.ffn;
    sum.router += count * one.router;
  };
  const double predictions = m.multi_token_prediction_layers;
  const bool has_experts = m.moe_layers() > 0;
  const double moe = m.moe_layers() + (has_experts ? predictions : 0);
  const double dense = m.dense_layers() + (has_experts ? 0 : predictions);
  if (dense > 0) add(dense, mean_forward_flop(m, layer_kind::dense, s, e, scores));
  if (moe > 0) add(moe, mean_forward_flop(m, layer_kind::moe, s, e, scores));
  if (m.encoder_layers > 0) add(m.encoder_layers * (e / s), forward_flop(m, layer_kind::dense, e));
  const double h = m.hidden_size;
  sum.ffn += predictions * 2 * h * h * detail::flop_per_weight;
  return sum;
}

/// Operations of the adapters of all layers on a token's forward pass: 2 r (inputs + outputs) of
/// each map.
///
/// Source: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", ICLR (2022),
/// arXiv:2106.09685.
///
/// \throws invalid_input as adapter_parameters does
[[gnu::cold]] constexpr flop_per_token adapters_forward_flop(const transformer& m,
                                                             const recipe& how) {
  double weights = 0;
  if (m.dense_layers() > 0)
    weights += m.dense_layers() * adapter_parameters(m, layer_kind::dense, how.adapters, {});
  if (m.moe_layers() > 0)
    weights += m.moe_layers() * adapter_parameters(m, layer_kind::moe, how.adapters, {});
  return weights * detail::flop_per_weight;
}

namespace detail {

/// Both passes of a token: no weight gradients but those of the adapters.
[[gnu::cold]] constexpr flop_per_token adapted_flop(const layer_flop& layers,
                                                    const flop_per_token& forward,
                                                    const flop_per_token& adapters) {
  return backward_over_forward * (forward - layers.attention_core) +
         (1 + backward_over_forward) * (layers.attention_core + adapters);
}

/// The forward pass of a reference model on a token.
[[gnu::cold]] constexpr flop_per_token reference_flop(const transformer& m, const recipe& how,
                                                      masked_scores scores) {
  transformer own = m;
  own.multi_token_prediction_layers = 0;
  return forward_layers_flop_per_token(own, how, scores).total() + head_forward_flop(own);
}

}  // namespace detail

/// Operations of one optimizer step as the model defines them, whatever is computed again.
///
///     F = 3 B s (sum of layers F_l + (1 + n) F_head) + 3 B e sum of encoder layers F_l
///
///     B, s, e  recipe.global_batch_size, sequence_length, encoder_sequence_length
///     n        multi_token_prediction_layers: n of the layers, each with 2 (2 h h) for its
///              projection, and the head again
///     F_l      mean_forward_flop of a layer      FLOP/token
///
/// Frozen weights have no gradients: 2 in place of 3 of all but the attention cores and a head that
/// is trained beside adapters, and 3 of adapters_forward_flop.  A reference model adds 1 of all but
/// further predictions.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/training.py,
/// num_floating_point_operations (2026), which skips masked scores and leaves the router out.
///
/// \throws invalid_input if a length or a count is out of its range
constexpr flop training_step_flop(const transformer& m, const recipe& how,
                                  masked_scores scores = masked_scores::skipped) {
  const tokens batch =
      static_cast<double>(how.global_batch_size) * how.sequence_length * units::token;
  const flop_per_token heads = (1.0 + m.multi_token_prediction_layers) * head_forward_flop(m);
  const layer_flop all = forward_layers_flop_per_token(m, how, scores);
  const flop_per_token layers = all.total();
  flop trained{};
  if (how.adapts()) {
    flop_per_token each = detail::adapted_flop(all, layers + heads, adapters_forward_flop(m, how));
    if (trains_table(m, how, trained_table::head)) each += heads;
    trained = each * batch;
  } else {
    trained = (1 + backward_over_forward) * ((layers + heads) * batch);
  }
  return how.runs_reference() ? trained + detail::reference_flop(m, how, scores) * batch : trained;
}

/// Operations of one optimizer step that the backward pass does a second time, to save memory.
///
///     none                0
///     selective           the attention core of every layer, forward
///     alternate_products  half of the other products, forward
///     full                every layer, forward; the head is kept
///
/// training_step_flop + recomputed_step_flop is what the hardware does: the numerator of HFU.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models"
/// (2022), appendix A, arXiv:2205.05198.  Its s/(6 h) for selective recomputation counts the core's
/// backward pass too; forward alone is s/(18 h).
///
/// \throws invalid_input as training_step_flop, or if recompute is none of its values
constexpr flop recomputed_step_flop(const transformer& m, const recipe& how,
                                    masked_scores scores = masked_scores::skipped) {
  const tokens batch =
      static_cast<double>(how.global_batch_size) * how.sequence_length * units::token;
  const layer_flop layers = forward_layers_flop_per_token(m, how, scores);
  switch (how.recompute) {
    case recompute::none: return {};
    case recompute::selective: return layers.attention_core * batch;
    case recompute::alternate_products:
      return 0.5 * (layers.total() - layers.attention_core) * batch;
    case recompute::full: return layers.total() * batch;
  }
  require(false, "recomputed_step_flop: recipe.recompute must be one of its values");
  return {};
}

/// The coarse form: six operations a parameter and token, two forward and four backward.
///
///     F = 6 N D
///
///     N  parameters, that a token is multiplied by    count, >= 0
///     D  tokens                                       token, >= 0
///
/// Low by the attention core, whose share is s/(6 h) of the model at full mask, and high by the
/// embedding, which is read, not multiplied.
///
/// Holds: low by the attention core, high by the embedding.
///
/// Source: J. Kaplan et al., "Scaling Laws for Neural Language Models" (2020), section 2.1,
/// arXiv:2001.08361.
///
/// \throws invalid_input if parameters < 0 or trained < 0 tokens
constexpr flop coarse_training_flop(double parameters, tokens trained) {
  require(parameters >= 0, "coarse_training_flop: parameters must be >= 0");
  require(trained >= tokens{0}, "coarse_training_flop: trained must be >= 0 tokens");
  return 3 * (parameters * trained) * detail::flop_per_weight;
}

/// Operations of a token of training, by weights and scores.
///
///     F = 6 N + 6 L a (d_qk + d_v) s
///
///     N                parameters that a token is multiplied by    count, >= 0
///     s                sequence length                             tokens, >= 1
///     L, a, d_qk, d_v  layers, heads and widths of a query and a value head
///
/// All s x s scores are counted; with d_qk = d_v = h/a it is 6 N + 12 L h s.  PaLM and MosaicML
/// put all parameters for N, torchtitan those of active experts and without an untied embedding.
///
/// Source: A. Chowdhery et al., "PaLM: Scaling Language Modeling with Pathways" (2022), appendix
/// B, arXiv:2204.02311.
///
/// \throws invalid_input if parameters < 0 or sequence_length < 1
constexpr flop_per_token weights_and_scores_flop(const transformer& m, double parameters,
                                                 double sequence_length) {
  require(parameters >= 0, "weights_and_scores_flop: parameters must be >= 0");
  require(sequence_length >= 1, "weights_and_scores_flop: sequence_length must be >= 1 token");
  const double widths = static_cast<double>(m.query_head_dim()) + m.value_head_dim();
  const double scores =
      static_cast<double>(m.layers) * m.attention_heads * widths * sequence_length;
  return 3 * (parameters + scores) * detail::flop_per_weight;
}

}  // namespace gpuplan
