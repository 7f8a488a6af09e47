#pragma once
/// \file
/// Reads the config.json that Hugging Face keeps beside a model's weights.

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_architectures.hpp>
#include <gpuplan/model/detail/huggingface_classic.hpp>
#include <gpuplan/model/detail/huggingface_defaults.hpp>
#include <gpuplan/model/detail/huggingface_dense.hpp>
#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/detail/huggingface_recent_experts.hpp>
#include <gpuplan/model/detail/huggingface_shape.hpp>
#include <gpuplan/model/huggingface_language_part.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan {

/// Reads the fields of a config.
using huggingface_reader = transformer (*)(const json_fields&);

/// The values of model_type that read_huggingface knows, and who reads them.
inline constexpr std::array huggingface_families{
    named<huggingface_reader>{"afmoe", detail::read_afmoe},
    named<huggingface_reader>{"arcee", detail::read_arcee},
    named<huggingface_reader>{"aria_text", detail::read_aria},
    named<huggingface_reader>{"baichuan", detail::read_llama},
    named<huggingface_reader>{"bailing_moe", detail::read_bailing_moe},
    named<huggingface_reader>{"bert", detail::read_bert},
    named<huggingface_reader>{"bloom", detail::read_bloom},
    named<huggingface_reader>{"camembert", detail::read_bert},
    named<huggingface_reader>{"chatglm", detail::read_chatglm},
    named<huggingface_reader>{"codegen", detail::read_gptj},
    named<huggingface_reader>{"cohere", detail::read_cohere},
    named<huggingface_reader>{"cohere2", detail::read_cohere2},
    named<huggingface_reader>{"cohere2_moe", detail::read_cohere2_moe},
    named<huggingface_reader>{"cwm", detail::read_ministral3},
    named<huggingface_reader>{"dbrx", detail::read_dbrx},
    named<huggingface_reader>{"deepseek", detail::read_deepseek},
    named<huggingface_reader>{"deepseek_v2", detail::read_deepseek_v2},
    named<huggingface_reader>{"deepseek_v3", detail::read_deepseek_v3},
    named<huggingface_reader>{"distilbert", detail::read_distilbert},
    named<huggingface_reader>{"dots1", detail::read_dots1},
    named<huggingface_reader>{"ernie4_5", detail::read_ernie4_5},
    named<huggingface_reader>{"ernie4_5_moe", detail::read_ernie4_5_moe},
    named<huggingface_reader>{"exaone", detail::read_exaone},
    named<huggingface_reader>{"exaone4", detail::read_exaone4},
    named<huggingface_reader>{"exaone_moe", detail::read_exaone_moe},
    named<huggingface_reader>{"falcon", detail::read_falcon},
    named<huggingface_reader>{"flex_olmo", detail::read_olmoe},
    named<huggingface_reader>{"gemma", detail::read_gemma},
    named<huggingface_reader>{"gemma2", detail::read_gemma2},
    named<huggingface_reader>{"gemma3_text", detail::read_gemma3},
    named<huggingface_reader>{"glm", detail::read_glm},
    named<huggingface_reader>{"glm4", detail::read_glm4},
    named<huggingface_reader>{"glm4_moe", detail::read_glm4_moe},
    named<huggingface_reader>{"glm4_moe_lite", detail::read_deepseek_v3},
    named<huggingface_reader>{"glm4v", detail::read_glm4v},
    named<huggingface_reader>{"glm4v_moe_text", detail::read_glm4_moe},
    named<huggingface_reader>{"glm4v_text", detail::read_glm4v},
    named<huggingface_reader>{"gpt-sw3", detail::read_gpt2},
    named<huggingface_reader>{"gpt2", detail::read_gpt2},
    named<huggingface_reader>{"gpt_bigcode", detail::read_gpt_bigcode},
    named<huggingface_reader>{"gpt_neo", detail::read_gpt_neo},
    named<huggingface_reader>{"gpt_neox", detail::read_gpt_neox},
    named<huggingface_reader>{"gpt_oss", detail::read_gpt_oss},
    named<huggingface_reader>{"gptj", detail::read_gptj},
    named<huggingface_reader>{"granite", detail::read_granite},
    named<huggingface_reader>{"granite_swa", detail::read_granite_swa},
    named<huggingface_reader>{"granitemoe", detail::read_granite_moe},
    named<huggingface_reader>{"granitemoeshared", detail::read_granite_moe},
    named<huggingface_reader>{"helium", detail::read_helium},
    named<huggingface_reader>{"hunyuan_v1_dense", detail::read_hunyuan_dense},
    named<huggingface_reader>{"hunyuan_v1_moe", detail::read_hunyuan_moe},
    named<huggingface_reader>{"hy_v3", detail::read_hunyuan_v3},
    named<huggingface_reader>{"hyperclovax", detail::read_hyperclovax},
    named<huggingface_reader>{"internlm", detail::read_internlm2},
    named<huggingface_reader>{"internlm2", detail::read_internlm2},
    named<huggingface_reader>{"internlm3", detail::read_internlm3},
    named<huggingface_reader>{"jais2", detail::read_jais2},
    named<huggingface_reader>{"kimi_k2", detail::read_deepseek_v3},
    named<huggingface_reader>{"llama", detail::read_llama},
    named<huggingface_reader>{"llama4_text", detail::read_llama4},
    named<huggingface_reader>{"mellum", detail::read_mellum},
    named<huggingface_reader>{"mimo", detail::read_mimo},
    named<huggingface_reader>{"minicpm", detail::read_minicpm},
    named<huggingface_reader>{"minicpm3", detail::read_minicpm3},
    named<huggingface_reader>{"minimax_m2", detail::read_minimax_m2},
    named<huggingface_reader>{"ministral", detail::read_ministral3},
    named<huggingface_reader>{"ministral3", detail::read_ministral3},
    named<huggingface_reader>{"mistral", detail::read_mistral},
    named<huggingface_reader>{"mistral4", detail::read_mistral4},
    named<huggingface_reader>{"mixtral", detail::read_mixtral},
    named<huggingface_reader>{"mpt", detail::read_mpt},
    named<huggingface_reader>{"nanochat", detail::read_nanochat},
    named<huggingface_reader>{"nemotron", detail::read_nemotron},
    named<huggingface_reader>{"olmo", detail::read_olmo},
    named<huggingface_reader>{"olmo2", detail::read_olmo2},
    named<huggingface_reader>{"olmo3", detail::read_olmo3},
    named<huggingface_reader>{"olmoe", detail::read_olmoe},
    named<huggingface_reader>{"opt", detail::read_opt},
    named<huggingface_reader>{"phi", detail::read_phi},
    named<huggingface_reader>{"phi3", detail::read_phi3},
    named<huggingface_reader>{"phi4_multimodal", detail::read_phi3},
    named<huggingface_reader>{"phi4mm", detail::read_phi3},
    named<huggingface_reader>{"phimoe", detail::read_phimoe},
    named<huggingface_reader>{"qwen", detail::read_qwen},
    named<huggingface_reader>{"qwen2", detail::read_qwen2},
    named<huggingface_reader>{"qwen2_5_omni_text", detail::read_qwen2},
    named<huggingface_reader>{"qwen2_5_vl", detail::read_qwen2},
    named<huggingface_reader>{"qwen2_5_vl_text", detail::read_qwen2},
    named<huggingface_reader>{"qwen2_moe", detail::read_qwen2_moe},
    named<huggingface_reader>{"qwen2_vl", detail::read_qwen2},
    named<huggingface_reader>{"qwen2_vl_text", detail::read_qwen2},
    named<huggingface_reader>{"qwen3", detail::read_qwen3},
    named<huggingface_reader>{"qwen3_moe", detail::read_qwen3_moe},
    named<huggingface_reader>{"qwen3_omni_moe_text", detail::read_qwen3_moe},
    named<huggingface_reader>{"qwen3_vl_moe_text", detail::read_qwen3_moe},
    named<huggingface_reader>{"qwen3_vl_text", detail::read_qwen3},
    named<huggingface_reader>{"roberta", detail::read_bert},
    named<huggingface_reader>{"seed_oss", detail::read_seed_oss},
    named<huggingface_reader>{"smollm3", detail::read_smollm3},
    named<huggingface_reader>{"solar_open", detail::read_solar_open},
    named<huggingface_reader>{"stablelm", detail::read_stablelm},
    named<huggingface_reader>{"starcoder2", detail::read_starcoder2},
    named<huggingface_reader>{"vaultgemma", detail::read_vaultgemma},
    named<huggingface_reader>{"xlm-roberta", detail::read_bert},
    named<huggingface_reader>{"youtu", detail::read_youtu}};

