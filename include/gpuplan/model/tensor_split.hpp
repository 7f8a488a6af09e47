#pragma once
/// \file
/// How tensor parallelism splits the parameters of a layer.

#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Parameters of a layer, by what becomes of them on the ranks of a tensor-parallel group.
struct tensor_split {
  double divided{};     ///< matrices, and biases and sinks of what they divide by columns or heads
  double replicated{};  ///< whole on every rank: norms, biases after a sum, router, latent maps
  double experts{};     ///< routed experts, which expert parallelism spreads

  [[nodiscard]] constexpr double total() const { return divided + replicated + experts; }
};

/// Weights and biases of the maps that compress queries, keys and values; 0 without latent
/// attention.  Megatron-Core keeps them whole on every tensor-parallel rank.
///
///     h (ql + kl + dr), and ql + kl + dr biases
///
/// Source: DeepSeek-AI, "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts
/// Language Model" (2024), arXiv:2405.04434.
constexpr double latent_compression_of(const transformer& m) {
  if (attention_kind_of(m) != attention_kind::latent) return 0;
  double parameters = 0;
  visit_attention_maps(m, m.attention_heads, m.key_value_heads(), [&](const attention_map& map) {
    if (!map.whole_rank) return;
    parameters += map.inputs * map.outputs();
    if (map.biased && m.biases.query_key_value) parameters += map.outputs();
  });
  return parameters;
}

namespace detail {

/// Biases that are added after the partial sums of all ranks, of attention and dense network, and
/// what the network's activation function learns.
constexpr double summed_biases(const transformer& m, layer_kind kind) {
  const double h = m.hidden_size;
  const bool dense = kind == layer_kind::dense;
  return (m.biases.attention_output ? h : 0) + (m.biases.ffn && dense ? h : 0) +
         (dense ? m.activation_values : 0);
}

/// Of shared experts, what stays whole: the bias of the output, and the gate.
constexpr double shared_replicated(const transformer& m, layer_kind kind) {
  if (kind == layer_kind::dense || m.moe.shared_ffn_size == 0) return 0;
  const double h = m.hidden_size;
  return (m.biases.ffn ? h : 0) + (m.moe.shared_gate ? h : 0);
}

/// What the mean layer of a model with recurrent mixers keeps whole, beside norms and the router.
[[gnu::cold]] constexpr double mean_replicated(const transformer& m, layer_kind kind) {
  const bool dense = kind == layer_kind::dense;
  double maps = 0;
  visit_recurrent_maps(m.recurrent, m.hidden_size, 1, [&](const recurrent_map& map) {
    if (map.whole_rank) maps += map.inputs * map.outputs;
  });
  const double attention =
      latent_compression_of(m) + (m.biases.attention_output ? m.hidden_size : 0);
  return m.attention_share() * attention + m.recurrent_share() * maps +
         (m.biases.ffn && dense ? m.hidden_size : 0) + shared_replicated(m, kind);
}

constexpr tensor_split split_of(const layer_parameters& layer, double replicated_maps) {
  tensor_split split{.replicated = replicated_maps + layer.query_key_norms + layer.latent_norms +
                                   layer.router + layer.norms,
                     .experts = layer.routed_experts};
  split.divided = layer.total() - split.replicated - split.experts;
  return split;
}

}  // namespace detail

/// One layer of the decoder, or of the only stack there is.
///
/// Source: M. Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models
/// Using Model Parallelism" (2019), section 3, arXiv:1909.08053.
///
/// `layer` is parameters_of_layer(m, kind).
constexpr tensor_split tensor_split_of_layer(const transformer& m, layer_kind kind,
                                             const layer_parameters& layer) {
  if (m.recurrent.layers > 0) [[unlikely]]
    return detail::split_of(layer, detail::mean_replicated(m, kind));
  const double cross = m.encoder_layers > 0 && m.biases.attention_output ? m.hidden_size : 0;
  if (m.sparse.heads > 0) [[unlikely]]
    return detail::split_of(layer, latent_compression_of(m) + detail::summed_biases(m, kind) +
                                       detail::shared_replicated(m, kind) + index_weights_of(m));
  return detail::split_of(layer, latent_compression_of(m) + detail::summed_biases(m, kind) +
                                     detail::shared_replicated(m, kind) + cross);
}

/// The same.
///
/// \throws invalid_input if kind is moe and the model has no experts
constexpr tensor_split tensor_split_of_layer(const transformer& m, layer_kind kind) {
  return tensor_split_of_layer(m, kind, parameters_of_layer(m, kind));
}

/// One layer of the encoder beside a decoder.
///
/// Source: M. Shoeybi et al. (2019), arXiv:1909.08053.
constexpr tensor_split tensor_split_of_encoder_layer(const transformer& m) {
  return detail::split_of(parameters_of_encoder_layer(m),
                          latent_compression_of(m) + detail::summed_biases(m, layer_kind::dense));
}

/// One layer that predicts a further token; its projection is divided by columns.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), arXiv:2412.19437.
constexpr tensor_split tensor_split_of_prediction_layer(const transformer& m) {
  if (m.recurrent.layers > 0) [[unlikely]]
    return tensor_split_of_prediction_layer(without_recurrence(m));
  if (has_two_head_sizes(m) || (m.sparse.heads > 0 && m.sparse.layers < m.layers)) [[unlikely]]
    return tensor_split_of_prediction_layer(as_last_layer(m));
  const layer_kind kind = m.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense;
  tensor_split split = tensor_split_of_layer(m, kind);
  const layer_parameters extra = parameters_of_prediction_layer(m);
  split.divided += extra.prediction_projection;
  split.replicated += extra.norms - parameters_of_layer(m, kind).norms;
  return split;
}

}  // namespace gpuplan
