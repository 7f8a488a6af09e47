#pragma once
/// \file
/// Hugging Face configurations of dense families of 2024 to 2026.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// A bias on the maps of queries, keys and values alone.
inline void read_query_key_value_bias(transformer& m, const json_fields& config,
                                      std::string_view field) {
  m.biases.query_key_value = config.flag_or(field, false);
}

/// Llama's own fields, with heads and a feed-forward network as given.
inline transformer read_gated(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// The window of families that say by a number which layer of so many attends to all.
inline void read_window_pattern(transformer& m, const json_fields& config) {
  read_window(m, config, config.integer("sliding_window_pattern"));
}

/// A network without a gate, whose activation function a field names: a squared ReLU unless it says
/// otherwise.
inline void be_without_gate(transformer& m, const json_fields& config, std::string_view field) {
  m.gated_ffn = false;
  m.squared_relu = config.text_or(field, "relu2") == "relu2";
}

inline transformer read_arcee(const json_fields& config) {
  transformer m = read_llama(config);
  be_without_gate(m, config, "hidden_act");
  return m;
}

/// One norm before attention and feed-forward, which read the same input.
inline transformer read_cohere(const json_fields& config) {
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.norms_per_layer = 1;
  m.parallel_residual = true;
  if (config.flag_or("use_qk_norm", false)) m.query_key = query_key_norm::all_heads;
  return m;
}

inline transformer read_cohere2(const json_fields& config) {
  transformer m = read_cohere(config);
  read_window_pattern(m, config);
  return m;
}

/// "LLLG": which layers of a period are windowed.
inline int period_of(const json_fields& config, int otherwise) {
  const auto found = config.value().find("sliding_window_pattern");
  if (found == config.value().end() || found->is_null()) return otherwise;
  if (!found->is_string()) return config.integer("sliding_window_pattern");
  const std::string& pattern = found->get_ref<const std::string&>();
  if (pattern.empty() || pattern.back() != 'G' ||
      pattern.find_first_not_of('L') != pattern.size() - 1)
    config.refuse("sliding_window_pattern must be letters L and a last G, or a number");
  return static_cast<int>(pattern.size());
}

inline transformer read_exaone4(const json_fields& config) {
  transformer m = read_gated(config);
  m.query_key = query_key_norm::per_head;
  read_window(m, config, period_of(config, 0));
  return m;
}

inline transformer read_gemma3(const json_fields& config) {
  transformer m = read_gemma(config);
  m.norms_per_layer = 4;
  m.query_key = query_key_norm::per_head;
  read_window_pattern(m, config);
  return m;
}

inline transformer read_granite(const json_fields& config) {
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  return m;
}

/// Granite with windows: a sink in each head, and one of four layers attends to all, the first.
inline transformer read_granite_swa(const json_fields& config) {
  transformer m = read_granite(config);
  m.attention_sinks = true;
  read_window_by_rule(m, config, [](int layer) { return layer % 4 == 0; });
  return m;
}

/// HyperCLOVA X: Granite, with norms after attention and network where it says so.
inline transformer read_hyperclovax(const json_fields& config) {
  transformer m = read_granite(config);
  if (config.flag_or("use_post_norm", false)) m.norms_per_layer = 4;
  return m;
}

inline transformer read_internlm3(const json_fields& config) {
  transformer m = read_gated(config);
  read_query_key_value_bias(m, config, "qkv_bias");
  m.biases.attention_output = config.flag_or("bias", false);
  m.biases.ffn = m.biases.attention_output;
  return m;
}

/// Qwen2 with a layer that predicts a further token.
inline transformer read_mimo(const json_fields& config) {
  transformer m = read_gated(config);
  read_query_key_value_bias(m, config, "attention_bias");
  read_switched_window(m, config);
  m.multi_token_prediction_layers = config.integer_or("num_nextn_predict_layers", 0, 0);
  return m;
}

/// Mistral with a width of heads of its own.
inline transformer read_ministral3(const json_fields& config) {
  transformer m = read_gated(config);
  read_window(m, config, 0);
  return m;
}

inline transformer read_olmo2(const json_fields& config) {
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::all_heads;
  return m;
}

inline transformer read_olmo3(const json_fields& config) {
  transformer m = read_olmo2(config);
  read_window(m, config, 4);
  return m;
}

/// Maps of queries, keys and values in one, gate and up in one: the same parameters.
inline transformer read_phi3(const json_fields& config) {
  transformer m = read_gated(config);
  m.biases.head = config.flag_or("lm_head_bias", false);
  read_window(m, config, 0);
  return m;
}

inline transformer read_seed_oss(const json_fields& config) {
  transformer m = read_gated(config);
  read_query_key_value_bias(m, config, "attention_bias");
  m.biases.attention_output = config.flag_or("attention_out_bias", false);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  return m;
}

inline transformer read_smollm3(const json_fields& config) {
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  if (config.flag_or("use_sliding_window", false)) read_window(m, config, 0);
  return m;
}

/// LayerNorm and plain matrices, all with biases, on grouped heads.
inline transformer read_starcoder2(const json_fields& config) {
  if (config.text_or("norm_type", "layer_norm") != "layer_norm")
    config.refuse("norm_type must be layer_norm");
  if (config.text_or("mlp_type", "default") != "default") config.refuse("mlp_type must be default");
  transformer m = read_gated(config);
  m.gated_ffn = false;
  m.norm = normalization::layer_norm;
  const bool bias = config.flag_or("use_bias", true);
  m.biases = {.query_key_value = bias, .attention_output = bias, .ffn = bias};
  read_window(m, config, 0);
  return m;
}

}  // namespace gpuplan::detail
