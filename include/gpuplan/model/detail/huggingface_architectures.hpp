#pragma once
/// \file
/// The classes that a config.json may name as its architectures, and the families they belong to.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::detail {

/// How the classes of a value of model_type begin, each between blanks.
struct class_prefixes {
  std::string_view name;
  std::string_view begins;
};

/// Source: Hugging Face, "Transformers" (2023-2026), src/transformers/models/auto/modeling_auto.py;
/// the configs beside the published weights.
inline constexpr std::array architecture_classes{
    class_prefixes{"AXK1", "AXK1"},
    class_prefixes{"afmoe", "Afmoe"},
    class_prefixes{"apertus", "Apertus"},
    class_prefixes{"arcee", "Arcee"},
    class_prefixes{"aria", "Aria"},
    class_prefixes{"aria_text", "Aria AriaText"},
    class_prefixes{"audioflamingo3", "AudioFlamingo3"},
    class_prefixes{"axk1", "AXK1"},
    class_prefixes{"aya_vision", "AyaVision"},
    class_prefixes{"baichuan", "Baichuan BaiChuan"},
    class_prefixes{"bailing_moe", "BailingMoe BailingMoeV2"},
    class_prefixes{"bamba", "Bamba"},
    class_prefixes{"bart", "Bart"},
    class_prefixes{"bert", "Bert"},
    class_prefixes{"bitnet", "BitNet"},
    class_prefixes{"blip-2", "Blip2"},
    class_prefixes{"bloom", "Bloom"},
    class_prefixes{"camembert", "Camembert"},
    class_prefixes{"chatglm", "ChatGLM"},
    class_prefixes{"clip_vision_model", "CLIPVision"},
    class_prefixes{"codegen", "CodeGen"},
    class_prefixes{"cohere", "Cohere"},
    class_prefixes{"cohere2", "Cohere2"},
    class_prefixes{"cohere2_moe", "Cohere2Moe"},
    class_prefixes{"cohere2_vision", "Cohere2Vision"},
    class_prefixes{"cwm", "Cwm"},
    class_prefixes{"dbrx", "Dbrx"},
    class_prefixes{"deberta-v2", "DebertaV2"},
    class_prefixes{"deepseek", "Deepseek"},
    class_prefixes{"deepseek_v2", "DeepseekV2"},
    class_prefixes{"deepseek_v3", "DeepseekV3"},
    class_prefixes{"deepseek_v32", "DeepseekV32"},
    class_prefixes{"deepseek_v4", "DeepseekV4"},
    class_prefixes{"deepseek_vl", "DeepseekVL"},
    class_prefixes{"deepseek_vl_hybrid", "DeepseekVLHybrid"},
    class_prefixes{"deepseek_vl_v2", "DeepseekVLV2 DeepseekOCR DeepseekOCR2"},
    class_prefixes{"deit", "DeiT"},
    class_prefixes{"dinov2", "Dinov2"},
    class_prefixes{"dinov2_with_registers", "Dinov2WithRegisters"},
    class_prefixes{"dinov3_vit", "DINOv3ViT"},
    class_prefixes{"distilbert", "DistilBert"},
    class_prefixes{"dots1", "Dots1"},
    class_prefixes{"ernie4_5", "Ernie4_5"},
    class_prefixes{"ernie4_5_moe", "Ernie4_5_Moe Ernie4_5_MoE"},
    class_prefixes{"exaone", "Exaone"},
    class_prefixes{"exaone4", "Exaone4"},
    class_prefixes{"exaone4_5", "Exaone4_5_"},
    class_prefixes{"exaone_moe", "ExaoneMoe ExaoneMoE"},
    class_prefixes{"falcon", "Falcon"},
    class_prefixes{"falcon_h1", "FalconH1"},
    class_prefixes{"falcon_mamba", "FalconMamba"},
    class_prefixes{"fast_vlm", "FastVlm"},
    class_prefixes{"flex_olmo", "FlexOlmo"},
    class_prefixes{"gemma", "Gemma"},
    class_prefixes{"gemma2", "Gemma2"},
    class_prefixes{"gemma3", "Gemma3"},
    class_prefixes{"gemma3_text", "Gemma3 Gemma3Text"},
    class_prefixes{"gemma3n", "Gemma3n"},
    class_prefixes{"gemma3n_text", "Gemma3n Gemma3nText"},
    class_prefixes{"gemma4", "Gemma4"},
    class_prefixes{"gemma4_text", "Gemma4 Gemma4Text"},
    class_prefixes{"glm", "Glm"},
    class_prefixes{"glm4", "Glm4"},
    class_prefixes{"glm46v", "Glm46V"},
    class_prefixes{"glm4_moe", "Glm4Moe"},
    class_prefixes{"glm4_moe_lite", "Glm4MoeLite"},
    class_prefixes{"glm4v", "Glm4v"},
    class_prefixes{"glm4v_moe", "Glm4vMoe"},
    class_prefixes{"glm4v_moe_text", "Glm4vMoe Glm4vMoeText"},
    class_prefixes{"glm4v_text", "Glm4v Glm4vText"},
    class_prefixes{"glm_moe_dsa", "GlmMoeDsa"},
    class_prefixes{"got_ocr2", "GotOcr2"},
    class_prefixes{"gpt-sw3", "GPT2"},
    class_prefixes{"gpt2", "GPT2"},
    class_prefixes{"gpt_bigcode", "GPTBigCode"},
    class_prefixes{"gpt_neo", "GPTNeo"},
    class_prefixes{"gpt_neox", "GPTNeoX"},
    class_prefixes{"gpt_oss", "GptOss"},
    class_prefixes{"gptj", "GPTJ"},
    class_prefixes{"granite", "Granite"},
    class_prefixes{"granite_speech", "GraniteSpeech"},
    class_prefixes{"granite_swa", "GraniteSWA"},
    class_prefixes{"granitemoe", "GraniteMoe"},
    class_prefixes{"granitemoehybrid", "GraniteMoeHybrid"},
    class_prefixes{"granitemoeshared", "GraniteMoeShared"},
    class_prefixes{"helium", "Helium"},
    class_prefixes{"hunyuan_v1_dense", "HunYuanDenseV1"},
    class_prefixes{"hunyuan_v1_moe", "HunYuanMoEV1"},
    class_prefixes{"hy_v3", "HYV3"},
    class_prefixes{"hyperclovax", "HyperCLOVAX"},
    class_prefixes{"idefics3", "Idefics3"},
    class_prefixes{"internlm", "InternLM"},
    class_prefixes{"internlm2", "InternLM2"},
    class_prefixes{"internlm3", "InternLM3"},
    class_prefixes{"internvl", "InternVL"},
    class_prefixes{"internvl_chat", "InternVLChat"},
    class_prefixes{"jais2", "Jais2"},
    class_prefixes{"jamba", "Jamba"},
    class_prefixes{"janus", "Janus"},
    class_prefixes{"kimi_k2", "DeepseekV3"},
    class_prefixes{"kimi_k25", "KimiK25"},
    class_prefixes{"kimi_k3", "KimiK3"},
    class_prefixes{"kimi_linear", "KimiLinear"},
    class_prefixes{"kimi_vl", "KimiVL"},
    class_prefixes{"laguna", "Laguna"},
    class_prefixes{"lfm2", "Lfm2 LFM2"},
    class_prefixes{"lfm2-vl", "Lfm2Vl"},
    class_prefixes{"lfm2_moe", "Lfm2Moe"},
    class_prefixes{"lfm2_vl", "Lfm2Vl"},
    class_prefixes{"lighton_ocr", "LightOnOcr"},
    class_prefixes{"llama", "Llama LLaMA VLlama3"},
    class_prefixes{"llama4", "Llama4"},
    class_prefixes{"llama4_text", "Llama4 Llama4Text"},
    class_prefixes{"llava", "Llava"},
    class_prefixes{"llava_next", "LlavaNext"},
    class_prefixes{"llava_next_video", "LlavaNextVideo"},
    class_prefixes{"llava_onevision", "LlavaOnevision"},
    class_prefixes{"longcat_flash", "LongcatFlash"},
    class_prefixes{"mamba", "Mamba"},
    class_prefixes{"mamba2", "Mamba2"},
    class_prefixes{"mbart", "MBart"},
    class_prefixes{"mellum", "Mellum"},
    class_prefixes{"mimo", "MiMo"},
    class_prefixes{"mimo_v2_flash", "MiMoV2Flash"},
    class_prefixes{"minicpm", "MiniCPM"},
    class_prefixes{"minicpm3", "MiniCPM3"},
    class_prefixes{"minicpmv4_6", "MiniCPMV4_6"},
    class_prefixes{"minimax", "MiniMax"},
    class_prefixes{"minimax_m1", "MiniMaxM1"},
    class_prefixes{"minimax_m2", "MiniMaxM2"},
    class_prefixes{"minimax_m3", "MiniMaxM3"},
    class_prefixes{"minimax_text_01", "MiniMaxText01"},
    class_prefixes{"ministral", "Ministral"},
    class_prefixes{"ministral3", "Ministral3 Mistral3"},
    class_prefixes{"mistral", "Mistral"},
    class_prefixes{"mistral3", "Mistral3"},
    class_prefixes{"mistral4", "Mistral4"},
    class_prefixes{"mixtral", "Mixtral"},
    class_prefixes{"mllama", "Mllama"},
    class_prefixes{"mllama_text_model", "Mllama MllamaText"},
    class_prefixes{"modernbert", "ModernBert"},
    class_prefixes{"mpt", "MPT Mpt"},
    class_prefixes{"mt5", "MT5"},
    class_prefixes{"nanochat", "NanoChat"},
    class_prefixes{"nemotron", "Nemotron"},
    class_prefixes{"nemotron-nas", "DeciLM"},
    class_prefixes{"nemotron_h", "NemotronH"},
    class_prefixes{"olmo", "Olmo"},
    class_prefixes{"olmo2", "Olmo2"},
    class_prefixes{"olmo3", "Olmo3"},
    class_prefixes{"olmo_hybrid", "OlmoHybrid"},
    class_prefixes{"olmoe", "Olmoe"},
    class_prefixes{"opt", "OPT"},
    class_prefixes{"ovis2", "Ovis2"},
    class_prefixes{"paligemma", "PaliGemma"},
    class_prefixes{"perception_lm", "PerceptionLM"},
    class_prefixes{"phi", "Phi"},
    class_prefixes{"phi3", "Phi3"},
    class_prefixes{"phi3small", "Phi3Small"},
    class_prefixes{"phi4_multimodal", "Phi4Multimodal"},
    class_prefixes{"phi4mm", "Phi4MM"},
    class_prefixes{"phimoe", "Phimoe PhiMoE"},
    class_prefixes{"qwen", "QWen"},
    class_prefixes{"qwen2", "Qwen2"},
    class_prefixes{"qwen2_5_omni", "Qwen2_5Omni"},
    class_prefixes{"qwen2_5_omni_text", "Qwen2_5Omni Qwen2_5OmniText"},
    class_prefixes{"qwen2_5_vl", "Qwen2_5_VL"},
    class_prefixes{"qwen2_5_vl_text", "Qwen2_5_VL Qwen2_5_VLText"},
    class_prefixes{"qwen2_audio", "Qwen2Audio"},
    class_prefixes{"qwen2_moe", "Qwen2Moe"},
    class_prefixes{"qwen2_vl", "Qwen2VL"},
    class_prefixes{"qwen2_vl_text", "Qwen2VL Qwen2VLText"},
    class_prefixes{"qwen3", "Qwen3"},
    class_prefixes{"qwen3_5", "Qwen3_5"},
    class_prefixes{"qwen3_5_moe", "Qwen3_5Moe"},
    class_prefixes{"qwen3_5_moe_text", "Qwen3_5Moe Qwen3_5MoeText"},
    class_prefixes{"qwen3_5_text", "Qwen3_5 Qwen3_5Text"},
    class_prefixes{"qwen3_moe", "Qwen3Moe"},
    class_prefixes{"qwen3_next", "Qwen3Next"},
    class_prefixes{"qwen3_omni_moe", "Qwen3OmniMoe"},
    class_prefixes{"qwen3_omni_moe_text", "Qwen3OmniMoe Qwen3OmniMoeText"},
    class_prefixes{"qwen3_vl", "Qwen3VL"},
    class_prefixes{"qwen3_vl_moe", "Qwen3VLMoe"},
    class_prefixes{"qwen3_vl_moe_text", "Qwen3VLMoe Qwen3VLMoeText"},
    class_prefixes{"qwen3_vl_text", "Qwen3VL Qwen3VLText"},
    class_prefixes{"roberta", "Roberta"},
    class_prefixes{"seed_oss", "SeedOss"},
    class_prefixes{"siglip_vision_model", "SiglipVision"},
    class_prefixes{"smollm3", "SmolLM3"},
    class_prefixes{"smolvlm", "SmolVLM"},
    class_prefixes{"solar_open", "SolarOpen"},
    class_prefixes{"stablelm", "StableLm"},
    class_prefixes{"starcoder2", "Starcoder2"},
    class_prefixes{"step3p5", "Step3p5"},
    class_prefixes{"step3p7", "Step3p7"},
    class_prefixes{"t5", "T5"},
    class_prefixes{"vaultgemma", "VaultGemma"},
    class_prefixes{"video_llama_3", "VideoLlama3"},
    class_prefixes{"vipllava", "VipLlava"},
    class_prefixes{"vit", "ViT"},
    class_prefixes{"voxtral", "Voxtral"},
    class_prefixes{"whisper", "Whisper"},
    class_prefixes{"xlm-roberta", "XLMRoberta"},
    class_prefixes{"youtu", "Youtu"}};

