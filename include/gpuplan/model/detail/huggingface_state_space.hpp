#pragma once
/// \file
/// Hugging Face configurations of models of state-space layers alone, and of Bamba, which attends
/// in a few layers.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_mamba.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

inline constexpr std::string_view state_space_fields =
    "state_size conv_kernel expand intermediate_size time_step_rank num_heads head_dim n_groups "
    "use_bias use_conv_bias mixer_rms_eps use_mambapy use_falcon_mambapy use_associative_scan "
    // the names of the models' own code beside those of the library
    "d_model d_inner n_layer ssm_cfg rms_norm fused_add_norm pad_vocab_size_multiple "
    "time_step_init_scheme time_step_scale norm_before_gate";

/// Embedding, final norm and head of a model whose layers are state spaces alone.
inline transformer read_around_state_space(const json_fields& config) {
  transformer m{.layers = config.integer("num_hidden_layers"),
                .hidden_size = config.integer("hidden_size"),
                .attention_heads = 1,
                .vocabulary_size = config.integer("vocab_size")};
  be_llama_like(m, config);
  m.norms_per_layer = 1;
  m.positions = position_encoding::none;  // the recurrence keeps the order
  m.ffn_size = 1;                         // of no layer; require_valid needs one
  return m;
}

/// m.layers equal layers of a state space, each after an RMSNorm.
inline layered_model with_state_spaces(const json_fields& config, const transformer& m,
                                       const state_space& s, std::string_view kind) {
  layered_model all = begin_layers(config, m);
  layer_group layer = layer_without_attention(m, std::string(kind), layer_kind::dense);
  layer.common.ffn_weights = 0;
  layer.common.ffn_biases = 0;
  add_state_space(layer, config, s, m.hidden_size);
  layer.layers = m.layers;
  all.add(layer);
  return all;
}

/// Mamba, and Falcon Mamba, whose norms of step, input and output learn nothing.
inline layered_model read_mamba(const json_fields& config) {
  refuse_unknown_fields(config, state_space_fields);
  const transformer m = read_around_state_space(config);
  const auto rank = config.value().find("time_step_rank");
  const bool automatic = rank == config.value().end() || *rank == "auto";
  const int channels = config.integer_or("intermediate_size", 0);
  const state_space s{
      .kind = state_space_kind::mamba_1,
      .channels = channels > 0
                      ? channels
                      : size_of_product(config, "expand", config.integer("expand"), m.hidden_size),
      .state_size = config.integer("state_size"),
      .time_step_rank = automatic ? (m.hidden_size + 15) / 16 : config.integer("time_step_rank"),
      .convolution = config.integer("conv_kernel"),
      .convolution_bias = config.flag_or("use_conv_bias", true),
      .projection_bias = config.flag_or("use_bias", false)};
  return with_state_spaces(config, m, s, "Mamba");
}

/// Mamba 2, whose heads are together `expand` times the hidden size.
inline layered_model read_mamba2(const json_fields& config) {
  refuse_unknown_fields(config, state_space_fields);
  const transformer m = read_around_state_space(config);
  const int heads = config.integer("num_heads");
  const state_space s{
      .channels = size_of_product(config, "num_heads", heads, config.integer("head_dim")),
      .state_size = config.integer("state_size"),
      .heads = heads,
      .groups = config.integer("n_groups"),
      .convolution = config.integer("conv_kernel"),
      .convolution_bias = config.flag_or("use_conv_bias", true),
      .projection_bias = config.flag_or("use_bias", false),
      .norm = true};
  if (s.heads % s.groups != 0)
    config.refuse("n_groups", "must divide num_heads (" + std::to_string(s.heads) + ")");
  if (const int expand = config.integer("expand");
      std::int64_t{expand} * m.hidden_size != s.channels)
    config.refuse("expand", "times hidden_size contradicts num_heads times head_dim (" +
                                std::to_string(s.channels) + ")");
  return with_state_spaces(config, m, s, "Mamba 2");
}

/// The config with mamba_d_head = mamba_expand hidden_size / mamba_n_heads where it is "auto".
inline nlohmann::json with_automatic_heads(const json_fields& config, int hidden) {
  nlohmann::json told = config.value();
  const auto found = told.find("mamba_d_head");
  if (found != told.end() && !(found->is_string() && *found == "auto")) return told;
  const int heads = config.integer("mamba_n_heads");
  const int channels =
      size_of_product(config, "mamba_expand", config.integer("mamba_expand"), hidden);
  if (channels % heads != 0)
    config.refuse("mamba_n_heads", "(" + std::to_string(heads) +
                                       ") must divide mamba_expand times hidden_size (" +
                                       std::to_string(channels) + ")");
  told["mamba_d_head"] = channels / heads;
  return told;
}

/// Bamba: attention in the layers that attn_layer_indices names, Mamba 2 in the others, a network
/// in each.
inline layered_model read_bamba(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads intermediate_size attn_layer_indices attn_rotary_emb mamba_n_heads "
      "mamba_d_head mamba_n_groups mamba_d_state mamba_d_conv mamba_expand mamba_conv_bias "
      "mamba_proj_bias z_loss_coefficient attention_bias mlp_bias");
  for (const char* field : {"attention_bias", "mlp_bias"})
    if (config.flag_or(field, false)) config.refuse(field, "must be false");
  const transformer m = read_gated(config);
  layered_model all = begin_layers(config, m);
  const nlohmann::json told = with_automatic_heads(config, m.hidden_size);
  state_space s = read_mamba_2(json_fields{told, config.where()});
  need_expanded_channels(config, s, m.hidden_size);
  s.norm = true;
  const layer_group attention = layer_of(m, "attention", layer_kind::dense);
  layer_group mamba = layer_without_attention(m, "Mamba 2", layer_kind::dense);
  add_state_space(mamba, config, s, m.hidden_size);
  const std::vector<int> attending = read_layer_indices(config, "attn_layer_indices", m.layers);
  for (int i = 0; i < m.layers; ++i)
    all.add(std::binary_search(attending.begin(), attending.end(), i) ? attention : mamba);
  const auto full = static_cast<int>(attending.size());
  all.planned = with_recurrent_layers(m, m.layers - full, full, {.space = s});
  return all;
}

}  // namespace gpuplan::detail
