#pragma once
/// \file
/// Hugging Face configurations of further dense families, and of Granite's experts.

#include <cstdint>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

inline transformer read_ernie4_5(const json_fields& config) {
  transformer m = read_gated(config);
  const bool bias = config.flag_or("use_bias", false);
  m.biases = {.query_key_value = bias, .attention_output = bias, .ffn = bias};
  return m;
}

/// GLM 4: a bias on queries, keys and values; later ones normalise before and after each half.
inline transformer read_glm(const json_fields& config) {
  transformer m = read_gated(config);
  read_query_key_value_bias(m, config, "attention_bias");
  return m;
}
inline transformer read_glm4(const json_fields& config) {
  transformer m = read_glm(config);
  m.norms_per_layer = 4;
  return m;
}

/// GLM 4 beside what sees: a bias on queries, keys and values whatever the config says.
inline transformer read_glm4v(const json_fields& config) {
  transformer m = read_glm4(config);
  m.biases.query_key_value = true;
  return m;
}

inline transformer read_hunyuan_dense(const json_fields& config) {
  if (!config.text_or("norm_type", "rms").starts_with("rms"))
    config.refuse("norm_type must be rms or rmsnorm");
  for (const char* field : {"use_qk_norm", "qk_norm", "query_key_norm"})
    if (!config.flag_or(field, true)) config.refuse(field, "must be true");
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  return m;
}

/// Nemotron 4: LayerNorm and plain networks without biases.
inline transformer read_nemotron(const json_fields& config) {
  transformer m = read_gated(config);
  be_without_gate(m, config, "hidden_act");
  m.norm = normalization::layer_norm;
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  return m;
}

/// OLMo 1, whose norms learn nothing.
inline transformer read_olmo(const json_fields& config) {
  transformer m = read_gated(config);
  m.norm_parameters = false;
  read_attention_bias(m, config);
  return m;
}

/// Phi 1 and 2: one norm before attention and network, a bias on every map and on the head.
inline transformer read_phi(const json_fields& config) {
  transformer m = read_gated(config);
  be_classic(m);
  m.gated_ffn = false;
  m.biases.head = true;
  m.norms_per_layer = 1;
  m.parallel_residual = true;
  return m;
}

/// Helium: a bias on queries, keys and values where Llama has one on each map of attention.
inline transformer read_helium(const json_fields& config) {
  transformer m = read_llama(config);
  m.biases.attention_output = false;
  return m;
}

inline transformer read_stablelm(const json_fields& config) {
  transformer m = read_gated(config);
  m.norm = normalization::layer_norm;
  read_query_key_value_bias(m, config, "use_qkv_bias");
  m.parallel_residual = config.flag_or("use_parallel_residual", false);
  if (m.parallel_residual) m.norms_per_layer = 1;
  return m;
}

/// InternLM 1 and 2: a bias on every map of attention.
inline transformer read_internlm2(const json_fields& config) {
  transformer m = read_gated(config);
  const bool bias = config.flag_or("bias", true);
  m.biases.query_key_value = bias;
  m.biases.attention_output = bias;
  return m;
}

/// MiniCPM but its third: Llama, whose head is the embedding unless told.  The fourth chooses
/// blocks of keys for long sequences, which takes no parameters; it is read as attending to all.
inline transformer read_minicpm(const json_fields& config) {
  transformer m = read_llama(config);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  const nlohmann::json sparse = object_or_empty(config, "sparse_config");
  refuse_unknown_inside(json_fields{sparse, config.where() + ": sparse_config"},
                        "block_size dense_len init_blocks kernel_size kernel_stride topk use_nope "
                        "window_size");
  return m;
}