/// Who reads the configs of a model_type; null: nobody here.
inline huggingface_reader huggingface_reader_of(std::string_view type) {
  for (const auto& family : huggingface_families)
    if (family.name == type) return family.value;
  return nullptr;
}

namespace detail {

/// Refuses a model_type that is known, and that read_huggingface does not read.
[[noreturn]] inline void refuse_other_reader(const json_fields& config) {
  const std::string type{config.text("model_type")};
  if (is_wrapper(type))
    config.refuse("model_type " + type +
                  " holds a language model under text_config, llm_config, language_config or "
                  "thinker_config, and none is there");
  config.refuse("model_type " + type + " has layers of several kinds: read_layered_model reads it");
}

}  // namespace detail

/// The head that a config's class has and that transformer cannot say, which is left out; empty
/// where there is none.
///
/// Source: Hugging Face, "Transformers" (2026), BertPreTrainingHeads in
/// src/transformers/models/bert/modeling_bert.py.
inline std::string_view left_out_head(const nlohmann::json& config) {
  if (!config.is_object()) return {};
  const auto names = config.find("architectures");
  if (names == config.end() || !names->is_array()) return {};
  for (const nlohmann::json& name : *names)
    if (name == "BertForPreTraining") return "the head that predicts the next sentence";
  return {};
}

