#pragma once
/// \file
/// Hugging Face configurations of the families that follow GPT-2: LayerNorm and plain networks.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

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

/// The head that BERT's classes for masked words or the next word have: a transform, and the
/// embedding again with a bias.  False where the config names no such class.
inline bool read_bert_head(const json_fields& config, transformer& m) {
  const bool has_head = has_class(config, "ForMaskedLM") || has_class(config, "ForPreTraining") ||
                        has_class(config, "LMHeadModel") || has_class(config, "ForCausalLM");
  if (!has_head) return false;
  m.head_transform = true;
  m.biases.head = true;
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  return true;
}

/// BERT as the class that its config names: with a head of words, of which only that for
/// pre-training keeps the pooler, or else BertModel with its pooler, as AutoModel makes it.
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
  m.pooler = !read_bert_head(config, m) || has_class(config, "ForPreTraining");
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

/// GPT-2 whose heads share one key and one value, unless told: StarCoder.
inline transformer read_gpt_bigcode(const json_fields& config) {
  transformer m = read_gpt2(config);
  if (config.flag_or("multi_query", true)) m.kv_heads = 1;
  return m;
}

/// One norm before attention and network, which read the same input; biases of the network and of
/// the head: GPT-J and CodeGen.
inline transformer read_gptj(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layer", "num_hidden_layers"},
                                  {"n_embd", "hidden_size"}, {"n_head", "num_attention_heads"});
  be_classic(m);
  need_dividing_heads(config, m);
  m.biases = {.ffn = true, .head = true};
  m.ffn_size = config.has("n_inner") ? config.integer("n_inner") : usual_ffn_size(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  m.parallel_residual = true;
  m.norms_per_layer = 1;
  return m;
}

/// Layers that attention_types, [[[kind, ...], times], ...], says are local.
inline int read_local_layers(const json_fields& config, int layers) {
  const nlohmann::json* runs = config.array("attention_types");
  if (runs == nullptr) return layers / 2;  // GPTNeoConfig: global and local in turn
  std::int64_t local = 0;
  std::int64_t all = 0;
  for (const nlohmann::json& run : *runs) {
    if (!run.is_array() || run.size() != 2 || !run[0].is_array() || !run[1].is_number_integer() ||
        run[1] < 0 || run[1] > layers)
      config.refuse(
          "attention_types",
          R"(must hold lists of kinds and how often each, as [[["global", "local"], 12]])");
    const auto times = run[1].get<std::int64_t>();
    for (const nlohmann::json& kind : run[0]) {
      if (kind != "global" && kind != "local")
        config.refuse("attention_types", "must hold global or local, not " + shown(kind));
      all += times;
      local += kind == "local" ? times : 0;
    }
  }
  if (const auto* listed = config.array("attention_layers");
      listed != nullptr && std::count(listed->begin(), listed->end(), "local") != local)
    config.refuse("attention_layers", "is not what attention_types says");
  if (all != layers)
    config.refuse("attention_types", "must name each of the " + std::to_string(layers) +
                                         " layers, not " + std::to_string(all));
  return static_cast<int>(local);
}

inline transformer read_gpt_neo(const json_fields& config) {
  transformer m = essential_sizes(config, {"num_layers", "num_hidden_layers"}, {"hidden_size"},
                                  {"num_heads", "num_attention_heads"});
  be_classic(m);
  need_dividing_heads(config, m);
  m.biases.query_key_value = false;
  m.ffn_size = config.has("intermediate_size") ? config.integer("intermediate_size")
                                               : usual_ffn_size(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions = position_encoding::learned;
  m.position_rows = config.integer_or("max_position_embeddings", 2048);
  m.listed_windowed_layers = read_local_layers(config, m.layers);
  if (m.listed_windowed_layers > 0) m.sliding_window = config.integer_or("window_size", 256);
  return m;
}

/// MPT: ALiBi, no biases, norms without a shift.
///
/// Source: MosaicML, "LLM Foundry", llmfoundry/models/mpt (2023).
inline transformer read_mpt(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layers", "num_hidden_layers"},
                                  {"d_model", "hidden_size"}, {"n_heads", "num_attention_heads"});
  if (!config.flag_or("no_bias", true)) config.refuse("no_bias must be true");
  const std::string_view norm = config.text_or("norm_type", "layernorm");
  if (norm != "layernorm" && norm != "low_precision_layernorm")
    config.refuse("norm_type must be layernorm or low_precision_layernorm");
  need_dividing_heads(config, m);
  const nlohmann::json attention = object_or_empty(config, "attn_config");
  const json_fields parts{attention, config.where() + ": attn_config"};
  refuse_unknown_inside(parts,
                        "alibi alibi_bias_max attn_impl attn_pdrop attn_type attn_uses_sequence_id "
                        "clip_qkv kv_n_heads model_type prefix_lm qk_ln softmax_scale");
  if (!parts.flag_or("alibi", true)) parts.refuse("alibi must be true");
  if (parts.flag_or("qk_ln", false)) parts.refuse("qk_ln must be false");
  const std::string_view kind = parts.text_or("attn_type", "multihead_attention");
  if (kind == "multiquery_attention")
    m.kv_heads = 1;
  else if (kind == "grouped_query_attention")
    m.kv_heads = parts.integer("kv_n_heads");
  else if (kind != "multihead_attention")
    parts.refuse("attn_type",
                 "must be multihead_attention, multiquery_attention or grouped_query_attention");
  need_dividing_kv_heads(config, m);
  m.ffn_size = size_of_product(config, "expansion_ratio", config.integer_or("expansion_ratio", 4),
                               m.hidden_size);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions = position_encoding::alibi;
  return m;
}

/// BERT without segments and pooler, with the same head where the config names its class.
inline transformer read_distilbert(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layers", "num_hidden_layers"}, {"dim", "hidden_size"},
                                  {"n_heads", "num_attention_heads"});
  be_classic(m);
  need_dividing_heads(config, m);
  m.ffn_size = config.integer("hidden_dim");
  m.positions = position_encoding::learned;
  m.position_rows = config.integer_or("max_position_embeddings", 512);
  m.embedding_norm = true;
  m.final_norm = false;
  m.mask = attention_mask::full;
  read_bert_head(config, m);
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
  m.ffn_size = config.has("ff_factor") ? size_of_product(config, "ff_factor",
                                                         config.integer("ff_factor"), m.hidden_size)
                                       : usual_ffn_size(config, m);
  m.ffn_size = config.integer_or("ffn_hidden_size", m.ffn_size);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.positions =
      config.flag_or("alibi", false) ? position_encoding::alibi : position_encoding::rotary;
  m.parallel_residual = config.flag_or("parallel_attn", true);
  const int side_by_side = config.integer_or("num_ln_in_parallel_attn", is_new ? 2 : 1);
  m.norms_per_layer = m.parallel_residual && side_by_side != 2 ? 1 : 2;
  return m;
}

}  // namespace gpuplan::detail
