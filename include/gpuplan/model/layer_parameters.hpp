#pragma once
/// \file
/// How many parameters a layer of a transformer has, part by part, to the integer.
///
/// Counts are double: exact up to 2^53, four orders of magnitude above the largest model trained.

#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Parameters of one layer, or of several.
struct layer_parameters {
  double attention_weights{};  ///< queries, keys, values and output, and an index of tokens
  double attention_biases{};   ///< of the same maps
  double query_key_norms{};    ///< of heads
  double attention_sinks{};    ///< one a query head
  double latent_norms{};       ///< of compressed queries, keys and values, and of an index
  double recurrent{};          ///< of mixers by a state in place of keys and values
  double cross_attention{};    ///< of a decoder to its encoder: weights and biases
  double ffn_weights{};        ///< of a dense feed-forward network
  double ffn_biases{};         ///< of the same, and what its activation function learns
  double router{};             ///< weights and bias; maps to a narrower state and back, its norm
  double routed_experts{};     ///< weights and biases
  double shared_experts{};     ///< weights, biases and gate
  double norms{};              ///< of hidden_size each
  double prediction_projection{};  ///< of a multi-token prediction layer: joins state and embedding

  [[nodiscard]] constexpr double total() const {
    return attention_weights + attention_biases + query_key_norms + attention_sinks + latent_norms +
           recurrent + cross_attention + ffn_weights + ffn_biases + router + routed_experts +
           shared_experts + norms + prediction_projection;
  }
  /// Of total() what is no matrix: norms, sinks, biases but for those of experts.
  [[nodiscard]] constexpr double vectors() const {
    return norms + query_key_norms + latent_norms + attention_biases + ffn_biases + attention_sinks;
  }

  friend constexpr bool operator==(const layer_parameters&, const layer_parameters&) = default;
  friend constexpr layer_parameters operator+(const layer_parameters& a,
                                              const layer_parameters& b) {
    return {a.attention_weights + b.attention_weights,
            a.attention_biases + b.attention_biases,
            a.query_key_norms + b.query_key_norms,
            a.attention_sinks + b.attention_sinks,
            a.latent_norms + b.latent_norms,
            a.recurrent + b.recurrent,
            a.cross_attention + b.cross_attention,
            a.ffn_weights + b.ffn_weights,
            a.ffn_biases + b.ffn_biases,
            a.router + b.router,
            a.routed_experts + b.routed_experts,
            a.shared_experts + b.shared_experts,
            a.norms + b.norms,
            a.prediction_projection + b.prediction_projection};
  }
  friend constexpr layer_parameters operator*(double n, const layer_parameters& a) {
    return {n * a.attention_weights,
            n * a.attention_biases,
            n * a.query_key_norms,
            n * a.attention_sinks,
            n * a.latent_norms,
            n * a.recurrent,
            n * a.cross_attention,
            n * a.ffn_weights,
            n * a.ffn_biases,
            n * a.router,
            n * a.routed_experts,
            n * a.shared_experts,
            n * a.norms,
            n * a.prediction_projection};
  }
};

namespace detail {

/// Scale, and shift where there is one, of a normalisation of `width` values.
constexpr double norm_parameters_of(const transformer& m, double width) {
  if (!m.norm_parameters) return 0;
  return m.norm == normalization::layer_norm ? 2 * width : width;
}

}  // namespace detail

/// Weights of a feed-forward network of this width.
constexpr double ffn_weights_of(const transformer& m, double width) {
  return (m.gated_ffn ? 3.0 : 2.0) * m.hidden_size * width;
}

/// Weights of one routed expert.
constexpr double expert_weights_of(const transformer& m) {
  return (m.gated_ffn ? 3.0 : 2.0) * m.expert_state_size() * m.moe.ffn_size;
}

/// Weights of the maps to the state that routed experts work on, and back; 0 where it is that of
/// the layer.
constexpr double expert_latent_weights_of(const transformer& m) {
  return 2.0 * m.hidden_size * m.moe.latent_size;
}

