#pragma once
/// \file
/// Hugging Face configurations of the families that follow GPT-2: LayerNorm and plain networks.

#include <string_view>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

inline void refuse_cross_attention(const json_fields& config) {
  if (config.flag_or("add_cross_attention", false))
    config.refuse("add_cross_attention",
                  "must be false: cross attention to an encoder is not supported");
}

inline transformer read_gpt2(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layer", "num_hidden_layers"},
                                  {"n_embd", "hidden_size"}, {"n_head", "num_attention_heads"});
  be_classic(m);
  need_dividing_heads(config, m);
  refuse_cross_attention(config);
  m.ffn_size = config.has("n_inner") ? config.integer("n_inner") : usual_ffn_size(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions = position_encoding::learned;
  m.position_rows = config.integer_or({"n_positions", "max_position_embeddings"}, 1024);
  return m;
}

/// BertModel with its pooler, as AutoModel makes it: no head but the embedding again.
inline transformer read_bert(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_classic(m);
  need_dividing_heads(config, m);
  refuse_cross_attention(config);
  if (config.text_or("position_embedding_type", "absolute") != "absolute")
    config.refuse("position_embedding_type",
                  "must be absolute: relative positions are not supported");
  m.ffn_size = config.integer("intermediate_size");
  m.positions = position_encoding::learned;
  m.position_rows = config.integer_or("max_position_embeddings", 512);
  m.token_types = config.integer_or("type_vocab_size", 2);
  m.embedding_norm = true;
  m.final_norm = false;
  m.pooler = true;
  m.mask = config.flag_or("is_decoder", false) ? attention_mask::causal : attention_mask::full;
  return m;
}

inline transformer read_gpt_neox(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_classic(m);
  need_dividing_heads(config, m);
  const bool attention_bias = config.flag_or("attention_bias", true);
  m.biases.query_key_value = attention_bias;
  m.biases.attention_output = attention_bias;
  m.ffn_size = config.integer("intermediate_size");
  m.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  m.parallel_residual = config.flag_or("use_parallel_residual", true);
  return m;
}

inline transformer read_opt(const json_fields& config) {
  constexpr int position_offset = 2;  // OPTLearnedPositionalEmbedding keeps fairseq's padding rows
  transformer m = essential_sizes(config);
  be_classic(m);
  need_dividing_heads(config, m);
  if (!config.flag_or("enable_bias", true)) m.biases = {};
  m.norm_parameters = config.flag_or("layer_norm_elementwise_affine", true);
  m.ffn_size = config.integer("ffn_dim");
  const int width = config.integer_or("word_embed_proj_dim", m.hidden_size);
  if (width != m.hidden_size) m.embedding_size = width;
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions = position_encoding::learned;
  m.position_rows = config.integer_or("max_position_embeddings", 2048) + position_offset;
  m.final_norm = config.flag_or("do_layer_norm_before", true) &&
                 !config.flag_or("_remove_final_layer_norm", false);
  return m;
}

inline transformer read_bloom(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layer", "num_hidden_layers"},
                                  {"n_embed", "hidden_size"}, {"n_head", "num_attention_heads"});
  be_classic(m);
  need_dividing_heads(config, m);
  m.ffn_size = usual_ffn_size(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions = position_encoding::alibi;
  m.embedding_norm = true;
  return m;
}

/// Falcon's layers come in three kinds: RW (as GPT-2 with ALiBi), 7B (one norm, one key-value
/// head) and the new decoder (two norms side by side, groups of key-value heads).
inline transformer read_falcon(const json_fields& config) {
  transformer m = essential_sizes(config, {"num_hidden_layers", "n_layer"},
                                  {"n_embed", "hidden_size"}, {"num_attention_heads", "n_head"});
  be_classic(m);
  need_dividing_heads(config, m);
  const bool is_new = config.flag_or("new_decoder_architecture", false);
  const bool multi_query = config.flag_or("multi_query", true);
  const int groups = config.integer_or({"num_kv_heads", "n_head_kv"}, m.attention_heads);
  m.kv_heads = is_new ? groups : multi_query ? 1 : m.attention_heads;
  need_dividing_kv_heads(config, m);
  if (!config.flag_or("bias", false)) m.biases = {};
  m.ffn_size =
      config.has("ffn_hidden_size") ? config.integer("ffn_hidden_size") : usual_ffn_size(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions =
      config.flag_or("alibi", false) ? position_encoding::alibi : position_encoding::rotary;
  m.parallel_residual = config.flag_or("parallel_attn", true);
  const int side_by_side = config.integer_or("num_ln_in_parallel_attn", is_new ? 2 : 1);
  m.norms_per_layer = m.parallel_residual && side_by_side != 2 ? 1 : 2;
  return m;
}

}  // namespace gpuplan::detail
