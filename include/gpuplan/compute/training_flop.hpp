#pragma once
/// \file
/// Floating-point operations of training a transformer, a multiply-add counted as two.

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How the scores that a causal mask throws away are counted.
enum class masked_scores {
  skipped,  ///< a token attends to those before it: what flash kernels and Megatron-LM count
  counted   ///< all s x s, as PaLM, nanotron, torchtitan and unfused kernels count
};

/// Operations of one layer's forward pass for one token.
struct layer_flop {
  flop_per_token attention_projections{};
  flop_per_token attention_core{};  ///< scores, and the sum of values they weigh
  flop_per_token ffn{};             ///< of the experts that a token visits, where there are any
  flop_per_token router{};

  [[nodiscard]] constexpr flop_per_token total() const {
    return attention_projections + attention_core + ffn + router;
  }
};

/// Keys that one token attends to, on average over a sequence of s tokens.
///
///     full mask, or masked scores counted   s
///     causal                                s / 2
///     causal, window w < s                  w - w^2 / (2 s)
///
///     s  sequence length   tokens, >= 1
///     w  sliding window    tokens; 0 or >= s: no window
///
/// The exact mean of the causal case is (s + 1)/2; s/2 is what the field counts.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/training.py,
/// num_floating_point_operations (2026).
///
/// \throws invalid_input if sequence_length < 1 or window < 0
constexpr double mean_attention_span(double sequence_length, double window, attention_mask mask,
                                     masked_scores scores) {
  require(sequence_length >= 1, "mean_attention_span: sequence_length must be >= 1 token");
  require(window >= 0, "mean_attention_span: window must be >= 0 tokens");
  if (mask == attention_mask::full || scores == masked_scores::counted) return sequence_length;
  if (window == 0 || window >= sequence_length) return sequence_length / 2;
  return window - window * window / (2 * sequence_length);
}

namespace detail {

inline constexpr flop_per_token flop_per_weight = 2 * units::FLOP / units::token;

/// Weights of the attention projections that a token is multiplied by.
constexpr double attention_projection_weights(const transformer& m) {
  const double h = m.hidden_size;
  const double a = m.attention_heads;
  const latent_attention& c = m.latent;
  if (c.kv_rank == 0) return 2 * h * (m.query_width() + m.key_width());

  const double query_head = m.query_head_dim();
  const double query = c.query_rank > 0 ? c.query_rank * (h + a * query_head) : h * a * query_head;
  const double key_value =
      h * (c.kv_rank + c.rope_head_dim) +
      static_cast<double>(c.kv_rank) * a * (c.content_head_dim + c.value_head_dim);
  return query + key_value + a * c.value_head_dim * h;
}

/// Weights of the feed-forward network that a token is multiplied by.
constexpr double active_ffn_weights(const transformer& m, layer_kind kind) {
  const double matrices = m.gated_ffn ? 3 : 2;
  const double width =
      kind == layer_kind::dense
          ? m.ffn_size
          : static_cast<double>(m.moe.ffn_size) * m.moe.experts_per_token + m.moe.shared_ffn_size;
  return matrices * m.hidden_size * width;
}

}  // namespace detail

/// Forward pass of one decoder or encoder layer, for one token.
///
///     projections   2 (2 h (a d + g d))       with latent attention, of its low-rank maps
///     core          2 k a (d_qk + d_v)        k keys: mean_attention_span
///     ffn           2 n h f                   n = 3 gated, 2 plain; f of the visited experts
///     router        2 h E
///
///     h  hidden_size, a heads, g key-value heads, d head width, f FFN width, E experts
///
/// Normalisation, softmax and activation functions are left out: below 1 % of the products.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), appendix, arXiv:2104.04473.
///
/// \throws invalid_input if span < 0, or kind is moe and the model has no experts
constexpr layer_flop forward_flop(const transformer& m, layer_kind kind, double span) {
  require(span >= 0, "forward_flop: span must be >= 0 tokens");
  require(kind == layer_kind::dense || m.moe.experts > 0,
          "forward_flop: a layer of kind moe needs transformer.moe.experts >= 1");
  const double heads = m.attention_heads;
  const double core = span * heads * (m.query_head_dim() + m.value_head_dim());
  const double router =
      kind == layer_kind::moe ? static_cast<double>(m.hidden_size) * m.moe.experts : 0;
  return {
      .attention_projections = detail::attention_projection_weights(m) * detail::flop_per_weight,
      .attention_core = core * detail::flop_per_weight,
      .ffn = detail::active_ffn_weights(m, kind) * detail::flop_per_weight,
      .router = router * detail::flop_per_weight};
}

/// Forward pass of the head, for one token: 2 h V.
constexpr flop_per_token head_forward_flop(const transformer& m) {
  const double h = m.hidden_size;
  const double e = m.embedding_width();
  const double maps = (m.head_transform ? h * h : 0) + (m.embedding_size > 0 ? h * e : 0);
  return (e * m.vocabulary_size + maps) * detail::flop_per_weight;
}

/// The backward pass multiplies twice for each product of the forward pass: by the weights for
/// the gradient of the input, by the input for the gradient of the weights.
inline constexpr double backward_over_forward = 2;

/// The coarse form: six operations a parameter and token, two forward and four backward.
///
///     F = 6 N D
///
///     N  parameters that a token is multiplied by   count, >= 0
///     D  tokens                                     token, >= 0
///
/// Low by the attention core, whose share is s/(6 h) of the model at full mask, and high by the
/// embedding, which is read, not multiplied.
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

}  // namespace gpuplan
