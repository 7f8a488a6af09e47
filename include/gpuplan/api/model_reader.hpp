#pragma once
/// \file
/// Reads a model from JSON, whichever of the formats it is in.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::api {
namespace detail {

/// Whether an object has what is usual in a config.json, and no field of ours.
inline bool is_config(const nlohmann::json& object) {
  for (const char* field : {"model_type", "architectures", "num_hidden_layers", "n_layer",
                            "num_layers", "n_embd", "d_model"})
    if (object.contains(field)) return true;
  return !language_field(object).empty();
}

}  // namespace detail

/// Refuses a model whose layers are of several kinds, and which can be counted only.
///
///     name  begins the line: of a file, or "model"
///
/// \throws invalid_input
[[noreturn]] inline void refuse_layered(std::string_view name, const layered_family& family,
                                        const layered_model& read) {
  throw invalid_input{std::string(name) + ": model_type " + std::string(family.name) + " has " +
                      (read.unlike.empty() ? std::string(family.unlike) : read.unlike) +
                      ", whose memory and time are not modelled; gpuplan model counts it"};
}

/// A model from a config.json of Hugging Face or the library's own fields, as json_of writes them.
///
///     name  begins the line of a refusal: of a file, or "model"
///
/// \throws invalid_input if it is neither, has a field that cannot be, or is a model that can be
///         counted only
inline transformer model_from_json(const nlohmann::json& object, std::string_view name) {
  if (!object.is_object())
    throw invalid_input{std::string(name) + ": must be a JSON object, not " + shown(object)};
  if (const layered_family* family = find_layered_family(object)) {
    const layered_model layered = read_layered_model(object, name);
    if (!layered.planned) refuse_layered(name, *family, layered);
    return *layered.planned;
  }
  if (detail::is_config(object)) return read_huggingface(object, name);
  if (object.contains("layers")) return read_transformer(object, name);
  throw invalid_input{std::string(name) +
                      ": has neither model_type, as a config.json, nor layers, as the library's "
                      "own fields"};
}

}  // namespace gpuplan::api
