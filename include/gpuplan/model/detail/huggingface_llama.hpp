#pragma once
/// \file
/// Hugging Face configurations of the dense families that follow Llama: RMSNorm, gated networks.

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Heads of grouped-query attention: as many for keys and values as for queries, unless told.
inline void read_heads(transformer& m, const json_fields& config) {
  m.kv_heads = config.integer_or("num_key_value_heads", m.attention_heads);
  need_dividing_kv_heads(config, m);
}

/// Head width as told, under either of its names, or hidden_size / heads.
inline void read_head_dim(transformer& m, const json_fields& config) {
  m.head_dim = config.integer_or({"head_dim", "attention_head_dim"}, 0);
  if (m.head_dim == 0) need_dividing_heads(config, m);
}

inline void read_attention_bias(transformer& m, const json_fields& config) {
  const bool bias = config.flag_or("attention_bias", false);
  m.biases.query_key_value = bias;
  m.biases.attention_output = bias;
}

inline transformer read_llama(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

inline transformer read_mistral(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  m.ffn_size = config.integer("intermediate_size");
  read_window(m, config, 0);
  return m;
}

inline transformer read_qwen2(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  m.biases.query_key_value = true;
  m.ffn_size = config.integer("intermediate_size");
  read_switched_window(m, config);
  return m;
}

inline transformer read_qwen3(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  m.ffn_size = config.integer("intermediate_size");
  read_switched_window(m, config);
  return m;
}

inline transformer read_gemma(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// Gemma 2 normalises before and after each half of a layer, and windows every other layer.
inline transformer read_gemma2(const json_fields& config) {
  transformer m = read_gemma(config);
  m.norms_per_layer = 4;
  read_window(m, config, 2);
  return m;
}

/// VaultGemma: Gemma 2 without the norms behind attention and network.
inline transformer read_vaultgemma(const json_fields& config) {
  transformer m = read_gemma2(config);
  m.norms_per_layer = 2;
  return m;
}

}  // namespace gpuplan::detail
