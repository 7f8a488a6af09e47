#pragma once
/// \file
/// The fields of transformer as a JSON object, by their own names; enumerations by name.

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan {

namespace detail {

inline constexpr std::array position_encoding_names{
    named<position_encoding>{"none", position_encoding::none},
    named<position_encoding>{"learned", position_encoding::learned},
    named<position_encoding>{"rotary", position_encoding::rotary},
    named<position_encoding>{"alibi", position_encoding::alibi}};
inline constexpr std::array normalization_names{
    named<normalization>{"layer_norm", normalization::layer_norm},
    named<normalization>{"rms_norm", normalization::rms_norm}};
inline constexpr std::array attention_mask_names{
    named<attention_mask>{"causal", attention_mask::causal},
    named<attention_mask>{"full", attention_mask::full}};
inline constexpr std::array query_key_norm_names{
    named<query_key_norm>{"none", query_key_norm::none},
    named<query_key_norm>{"per_head", query_key_norm::per_head},
    named<query_key_norm>{"all_heads", query_key_norm::all_heads}};

inline constexpr std::array linear_attention_kind_names{
    named<linear_attention_kind>{"gated_delta_net", linear_attention_kind::gated_delta_net},
    named<linear_attention_kind>{"kimi_delta", linear_attention_kind::kimi_delta},
    named<linear_attention_kind>{"lightning", linear_attention_kind::lightning}};
inline constexpr std::array state_space_kind_names{
    named<state_space_kind>{"mamba_1", state_space_kind::mamba_1},
    named<state_space_kind>{"mamba_2", state_space_kind::mamba_2}};

constexpr const auto& names_of(linear_attention_kind) {
  return linear_attention_kind_names;
}
constexpr const auto& names_of(state_space_kind) {
  return state_space_kind_names;
}
constexpr const auto& names_of(position_encoding) {
  return position_encoding_names;
}
constexpr const auto& names_of(normalization) {
  return normalization_names;
}
constexpr const auto& names_of(attention_mask) {
  return attention_mask_names;
}
constexpr const auto& names_of(query_key_norm) {
  return query_key_norm_names;
}

// Every field once: visit(name, field).

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, linear_biases> {
  visit("query_key_value", m.query_key_value);
  visit("attention_output", m.attention_output);
  visit("ffn", m.ffn);
  visit("head", m.head);
  visit("head_transform", m.head_transform);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, mixture_of_experts> {
  visit("experts", m.experts);
  visit("experts_per_token", m.experts_per_token);
  visit("ffn_size", m.ffn_size);
  visit("shared_ffn_size", m.shared_ffn_size);
  visit("first_dense_layers", m.first_dense_layers);
  visit("dense_layers", m.dense_layers);
  visit("router_bias", m.router_bias);
  visit("expert_bias", m.expert_bias);
  visit("shared_gate", m.shared_gate);
  visit("correction_bias", m.correction_bias);
  visit("latent_size", m.latent_size);
  visit("latent_norm", m.latent_norm);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, latent_attention> {
  visit("query_rank", m.query_rank);
  visit("kv_rank", m.kv_rank);
  visit("rope_head_dim", m.rope_head_dim);
  visit("content_head_dim", m.content_head_dim);
  visit("value_head_dim", m.value_head_dim);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, linear_attention> {
  visit("kind", m.kind);
  visit("key_heads", m.key_heads);
  visit("value_heads", m.value_heads);
  visit("key_head_dim", m.key_head_dim);
  visit("value_head_dim", m.value_head_dim);
  visit("convolution", m.convolution);
  visit("gate_rank", m.gate_rank);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, state_space> {
  visit("kind", m.kind);
  visit("channels", m.channels);
  visit("state_size", m.state_size);
  visit("heads", m.heads);
  visit("groups", m.groups);
  visit("time_step_rank", m.time_step_rank);
  visit("convolution", m.convolution);
  visit("convolution_bias", m.convolution_bias);
  visit("projection_bias", m.projection_bias);
  visit("norm", m.norm);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, recurrent_mixer> {
  visit("layers", m.layers);
  visit("attention_layers", m.attention_layers);
  visit("beside_attention", m.beside_attention);
  visit("linear", m.linear);
  visit("space", m.space);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, windowed_heads> {
  visit("attention_heads", m.attention_heads);
  visit("kv_heads", m.kv_heads);
  visit("head_dim", m.head_dim);
  visit("value_dim", m.value_dim);
  visit("keys_as_values", m.keys_as_values);
  visit("attention_sinks", m.attention_sinks);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, sparse_index> {
  visit("heads", m.heads);
  visit("head_dim", m.head_dim);
  visit("query_rank", m.query_rank);
  visit("head_weights", m.head_weights);
  visit("tokens", m.tokens);
  visit("block", m.block);
  visit("layers", m.layers);
  visit("attending_layers", m.attending_layers);
}

template <class Visitor>
void for_each_field(auto& m, Visitor&& visit) requires
    std::is_same_v<std::remove_cvref_t<decltype(m)>, transformer> {
  visit("layers", m.layers);
  visit("hidden_size", m.hidden_size);
  visit("attention_heads", m.attention_heads);
  visit("kv_heads", m.kv_heads);
  visit("head_dim", m.head_dim);
  visit("value_dim", m.value_dim);
  visit("ffn_size", m.ffn_size);
  visit("vocabulary_size", m.vocabulary_size);
  visit("embedding_size", m.embedding_size);
  visit("encoder_layers", m.encoder_layers);
  visit("gated_ffn", m.gated_ffn);
  visit("squared_relu", m.squared_relu);
  visit("activation_values", m.activation_values);
  visit("tied_embeddings", m.tied_embeddings);
  visit("parallel_residual", m.parallel_residual);
  visit("positions", m.positions);
  visit("position_rows", m.position_rows);
  visit("token_types", m.token_types);
  visit("norm", m.norm);
  visit("norms_per_layer", m.norms_per_layer);
  visit("final_norm", m.final_norm);
  visit("embedding_norm", m.embedding_norm);
  visit("norm_parameters", m.norm_parameters);
  visit("query_key", m.query_key);
  visit("biases", m.biases);
  visit("attention_gate", m.attention_gate);
  visit("attention_sinks", m.attention_sinks);
  visit("keys_as_values", m.keys_as_values);
  visit("pooler", m.pooler);
  visit("head_transform", m.head_transform);
  visit("mask", m.mask);
  visit("sliding_window", m.sliding_window);
  visit("first_full_attention_layers", m.first_full_attention_layers);
  visit("full_attention_interval", m.full_attention_interval);
  visit("listed_windowed_layers", m.listed_windowed_layers);
  visit("windowed", m.windowed);
  visit("multi_token_prediction_layers", m.multi_token_prediction_layers);
  visit("moe", m.moe);
  visit("latent", m.latent);
  visit("recurrent", m.recurrent);
  visit("sparse", m.sparse);
}

/// Reads the fields of an aggregate that are there; the others keep their defaults.
template <class Aggregate>
void read_fields(const json_fields& fields, Aggregate& m) {
  std::vector<named<int>> known;
  for_each_field(m, [&](std::string_view name, const auto&) { known.push_back({name}); });
  fields.refuse_unknown(known);

  for_each_field(m, [&](std::string_view name, auto& field) {
    using field_type = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<field_type, bool>)
      field = fields.flag_or(name, field);
    else if constexpr (std::is_same_v<field_type, int>)
      field = fields.integer_or(name, field, 0);
    else if constexpr (std::is_enum_v<field_type>)
      field = fields.choice_or(name, names_of(field_type{}), field);
    else if (fields.has(name))
      read_fields(json_fields{fields.value().at(std::string(name)),
                              fields.where() + ": " + std::string(name)},
                  field);
  });
}

template <class Aggregate>
nlohmann::json json_of_fields(const Aggregate& m) {
  nlohmann::json object = nlohmann::json::object();
  for_each_field(m, [&](std::string_view name, const auto& field) {
    using field_type = std::remove_cvref_t<decltype(field)>;
    nlohmann::json& value = object[std::string(name)];
    if constexpr (std::is_enum_v<field_type>) {
      for (const auto& row : names_of(field))
        if (row.value == field) value = row.name;
    } else if constexpr (std::is_class_v<field_type>) {
      value = json_of_fields(field);
    } else {
      value = field;
    }
  });
  return object;
}

}  // namespace detail

/// The transformer whose fields a JSON object gives: {"layers": 32, "moe": {"experts": 8}, ...}.
/// A field that is absent keeps its default.
///
///     object  the fields, by the names of transformer; enumerations as their snake_case names
///     name    of the file or stream, for the error line
///
/// \throws invalid_input of one line, "<name>: <field> ...", if a field is unknown (with those
///         that may have been meant), of another type or out of range, or require_valid refuses
template <std::same_as<nlohmann::json> Json>  // no string, which json converts from
transformer read_transformer(const Json& object, std::string_view name) {
  const json_fields fields{object, name};
  transformer m;
  detail::read_fields(fields, m);
  try {
    require_valid(m);
  } catch (const invalid_input& error) {
    fields.refuse(error.what());
  }
  return m;
}

/// All fields of a transformer: what read_transformer reads back to the same.
inline nlohmann::json json_of(const transformer& m) {
  return detail::json_of_fields(m);
}

}  // namespace gpuplan
