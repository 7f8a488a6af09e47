#pragma once
/// \file
/// The parts of a model's parameters, as answers name them.

#include <array>
#include <string>
#include <string_view>

#include <gpuplan/memory/layered_cache.hpp>
#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// A part, and its parameters.
struct model_part {
  std::string_view name;
  double count;
};

/// The parts of a layer.
inline auto layer_parts(const layer_parameters& l) {
  return std::array{model_part{"attention weights", l.attention_weights},
                    model_part{"attention biases", l.attention_biases},
                    model_part{"query and key norms", l.query_key_norms},
                    model_part{"attention sinks", l.attention_sinks},
                    model_part{"norms of latents", l.latent_norms},
                    model_part{"cross attention", l.cross_attention},
                    model_part{"feed-forward weights", l.ffn_weights},
                    model_part{"feed-forward biases", l.ffn_biases},
                    model_part{"router", l.router},
                    model_part{"routed experts", l.routed_experts},
                    model_part{"shared experts", l.shared_experts},
                    model_part{"norms", l.norms}};
}

/// The parts of a model beside its layers.
inline auto model_parts(const transformer_parameters& p) {
  return std::array{model_part{"token embedding", p.token_embedding},
                    model_part{"position embedding", p.position_embedding},
                    model_part{"type embedding", p.type_embedding},
                    model_part{"embedding norm", p.embedding_norm},
                    model_part{"embedding projection", p.embedding_projection},
                    model_part{"final norms", p.final_norms},
                    model_part{"pooler", p.pooler},
                    model_part{"head transform", p.head_transform},
                    model_part{"head", p.head},
                    model_part{"head bias", p.head_bias}};
}

/// The key of a part in JSON: "query_and_key_norms".
inline std::string key_of_part(std::string_view name) {
  std::string key{name};
  for (char& c : key)
    if (c == ' ' || c == '-') c = '_';
  return key;
}

/// Adds a field for each part to an object, its key after `prefix`.
template <class Parts>
void add_parts(report_json& to, const Parts& parts, const std::string& prefix = {}) {
  for (const auto& part : parts) to[prefix + key_of_part(part.name)] = json_number(part.count);
}

/// Parameters of a model's layers of one kind.
inline report_json json_of(const layer_group& group) {
  report_json parameters = report_json::object();
  add_parts(parameters, layer_parts(group.common));
  add_parts(parameters, group.further);
  parameters["total"] = json_number(group.total());
  return {{"kind", group.kind}, {"layers", group.layers}, {"parameters", parameters}};
}

/// Parameters by component of a model whose layers are of several kinds.
inline report_json components_of(const layered_model& m) {
  report_json components = report_json::object();
  add_parts(components, model_parts(m.beside));
  add_parts(components, m.further);
  add_parts(components, layer_parts(m.common()), "layers_");
  add_parts(components, m.further_of_layers(), "layers_");
  return components;
}

/// Parameters by component of a transformer.
inline report_json components_of(const transformer_parameters& all) {
  report_json components = report_json::object();
  add_parts(components, model_parts(all));
  add_parts(components, layer_parts(all.layers), "layers_");
  return components;
}

}  // namespace gpuplan::api
