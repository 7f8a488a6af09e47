#pragma once
/// \file
/// Hugging Face configurations of models with gates on heads, whose layers may differ in their
/// number of heads.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Heads, window and network of one layer.
struct gated_layer {
  int heads = 1;
  bool windowed = false;
  layer_kind ffn = layer_kind::dense;
};

/// Which layers look back on a window only; none where layer_types is absent.
inline std::vector<int> read_windowed_layers(const json_fields& config, int layers) {
  if (!config.has("layer_types")) return std::vector<int>(static_cast<std::size_t>(layers), 0);
  return read_kinds<int>(config, "layer_types", layers,
                         {{"full_attention", 0}, {"sliding_attention", 1}});
}

/// Heads of each layer as a list has them; empty where it is absent.
inline std::vector<int> read_heads_of_layers(const json_fields& config, int layers) {
  std::vector<int> heads;
  const nlohmann::json* listed = entry_of_layers(config, "num_attention_heads_per_layer", layers);
  if (listed == nullptr) return heads;
  for (const nlohmann::json& one : *listed) {
    const nlohmann::json entry{{"num_attention_heads_per_layer", one}};
    heads.push_back(json_fields{entry, config.where()}.integer("num_attention_heads_per_layer"));
  }
  return heads;
}

/// Values of a head that a gate multiplies one by one: none, all of them together, or each.
enum class head_gate { none, per_head, per_element };

/// The layers of `m`, each with heads, window and network of its own.
inline layered_model with_gated_layers(const json_fields& config, const transformer& m,
                                       const std::vector<gated_layer>& layers, head_gate gate) {
  layered_model all = begin_layers(config, m);
  std::vector<layer_kind> kinds;
  for (const gated_layer& one : layers) {
    transformer own = m;
    own.attention_heads = one.heads;
    need_dividing_kv_heads(config, own);
    layer_group layer =
        layer_of(own, one.windowed ? "windowed attention" : "full attention", one.ffn);
    const double gates = gate == head_gate::per_element ? own.query_width() : one.heads;
    if (gate != head_gate::none) layer.further.push_back({"head gates", m.hidden_size * gates});
    if (one.windowed) put_window(layer, config.integer("sliding_window"));
    all.add(layer);
    kinds.push_back(one.ffn);
  }
  add_correction_biases(all, m, kinds);
  return all;
}

/// Each layer with the heads that a list or its kind of attention gives it.
inline std::vector<gated_layer> read_gated_layers(const json_fields& config, const transformer& m,
                                                  int windowed_heads,
                                                  const std::vector<layer_kind>& kinds) {
  const std::vector<int> windowed = read_windowed_layers(config, m.layers);
  const std::vector<int> heads = read_heads_of_layers(config, m.layers);
  std::vector<gated_layer> layers;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const int usual = windowed[i] == 1 ? windowed_heads : m.attention_heads;
    layers.push_back(
        {.heads = heads.empty() ? usual : heads[i], .windowed = windowed[i] == 1, .ffn = kinds[i]});
  }
  return layers;
}

/// Experts and a shared one, chosen with a balancing value each.
inline void read_gated_experts(transformer& m, const json_fields& config,
                               std::initializer_list<std::string_view> experts,
                               std::initializer_list<std::string_view> chosen,
                               std::initializer_list<std::string_view> shared) {
  m.ffn_size = config.integer("intermediate_size");
  m.moe = {.experts = config.integer(experts),
           .experts_per_token = config.integer(chosen),
           .ffn_size = config.integer("moe_intermediate_size"),
           .shared_ffn_size = config.integer(shared),
           .correction_bias = true};
  need_enough_experts(config, m.moe);
}

/// A word for a gate, as Laguna's configs spell it.
inline head_gate read_gate_word(const json_fields& config, std::string_view field,
                                const nlohmann::json& word) {
  if (word == true || word == "per-head" || word == "per_head") return head_gate::per_head;
  if (word == "per-element" || word == "per_element") return head_gate::per_element;
  if (word != false) config.refuse(field, "must be per-head or per-element, not " + shown(word));
  return head_gate::none;
}

