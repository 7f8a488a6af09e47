#pragma once
/// \file
/// Hugging Face configurations of hybrids of attention and linear attention.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/linear_attention.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// What mixes the tokens of a layer of a hybrid.
enum class hybrid_mixer { attention, other };

/// Of every full_attention_interval layers the last attends to all, unless layer_types tells.
inline std::vector<hybrid_mixer> read_linear_layers(const json_fields& config, int layers) {
  if (config.has("layer_types"))
    return read_kinds<hybrid_mixer>(
        config, "layer_types", layers,
        {{"full_attention", hybrid_mixer::attention}, {"linear_attention", hybrid_mixer::other}});
  const int interval = config.integer("full_attention_interval");
  std::vector<hybrid_mixer> mixers;
  for (int i = 0; i < layers; ++i)
    mixers.push_back((i + 1) % interval == 0 ? hybrid_mixer::attention : hybrid_mixer::other);
  return mixers;
}

/// Qwen3's attention and experts, in every layer alike.
inline transformer read_qwen_hybrid_base(const json_fields& config) {
  static_cast<void>(config.integer("head_dim"));
  const bool with_experts = config.has("num_experts") || config.has("num_local_experts");
  transformer m = with_experts ? read_qwen3_moe(config) : read_qwen3(config);
  if (m.moe.experts > 0 && m.moe.dense_layers > 0)
    config.refuse("mlp_only_layers", "and decoder_sparse_step must leave experts in every layer");
  if (m.moe.experts > 0) {
    m.moe.shared_ffn_size = config.integer_or("shared_expert_intermediate_size", 0, 0);
    m.moe.shared_gate = m.moe.shared_ffn_size > 0;
  }
  return m;
}

/// The transformer of mean layers of a hybrid.
inline transformer with_mixers(const transformer& m, const std::vector<hybrid_mixer>& mixers,
                               const recurrent_mixer& mixer) {
  const auto recurrent =
      static_cast<int>(std::count(mixers.begin(), mixers.end(), hybrid_mixer::other));
  return with_recurrent_layers(m, recurrent, m.layers - recurrent, mixer);
}

/// Gated delta nets, and in every so many layers an attention with a gate on its output; `modules`
/// predict further tokens, with attention.
inline layered_model read_qwen_hybrid(const json_fields& config, int modules) {
  const transformer m = read_qwen_hybrid_base(config);
  const linear_attention linear{.kind = linear_attention_kind::gated_delta_net,
                                .key_heads = config.integer("linear_num_key_heads"),
                                .value_heads = config.integer("linear_num_value_heads"),
                                .key_head_dim = config.integer("linear_key_head_dim"),
                                .value_head_dim = config.integer("linear_value_head_dim"),
                                .convolution = config.integer("linear_conv_kernel_dim")};
  layered_model all = begin_layers(config, m);
  const layer_kind ffn = m.moe.experts > 0 ? layer_kind::moe : layer_kind::dense;
  layer_group attention = layer_of(m, "full attention", ffn);
  if (config.flag_or("attn_output_gate", true))
    attention.further.push_back({"attention gate", m.hidden_size * m.query_width()});
  layer_group delta = layer_without_attention(m, "gated delta net", ffn);
  add_linear_attention(delta, config, linear, m.hidden_size);

  const std::vector<hybrid_mixer> mixers = read_linear_layers(config, m.layers);
  for (const hybrid_mixer mixer : mixers)
    all.add(mixer == hybrid_mixer::attention ? attention : delta);
  all.planned = with_mixers(m, mixers, {.linear = linear});
  all.planned->attention_gate = !attention.further.empty();
  all.planned->multi_token_prediction_layers = config.integer_or("mtp_num_hidden_layers", 0, 0);
  if (modules > 0) all.multi_token_prediction = prediction_module(m, modules * attention.total());
  return all;
}

inline constexpr std::string_view qwen_hybrid_fields =
    "num_key_value_heads head_dim intermediate_size attention_bias num_experts "
    "num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size "
    "decoder_sparse_step mlp_only_layers full_attention_interval layer_types "
    "linear_num_key_heads linear_num_value_heads linear_key_head_dim linear_value_head_dim "
    "linear_conv_kernel_dim attn_output_gate mtp_num_hidden_layers mamba_ssm_dtype";

/// Its config does not say that the checkpoint has one module for a further token.
inline layered_model read_qwen3_next(const json_fields& config) {
  refuse_unknown_fields(config, qwen_hybrid_fields);
  return read_qwen_hybrid(config, config.integer_or("mtp_num_hidden_layers", 1, 0));
}

inline layered_model read_qwen3_5(const json_fields& config) {
  refuse_unknown_fields(config, qwen_hybrid_fields);
  return read_qwen_hybrid(config, config.integer_or("mtp_num_hidden_layers", 0, 0));
}

