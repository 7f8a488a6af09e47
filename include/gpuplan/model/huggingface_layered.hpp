#pragma once
/// \file
/// Reads the config.json of models whose layers are of several kinds.

#include <array>
#include <concepts>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_convolution.hpp>
#include <gpuplan/model/detail/huggingface_defaults.hpp>
#include <gpuplan/model/detail/huggingface_encoders.hpp>
#include <gpuplan/model/detail/huggingface_gemma.hpp>
#include <gpuplan/model/detail/huggingface_head_gates.hpp>
#include <gpuplan/model/detail/huggingface_layer_additions.hpp>
#include <gpuplan/model/detail/huggingface_linear.hpp>
#include <gpuplan/model/detail/huggingface_mamba.hpp>
#include <gpuplan/model/detail/huggingface_sparse.hpp>
#include <gpuplan/model/detail/huggingface_state_space.hpp>
#include <gpuplan/model/detail/huggingface_uneven.hpp>
#include <gpuplan/model/detail/huggingface_vision.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan {

/// Reads the fields of a config of layers of several kinds.
using layered_reader = layered_model (*)(const json_fields&);

/// A family of layered models: why it cannot be planned with is `unlike`.
struct layered_family {
  std::string_view name;
  layered_reader value;
  std::string_view unlike;
};

/// The values of model_type that read_layered_model knows, and who reads them.
inline constexpr std::array layered_families{
    layered_family{"AXK1", detail::read_axk1, "norms after experts"},
    layered_family{"apertus", detail::read_apertus, "a learned activation"},
    layered_family{"axk1", detail::read_axk1, "norms after experts"},
    layered_family{"bamba", detail::read_bamba, "state-space layers"},
    layered_family{"bitnet", detail::read_bitnet, "norms inside attention and network"},
    layered_family{"bart", detail::read_bart, "an encoder and a decoder"},
    layered_family{"clip_vision_model", detail::read_clip_vision, "patches as its input"},
    layered_family{"deberta-v2", detail::read_deberta, "distances in its attention"},
    layered_family{"deepseek_v32", detail::read_deepseek_sparse, "sparse attention"},
    layered_family{"deepseek_v4", detail::read_deepseek_v4, "compressed attention"},
    layered_family{"deit", detail::read_vit, "patches as its input"},
    layered_family{"dinov2", detail::read_dinov2, "patches as its input"},
    layered_family{"dinov2_with_registers", detail::read_dinov2, "patches as its input"},
    layered_family{"dinov3_vit", detail::read_dinov3, "patches as its input"},
    layered_family{"falcon_h1", detail::read_falcon_h1, "state-space layers"},
    layered_family{"falcon_mamba", detail::read_mamba, "state-space layers alone"},
    layered_family{"gemma3n_text", detail::read_gemma3n, "per-layer inputs"},
    layered_family{"gemma4_text", detail::read_gemma4, "heads of two sizes"},
    layered_family{"glm_moe_dsa", detail::read_deepseek_sparse, "sparse attention"},
    layered_family{"granitemoehybrid", detail::read_granite_hybrid, "state-space layers"},
    layered_family{"jamba", detail::read_jamba, "state-space layers"},
    layered_family{"kimi_linear", detail::read_kimi_linear, "linear attention"},
    layered_family{"laguna", detail::read_laguna, "gates of heads"},
    layered_family{"lfm2", detail::read_lfm2, "convolutions"},
    layered_family{"lfm2_moe", detail::read_lfm2_moe, "convolutions"},
    layered_family{"longcat_flash", detail::read_longcat, "two attentions in a layer"},
    layered_family{"mamba", detail::read_mamba, "state-space layers alone"},
    layered_family{"mamba2", detail::read_mamba2, "state-space layers alone"},
    layered_family{"mbart", detail::read_bart, "an encoder and a decoder"},
    layered_family{"mimo_v2_flash", detail::read_mimo_v2, "heads of two sizes"},
    layered_family{"minimax", detail::read_minimax_hybrid, "linear attention"},
    layered_family{"minimax_m1", detail::read_minimax_hybrid, "linear attention"},
    layered_family{"minimax_text_01", detail::read_minimax_hybrid, "linear attention"},
    layered_family{"mllama_text_model", detail::read_mllama, "cross-attention to images"},
    layered_family{"minimax_m3", detail::read_minimax_m3, "sparse attention"},
    layered_family{"modernbert", detail::read_modernbert, "an encoder of its own"},
    layered_family{"mt5", detail::read_t5, "relative positions"},
    layered_family{"nemotron-nas", detail::read_nemotron_nas, "layers of many sizes"},
    layered_family{"nemotron_h", detail::read_nemotron_h, "state-space layers"},
    layered_family{"olmo_hybrid", detail::read_olmo_hybrid, "linear attention"},
    layered_family{"phi3small", detail::read_phi3_small, "attention to blocks of keys"},
    layered_family{"qwen3_5_moe_text", detail::read_qwen3_5, "linear attention"},
    layered_family{"qwen3_5_text", detail::read_qwen3_5, "linear attention"},
    layered_family{"qwen3_next", detail::read_qwen3_next, "linear attention"},
    layered_family{"siglip_vision_model", detail::read_siglip_vision, "patches as its input"},
    layered_family{"step3p5", detail::read_step3p5, "gates of heads"},
    layered_family{"t5", detail::read_t5, "relative positions"},
    layered_family{"vit", detail::read_vit, "patches as its input"},
    layered_family{"whisper", detail::read_whisper, "a spectrum as its input"}};

/// The family of a config whose layers are of several kinds; null: read_huggingface reads it.
inline const layered_family* find_layered_family(const nlohmann::json& config) {
  if (!config.is_object()) return nullptr;
  const nlohmann::json& of = language_object(config);
  if (!of.is_object()) return nullptr;
  const auto type = of.find("model_type");
  if (type != of.end() && !type->is_string()) return nullptr;
  const bool is_inside = &of != &config;
  const std::string_view name = type != of.end() ? type->get_ref<const std::string&>()
                                : is_inside      ? detail::type_of_architectures(of)
                                                 : std::string_view{};
  for (const layered_family& family : layered_families)
    if (family.name == name) return &family;
  return nullptr;
}

/// The layers, kind by kind, that a config.json describes.
///
///     config  the parsed file, whose model_type is one of layered_families
///     name    of the file, for the error line
///
/// Counts are those of the published weights: of the modeling file of each family, and of the
/// modules for further tokens where the config tells their shape.  A field that says something and
/// that the family's reader does not know is refused, unless it changes the shape of no model; what
/// the config does not say is what the configuration class of its family assumes.
///
/// Source: Hugging Face, "Transformers" (2024-2026), src/transformers/models, the configuration
/// and the modeling file of each family; the modeling files beside the published weights.
///
/// \throws invalid_input of one line, "<name>: <field> ..."
template <std::same_as<nlohmann::json> Json>  // no string, which json converts from
layered_model read_layered_model(const Json& config, std::string_view name) {
  const nlohmann::json text = language_part(config, name);
  const json_fields fields{text, name};
  const layered_family* family = find_layered_family(text);
  if (family == nullptr) fields.refuse("model_type has no layers of several kinds");
  detail::refuse_unknown_model(config, fields);
  const nlohmann::json filled = detail::with_defaults(fields);
  return family->value(json_fields{filled, name});
}

}  // namespace gpuplan
