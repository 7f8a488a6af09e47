#pragma once
/// \file
/// What the readers of models with layers of several kinds share.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/linear_attention.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Refuses what the checks of a description refuse, in the words of the config's reader.
template <class Check>
void refuse_as_config(const json_fields& config, Check&& check) {
  try {
    check();
  } catch (const invalid_input& error) {
    config.refuse(error.what());
  }
}

/// Refuses more layers than are looked at one by one.
inline void need_few_layers(const json_fields& config, const transformer& m) {
  if (m.layers > most_layers)
    config.refuse("num_hidden_layers", "must be <= " + std::to_string(most_layers) +
                                           " where layers are of several kinds, not " +
                                           std::to_string(m.layers));
}

/// A model without layers yet: all that stands beside those of `m`.
inline layered_model begin_layers(const json_fields& config, const transformer& m) {
  need_few_layers(config, m);
  refuse_as_config(config, [&] { require_valid(m); });
  layered_model all;
  all.family = config.text("model_type");
  all.hidden_size = m.hidden_size;
  all.beside = parameters_beside_layers(m);
  return all;
}

/// Of so many routed experts, the parameters that a token does not meet.
inline double unvisited_of(const transformer& m, double routed) {
  if (m.moe.experts == 0) return 0;
  return routed / m.moe.experts * (m.moe.experts - m.moe.experts_per_token);
}

/// A layer as `m` describes it.
inline layer_group layer_of(const transformer& m, std::string kind, layer_kind ffn) {
  layer_group layer;
  layer.kind = std::move(kind) + (ffn == layer_kind::moe ? ", experts" : "");
  layer.common = parameters_of_layer(m, ffn);
  layer.cached_values = cached_values(m, m.key_value_heads());
  layer.unvisited = unvisited_of(m, layer.common.routed_experts);
  return layer;
}

/// A layer without the attention of `m`.
inline layer_group layer_without_attention(const transformer& m, std::string kind, layer_kind ffn) {
  layer_group layer = layer_of(m, std::move(kind), ffn);
  layer.cached_values = 0;
  layer.common.attention_weights = 0;
  layer.common.attention_biases = 0;
  layer.common.query_key_norms = 0;
  layer.common.attention_sinks = 0;
  layer.common.latent_norms = 0;
  layer.common.cross_attention = 0;
  return layer;
}

/// A layer without a feed-forward network.
inline layer_group layer_without_ffn(const transformer& m, std::string kind) {
  layer_group layer = layer_of(m, std::move(kind), layer_kind::dense);
  layer.common.ffn_weights = 0;
  layer.common.ffn_biases = 0;
  return layer;
}

/// A layer whose tokens look back on `window` tokens only.
inline void put_window(layer_group& layer, int window) {
  if (window == 0) return;
  layer.windowed_values = std::exchange(layer.cached_values, 0.0);
  layer.window = window;
}

/// A state-space layer beside or in place of attention.
inline void add_state_space(layer_group& layer, const json_fields& config, const state_space& s,
                            int hidden_size) {
  refuse_as_config(config, [&] {
    layer.further.push_back({"state space", state_space_parameters(s, hidden_size)});
    layer.state = state_space_state(s);
  });
}

/// Linear attention in place of attention.
inline void add_linear_attention(layer_group& layer, const json_fields& config,
                                 const linear_attention& a, int hidden_size) {
  refuse_as_config(config, [&] {
    layer.further.push_back({"linear attention", linear_attention_parameters(a, hidden_size)});
    layer.state = linear_attention_state(a);
  });
}

/// The transformer of mean layers: `recurrent` of them have this mixer, `attending` attend.
inline transformer with_recurrent_layers(const transformer& m, int recurrent, int attending,
                                         recurrent_mixer mixer) {
  transformer mean = m;
  mixer.layers = recurrent;
  mixer.attention_layers = attending;
  if (recurrent > 0) mean.recurrent = mixer;
  return mean;
}

/// Routed experts that work on a narrower state, with maps to it and back.
inline void put_latent_experts(layer_group& layer, const transformer& m, int width) {
  transformer narrow = m;
  narrow.hidden_size = width;
  layer.common.routed_experts = m.moe.experts * ffn_weights_of(narrow, m.moe.ffn_size);
  layer.unvisited = unvisited_of(m, layer.common.routed_experts);
  layer.further.push_back({"expert latent maps", 2.0 * m.hidden_size * width});
}