/// MiniCPM 3: latent attention whose values are as wide as hidden_size / heads, unless told.
inline transformer read_minicpm3(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  m.latent = {.query_rank = config.integer("q_lora_rank"),
              .kv_rank = config.integer("kv_lora_rank"),
              .rope_head_dim = config.integer("qk_rope_head_dim"),
              .content_head_dim = config.integer("qk_nope_head_dim"),
              .value_head_dim = config.integer_or("v_head_dim", 0)};
  if (m.latent.value_head_dim == 0) {
    need_dividing_heads(config, m);
    m.latent.value_head_dim = m.hidden_size / m.attention_heads;
  }
  read_attention_bias(m, config);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// Youtu: latent attention as DeepSeek-V3 has it, without experts.
inline transformer read_youtu(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_deepseek_attention(m, config);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// Jais 2: Nemotron's layers on heads as in Llama, a bias on every map.
inline transformer read_jais2(const json_fields& config) {
  transformer m = read_llama(config);
  be_without_gate(m, config, "hidden_act");
  m.norm = normalization::layer_norm;
  return m;
}

/// nanochat: norms that learn nothing, those of queries and keys among them.
inline transformer read_nanochat(const json_fields& config) {
  transformer m = read_gated(config);
  be_without_gate(m, config, "hidden_act");
  m.norm_parameters = false;
  m.query_key = query_key_norm::per_head;
  read_attention_bias(m, config);
  const bool bias = config.flag_or("qkv_bias", m.biases.query_key_value);
  if (bias != config.flag_or("attention_bias", bias))
    config.refuse("qkv_bias", "contradicts attention_bias");
  m.biases.query_key_value = bias;
  m.biases.attention_output = bias;
  return m;
}

/// EXAONE 3: Llama under other names.
inline transformer read_exaone(const json_fields& config) {
  transformer m = essential_sizes(config, {"num_layers", "num_hidden_layers"}, {"hidden_size"},
                                  {"num_attention_heads"});
  be_llama_like(m, config);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_heads(m, config);
  read_head_dim(m, config);
  m.ffn_size = config.has("intermediate_size") ? config.integer("intermediate_size")
                                               : usual_ffn_size(config, m);
  return m;
}

/// Qwen 1: intermediate_size is that of gate and up together.
inline transformer read_qwen(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  if (!config.flag_or("no_bias", true)) config.refuse("no_bias must be true");
  m.head_dim = config.integer_or("kv_channels", 128);
  if (m.head_dim * std::int64_t{m.attention_heads} != m.hidden_size)
    config.refuse("kv_channels times num_attention_heads must be hidden_size");
  m.biases.query_key_value = true;
  const int both = config.integer("intermediate_size", 2);
  if (both % 2 != 0) config.refuse("intermediate_size must be even");
  m.ffn_size = both / 2;
  return m;
}

/// ChatGLM 2 and 3, and GLM 4 as first published: groups of heads where multi_query_attention says
/// so.
inline transformer read_chatglm(const json_fields& config) {
  transformer m = essential_sizes(config, {"num_layers", "num_hidden_layers"}, {"hidden_size"},
                                  {"num_attention_heads"}, {"padded_vocab_size", "vocab_size"});
  be_llama_like(m, config);
  if (!config.flag_or("rmsnorm", true)) config.refuse("rmsnorm must be true");
  if (config.integer_or("pre_seq_len", 0, 0) > 0) config.refuse("pre_seq_len must be null");
  m.head_dim = config.integer("kv_channels");
  if (config.flag_or("multi_query_attention", false))
    m.kv_heads = config.integer("multi_query_group_num");
  need_dividing_kv_heads(config, m);
  const bool bias = config.flag_or("add_bias_linear", false);
  m.biases = {.query_key_value = bias || config.flag_or("add_qkv_bias", false),
              .attention_output = bias,
              .ffn = bias};
  m.final_norm = config.flag_or("post_layer_norm", true);
  m.ffn_size = config.integer("ffn_hidden_size");
  return m;
}

/// Granite 3 with experts; some have a shared network beside them.
inline transformer read_granite_moe(const json_fields& config) {
  transformer m = read_before_experts(config);
  read_attention_bias(m, config);
  m.moe = {.experts = config.integer("num_local_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size"),
           .shared_ffn_size = config.integer_or("shared_intermediate_size", 0, 0)};
  need_enough_experts(config, m.moe);
  return m;
}

}  // namespace gpuplan::detail