/// Widths of the heads of a gated delta net: keys of 3 h / 4 together and values twice as wide,
/// unless told.
inline linear_attention read_olmo_delta_net(const json_fields& config, const transformer& m) {
  const int key_heads = config.integer_or("linear_num_key_heads", m.attention_heads);
  const int usual = static_cast<int>(std::int64_t{3} * m.hidden_size / 4 / key_heads);
  const int key_dim = config.integer_or("linear_key_head_dim", usual);
  if (key_dim < 1) config.refuse("linear_num_key_heads", "must be <= 3/4 of hidden_size");
  return {.kind = linear_attention_kind::gated_delta_net,
          .key_heads = key_heads,
          .value_heads = config.integer_or("linear_num_value_heads", m.attention_heads),
          .key_head_dim = key_dim,
          .value_head_dim = config.has("linear_value_head_dim")
                                ? config.integer("linear_value_head_dim")
                                : size_of_product(config, "linear_key_head_dim", key_dim, 2),
          .convolution = config.integer("linear_conv_kernel_dim")};
}

/// OLMo Hybrid: OLMo 3's attention in every fourth layer, or the last of fewer, unless layer_types
/// tells; gated delta nets in the others.
inline layered_model read_olmo_hybrid(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads intermediate_size attention_bias layer_types full_attention_interval "
      "linear_num_key_heads "
      "linear_num_value_heads linear_key_head_dim linear_value_head_dim linear_conv_kernel_dim "
      "linear_a_log_min linear_a_log_max linear_dt_min linear_dt_max linear_dt_init_floor "
      "linear_allow_neg_eigval");
  const transformer m = read_olmo2(config);
  const linear_attention linear = read_olmo_delta_net(config, m);
  layered_model all = begin_layers(config, m);
  const layer_group attention = layer_of(m, "full attention", layer_kind::dense);
  layer_group delta = layer_without_attention(m, "gated delta net", layer_kind::dense);
  add_linear_attention(delta, config, linear, m.hidden_size);
  std::vector<hybrid_mixer> mixers = read_linear_layers(config, m.layers);
  if (!config.has("layer_types") && m.layers < 4) mixers.back() = hybrid_mixer::attention;
  for (const hybrid_mixer mixer : mixers)
    all.add(mixer == hybrid_mixer::attention ? attention : delta);
  all.planned = with_mixers(m, mixers, {.linear = linear});
  return all;
}

/// Lightning attention, and in every so many layers attention; experts in all.
inline layered_model read_minimax_hybrid(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size num_local_experts num_experts_per_tok "
      "attn_type_list layer_types postnorm shared_moe_mode full_attn_alpha_factor "
      "full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor mlp_alpha_factor "
      "mlp_beta_factor block_size sliding_window");
  transformer m = read_before_experts(config);
  m.moe = {.experts = config.integer("num_local_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size")};
  need_enough_experts(config, m.moe);
  const linear_attention linear{.kind = linear_attention_kind::lightning,
                                .key_heads = m.attention_heads,
                                .value_heads = m.attention_heads,
                                .key_head_dim = m.query_head_dim(),
                                .value_head_dim = m.query_head_dim()};
  layered_model all = begin_layers(config, m);
  const layer_group attention = layer_of(m, "full attention", layer_kind::moe);
  layer_group lightning = layer_without_attention(m, "lightning attention", layer_kind::moe);
  add_linear_attention(lightning, config, linear, m.hidden_size);
  const auto mixers =
      config.has("attn_type_list")
          ? read_kinds<hybrid_mixer>(config, "attn_type_list", m.layers,
                                     {{0, hybrid_mixer::other}, {1, hybrid_mixer::attention}})
          : read_kinds<hybrid_mixer>(config, "layer_types", m.layers,
                                     {{"linear_attention", hybrid_mixer::other},
                                      {"full_attention", hybrid_mixer::attention}});
  for (const hybrid_mixer mixer : mixers)
    all.add(mixer == hybrid_mixer::attention ? attention : lightning);
  all.planned = with_mixers(m, mixers, {.linear = linear});
  return all;
}

/// The object linear_attn_config of Kimi's models.
inline linear_attention read_kimi_delta(const json_fields& linear) {
  refuse_unknown_inside(linear,
                        "full_attn_layers kda_layers head_dim num_heads short_conv_kernel_size "
                        "use_full_rank_gate gate_lower_bound");
  const int heads = linear.integer("num_heads");
  const int width = linear.integer("head_dim");
  return {.kind = linear_attention_kind::kimi_delta,
          .key_heads = heads,
          .value_heads = heads,
          .key_head_dim = width,
          .value_head_dim = width,
          .convolution = linear.integer("short_conv_kernel_size"),
          .gate_rank = linear.flag_or("use_full_rank_gate", false) ? 0 : width};
}

