#pragma once
/// \file
/// Hugging Face configurations of the dense families that follow Llama: RMSNorm, gated networks.

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Heads of grouped-query attention.  The class of each family decides what an absent
/// num_key_value_heads means; where its default fits one model only, the field must be there, and
/// null means as many as query heads.
enum class absent_kv_heads { as_query_heads, eight, refused };

inline void read_heads(transformer& m, const json_fields& config, absent_kv_heads absent) {
  if (!config.names("num_key_value_heads") && absent == absent_kv_heads::refused)
    config.refuse("num_key_value_heads is missing");
  const int otherwise = !config.names("num_key_value_heads") && absent == absent_kv_heads::eight
                            ? 8
                            : m.attention_heads;
  m.kv_heads = config.integer_or("num_key_value_heads", otherwise);
  need_dividing_kv_heads(config, m);
}

/// Head width: as given, or where the field is absent `otherwise`; 0 and null stand for
/// hidden_size / heads.
inline void read_head_dim(transformer& m, const json_fields& config, int otherwise) {
  m.head_dim = config.names("head_dim") ? config.integer_or("head_dim", 0) : otherwise;
  if (m.head_dim == 0) need_dividing_heads(config, m);
}

inline void read_attention_bias(transformer& m, const json_fields& config, bool otherwise) {
  const bool bias = config.flag_or("attention_bias", otherwise);
  m.biases.query_key_value = bias;
  m.biases.attention_output = bias;
}

inline transformer read_llama(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config, absent_kv_heads::as_query_heads);
  read_head_dim(m, config, 0);
  read_attention_bias(m, config, false);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

inline transformer read_mistral(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config, absent_kv_heads::eight);
  read_head_dim(m, config, 0);
  m.ffn_size = config.integer("intermediate_size");
  read_window(m, config, 4096, 0);
  return m;
}

inline transformer read_qwen2(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config, absent_kv_heads::refused);
  read_head_dim(m, config, 0);
  m.biases.query_key_value = true;
  m.ffn_size = config.integer("intermediate_size");
  read_switched_window(m, config);
  return m;
}

inline transformer read_qwen3(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config, absent_kv_heads::refused);
  read_head_dim(m, config, 128);
  read_attention_bias(m, config, false);
  m.query_key = query_key_norm::per_head;
  m.ffn_size = config.integer("intermediate_size");
  read_switched_window(m, config);
  return m;
}

inline transformer read_gemma(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_heads(m, config, absent_kv_heads::refused);
  read_head_dim(m, config, 256);
  read_attention_bias(m, config, false);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// Gemma 2 normalises before and after each half of a layer, and windows every other layer.
inline transformer read_gemma2(const json_fields& config) {
  transformer m = read_gemma(config);
  m.norms_per_layer = 4;
  read_window(m, config, 4096, 2);
  return m;
}

}  // namespace gpuplan::detail
