#pragma once
/// \file
/// Hugging Face configurations of families with experts of 2024 to 2026.

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

/// Aria: experts and shared ones, each as wide as intermediate_size says, in every layer.
inline transformer read_aria(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  if (config.flag_or("mlp_bias", false)) config.refuse("mlp_bias must be false");
  const int width = config.integer("intermediate_size");
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

/// EXAONE with experts: attention as in EXAONE 4, experts behind the first layers.  The config does
/// not tell the shape of the modules for further tokens, and the library leaves them out.
inline transformer read_exaone_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  m.query_key = query_key_norm::per_head;
  read_window(m, config, period_of(config, 0));
  const int dense = read_first_dense_layers(config, m);
  if (dense > m.layers)
    config.refuse("first_k_dense_replace",
                  "must be at most num_hidden_layers (" + std::to_string(m.layers) + ")");
  read_experts_behind(m, config, dense, true);
  return m;
}

}  // namespace gpuplan::detail