/// An array with an entry for each layer, or null where the field is absent.
inline const nlohmann::json* entry_of_layers(const json_fields& config, std::string_view field,
                                             int layers) {
  const nlohmann::json* found = config.array(field);
  if (found != nullptr && found->size() != static_cast<std::size_t>(layers))
    config.refuse(field, "must have an entry for each of the " + std::to_string(layers) +
                             " layers, not " + std::to_string(found->size()));
  return found;
}

/// The value that a table gives to each layer's entry of `field`, be it text or number.
template <class T>
std::vector<T> read_kinds(const json_fields& config, std::string_view field, int layers,
                          const std::vector<std::pair<nlohmann::json, T>>& known) {
  const nlohmann::json* entries = entry_of_layers(config, field, layers);
  if (entries == nullptr) config.refuse(field, "is missing");
  std::vector<T> kinds;
  for (const nlohmann::json& entry : *entries) {
    const std::size_t before = kinds.size();
    for (const auto& [value, kind] : known)
      if (entry == value) kinds.push_back(kind);
    if (kinds.size() != before) continue;
    std::string names;
    for (const auto& [value, kind] : known) names += (names.empty() ? "" : " or ") + value.dump();
    config.refuse(field, "must hold " + names + ", not " + shown(entry));
  }
  return kinds;
}

/// The layers that a list names by their numbers, counted from 0, each once, in order; none where
/// it is absent.
inline std::vector<int> read_layer_indices(const json_fields& config, std::string_view field,
                                           int layers) {
  std::set<int> named;
  const nlohmann::json* entries = config.array(field);
  if (entries == nullptr) return {};
  for (const nlohmann::json& entry : *entries) {
    if (!entry.is_number_integer() || entry < 0 || entry >= layers)
      config.refuse(field, "must hold numbers of layers from 0 to " + std::to_string(layers - 1) +
                               ", not " + shown(entry));
    if (!named.insert(entry.get<int>()).second)
      config.refuse(field, "names layer " + entry.dump() + " twice");
  }
  return {named.begin(), named.end()};
}

/// Whether each layer from `first` on has experts, or as the list `field` says.
inline std::vector<layer_kind> read_expert_layers(const json_fields& config, int layers,
                                                  int first) {
  std::vector<layer_kind> kinds;
  for (int i = 0; i < layers; ++i) kinds.push_back(i < first ? layer_kind::dense : layer_kind::moe);
  const auto agree = [&](std::string_view field, const std::vector<layer_kind>& told) {
    if (told != kinds && config.has("first_k_dense_replace"))
      config.refuse(field, "is not what first_k_dense_replace says");
    kinds = told;
  };
  if (config.has("mlp_layer_types"))
    agree("mlp_layer_types",
          read_kinds<layer_kind>(config, "mlp_layer_types", layers,
                                 {{"dense", layer_kind::dense}, {"sparse", layer_kind::moe}}));
  if (config.has("moe_layer_freq") && config.value().at("moe_layer_freq").is_array())
    agree("moe_layer_freq", read_kinds<layer_kind>(config, "moe_layer_freq", layers,
                                                   {{0, layer_kind::dense}, {1, layer_kind::moe}}));
  return kinds;
}

/// The same transformer with as many dense layers as there are, those before the first layer of
/// experts among them.
inline transformer with_layer_kinds(const transformer& given,
                                    const std::vector<layer_kind>& kinds) {
  transformer m = given;
  if (m.moe.experts == 0) return m;
  const auto first = std::find(kinds.begin(), kinds.end(), layer_kind::moe);
  m.moe.first_dense_layers = static_cast<int>(first - kinds.begin());
  m.moe.dense_layers = static_cast<int>(std::count(kinds.begin(), kinds.end(), layer_kind::dense));
  return m;
}

/// Balancing values of the experts, of every layer that has some.
inline void add_correction_biases(layered_model& all, const transformer& m,
                                  const std::vector<layer_kind>& kinds) {
  if (!m.moe.correction_bias) return;
  for (const layer_kind kind : kinds)
    if (kind == layer_kind::moe) all.untrained += m.moe.experts;
}

/// A module for a further token: so many layers, a map of 2 h to h, and three norms.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 2.2, arXiv:2412.19437.
inline double prediction_module(const transformer& m, double layers) {
  return layers + 2.0 * m.hidden_size * m.hidden_size + 3 * norm_parameters_of(m, m.hidden_size);
}

}  // namespace gpuplan::detail