/// Weights of an index of tokens, of the mean layer.
constexpr double index_weights_of(const transformer& m) {
  return m.sparse.layers *
         (sparse_index_parameters(m.sparse, m.hidden_size) - index_norms(m.sparse)) / m.layers;
}

/// The mean over windowed layers, each as all_windowed has it, and the others.
template <class Of>
constexpr auto mean_over_windows(const transformer& m, Of&& of) {
  const double windowed = m.windowed_layers();
  return 1.0 / m.layers *
         (windowed * of(all_windowed(m)) + (m.layers - windowed) * of(none_windowed(m)));
}

/// The parameters of a layer's attention alone; all others are 0.
constexpr layer_parameters attention_parameters(const transformer& m) {
  if (has_two_head_sizes(m)) [[unlikely]]
    return mean_over_windows(m, [](const transformer& one) { return attention_parameters(one); });
  layer_parameters layer;
  const double heads = m.attention_heads;
  visit_attention_maps(m, heads, m.key_value_heads(), [&](const attention_map& map) {
    layer.attention_weights += map.inputs * map.outputs();
    if (map.biased && m.biases.query_key_value) layer.attention_biases += map.outputs();
  });
  layer.latent_norms = detail::norm_parameters_of(m, normed_latent_width(m));
  if (m.query_key != query_key_norm::none && attention_kind_of(m) == attention_kind::heads)
    layer.query_key_norms = m.query_key == query_key_norm::per_head
                                ? 2 * detail::norm_parameters_of(m, m.query_head_dim())
                                : detail::norm_parameters_of(m, m.query_width() + m.key_width());
  if (m.biases.attention_output) layer.attention_biases += m.hidden_size;
  if (m.attention_sinks) layer.attention_sinks = heads;
  if (m.sparse.heads > 0) [[unlikely]] {
    layer.attention_weights += index_weights_of(m);
    layer.latent_norms += m.sparse.layers * index_norms(m.sparse) / m.layers;
  }
  return layer;
}

namespace detail {

/// Biases of a feed-forward network of this width.
constexpr double ffn_biases_of(const transformer& m, double width) {
  return (m.gated_ffn ? 2.0 : 1.0) * width + m.hidden_size;
}

/// Biases of one routed expert.
constexpr double expert_biases_of(const transformer& m) {
  return (m.gated_ffn ? 2.0 : 1.0) * m.moe.ffn_size + m.expert_state_size();
}

/// Adds the feed-forward network of a layer.
constexpr void add_ffn(layer_parameters& layer, const transformer& m, layer_kind kind) {
  if (kind == layer_kind::dense) {
    layer.ffn_weights = ffn_weights_of(m, m.ffn_size);
    if (m.biases.ffn) layer.ffn_biases = ffn_biases_of(m, m.ffn_size);
    layer.ffn_biases += m.activation_values;
    return;
  }
  const mixture_of_experts& moe = m.moe;
  const double experts = moe.experts;
  layer.router = m.hidden_size * experts + (moe.router_bias ? experts : 0);
  if (moe.latent_size > 0) [[unlikely]]
    layer.router += expert_latent_weights_of(m) +
                    (moe.latent_norm ? norm_parameters_of(m, moe.latent_size) : 0);
  layer.routed_experts =
      experts * (expert_weights_of(m) + (moe.expert_bias ? expert_biases_of(m) : 0));
  if (moe.shared_ffn_size == 0) return;
  layer.shared_experts = ffn_weights_of(m, moe.shared_ffn_size) +
                         (m.biases.ffn ? ffn_biases_of(m, moe.shared_ffn_size) : 0) +
                         (moe.shared_gate ? m.hidden_size : 0);
}

}  // namespace detail

