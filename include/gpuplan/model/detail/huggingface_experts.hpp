#pragma once
/// \file
/// Hugging Face configurations of families with experts of 2024 to 2026.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Llama's layers up to the feed-forward network, which experts replace in all or most of them.
inline transformer read_before_experts(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  return m;
}

/// Width of so many shared experts, each as wide as a routed one.
inline int shared_width(const json_fields& config, std::string_view field, int count, int width) {
  if (std::int64_t{width} * count > json_fields::largest)
    config.refuse(std::string(field) + " times the width of an expert must be <= " +
                  std::to_string(json_fields::largest));
  return width * count;
}

/// A number that some configs repeat in a list, one for each layer.
inline int number_of_layers(const json_fields& config, std::string_view field, int otherwise) {
  const auto found = config.value().find(field);
  if (found == config.value().end() || !found->is_array())
    return config.integer_or(field, otherwise, 0);
  if (found->empty()) return otherwise;
  const nlohmann::json first{{std::string(field), found->front()}};
  for (const nlohmann::json& one : *found)
    if (one != found->front())
      config.refuse(std::string(field) + " must be the same in every layer");
  return json_fields{first, config.where()}.integer(field, 0);
}

/// The same where the config must state it.
inline int needed_of_layers(const json_fields& config, std::string_view field) {
  return config.has(field) ? number_of_layers(config, field, 0) : config.integer(field);
}

/// Experts in all layers but the first `dense`, and shared ones as wide as they are.
inline void read_experts_behind(transformer& m, const json_fields& config, int dense,
                                bool correction_bias) {
  const int width = config.integer({"moe_intermediate_size", "expert_hidden_dim"});
  m.moe = {.experts = config.integer({"num_experts", "num_local_experts", "n_routed_experts"}),
           .experts_per_token = config.integer({"num_experts_per_tok", "num_experts_per_token"}),
           .ffn_size = width,
           .shared_ffn_size = shared_width(config, "num_shared_experts",
                                           config.integer_or("num_shared_experts", 0, 0), width),
           .first_dense_layers = dense,
           .dense_layers = dense,
           .correction_bias = correction_bias};
  need_enough_experts(config, m.moe);
  read_dense_width(m, config);
}

/// Shared experts behind a gate of their own, and dense layers as in Qwen3.
inline transformer read_qwen2_moe(const json_fields& config) {
  transformer m = read_qwen3_moe(config);
  m.query_key = query_key_norm::none;
  m.biases.query_key_value = config.flag_or("qkv_bias", true);
  m.biases.attention_output = false;
  if (m.moe.experts > 0) {
    m.moe.shared_ffn_size = config.integer_or("shared_expert_intermediate_size", 0, 0);
    m.moe.shared_gate = m.moe.shared_ffn_size > 0;
  }
  return m;
}

/// GLM 4.5: experts as DeepSeek has them, on grouped heads.
inline transformer read_glm4_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_query_key_value_bias(m, config, "attention_bias");
  if (config.flag_or("use_qk_norm", false)) m.query_key = query_key_norm::per_head;
  read_deepseek_experts(m, config);
  m.moe.correction_bias = m.moe.experts > 0;
  m.multi_token_prediction_layers = config.integer_or("num_nextn_predict_layers", 0, 0);
  return m;
}

inline transformer read_dots1(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  read_deepseek_experts(m, config);
  m.moe.correction_bias =
      m.moe.experts > 0 && config.text_or("topk_method", "noaux_tc") == "noaux_tc";
  return m;
}

/// DeepSeekMoE: experts as in DeepSeek-V2, on heads as in Llama.
inline transformer read_deepseek(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  read_deepseek_experts(m, config);
  return m;
}

inline transformer read_hunyuan_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  if (config.flag_or("use_qk_norm", false)) m.query_key = query_key_norm::per_head;
  const int width = number_of_layers(config, "moe_intermediate_size", 0) > 0
                        ? number_of_layers(config, "moe_intermediate_size", 0)
                        : config.integer("intermediate_size");
  m.moe = {
      .experts = needed_of_layers(config, "num_experts"),
      .experts_per_token = number_of_layers(config, "moe_topk", 1),
      .ffn_size = width,
      .shared_ffn_size = shared_width(config, "num_shared_expert",
                                      number_of_layers(config, "num_shared_expert", 1), width)};
  need_enough_experts(config, m.moe);
  return m;
}

/// Ling: the first layers are dense.
inline transformer read_bailing_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  const bool bias = config.flag_or("use_bias", false);
  m.biases.attention_output = bias;
  m.biases.ffn = bias;
  read_query_key_value_bias(m, config, "use_qkv_bias");
  if (config.flag_or("use_qk_norm", false)) m.query_key = query_key_norm::per_head;
  const int width = config.integer("moe_intermediate_size");
  if (config.integer_or("moe_shared_expert_intermediate_size", width) != width)
    config.refuse("moe_shared_expert_intermediate_size must be moe_intermediate_size");
  read_experts_behind(m, config, config.integer_or("first_k_dense_replace", 0, 0),
                      config.flag_or("moe_router_enable_expert_bias", false));
  return m;
}

