#pragma once
/// \file
/// Hugging Face configurations of hybrids of attention and state-space layers.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Which of `period` layers, counted from 0, is the one: "offset" of a period.
inline bool is_at(int layer, int period, int offset) {
  return layer % period == offset;
}

/// Channels of Mamba 1, whose time step has the width h / 16 where mamba_dt_rank is "auto".
inline state_space read_jamba_mamba(const json_fields& config, const transformer& m) {
  const auto rank = config.value().find("mamba_dt_rank");
  const bool automatic = rank != config.value().end() && *rank == "auto";
  return {.kind = state_space_kind::mamba_1,
          .channels = size_of_product(config, "mamba_expand", config.integer("mamba_expand"),
                                      m.hidden_size),
          .state_size = config.integer("mamba_d_state"),
          .time_step_rank = automatic ? (m.hidden_size + 15) / 16 : config.integer("mamba_dt_rank"),
          .convolution = config.integer("mamba_d_conv"),
          .convolution_bias = config.flag_or("mamba_conv_bias", true),
          .projection_bias = config.flag_or("mamba_proj_bias", false),
          .norm = true};
}

/// Jamba: attention in one of so many layers, Mamba in the others, experts in every so many.
inline layered_model read_jamba(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads intermediate_size attn_layer_period attn_layer_offset "
      "expert_layer_period expert_layer_offset num_experts num_experts_per_tok mamba_d_state "
      "mamba_d_conv mamba_expand mamba_dt_rank mamba_conv_bias mamba_proj_bias "
      "mamba_inner_layernorms calc_logits_for_entire_prompt");
  transformer m = read_before_experts(config);
  m.positions = position_encoding::none;  // mixers keep the order
  m.ffn_size = config.integer("intermediate_size");
  const int experts = config.integer("num_experts");
  if (experts > 1) {
    m.moe = {.experts = experts,
             .experts_per_token = config.integer("num_experts_per_tok"),
             .ffn_size = m.ffn_size};
    need_enough_experts(config, m.moe);
  }
  layered_model all = begin_layers(config, m);
  const state_space mamba = read_jamba_mamba(config, m);
  const int period = config.integer("attn_layer_period");
  const int offset = config.integer("attn_layer_offset", 0);
  const int expert_period = experts > 1 ? config.integer("expert_layer_period") : 1;
  const int expert_offset = experts > 1 ? config.integer("expert_layer_offset", 0) : 0;
  int attending = 0;
  int dense = 0;
  for (int i = 0; i < m.layers; ++i) {
    const layer_kind ffn =
        experts > 1 && is_at(i, expert_period, expert_offset) ? layer_kind::moe : layer_kind::dense;
    dense += ffn == layer_kind::dense ? 1 : 0;
    if (is_at(i, period, offset)) {
      ++attending;
      all.add(layer_of(m, "attention", ffn));
      continue;
    }
    layer_group layer = layer_without_attention(m, "Mamba", ffn);
    add_state_space(layer, config, mamba, m.hidden_size);
    all.add(layer);
  }
  all.planned = with_recurrent_layers(m, m.layers - attending, attending, {.space = mamba});
  if (experts > 1) all.planned->moe.dense_layers = dense;
  return all;
}

/// Mamba 2 under the names of Granite and Falcon-H1.
inline state_space read_mamba_2(const json_fields& config) {
  const int heads = config.integer("mamba_n_heads");
  return {
      .channels = size_of_product(config, "mamba_n_heads", heads, config.integer("mamba_d_head")),
      .state_size = config.integer("mamba_d_state"),
      .heads = heads,
      .groups = config.integer("mamba_n_groups"),
      .convolution = config.integer("mamba_d_conv"),
      .convolution_bias = config.flag_or("mamba_conv_bias", true),
      .projection_bias = config.flag_or("mamba_proj_bias", false)};
}

/// Refuses heads of a state space that are not together mamba_expand times the hidden size.
inline void need_expanded_channels(const json_fields& config, const state_space& s, int hidden) {
  const int expand = config.integer("mamba_expand");
  if (std::int64_t{expand} * hidden == s.channels) return;
  config.refuse("mamba_expand", "(" + std::to_string(expand) + ") times hidden_size (" +
                                    std::to_string(hidden) +
                                    ") contradicts mamba_n_heads times mamba_d_head (" +
                                    std::to_string(s.channels) + ")");
}

