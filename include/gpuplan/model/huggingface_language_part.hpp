#pragma once
/// \file
/// Finds the language model in the config.json of a model that also sees, hears or speaks.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_architectures.hpp>
#include <gpuplan/model/detail/huggingface_defaults.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan {

/// The values of model_type of models that hold a language model beside what sees, hears and
/// speaks.
inline constexpr std::array<std::string_view, 54> huggingface_wrappers{"aria",
                                                                       "audioflamingo3",
                                                                       "aya_vision",
                                                                       "blip-2",
                                                                       "cohere2_vision",
                                                                       "deepseek_vl",
                                                                       "deepseek_vl_hybrid",
                                                                       "deepseek_vl_v2",
                                                                       "exaone4_5",
                                                                       "fast_vlm",
                                                                       "gemma3",
                                                                       "gemma3n",
                                                                       "gemma4",
                                                                       "glm46v",
                                                                       "glm4v",
                                                                       "glm4v_moe",
                                                                       "got_ocr2",
                                                                       "granite_speech",
                                                                       "idefics3",
                                                                       "internvl",
                                                                       "internvl_chat",
                                                                       "janus",
                                                                       "kimi_k25",
                                                                       "kimi_k3",
                                                                       "kimi_vl",
                                                                       "lfm2-vl",
                                                                       "lfm2_vl",
                                                                       "lighton_ocr",
                                                                       "llama4",
                                                                       "llava",
                                                                       "llava_next",
                                                                       "llava_next_video",
                                                                       "llava_onevision",
                                                                       "minicpmv4_6",
                                                                       "ministral3",
                                                                       "mistral3",
                                                                       "mllama",
                                                                       "ovis2",
                                                                       "paligemma",
                                                                       "perception_lm",
                                                                       "qwen2_5_omni",
                                                                       "qwen2_5_vl",
                                                                       "qwen2_audio",
                                                                       "qwen2_vl",
                                                                       "qwen3_5",
                                                                       "qwen3_5_moe",
                                                                       "qwen3_omni_moe",
                                                                       "qwen3_vl",
                                                                       "qwen3_vl_moe",
                                                                       "smolvlm",
                                                                       "step3p7",
                                                                       "video_llama_3",
                                                                       "vipllava",
                                                                       "voxtral"};

/// The fields that hold a language model, or a model that holds it.
inline constexpr std::array<std::string_view, 4> language_fields{
    "text_config", "llm_config", "language_config", "thinker_config"};

/// The field of a config that holds its language model; empty: it holds none.
inline std::string_view language_field(const nlohmann::json& config) {
  if (config.is_object())
    for (const std::string_view field : language_fields)
      if (const auto found = config.find(field); found != config.end() && !found->is_null())
        return field;
  return {};
}

/// What a config holds as its language model, however deep; the config itself if it holds none.
inline const nlohmann::json& language_object(const nlohmann::json& config) {
  const nlohmann::json* part = &config;
  for (std::string_view field = language_field(*part); !field.empty();
       field = language_field(*part))
    part = &part->at(field);
  return *part;
}

/// Whether models of a model_type hold a language model beside something else.
inline bool is_wrapper(std::string_view type) {
  return std::find(huggingface_wrappers.begin(), huggingface_wrappers.end(), type) !=
         huggingface_wrappers.end();
}

/// The language model of a config: what stands under one of language_fields, with the model_type of
/// its architectures and the sizes of its class where it leaves them out (detail::wrapped_sizes),
/// and with the outermost word on tied embeddings; else the config itself.
///
/// \throws invalid_input if the config is no object, if a language model stands in a model that is
///         none of huggingface_wrappers, or if weights are stored by an unknown method
inline nlohmann::json language_part(const nlohmann::json& config, std::string_view name) {
  const json_fields fields{config, name};
  detail::refuse_other_storage(fields);
  const std::string_view field = language_field(config);
  if (field.empty()) return config;
  if (!is_wrapper(fields.text_or("model_type", "")))
    fields.refuse(std::string(field) + " stands in a model_type that is not known: " +
                  shown(config.value("model_type", nlohmann::json{})));
  nlohmann::json tied;
  const nlohmann::json* part = &config;
  for (std::string_view held = field; !held.empty(); held = language_field(*part)) {
    detail::refuse_other_storage(json_fields{*part, name});
    if (tied.is_null()) tied = part->value("tie_word_embeddings", nlohmann::json{});
    part = &part->at(held);
  }
  nlohmann::json text = *part;
  if (text.is_object() && !text.contains("model_type"))
    if (const std::string_view type = detail::type_of_architectures(text); !type.empty())
      text["model_type"] = type;
  detail::fill_wrapped_sizes(text);
  if (tied.is_null() || !text.is_object()) return text;
  text["tie_word_embeddings"] = tied;
  text.erase("tie_embedding");  // the name that LFM2 has for it
  return text;
}

/// Parts beside a language model whose names do not end in _config: those of Phi-4 multimodal, the
/// adapters that it switches on for images and speech among them.
inline constexpr std::array<std::string_view, 5> parts_of_other_names{
    "audio_processor", "embd_layer", "img_processor", "speech_lora", "vision_lora"};

/// What of a config language_part leaves out: "vision_config, audio_config"; empty: nothing.
inline std::string left_out_parts(const nlohmann::json& config) {
  const std::string_view held = language_field(config);
  std::string names;
  const auto is_left_out = [&](const std::string& field) {
    if (std::find(parts_of_other_names.begin(), parts_of_other_names.end(), field) !=
        parts_of_other_names.end())
      return true;
    return field.ends_with("_config") && field != held && field != "quantization_config" &&
           (!held.empty() || field == "vision_config" || field == "audio_config");
  };
  for (const auto& [field, value] : config.items())
    if (value.is_object() && is_left_out(field)) names += (names.empty() ? "" : ", ") + field;
  const std::string inside = held.empty() ? "" : left_out_parts(config.at(held));
  return names + (names.empty() || inside.empty() ? "" : ", ") + inside;
}

/// How a config says that its weights are stored, where that is not as they were trained: "fp8
/// e4m3"; empty: nothing is said.
inline std::string stored_format(const nlohmann::json& config) {
  const nlohmann::json& of =
      config.contains("quantization_config") ? config : language_object(config);
  const auto found = of.find("quantization_config");
  if (found == of.end() || !found->is_object()) return "";
  std::string format;
  for (const char* field : {"quant_method", "quant_algo", "format", "fmt"})
    if (const auto value = found->find(field); value != found->end() && value->is_string())
      format +=
          (format.empty() ? "" : " ") + visible(value->get_ref<const std::string&>().substr(0, 40));
  return format.empty() ? "of a method without a name" : format;
}

}  // namespace gpuplan
