#pragma once
/// \file
/// Hugging Face configurations of the families with experts whose classes came from 2025 on.

#include <algorithm>
#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Solar Open: experts as GLM 4.5 has them, in every layer.
inline transformer read_solar_open(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_query_key_value_bias(m, config, "attention_bias");
  read_deepseek_experts(m, config);
  if (m.moe_layers() != m.layers) config.refuse("first_k_dense_replace", "must be 0");
  m.moe.correction_bias = true;
  return m;
}

/// Aria: routed and shared experts in every layer, each as wide as intermediate_size says.
inline transformer read_aria(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  if (config.flag_or("mlp_bias", false)) config.refuse("mlp_bias must be false");
  const int width = config.integer("intermediate_size");
  if (config.integer_or("moe_intermediate_size", width) != width)
    config.refuse("moe_intermediate_size must be intermediate_size");
  m.moe = {.experts = config.integer("moe_num_experts"),
           .experts_per_token = config.integer("moe_topk"),
           .ffn_size = width,
           .shared_ffn_size = shared_width(config, "moe_num_shared_experts",
                                           config.integer("moe_num_shared_experts", 0), width)};
  need_enough_experts(config, m.moe);
  return m;
}

/// Dense layers before the first with experts: as mlp_layer_types or first_k_dense_replace say.
inline int read_first_dense_layers(const json_fields& config, const transformer& m) {
  const auto* types = config.array("mlp_layer_types");
  if (types == nullptr) return config.integer("first_k_dense_replace", 0);
  if (types->size() != static_cast<std::size_t>(m.layers))
    config.refuse("mlp_layer_types", "must name each of the " + std::to_string(m.layers) +
                                         " layers, not " + std::to_string(types->size()));
  const auto first = std::find(types->begin(), types->end(), "sparse");
  if (std::any_of(types->begin(), first, [](const auto& one) { return one != "dense"; }) ||
      std::any_of(first, types->end(), [](const auto& one) { return one != "sparse"; }))
    config.refuse("mlp_layer_types", "must be dense in the first layers and sparse in the others");
  return static_cast<int>(first - types->begin());
}

/// The same; refuses more of them than layers.
inline int read_leading_dense_layers(const json_fields& config, const transformer& m) {
  const int dense = read_first_dense_layers(config, m);
  if (dense > m.layers)
    config.refuse("first_k_dense_replace",
                  "must be at most num_hidden_layers (" + std::to_string(m.layers) + ")");
  return dense;
}

/// EXAONE with experts: attention as in EXAONE 4, experts after the first layers.  The config does
/// not tell the shape of the modules for further tokens, and the library leaves them out.
inline transformer read_exaone_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  m.query_key = query_key_norm::per_head;
  read_window(m, config, period_of(config, 0));
  read_experts_behind(m, config, read_leading_dense_layers(config, m), true);
  return m;
}

/// Mistral Small 4: latent attention and experts as DeepSeek-V3 has them, without balancing values.
inline transformer read_mistral4(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_deepseek_attention(m, config);
  read_deepseek_experts(m, config);
  return m;
}

/// Hunyuan 3: routed and shared experts after the first layers.
inline transformer read_hunyuan_v3(const json_fields& config) {
  if (!config.flag_or("qk_norm", true)) config.refuse("qk_norm must be true");
  if (config.flag_or("mlp_bias", false)) config.refuse("mlp_bias must be false");
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  read_experts_behind(m, config, read_leading_dense_layers(config, m), true);
  return m;
}

/// Mellum 2: Qwen3's attention, windowed where layer_types says so, and its experts.
inline transformer read_mellum(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  if (config.has("layer_types")) read_window(m, config, 0);
  read_experts_behind(m, config, read_leading_dense_layers(config, m), false);
  return m;
}

/// Command A+: attention and experts side by side, after layers with a wider network.  Of each
/// group, dense and with experts, every k-th layer attends to all tokens, the others to a window.
inline transformer read_cohere2_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.norms_per_layer = 1;
  m.parallel_residual = true;
  const int dense = read_leading_dense_layers(config, m);
  const int width = config.integer("intermediate_size");
  m.moe = {.experts = config.integer({"num_experts", "num_local_experts", "n_routed_experts"}),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = width,
           .shared_ffn_size = shared_width(config, "num_shared_experts",
                                           config.integer_or("num_shared_experts", 0, 0), width),
           .first_dense_layers = dense,
           .dense_layers = dense};
  need_enough_experts(config, m.moe);
  if (dense > 0) m.ffn_size = config.integer_or("prefix_dense_intermediate_size", width);
  if (dense == m.layers) m.moe = {};
  const int prefix = config.integer("prefix_dense_sliding_window_pattern");
  const int rest = config.integer("sliding_window_pattern");
  read_window_by_rule(m, config, [&](int layer) {
    return layer < dense ? (layer + 1) % prefix == 0 : (layer - dense + 1) % rest == 0;
  });
  return m;
}

}  // namespace gpuplan::detail