/// The gate of Laguna: what gating_types says of all layers alike, or gating; per head unless told.
inline head_gate read_laguna_gate(const json_fields& config, int layers) {
  if (const nlohmann::json* types = entry_of_layers(config, "gating_types", layers)) {
    for (const nlohmann::json& type : *types)
      if (type != types->front()) config.refuse("gating_types", "must be the same in every layer");
    return read_gate_word(config, "gating_types", types->front());
  }
  const auto found = config.value().find("gating");
  if (found == config.value().end() || found->is_null()) return head_gate::per_head;
  return read_gate_word(config, "gating", *found);
}

/// Layers with experts of Laguna: all but those of mlp_only_layers, or all but the first, unless
/// mlp_layer_types tells.
inline std::vector<layer_kind> read_laguna_experts(const json_fields& config, int layers) {
  if (config.integer_or("decoder_sparse_step", 1) != 1)
    config.refuse("decoder_sparse_step must be 1");
  if (!config.has("mlp_only_layers")) return read_expert_layers(config, layers, 1);
  std::vector<layer_kind> kinds(static_cast<std::size_t>(layers), layer_kind::moe);
  for (const int i : read_layer_indices(config, "mlp_only_layers", layers))
    kinds[static_cast<std::size_t>(i)] = layer_kind::dense;
  if (config.has("mlp_layer_types") && read_expert_layers(config, layers, 1) != kinds)
    config.refuse("mlp_layer_types", "is not what mlp_only_layers says");
  return kinds;
}

/// Laguna: layers may differ in their number of heads.
inline layered_model read_laguna(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size attention_bias layer_types mlp_layer_types "
      "mlp_only_layers decoder_sparse_step num_attention_heads_per_layer sliding_window "
      "num_experts num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size "
      "moe_routed_scaling_factor moe_router_logit_softcapping gating gating_types "
      "swa_rope_parameters");
  transformer m = read_before_experts(config);
  need_few_layers(config, m);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  read_gated_experts(m, config, {"num_experts"}, {"num_experts_per_tok"},
                     {"shared_expert_intermediate_size"});
  return with_gated_layers(
      config, m,
      read_gated_layers(config, m, m.attention_heads, read_laguna_experts(config, m.layers)),
      read_laguna_gate(config, m.layers));
}

/// The config of Step without the entries that its lists have for the modules that predict further
/// tokens.
inline nlohmann::json without_predicting_layers(const json_fields& config) {
  nlohmann::json told = config.value();
  const auto layers = static_cast<std::size_t>(config.integer("num_hidden_layers"));
  const auto further = static_cast<std::size_t>(
      config.integer_or({"num_nextn_predict_layers", "num_mtp_layers"}, 0, 0));
  for (const char* field : {"layer_types", "mlp_layer_types"}) {
    const auto list = told.find(field);
    if (further == 0 || list == told.end() || !list->is_array()) continue;
    if (list->size() == layers + further)
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(layers), list->end());
  }
  return told;
}

/// Layers with experts of Step: those that moe_layers_enum names, "3,4,5" or a list, or all from
/// the fourth on, unless mlp_layer_types tells.
inline std::vector<layer_kind> read_step_experts(const json_fields& config, int layers) {
  if (config.has("mlp_layer_types") || !config.has("moe_layers_enum"))
    return read_expert_layers(config, layers, std::min(3, layers));
  nlohmann::json listed = config.value().at("moe_layers_enum");
  if (listed.is_string() &&
      listed.get_ref<const std::string&>().find_first_not_of("0123456789, ") == std::string::npos) {
    std::string numbers = listed;
    if (numbers.ends_with(',')) numbers.pop_back();
    listed = nlohmann::json::parse("[" + numbers + "]", nullptr, false);
  }
  if (!listed.is_array())
    config.refuse("moe_layers_enum", "must hold numbers of layers, as \"3,4,5\" or a list");
  const nlohmann::json told{{"moe_layers_enum", listed}};
  std::vector<layer_kind> kinds(static_cast<std::size_t>(layers), layer_kind::dense);
  for (const int i : read_layer_indices({told, config.where()}, "moe_layers_enum", layers))
    kinds[static_cast<std::size_t>(i)] = layer_kind::moe;
  return kinds;
}

