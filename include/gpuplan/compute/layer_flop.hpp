#pragma once
/// \file
/// Floating-point operations of a transformer's layers, a multiply-add counted as two.

#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
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

  friend constexpr layer_flop operator+(const layer_flop& a, const layer_flop& b) {
    return {a.attention_projections + b.attention_projections, a.attention_core + b.attention_core,
            a.ffn + b.ffn, a.router + b.router};
  }
  friend constexpr layer_flop operator*(double n, const layer_flop& a) {
    return {n * a.attention_projections, n * a.attention_core, n * a.ffn, n * a.router};
  }
};

/// Keys that one token attends to, on average over a sequence of s tokens.
///
///     full mask, or masked scores counted   s
///     full mask, window w < s               w - w^2 / (4 s)     w / 2 on either side
///     causal                                s / 2
///     causal, window w < s                  w - w^2 / (2 s)
///
///     s  sequence length   tokens, >= 1
///     w  sliding window    tokens; 0 or >= s: no window
///
/// The exact mean of the causal case is (s + 1)/2; s/2 is what the field counts.
///
/// Holds: masked scores skipped; the exact mean without a window is (s + 1)/2.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/training.py,
/// num_floating_point_operations (2026).
///
/// \throws invalid_input if sequence_length < 1 or window < 0
constexpr double mean_attention_span(double sequence_length, double window, attention_mask mask,
                                     masked_scores scores) {
  require(sequence_length >= 1, "mean_attention_span: sequence_length must be >= 1 token");
  require(window >= 0, "mean_attention_span: window must be >= 0 tokens");
  if (scores == masked_scores::counted) return sequence_length;
  if (mask == attention_mask::full)
    return window == 0 || window >= sequence_length
               ? sequence_length
               : window - window * window / (4 * sequence_length);
  if (window == 0 || window >= sequence_length) return sequence_length / 2;
  return window - window * window / (2 * sequence_length);
}

namespace detail {

inline constexpr flop_per_token flop_per_weight = 2 * units::FLOP / units::token;

/// Weights of the feed-forward network that a token is multiplied by.
constexpr double active_ffn_weights(const transformer& m, layer_kind kind) {
  if (kind == layer_kind::dense) return ffn_weights_of(m, m.ffn_size);
  return m.moe.experts_per_token * expert_weights_of(m) + expert_latent_weights_of(m) +
         ffn_weights_of(m, m.moe.shared_ffn_size);
}

}  // namespace detail

/// Forward pass of one decoder or encoder layer, for one token.
///
///     projections   2 (2 h (a d + g d))       with latent attention, of its low-rank maps; of an
///                                             index of tokens, too
///     core          2 k a (d_qk + d_v)        k keys: mean_attention_span
///     ffn           2 n h f                   n = 3 gated, 2 plain; f of the visited experts, and
///                                             their maps to a narrower state and back
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
  const layer_parameters attention = attention_parameters(m);
  return {.attention_projections = attention.attention_weights * detail::flop_per_weight,
          .attention_core = core * detail::flop_per_weight,
          .ffn = detail::active_ffn_weights(m, kind) * detail::flop_per_weight,
          .router = router * detail::flop_per_weight};
}

namespace detail {

/// The mean over layers that attend and layers that have a recurrent mixer.
[[gnu::cold]] constexpr layer_flop with_recurrence(const transformer& m, layer_flop work) {
  double maps = 0;
  visit_recurrent_maps(m.recurrent, m.hidden_size, 1,
                       [&](const recurrent_map& map) { maps += map.inputs * map.outputs; });
  const double recurrence = recurrence_operations(m.recurrent);
  work.attention_projections = m.attention_share() * work.attention_projections +
                               m.recurrent_share() * maps * flop_per_weight;
  work.attention_core = m.attention_share() * work.attention_core +
                        m.recurrent_share() * recurrence * (units::FLOP / units::token);
  return work;
}

/// The core of the mean layer of a model with an index: of layers that attend to what it chose, on
/// latents where there are some, of layers that attend to all, and the scores of the index.
[[gnu::cold]] constexpr flop_per_token indexed_core(const transformer& m, double sequence_length,
                                                    masked_scores scores) {
  const double all = mean_attention_span(sequence_length, 0, m.mask, scores);
  const double chosen =
      mean_attention_span(sequence_length, m.sparse.tokens, m.mask, masked_scores::skipped);
  const double full_widths = static_cast<double>(m.query_head_dim()) + m.value_head_dim();
  const double widths =
      absorbs_latents(m) ? static_cast<double>(core_key_width(m)) + m.latent.kv_rank : full_widths;
  const double attending = m.sparse.attending_layers;
  const double pairs = m.attention_heads *
                       (attending * chosen * widths + (m.layers - attending) * all * full_widths);
  return (2 * pairs + m.sparse.layers * index_operations(m.sparse, all)) / m.layers * units::FLOP /
         units::token;
}

}  // namespace detail

/// Forward pass of one layer for one token of a sequence, its attention core the mean over
/// windowed and other layers, and over recurrent mixers; of a decoder beside an encoder,
/// cross-attention included.  With an index of tokens its scores of all positions, and the core
/// over those that it chose.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
///
/// \throws invalid_input as forward_flop and mean_attention_span do
constexpr layer_flop mean_forward_flop(const transformer& m, layer_kind kind,
                                       double sequence_length, double encoder_length,
                                       masked_scores scores) {
  if (has_two_head_sizes(m)) [[unlikely]]
    return mean_over_windows(m, [&](const transformer& one) {
      return mean_forward_flop(one, kind, sequence_length, encoder_length, scores);
    });
  const double windowed = static_cast<double>(m.windowed_layers()) / m.layers;
  double span = mean_attention_span(sequence_length, 0, m.mask, scores);
  if (windowed > 0) [[unlikely]]
    span = (1 - windowed) * span +
           windowed * mean_attention_span(sequence_length, m.sliding_window, m.mask, scores);
  layer_flop work = forward_flop(m, kind, span);
  if (m.recurrent.layers > 0) [[unlikely]]
    work = detail::with_recurrence(m, work);
  if (m.sparse.heads > 0) [[unlikely]]
    work.attention_core = detail::indexed_core(m, sequence_length, scores);
  if (m.encoder_layers == 0) return work;

  require(encoder_length >= 1, "mean_forward_flop: encoder_length must be >= 1 token");
  const double h = m.hidden_size;
  const double of_encoder = encoder_length / sequence_length;  // tokens of it for each of ours
  work.attention_projections +=
      2 * h * (m.query_width() + of_encoder * m.key_width()) * detail::flop_per_weight;
  work.attention_core += forward_flop(m, kind, encoder_length).attention_core;
  return work;
}

}  // namespace gpuplan