/// Refuses a model_type that is missing, or that no row of architecture_classes has; names those
/// like it.
inline void refuse_unknown_type(const json_fields& config) {
  if (!config.has("model_type")) config.refuse("model_type is missing");
  const std::string_view type = config.text("model_type");
  for (const class_prefixes& row : architecture_classes)
    if (row.name == type) return;
  const std::string hint = did_you_mean(type, architecture_classes);
  config.refuse("model_type", "must be a known family, not " +
                                  shown(config.value().at("model_type")) +
                                  (hint.empty() ? "; gpuplan catalog families lists them" : hint));
}

/// How the names of classes end that hold a whole model: with a head for words or for the classes
/// of images, or, as Model, ready to take one.
inline constexpr std::array<std::string_view, 9> model_class_ends{"ForCausalLM",
                                                                  "LMHeadModel",
                                                                  "ForConditionalGeneration",
                                                                  "WithLMHeadModel",
                                                                  "DoubleHeadsModel",
                                                                  "ForMaskedLM",
                                                                  "ForPreTraining",
                                                                  "ForImageClassification",
                                                                  "Model"};

/// Whether a name is one that a row stands for: how its classes begin and how they may end.
inline bool is_class_of(const class_prefixes& row, std::string_view name) {
  return std::any_of(model_class_ends.begin(), model_class_ends.end(), [&](auto end) {
    return name.ends_with(end) && is_listed(row.begins, name.substr(0, name.size() - end.size()));
  });
}