/// The mixer of each layer, of two lists of indices that begin with 1.
inline std::vector<hybrid_mixer> read_kimi_layers(const json_fields& linear, int layers) {
  std::vector<int> named(static_cast<std::size_t>(layers), 0);
  std::vector<hybrid_mixer> mixers(static_cast<std::size_t>(layers), hybrid_mixer::other);
  for (const char* field : {"full_attn_layers", "kda_layers"}) {
    const nlohmann::json* indices = linear.array(field);
    if (indices == nullptr) linear.refuse(field, "is missing");
    for (const nlohmann::json& index : *indices) {
      const double number = index.is_number_integer() ? index.get<double>() : 0;
      if (!(number >= 1 && number <= layers))
        linear.refuse(field, "must hold numbers of layers, 1 to " + std::to_string(layers) +
                                 ", not " + shown(index));
      const auto at = index.get<std::size_t>() - 1;
      ++named[at];
      if (std::string_view(field) == "full_attn_layers") mixers[at] = hybrid_mixer::attention;
    }
  }
  for (const int times : named)
    if (times != 1) linear.refuse("full_attn_layers", "and kda_layers must name every layer once");
  return mixers;
}

inline constexpr std::string_view kimi_linear_fields =
    "num_key_value_heads head_dim intermediate_size linear_attn_config q_lora_rank kv_lora_rank "
    "qk_nope_head_dim qk_rope_head_dim v_head_dim mla_use_nope mla_use_output_gate num_experts "
    "num_experts_per_token moe_intermediate_size num_shared_experts first_k_dense_replace "
    "moe_layer_freq routed_expert_hidden_size latent_moe_use_norm attn_res_block_size "
    "activation_situ_beta activation_situ_linear_beta";

/// Latent attention and experts of Kimi Linear.
inline transformer read_kimi_base(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  m.latent = {.query_rank = config.integer_or("q_lora_rank", 0),
              .kv_rank = config.integer("kv_lora_rank"),
              .rope_head_dim = config.integer("qk_rope_head_dim"),
              .content_head_dim = config.integer("qk_nope_head_dim"),
              .value_head_dim = config.integer("v_head_dim")};
  if (config.integer_or("moe_layer_freq", 1) != 1) config.refuse("moe_layer_freq must be 1");
  read_experts_behind(m, config, config.integer("first_k_dense_replace", 0), true);
  return m;
}

/// Kimi Delta Attention and latent attention; experts in all but the first layers.  Attention
/// residuals add a query and a norm to each half of a layer, and to the end.
inline layered_model read_kimi_linear(const json_fields& config) {
  refuse_unknown_fields(config, kimi_linear_fields);
  const transformer m = read_kimi_base(config);
  layered_model all = begin_layers(config, m);
  if (!config.has("linear_attn_config")) config.refuse("linear_attn_config is missing");
  const json_fields linear{config.value().at("linear_attn_config"),
                           config.where() + ": linear_attn_config"};
  const linear_attention delta = read_kimi_delta(linear);
  const double residual = config.has("attn_res_block_size") ? 2.0 * m.hidden_size : 0;
  const int latent = config.integer_or("routed_expert_hidden_size", 0);

  const std::vector<hybrid_mixer> mixers = read_kimi_layers(linear, m.layers);
  const std::vector<layer_kind> kinds =
      read_expert_layers(config, m.layers, m.moe.first_dense_layers);
  for (std::size_t i = 0; i < mixers.size(); ++i) {
    layer_group layer;
    if (mixers[i] == hybrid_mixer::attention) {
      layer = layer_of(m, "latent attention", kinds[i]);
      if (config.flag_or("mla_use_output_gate", false))
        layer.further.push_back({"attention gate", static_cast<double>(m.hidden_size) *
                                                       m.attention_heads * m.value_head_dim()});
    } else {
      layer = layer_without_attention(m, "Kimi delta attention", kinds[i]);
      add_linear_attention(layer, config, delta, m.hidden_size);
    }
    if (latent > 0 && kinds[i] == layer_kind::moe) {
      put_latent_experts(layer, m, latent);
      if (config.flag_or("latent_moe_use_norm", false))
        layer.further.push_back({"expert latent norm", static_cast<double>(latent)});
    }
    if (residual > 0) layer.further.push_back({"attention residuals", 2 * residual});
    all.add(layer);
  }
  if (residual > 0) all.further.push_back({"attention residual of the end", residual});
  add_correction_biases(all, m, kinds);
  all.unlike = "attention over earlier layers";
  if (residual == 0) {
    all.planned = with_mixers(with_layer_kinds(m, kinds), mixers, {.linear = delta});
    all.planned->moe.latent_size = latent;
    all.planned->moe.latent_norm = latent > 0 && config.flag_or("latent_moe_use_norm", false);
    all.planned->attention_gate = config.flag_or("mla_use_output_gate", false);
  }
  return all;
}

}  // namespace gpuplan::detail