/// Heads of the windowed layers of Step.
inline int read_step_windowed_heads(const json_fields& config, const transformer& m) {
  const nlohmann::json other = object_or_empty(config, "attention_other_setting");
  const json_fields told{other, config.where() + ": attention_other_setting"};
  refuse_unknown_inside(told,
                        "attention_type num_attention_heads num_attention_groups head_dim "
                        "true_head_dim");
  if (told.integer_or("num_attention_groups", m.key_value_heads()) != m.key_value_heads())
    told.refuse("num_attention_groups", "must be that of the other layers");
  for (const char* field : {"head_dim", "true_head_dim"})
    if (told.integer_or(field, m.query_head_dim()) != m.query_head_dim())
      told.refuse(field, "must be that of the other layers");
  return config.integer_or("num_sliding_attention_heads",
                           told.integer_or("num_attention_heads", m.attention_heads));
}

inline constexpr std::string_view step_fields =
    "num_key_value_heads num_attention_groups head_dim intermediate_size attention_bias mlp_bias "
    "layer_types mlp_layer_types moe_layers_enum sliding_window moe_num_experts n_routed_experts "
    "num_local_experts moe_top_k num_experts_per_tok moe_intermediate_size share_expert_dim "
    "share_expert_dims num_sliding_attention_heads num_attention_heads_per_layer "
    "attention_other_setting num_nextn_predict_layers num_mtp_layers gating "
    "use_head_wise_attn_gate use_qk_norm use_moe use_moe_router_bias moe_every_n_layer "
    "moe_layer_offset moe_router_activation moe_router_scaling_factor need_fp32_gate "
    "norm_expert_weight swiglu_limits swiglu_limits_shared partial_rotary_factors use_rope_layers "
    "yarn_only_types att_impl_type zero_centered";

/// Step 3.5 and the language model of Step 3.7: windowed layers may have more heads than others.
inline layered_model read_step3p5(const json_fields& given) {
  refuse_unknown_fields(given, step_fields);
  const nlohmann::json trimmed = without_predicting_layers(given);
  const json_fields config{trimmed, given.where()};
  for (const char* field : {"use_moe", "use_moe_router_bias", "use_qk_norm"})
    if (!config.flag_or(field, true)) config.refuse(field, "must be true");
  if (config.integer_or("moe_every_n_layer", 1) != 1) config.refuse("moe_every_n_layer must be 1");
  if (config.flag_or("mlp_bias", false)) config.refuse("mlp_bias must be false");
  transformer m = essential_sizes(config);
  need_few_layers(config, m);
  be_llama_like(m, config);
  m.kv_heads = config.integer({"num_attention_groups", "num_key_value_heads"});
  need_dividing_kv_heads(config, m);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  read_gated_experts(m, config, {"moe_num_experts", "n_routed_experts", "num_local_experts"},
                     {"moe_top_k", "num_experts_per_tok"},
                     {"share_expert_dim", "share_expert_dims"});
  const std::vector<gated_layer> layers = read_gated_layers(
      config, m, read_step_windowed_heads(config, m), read_step_experts(config, m.layers));
  const bool gated = config.flag_or("use_head_wise_attn_gate", true);
  layered_model all =
      with_gated_layers(config, m, layers, gated ? head_gate::per_head : head_gate::none);
  if (config.integer_or({"num_nextn_predict_layers", "num_mtp_layers"}, 0, 0) > 0)
    all.note = "the modules that predict further tokens are not counted";
  return all;
}

}  // namespace gpuplan::detail
