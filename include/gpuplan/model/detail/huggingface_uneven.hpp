#pragma once
/// \file
/// Hugging Face configurations of models whose layers have heads or networks of several sizes.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Heads whose keys and values differ in width, or that lack a map of one of them.
struct uneven_heads {
  int heads = 0;
  int kv_heads = 0;
  int key_dim = 0;  ///< of queries too
  int value_dim = 0;
  bool key_map = true;    ///< false: another layer's keys
  bool value_map = true;  ///< false: the keys again, or another layer's values
};

/// Weights of the maps to queries, keys and values, and back.
inline double weights_of_heads(const uneven_heads& a, double hidden) {
  const double keys = a.key_map ? static_cast<double>(a.kv_heads) * a.key_dim : 0;
  const double values = a.value_map ? static_cast<double>(a.kv_heads) * a.value_dim : 0;
  const double queries = static_cast<double>(a.heads) * a.key_dim;
  return hidden * (queries + keys + values) + a.heads * static_cast<double>(a.value_dim) * hidden;
}

/// What of a token these heads keep.
inline double kept_by_heads(const uneven_heads& a) {
  return static_cast<double>(a.kv_heads) * (a.key_dim + a.value_dim);
}

/// The transformer of mean layers where windowed ones have heads of their own.
inline transformer with_uneven_heads(const transformer& given, const uneven_heads& full,
                                     const uneven_heads& windowed, int window,
                                     const std::vector<int>& is_windowed) {
  transformer m = given;
  m.attention_heads = full.heads;
  m.kv_heads = full.kv_heads;
  m.head_dim = full.key_dim;
  m.value_dim = full.value_dim == full.key_dim ? 0 : full.value_dim;
  m.keys_as_values = !full.value_map;
  m.listed_windowed_layers =
      static_cast<int>(std::count(is_windowed.begin(), is_windowed.end(), 1));
  if (m.listed_windowed_layers == 0) return m;
  m.sliding_window = window;
  m.windowed = {.attention_heads = windowed.heads,
                .kv_heads = windowed.kv_heads,
                .head_dim = windowed.key_dim,
                .value_dim = windowed.value_dim,
                .keys_as_values = !windowed.value_map};
  return m;
}

/// Attention of MiMo V2: a windowed layer has sizes of its own.
inline uneven_heads read_mimo_heads(const json_fields& config, const std::string& prefix) {
  return {.heads = config.integer(prefix + "num_attention_heads"),
          .kv_heads = config.integer(prefix + "num_key_value_heads"),
          .key_dim = config.integer(prefix + "head_dim"),
          .value_dim = config.integer(prefix + "v_head_dim")};
}