/// Granite 4: Mamba 2 or attention, and in every layer a shared network, beside experts or alone.
inline layered_model read_granite_hybrid(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads intermediate_size shared_intermediate_size num_local_experts "
      "num_experts_per_tok layer_types layers_block_type mamba_n_heads mamba_d_head mamba_d_state "
      "mamba_n_groups mamba_d_conv mamba_expand mamba_conv_bias mamba_proj_bias attention_bias "
      "position_embedding_type normalization_function init_method");
  if (config.text_or("normalization_function", "rmsnorm") != "rmsnorm")
    config.refuse("normalization_function must be rmsnorm");
  transformer m = read_before_experts(config);
  if (config.text_or("position_embedding_type", "rope") == "nope")
    m.positions = position_encoding::none;
  read_attention_bias(m, config);
  const int experts = config.integer("num_local_experts", 0);
  const int shared = config.integer("shared_intermediate_size");
  if (experts > 0) {
    m.moe = {.experts = experts,
             .experts_per_token = config.integer("num_experts_per_tok"),
             .ffn_size = config.integer("intermediate_size"),
             .shared_ffn_size = shared};
    need_enough_experts(config, m.moe);
  } else {
    m.ffn_size = shared;
  }
  layered_model all = begin_layers(config, m);
  const layer_kind ffn = experts > 0 ? layer_kind::moe : layer_kind::dense;
  const layer_group attention = layer_of(m, "attention", ffn);
  layer_group mamba = layer_without_attention(m, "Mamba 2", ffn);
  const char* field = config.has("layers_block_type") ? "layers_block_type" : "layer_types";
  const std::vector<int> is_mamba =
      read_kinds<int>(config, field, m.layers, {{"mamba", 1}, {"attention", 0}});
  const auto recurrent = static_cast<int>(std::count(is_mamba.begin(), is_mamba.end(), 1));
  all.planned = m;
  if (recurrent > 0) {
    state_space s = read_mamba_2(config);
    need_expanded_channels(config, s, m.hidden_size);
    s.norm = true;
    add_state_space(mamba, config, s, m.hidden_size);
    all.planned = with_recurrent_layers(m, recurrent, m.layers - recurrent, {.space = s});
  }
  for (const int one : is_mamba) all.add(one == 1 ? mamba : attention);
  return all;
}

/// Falcon-H1: attention and Mamba 2 side by side in every layer.
inline layered_model read_falcon_h1(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size mamba_n_heads mamba_d_head mamba_d_ssm "
      "mamba_d_state mamba_n_groups mamba_d_conv mamba_expand mamba_conv_bias mamba_proj_bias "
      "mamba_rms_norm mamba_norm_before_gate mamba_use_mlp attention_bias mlp_bias");
  if (!config.flag_or("mamba_use_mlp", true)) config.refuse("mamba_use_mlp must be true");
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  layered_model all = begin_layers(config, m);
  state_space s = read_mamba_2(config);
  s.norm = config.flag_or("mamba_rms_norm", false);
  if (config.integer_or("mamba_d_ssm", s.channels) != s.channels)
    config.refuse("mamba_d_ssm must be mamba_n_heads times mamba_d_head");
  layer_group layer = layer_of(m, "attention beside Mamba 2", layer_kind::dense);
  add_state_space(layer, config, s, m.hidden_size);
  layer.layers = m.layers;
  all.add(layer);
  all.planned =
      with_recurrent_layers(m, m.layers, m.layers, {.beside_attention = true, .space = s});
  return all;
}