/// The shape that a config.json describes: parameters_of it are those that the transformers
/// library creates, a tied head counted once.
///
///     config  the parsed file, whose model_type is one of huggingface_families, or of
///             huggingface_wrappers
///     name    of the file, for the error line
///
/// What the config does not say is what the configuration class of its family assumes
/// (detail::config_defaults), or follows from other fields (n_inner: 4 n_embd).  Layers, hidden
/// size, heads, vocabulary and the width of the feed-forward network must be there, and what the
/// table has no default for.  A field that says something is read, known to change no shape, or
/// refused.
///
/// Source: Hugging Face, "Transformers" (2023-2026), src/transformers/models, the configuration
/// and the modeling file of each family.
///
/// Of a model that also sees, hears or speaks, the language model is read; left_out_parts names the
/// rest.  Sizes that it leaves out are those of its class (detail::wrapped_sizes).
///
/// \throws invalid_input of one line, "<name>: <field> ...": model_type unknown or missing, or of
///         layers of several kinds; a language model inside a model_type that holds none, or none
///         inside one that holds one; a field missing, of another type or out of range, heads that
///         do not divide, architectures that are no language model, unknown, or of another family,
///         weights stored by an unknown method, an unknown activation function, or a field that
///         changes the shape and that the family's reader does not look at, or that says something
///         and is not known
template <std::same_as<nlohmann::json> Json>  // no string, which json converts from
transformer read_huggingface(const Json& config, std::string_view name) {
  static_cast<void>(json_fields{config, name});  // refuses what is no object
  const nlohmann::json text = language_part(config, name);
  const json_fields fields{text, name};
  detail::refuse_unknown_type(fields);
  const huggingface_reader read = huggingface_reader_of(fields.text("model_type"));
  if (read == nullptr) detail::refuse_other_reader(fields);
  detail::refuse_unknown_model(config, fields);
  detail::refuse_unread_shapes(fields, fields.text("model_type"));
  detail::refuse_unknown_fields(fields, detail::transformer_fields);
  const nlohmann::json filled = detail::with_defaults(fields);
  const transformer m = read(json_fields{filled, name});
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