inline transformer read_mimo_v2_base(const json_fields& config) {
  transformer m = read_before_experts(config);
  if (config.flag_or("attention_bias", false)) config.refuse("attention_bias must be false");
  const int width = config.integer("moe_intermediate_size");
  m.moe = {.experts = config.integer("n_routed_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = width,
           .shared_ffn_size = shared_width(config, "n_shared_experts",
                                           config.integer_or("n_shared_experts", 0, 0), width),
           .correction_bias = config.text_or("topk_method", "noaux_tc") == "noaux_tc"};
  need_enough_experts(config, m.moe);
  m.ffn_size = config.integer("intermediate_size");
  return m;
}

/// MiMo-V2: windowed layers with sinks between layers of full attention, keys wider than values.
inline layered_model read_mimo_v2(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim v_head_dim intermediate_size sliding_window "
      "sliding_window_size attention_chunk_size swa_num_attention_heads swa_num_key_value_heads "
      "swa_head_dim swa_v_head_dim hybrid_layer_pattern moe_layer_freq moe_intermediate_size "
      "n_routed_experts n_shared_experts num_experts_per_tok attention_value_scale "
      "add_swa_attention_sink_bias add_full_attention_sink_bias");
  const transformer m = read_mimo_v2_base(config);
  layered_model all = begin_layers(config, m);
  const uneven_heads full = read_mimo_heads(config, "");
  const uneven_heads windowed = read_mimo_heads(config, "swa_");
  const int window = config.integer({"sliding_window", "sliding_window_size"});
  const bool full_sinks = config.flag_or("add_full_attention_sink_bias", false);
  const bool windowed_sinks = config.flag_or("add_swa_attention_sink_bias", false);
  const std::vector<layer_kind> kinds = read_expert_layers(config, m.layers, 0);
  const std::vector<int> is_windowed =
      read_kinds<int>(config, "hybrid_layer_pattern", m.layers, {{0, 0}, {1, 1}});
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool narrow = is_windowed[i] == 1;
    const uneven_heads& heads = narrow ? windowed : full;
    layer_group layer = layer_of(m, narrow ? "windowed attention" : "full attention", kinds[i]);
    layer.common.attention_weights = weights_of_heads(heads, m.hidden_size);
    layer.cached_values = kept_by_heads(heads);
    if (narrow ? windowed_sinks : full_sinks) layer.common.attention_sinks = heads.heads;
    if (narrow) put_window(layer, window);
    all.add(layer);
  }
  add_correction_biases(all, m, kinds);
  all.planned = with_uneven_heads(with_layer_kinds(m, kinds), full, windowed, window, is_windowed);
  all.planned->attention_sinks = full_sinks;
  if (has_two_head_sizes(*all.planned)) all.planned->windowed.attention_sinks = windowed_sinks;
  all.note = "the modules that predict further tokens are not counted";
  return all;
}

/// Refuses a part of a layer that is anything but there, absent or a square map.
inline void refuse_unknown_block(const json_fields& part, std::string_view size) {
  refuse_unknown_inside(part, "no_op replace_with_linear " + std::string(size));
  if (part.flag_or("no_op", false) && part.flag_or("replace_with_linear", false))
    part.refuse("no_op", "and replace_with_linear must not both be true");
}

/// Attention of a layer of DeciLM: as many query heads to a key-value head as n_heads_in_group.
inline void put_block_attention(layer_group& layer, const json_fields& part, const transformer& m) {
  refuse_unknown_block(part, "n_heads_in_group window_length");
  if (part.flag_or("no_op", false)) return;
  const double h = m.hidden_size;
  layer.common.norms += norm_parameters_of(m, h);
  if (part.flag_or("replace_with_linear", false)) {
    layer.kind = "square map";
    layer.further.push_back({"square maps", h * h});
    return;
  }
  transformer with = m;
  const int group = part.integer("n_heads_in_group");
  if (m.attention_heads % group != 0)
    part.refuse("n_heads_in_group", "must divide num_attention_heads");
  with.kv_heads = m.attention_heads / group;
  const layer_parameters attention = attention_parameters(with);
  layer.kind = "attention to " + std::to_string(with.kv_heads) + " heads";
  layer.common.attention_weights = attention.attention_weights;
  layer.common.attention_biases = attention.attention_biases;
  layer.cached_values = cached_values(with, with.kv_heads);
  put_window(layer, part.integer_or("window_length", 0));
}

/// The network of a layer of DeciLM: 2/3 ffn_mult h wide, rounded up to a multiple of 256.
inline void put_block_ffn(layer_group& layer, const json_fields& part, const transformer& m) {
  refuse_unknown_block(part, "ffn_mult intermediate_size");
  if (part.flag_or("no_op", false)) return;
  const double h = m.hidden_size;
  layer.common.norms += norm_parameters_of(m, h);
  if (part.flag_or("replace_with_linear", false)) {
    layer.further.push_back({"square maps of networks", h * h});
    return;
  }
  double width = 0;
  if (part.has("intermediate_size")) {
    width = part.integer("intermediate_size");
  } else {
    const double multiple = part.number("ffn_mult", 0, 1000, "a number from 0 to 1000");
    const auto whole = static_cast<std::int64_t>(2 * multiple * h / 3);
    width = static_cast<double>((whole + 255) / 256 * 256);
  }
  layer.common.ffn_weights = ffn_weights_of(m, width);
}