/// What a layer of Nemotron-H is, by the letter that its pattern has for it.
inline std::string read_nemotron_pattern(const json_fields& config, std::string_view letters,
                                         std::string_view list) {
  std::string pattern;
  if (config.has(list)) {
    const nlohmann::json* names = config.array(list);
    for (const char letter :
         read_kinds<char>(config, list, static_cast<int>(names->size()),
                          {{"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}}))
      pattern += letter;
  } else {
    pattern = config.text(letters);
  }
  for (const char letter : pattern)
    if (std::string_view("M*-E").find(letter) == std::string_view::npos)
      config.refuse(letters, "must be letters M, *, - and E");
  return pattern;
}

inline constexpr std::string_view nemotron_h_fields =
    "num_key_value_heads head_dim attention_head_dim intermediate_size hybrid_override_pattern "
    "layers_block_type mtp_hybrid_override_pattern mtp_layers_block_type mamba_num_heads "
    "mamba_head_dim ssm_state_size n_groups conv_kernel expand use_conv_bias use_bias "
    "mlp_hidden_act mamba_hidden_act attention_bias mlp_bias n_routed_experts n_shared_experts "
    "num_experts_per_tok moe_intermediate_size moe_shared_expert_intermediate_size "
    "moe_shared_expert_overlap moe_latent_size num_nextn_predict_layers";

/// Attention, networks and experts of Nemotron-H: one norm before each, no gates.
inline transformer read_nemotron_h_base(const json_fields& config, std::string_view pattern) {
  transformer m = read_before_experts(config);
  m.head_dim = config.integer({"head_dim", "attention_head_dim"});
  be_without_gate(m, config, "mlp_hidden_act");
  m.norms_per_layer = 1;
  m.positions = position_encoding::none;  // mixers keep the order
  read_attention_bias(m, config);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  m.ffn_size = config.integer("intermediate_size");
  if (pattern.find('E') == std::string_view::npos) return m;
  if (config.integer_or("n_shared_experts", 1, 0) != 1) config.refuse("n_shared_experts must be 1");
  m.moe = {.experts = config.integer("n_routed_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("moe_intermediate_size"),
           .shared_ffn_size = config.integer("moe_shared_expert_intermediate_size"),
           .correction_bias = true};
  need_enough_experts(config, m.moe);
  return m;
}

/// Mamba 2 under the names of Nemotron-H.
inline state_space read_nemotron_mamba(const json_fields& config) {
  const int heads = config.integer("mamba_num_heads");
  return {.channels =
              size_of_product(config, "mamba_num_heads", heads, config.integer("mamba_head_dim")),
          .state_size = config.integer("ssm_state_size"),
          .heads = heads,
          .groups = config.integer("n_groups"),
          .convolution = config.integer("conv_kernel"),
          .convolution_bias = config.flag_or("use_conv_bias", true),
          .projection_bias = config.flag_or("use_bias", false),
          .norm = true};
}

/// The layer that a letter stands for.
inline layer_group nemotron_h_layer(const json_fields& config, const transformer& m, char letter) {
  if (letter == '*') return layer_without_ffn(m, "attention");
  if (letter == '-') return layer_without_attention(m, "feed-forward network", layer_kind::dense);
  if (letter == 'E') {
    layer_group layer = layer_without_attention(m, "feed-forward network", layer_kind::moe);
    if (const int width = config.integer_or("moe_latent_size", 0); width > 0)
      put_latent_experts(layer, m, width);
    return layer;
  }
  layer_group layer = layer_without_attention(m, "Mamba 2", layer_kind::dense);
  layer.common.ffn_weights = 0;
  layer.common.ffn_biases = 0;
  add_state_space(layer, config, read_nemotron_mamba(config), m.hidden_size);
  return layer;
}

/// The transformer whose layers have one network each, or one set of experts, and mixers as many as
/// the pattern has for each network; none where it has both networks and experts, or no network.
inline std::optional<transformer> read_mean_of_pattern(const json_fields& config,
                                                       const transformer& m,
                                                       const std::string& pattern) {
  const auto letters = [&](char letter) {
    return static_cast<int>(std::count(pattern.begin(), pattern.end(), letter));
  };
  const int dense = letters('-');
  const int experts = letters('E');
  if ((dense > 0) == (experts > 0) || letters('M') == 0) return {};
  transformer mean = m;
  mean.moe.latent_size = experts > 0 ? config.integer_or("moe_latent_size", 0) : 0;
  mean.layers = dense + experts;
  mean.norms_per_layer = 2;
  return with_recurrent_layers(mean, letters('M'), letters('*'),
                               {.space = read_nemotron_mamba(config)});
}

/// Nemotron-H: each layer is Mamba 2, attention, a network or experts, as the pattern says.
inline layered_model read_nemotron_h(const json_fields& config) {
  refuse_unknown_fields(config, nemotron_h_fields);
  const std::string pattern =
      read_nemotron_pattern(config, "hybrid_override_pattern", "layers_block_type");
  transformer m = read_nemotron_h_base(config, pattern);
  layered_model all = begin_layers(config, m);
  if (pattern.size() != static_cast<std::size_t>(m.layers))
    config.refuse("hybrid_override_pattern", "must name each of the " + std::to_string(m.layers) +
                                                 " layers, not " + std::to_string(pattern.size()));
  for (const char letter : pattern) {
    all.add(nemotron_h_layer(config, m, letter));
    if (letter == 'E') all.untrained += m.moe.experts;
  }
  all.planned = read_mean_of_pattern(config, m, pattern);
  all.unlike = "networks and experts, or neither, in its layers";
  if (const int modules = config.integer_or("num_nextn_predict_layers", 0, 0); modules > 0) {
    if (modules > 1) config.refuse("num_nextn_predict_layers must be 0 or 1");
    double layers = 0;
    const std::string module =
        read_nemotron_pattern(config, "mtp_hybrid_override_pattern", "mtp_layers_block_type");
    for (const char letter : module) layers += nemotron_h_layer(config, m, letter).total();
    if (all.planned && module == (m.moe.experts > 0 ? "*E" : "*-")) {
      all.planned->multi_token_prediction_layers = modules;
    } else if (all.planned) {
      all.planned.reset();
      all.unlike = "modules for further tokens with layers of their own";
    }
    all.multi_token_prediction = prediction_module(m, layers);
  }
  return all;
}

}  // namespace gpuplan::detail
