#pragma once
/// \file
/// Hugging Face configurations of hybrids of attention and short convolutions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::detail {

/// The width of LFM2's networks: two thirds of what is given, rounded up to a multiple.
inline int read_lfm2_width(const json_fields& config) {
  const int given = config.integer({"block_ff_dim", "intermediate_size"});
  if (!config.flag_or("block_auto_adjust_ff_dim", true)) return given;
  if (config.number("block_ffn_dim_multiplier", 1, 1, "1") != 1) return given;
  const std::int64_t multiple = config.integer("block_multiple_of");
  const std::int64_t narrow = std::int64_t{2} * given / 3;
  const std::int64_t width = (narrow + multiple - 1) / multiple * multiple;
  if (width > json_fields::largest) config.refuse("block_multiple_of", "is too large");
  return static_cast<int>(width);
}

/// Which layers attend: as layer_types says, and as full_attn_idxs, which counts them from 0.
inline std::vector<int> read_lfm2_kinds(const json_fields& config, int layers) {
  const auto listed = [&] {
    return read_kinds<int>(config, "layer_types", layers, {{"full_attention", 1}, {"conv", 0}});
  };
  const nlohmann::json* attending = config.array("full_attn_idxs");
  if (attending == nullptr) return listed();
  if (layers > most_layers)
    config.refuse("num_hidden_layers", "must be <= " + std::to_string(most_layers));
  std::vector<int> kinds(static_cast<std::size_t>(layers));
  for (const nlohmann::json& index : *attending) {
    if (!index.is_number_integer() || index < 0 || index >= layers)
      config.refuse("full_attn_idxs", "must hold integers from 0 to " + std::to_string(layers - 1) +
                                          ", not " + shown(index));
    kinds[index.get<std::size_t>()] = 1;
  }
  if (config.has("layer_types") && listed() != kinds)
    config.refuse("full_attn_idxs", "is not what layer_types says");
  return kinds;
}

/// Adds the layers of LFM2, attention or a gated convolution of a few tokens in each, those from
/// `first_dense_layers` on with experts.
inline void add_lfm2_layers(layered_model& all, const json_fields& config, const transformer& m,
                            int first_dense_layers) {
  const double h = m.hidden_size;
  const double seen = config.integer("conv_L_cache");
  const auto convolution = [&](layer_kind ffn) {
    layer_group layer = layer_without_attention(m, "convolution", ffn);
    layer.further.push_back({"convolution", 4 * h * h + seen * h});
    layer.state = {.convolution = (seen - 1) * h};
    return layer;
  };
  int index = 0;
  for (const int attends : read_lfm2_kinds(config, m.layers)) {
    const layer_kind ffn = index++ < first_dense_layers ? layer_kind::dense : layer_kind::moe;
    all.add(attends == 1 ? layer_of(m, "attention", ffn) : convolution(ffn));
  }
}

/// LFM2 with experts behind the first layers.
inline layered_model read_lfm2_moe(const json_fields& config) {
  refuse_unknown_fields(config,
                        "num_key_value_heads intermediate_size moe_intermediate_size num_experts "
                        "num_experts_per_tok num_dense_layers use_expert_bias conv_L_cache "
                        "layer_types full_attn_idxs tie_embedding");
  transformer m = read_before_experts(config);
  m.tied_embeddings = config.flag_or("tie_embedding", config.flag_or("tie_word_embeddings", true));
  m.query_key = query_key_norm::per_head;
  const int dense = read_num_dense_layers(config, m);
  read_experts_behind(m, config, dense, config.flag_or("use_expert_bias", true));
  layered_model all = begin_layers(config, m);
  add_lfm2_layers(all, config, m, dense);
  if (m.moe.correction_bias) all.untrained += 1.0 * (m.layers - dense) * m.moe.experts;
  return all;
}

/// LFM2: attention in some layers, a gated convolution of a few tokens in the others.
inline layered_model read_lfm2(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads num_heads intermediate_size block_dim block_ff_dim "
      "block_auto_adjust_ff_dim block_ffn_dim_multiplier block_multiple_of block_mlp_init_scale "
      "block_norm_eps block_out_init_scale block_use_swiglu block_use_xavier_init conv_L_cache "
      "conv_dim conv_dim_out conv_use_xavier_init layer_types full_attn_idxs use_pos_enc "
      "tie_embedding");
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  m.tied_embeddings = config.flag_or("tie_embedding", config.flag_or("tie_word_embeddings", true));
  read_heads(m, config);
  need_dividing_heads(config, m);
  for (const char* field : {"block_dim", "conv_dim", "conv_dim_out"})
    if (config.integer_or(field, m.hidden_size) != m.hidden_size)
      config.refuse(field, "must be hidden_size");
  m.query_key = query_key_norm::per_head;
  m.ffn_size = read_lfm2_width(config);
  layered_model all = begin_layers(config, m);
  add_lfm2_layers(all, config, m, m.layers);
  return all;
}

}  // namespace gpuplan::detail