/// Nemotron Super and Ultra (DeciLM): block_configs tells what is left of each layer of Llama.
inline layered_model read_nemotron_nas(const json_fields& config) {
  refuse_unknown_fields(config, "block_configs attention_bias num_key_value_heads");
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  need_dividing_heads(config, m);
  read_attention_bias(m, config);
  m.ffn_size = 1;  // each layer has its own
  layered_model all = begin_layers(config, m);
  const nlohmann::json* blocks = entry_of_layers(config, "block_configs", m.layers);
  if (blocks == nullptr) config.refuse("block_configs is missing");
  for (const nlohmann::json& block : *blocks) {
    const std::string where = config.where() + ": block_configs";
    const json_fields fields{block, where};
    refuse_unknown_inside(fields, "attention ffn parallel_blocks");
    if (fields.has("parallel_blocks")) fields.refuse("parallel_blocks", "must be null");
    if (!fields.has("attention") || !fields.has("ffn"))
      fields.refuse("must have attention and ffn in every layer");
    layer_group layer;
    layer.kind = "no attention";
    put_block_attention(layer, {block.at("attention"), where + ": attention"}, m);
    put_block_ffn(layer, {block.at("ffn"), where + ": ffn"}, m);
    all.add(layer);
  }
  return all;
}

/// LongCat-Flash: a layer is two latent attentions, two networks, and experts across them, some of
/// which do nothing.
inline layered_model read_longcat(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_layers num_key_value_heads head_dim ffn_hidden_size expert_ffn_hidden_size q_lora_rank "
      "kv_lora_rank qk_nope_head_dim qk_rope_head_dim qk_head_dim v_head_dim moe_topk "
      "n_routed_experts zero_expert_num zero_expert_type attention_method mla_scale_q_lora "
      "mla_scale_kv_lora router_dtype");
  if (config.text_or("zero_expert_type", "identity") != "identity")
    config.refuse("zero_expert_type must be identity");
  transformer m = essential_sizes(config, {"num_layers"}, {"hidden_size"}, {"num_attention_heads"});
  const int listed = config.integer_or("num_hidden_layers", m.layers);
  if (listed != m.layers && listed != 2 * m.layers)
    config.refuse("num_hidden_layers must be num_layers, or twice that");
  be_llama_like(m, config);
  m.latent = {.query_rank = config.integer("q_lora_rank"),
              .kv_rank = config.integer("kv_lora_rank"),
              .rope_head_dim = config.integer("qk_rope_head_dim"),
              .content_head_dim = config.integer("qk_nope_head_dim"),
              .value_head_dim = config.integer("v_head_dim")};
  m.ffn_size = config.integer("ffn_hidden_size");
  m.moe = {.experts = config.integer("n_routed_experts"),
           .experts_per_token = config.integer("moe_topk"),
           .ffn_size = config.integer("expert_ffn_hidden_size")};
  need_enough_experts(config, m.moe);
  layered_model all = begin_layers(config, m);
  const double idle = config.integer_or("zero_expert_num", 0, 0);
  const layer_group experts = layer_without_attention(m, "", layer_kind::moe);
  layer_group layer = layer_of(m, "two attentions, two networks, experts", layer_kind::dense);
  layer.common = 2 * layer.common;
  layer.common.routed_experts = experts.common.routed_experts;
  layer.common.router = experts.common.router + m.hidden_size * idle;
  layer.unvisited = experts.unvisited;
  layer.cached_values *= 2;
  layer.layers = m.layers;
  all.add(layer);
  all.untrained = m.layers * (m.moe.experts + idle);
  return all;
}

}  // namespace gpuplan::detail
