#pragma once
/// \file
/// Reads the config.json that Hugging Face keeps beside a model's weights.

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_classic.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan {

/// The values of model_type that read_huggingface knows, and who reads them.
inline constexpr std::array huggingface_families{
    named<transformer (*)(const json_fields&)>{"gpt2", detail::read_gpt2},
    named<transformer (*)(const json_fields&)>{"bert", detail::read_bert},
    named<transformer (*)(const json_fields&)>{"gpt_neox", detail::read_gpt_neox},
    named<transformer (*)(const json_fields&)>{"opt", detail::read_opt},
    named<transformer (*)(const json_fields&)>{"bloom", detail::read_bloom},
    named<transformer (*)(const json_fields&)>{"falcon", detail::read_falcon},
    named<transformer (*)(const json_fields&)>{"llama", detail::read_llama},
    named<transformer (*)(const json_fields&)>{"mistral", detail::read_mistral},
    named<transformer (*)(const json_fields&)>{"mixtral", detail::read_mixtral},
    named<transformer (*)(const json_fields&)>{"qwen2", detail::read_qwen2},
    named<transformer (*)(const json_fields&)>{"qwen3", detail::read_qwen3},
    named<transformer (*)(const json_fields&)>{"qwen3_moe", detail::read_qwen3_moe},
    named<transformer (*)(const json_fields&)>{"gemma", detail::read_gemma},
    named<transformer (*)(const json_fields&)>{"gemma2", detail::read_gemma2},
    named<transformer (*)(const json_fields&)>{"deepseek_v2", detail::read_deepseek_v2},
    named<transformer (*)(const json_fields&)>{"deepseek_v3", detail::read_deepseek_v3},
    named<transformer (*)(const json_fields&)>{"gpt_oss", detail::read_gpt_oss}};

/// The shape that a config.json describes: parameters_of it are those that the transformers
/// library creates, a tied head counted once.
///
///     config  the parsed file, whose model_type is one of huggingface_families
///     name    of the file, for the error line
///
/// What the config does not say is what the configuration class of its family assumes, where that
/// follows from other fields (n_inner: 4 n_embd) or is the same throughout the family (a head of
/// 256 in Gemma).  Layers, hidden size, heads, vocabulary, the width of the feed-forward network
/// and the number of experts must be there.  Fields that change no shape are not looked at.
///
/// Source: Hugging Face, "Transformers" (2023-2026), src/transformers/models, the configuration
/// and the modeling file of each family.
///
/// \throws invalid_input of one line, "<name>: <field> ...": model_type unknown or missing, a
///         field missing, of another type or out of range, heads that do not divide, or a model
///         nested under text_config
template <std::same_as<nlohmann::json> Json>  // no string, which json converts from
transformer read_huggingface(const Json& config, std::string_view name) {
  const json_fields fields{config, name};
  if (fields.has("text_config"))
    fields.refuse("text_config holds the language model: pass that object as a config of its own");
  const auto read = fields.choice_or("model_type", huggingface_families,
                                     static_cast<transformer (*)(const json_fields&)>(nullptr));
  if (read == nullptr) fields.refuse("model_type is missing");
  const transformer m = read(fields);
  try {
    require_valid(m);
  } catch (const invalid_input& error) {
    fields.refuse(error.what());
  }
  return m;
}

/// The same from the text of the file.
///
/// \throws invalid_input also where parse_json does
inline transformer read_huggingface(std::string_view text, std::string_view name) {
  return read_huggingface(parse_json(text, name), name);
}

}  // namespace gpuplan