/// The model_type whose classes a config names as its architectures; empty: of none.
inline std::string_view type_of_architectures(const nlohmann::json& config) {
  const auto names = config.find("architectures");
  if (names == config.end() || !names->is_array()) return {};
  for (const nlohmann::json& name : *names)
    for (const class_prefixes& row : architecture_classes)
      if (name.is_string() && is_class_of(row, name.get_ref<const std::string&>())) return row.name;
  return {};
}

inline bool ends_as_model(std::string_view name) {
  return std::any_of(model_class_ends.begin(), model_class_ends.end(),
                     [&](auto end) { return name.ends_with(end); });
}

/// Refuses architectures that are no class of the values of model_type that stand in a config: of a
/// draft model, of another family, or of nobody's.
inline void refuse_other_architectures(const json_fields& config,
                                       std::initializer_list<std::string_view> types) {
  const auto* names = config.array("architectures");
  if (names == nullptr) return;
  for (const nlohmann::json& name : *names) {
    if (!name.is_string()) config.refuse("architectures must hold names, not " + shown(name));
    const std::string& text = name.get_ref<const std::string&>();
    if (!ends_as_model(text))
      config.refuse("architectures must be a whole model, as ...ForCausalLM or ...Model, not " +
                    shown(name));
    const class_prefixes* other = nullptr;
    bool own = false;
    for (const class_prefixes& row : architecture_classes) {
      if (!is_class_of(row, text)) continue;
      if (std::find(types.begin(), types.end(), row.name) != types.end()) own = true;
      if (other == nullptr) other = &row;
    }
    if (own) continue;
    const std::string type{*types.begin()};
    if (other == nullptr)
      config.refuse("architectures",
                    "names a class that is not known, of model_type " + type + ": " + shown(name));
    config.refuse("architectures", "names a class of model_type " + std::string(other->name) +
                                       ", which contradicts model_type " + type + ": " +
                                       shown(name));
  }
}

/// Refuses a config of a known family whose classes, storage or activations nobody knows.
///
///     config  the whole of it
///     text    its language part, which may be all
inline void refuse_unknown_model(const nlohmann::json& config, const json_fields& text) {
  const json_fields whole{config, text.where()};
  const std::string_view type = text.text("model_type");
  const std::string_view outer = whole.text_or("model_type", type);
  refuse_other_architectures(whole, {outer, type});
  refuse_other_architectures(text, {type, outer});
  refuse_other_storage(text);
  refuse_unknown_activations(text);
}

}  // namespace gpuplan::detail