/// Parameters of one layer of the decoder, or of the only stack there is.
///
///     attention   h (a d + g (d + e)) + a e h     with latent attention, see below
///     latent      ql (h + a dqk) + h (kl + dr) + kl a (dc + dv) + a dv h
///     ffn         n h f                           n = 3 gated, 2 plain
///     experts     E n w fe;  router h E;  shared n h fs;  2 h w where w is not h
///     norms       norms_per_layer h, twice that with LayerNorm
///
///     h          hidden_size
///     a, g       attention_heads, key_value_heads()
///     d, e       query_head_dim(), value_head_dim()
///     w          expert_state_size()
///     ql, kl     ranks of the latents of queries, of keys and values
///     dqk, dv    width of a query head, of a value head
///     dc, dr     content and rotary part of a query head: dqk = dc + dr
///     f, fe, fs  widths of a dense network, a routed expert, all shared experts
///     E          experts
///
/// Where some layers have a recurrent mixer it is the mean layer: attention and mixer by the share
/// of layers that have them, a norm for each of these as for the network, or one for both where
/// they stand side by side.  It is the mean layer, too, where windowed layers have other heads, or
/// some layers an index of tokens (sparse_index_parameters).
///
/// An encoder beside the decoder adds attention to it (weights as attention) and a norm.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473; DeepSeek-AI, "DeepSeek-V2" (2024), section
/// 2.1, arXiv:2405.04434.
///
/// \throws invalid_input if kind is moe and the model has no experts
constexpr layer_parameters parameters_of_layer(const transformer& m, layer_kind kind) {
  require(kind == layer_kind::dense || m.moe.experts >= 1,
          "parameters_of_layer: a layer of kind moe needs transformer.moe.experts >= 1");
  layer_parameters layer = attention_parameters(m);
  double norms = m.norms_per_layer;
  if (m.recurrent.layers > 0) [[unlikely]] {
    layer = m.attention_share() * layer;
    layer.recurrent = m.recurrent_share() * recurrent_parameters(m.recurrent, m.hidden_size);
    norms *= (m.mixing_norms() + 1) / 2;
  }
  detail::add_ffn(layer, m, kind);
  if (m.encoder_layers > 0) {
    layer.cross_attention = layer.attention_weights + layer.attention_biases;
    ++norms;
  }
  layer.norms = norms * detail::norm_parameters_of(m, m.hidden_size);
  return layer;
}

/// Parameters of one layer of the encoder beside a decoder: dense, attending to itself alone.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
constexpr layer_parameters parameters_of_encoder_layer(const transformer& m) {
  transformer alone = m;
  alone.encoder_layers = 0;
  return parameters_of_layer(alone, layer_kind::dense);
}

/// The same transformer, each of whose layers attends to every token, or has an index of its own.
constexpr transformer as_last_layer(const transformer& given) {
  transformer m = has_two_head_sizes(given) ? none_windowed(given) : given;
  if (m.sparse.heads > 0) m.sparse.layers = m.sparse.attending_layers = m.layers;
  return m;
}

/// Parameters of one layer that predicts a further token: a layer as the last one is, a map of
/// 2 h to h, and three norms: of the state, of the embedding, of the result.  Embedding and head
/// are those of the model.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 2.2, arXiv:2412.19437.
constexpr layer_parameters parameters_of_prediction_layer(const transformer& m) {
  if (m.recurrent.layers > 0) [[unlikely]]
    return parameters_of_prediction_layer(without_recurrence(m));
  if (has_two_head_sizes(m) || (m.sparse.heads > 0 && m.sparse.layers < m.layers)) [[unlikely]]
    return parameters_of_prediction_layer(as_last_layer(m));
  layer_parameters layer =
      parameters_of_layer(m, m.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense);
  layer.prediction_projection = 2.0 * m.hidden_size * m.hidden_size;
  layer.norms += 3 * detail::norm_parameters_of(m, m.hidden_size);
  return layer;
}

}  // namespace gpuplan