/// Layers before the first with experts, under the name that Trinity and LFM2 give them.
inline int read_num_dense_layers(const json_fields& config, const transformer& m) {
  const int dense = config.integer("num_dense_layers", 0);
  if (dense > m.layers)
    config.refuse("num_dense_layers (" + std::to_string(dense) +
                  ") must be at most num_hidden_layers (" + std::to_string(m.layers) + ")");
  return dense;
}

/// Trinity: norms before and after each half, a gate on attention, windows in all but every so many
/// layers, and experts behind the first layers.
inline transformer read_afmoe(const json_fields& config) {
  transformer m = read_before_experts(config);
  m.norms_per_layer = 4;
  m.query_key = query_key_norm::per_head;
  m.attention_gate = true;
  read_attention_bias(m, config);
  read_window(m, config, config.integer("global_attn_every_n_layers"));
  read_experts_behind(m, config, read_num_dense_layers(config, m), true);
  return m;
}

inline transformer read_minimax_m2(const json_fields& config) {
  transformer m = read_before_experts(config);
  if (config.text_or("qk_norm_type", "per_layer") != "per_layer")
    config.refuse("qk_norm_type must be per_layer");
  if (number_of_layers(config, "attn_type_list", 1) != 1)
    config.refuse("attn_type_list must hold 1, which is full attention");
  if (config.flag_or("use_qk_norm", true)) m.query_key = query_key_norm::all_heads;
  m.moe = {.experts = config.integer({"num_local_experts", "num_experts"}),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size"),
           .shared_ffn_size = config.integer_or("shared_intermediate_size", 0, 0),
           .correction_bias = config.flag_or("use_routing_bias", true)};
  need_enough_experts(config, m.moe);
  return m;
}

inline transformer read_olmoe(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::all_heads;
  m.moe = {.experts = config.integer("num_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size")};
  need_enough_experts(config, m.moe);
  return m;
}

/// LayerNorm beside gated experts.
inline transformer read_phimoe(const json_fields& config) {
  transformer m = read_before_experts(config);
  m.norm = normalization::layer_norm;
  read_attention_bias(m, config);
  m.biases.head = config.flag_or("lm_head_bias", false);
  m.moe = {.experts = config.integer("num_local_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size")};
  need_enough_experts(config, m.moe);
  read_window(m, config, 0);
  return m;
}

/// ERNIE 4.5: experts in every so many layers from a start on.
inline transformer read_ernie4_5_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  const bool bias = config.flag_or("use_bias", false);
  m.biases = {.query_key_value = bias, .attention_output = bias, .ffn = bias};
  const int width = config.integer("moe_intermediate_size");
  const int start = config.integer_or("moe_layer_start_index", 1, 0);
  if (config.integer_or("moe_layer_interval", 1) != 1)
    config.refuse("moe_layer_interval must be 1");
  if (config.has("moe_layer_end_index") && config.integer("moe_layer_end_index", -1) != -1 &&
      config.integer("moe_layer_end_index", -1) != m.layers - 1)
    config.refuse("moe_layer_end_index must be the last layer");
  m.moe = {
      .experts = config.integer("moe_num_experts"),
      .experts_per_token = config.integer("moe_k"),
      .ffn_size = width,
      .shared_ffn_size = shared_width(config, "moe_num_shared_experts",
                                      config.integer_or("moe_num_shared_experts", 0, 0), width),
      .first_dense_layers = start,
      .dense_layers = start,
      .correction_bias = config.flag_or("moe_use_aux_free", true)};
  need_enough_experts(config, m.moe);
  read_dense_width(m, config);
  return m;
}

/// Llama 4: a routed expert beside a shared one in every so many layers, attention in chunks but
/// for every fourth layer.
inline transformer read_llama4(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  const int step = config.integer_or("interleave_moe_layer_step", 1);
  const int width = config.integer("intermediate_size");
  m.moe = {.experts = config.integer("num_local_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = width,
           .shared_ffn_size = width,
           .first_dense_layers = step - 1,
           .dense_layers = m.layers - m.layers / step};
  need_enough_experts(config, m.moe);
  if (const auto* listed = config.array("moe_layers")) {
    std::int64_t next = step - 1;
    bool as_spaced = listed->size() == static_cast<std::size_t>(m.layers / step);
    for (const nlohmann::json& layer : *listed) {
      as_spaced = as_spaced && layer == next;
      next += step;
    }
    if (!as_spaced) config.refuse("moe_layers", "must be every interleave_moe_layer_step-th layer");
  }
  if (m.dense_layers() > 0) m.ffn_size = config.integer("intermediate_size_mlp");
  m.sliding_window = config.integer_or("attention_chunk_size", 0, 0);
  if (m.sliding_window > 0) m.full_attention_interval = 4;
  return m;
}

}  // namespace gpuplan::detail
