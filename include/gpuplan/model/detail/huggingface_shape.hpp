#pragma once
/// \file
/// Fields of Hugging Face configurations that change the shape of a model, and who reads them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// A field, and the values of model_type whose readers look at it, each between blanks.
struct shape_field {
  std::string_view name;
  std::string_view read_by = "";
};

inline constexpr std::string_view families_of_experts =
    " mixtral qwen2_moe qwen3_moe qwen3_vl_moe_text gpt_oss deepseek_v2 deepseek_v3 kimi_k2 "
    "glm4_moe "
    "dots1 hunyuan_v1_moe bailing_moe minimax_m2 olmoe phimoe ernie4_5_moe llama4_text "
    "glm4_moe_lite granitemoe granitemoeshared glm4v_moe_text qwen3_omni_moe_text afmoe flex_olmo "
    "deepseek solar_open exaone_moe mistral4 hy_v3 mellum cohere2_moe ";

/// Where a family does not read one of these, a model that has it is another than it would seem.
inline constexpr std::array shape_fields{
    shape_field{"linear_attn_config"},
    shape_field{"full_attention_interval"},
    shape_field{"linear_num_value_heads"},
    shape_field{"linear_num_key_heads"},
    shape_field{"index_topk"},
    shape_field{"block_configs"},
    shape_field{"hybrid_override_pattern"},
    shape_field{"compress_ratios"},
    shape_field{"attn_output_gate"},
    shape_field{"attn_type_list", " minimax_m2 "},
    shape_field{"mamba_d_state"},
    shape_field{"mamba_num_heads"},
    shape_field{
        "use_qk_norm",
        " cohere cohere2 glm4_moe hunyuan_v1_moe bailing_moe minimax_m2 llama4_text "
        "qwen3 qwen3_moe qwen3_omni_moe_text qwen3_vl_text qwen3_vl_moe_text hunyuan_v1_dense "},
    shape_field{"qk_norm", " hunyuan_v1_dense hy_v3 "},
    shape_field{"query_key_norm", " hunyuan_v1_dense "},
    shape_field{"qkv_bias", " internlm3 qwen2_moe nanochat "},
    shape_field{"shared_expert_intermediate_size", " qwen2_moe "},
    shape_field{"shared_intermediate_size", " minimax_m2 granitemoeshared "},
    shape_field{"mlp_intermediate_size", " minimax_m2 "},  // of dense layers: it has none
    shape_field{"moe_layers", " llama4_text "},
    shape_field{"mtp_num_hidden_layers"},
    shape_field{"num_nextn_predict_layers",
                " deepseek_v3 kimi_k2 glm4_moe glm4v_moe_text glm4_moe_lite mimo "
                "exaone_moe hy_v3 ernie4_5_moe "},
    shape_field{"num_kv_shared_layers"},
    shape_field{"hidden_size_per_layer_input"},
    shape_field{"moe_latent_size"},
    shape_field{"zero_expert_num"},
    shape_field{"lm_head_bias", " phi3 phimoe phi4mm "},
    shape_field{"mlp_bias",
                " llama arcee granite helium seed_oss smollm3 deepseek_v2 nemotron "
                "jais2 aria_text granite_swa hyperclovax hy_v3 "},
    shape_field{"num_experts", families_of_experts},
    shape_field{"num_local_experts", families_of_experts},
    shape_field{"n_routed_experts", families_of_experts},
    shape_field{"is_encoder_decoder"},
    shape_field{"qk_norm_type", " minimax_m2 "},
    shape_field{"mlp_type", " starcoder2 "},
    shape_field{"moe_shared_expert_intermediate_size", " bailing_moe "},
    shape_field{"moe_router_enable_shared_expert", " bailing_moe "},
    shape_field{"norm_type", " starcoder2 hunyuan_v1_moe hunyuan_v1_dense mpt "},
    shape_field{"ff_factor", " falcon "},
    shape_field{"add_qkv_bias", " chatglm "},
    shape_field{"add_bias_linear", " chatglm "},
    shape_field{"multi_query_attention", " chatglm "},
    shape_field{"multi_query", " falcon gpt_bigcode "},
    shape_field{"attention_out_bias", " seed_oss "},
    shape_field{"use_qkv_bias", " bailing_moe stablelm "},
    shape_field{"num_dense_layers", " afmoe "},
    shape_field{"attention_layers", " gpt_neo "},
    shape_field{"attention_types", " gpt_neo "},
    shape_field{"learned_embeddings", " opt "},
    shape_field{"learned_pos_emb", " mpt "},
    shape_field{"sinusoidal_pos_embds", " distilbert "},
    shape_field{"use_rotary_pos_emb", " hunyuan_v1_dense hunyuan_v1_moe "},
    shape_field{"attn_config", " dbrx mpt "},
    shape_field{"d_model", " dbrx mpt "},
    shape_field{"dim", " distilbert "},
    shape_field{"expansion_ratio", " mpt "},
    shape_field{"ffn_config", " dbrx "},
    shape_field{"hidden_dim", " distilbert "},
    shape_field{"kv_channels", " chatglm qwen "},
    shape_field{"multi_query_group_num", " chatglm "},
    shape_field{"n_heads", " dbrx distilbert mpt "},
    shape_field{"n_layers", " dbrx distilbert mpt "},
    shape_field{"num_heads", " gpt_neo "},
    shape_field{"num_layers", " chatglm exaone gpt_neo "},
    shape_field{"padded_vocab_size", " chatglm "},
    shape_field{"window_size", " gpt_neo "},
    shape_field{"mlp_layer_types", " exaone_moe hy_v3 mellum cohere2_moe "},
    shape_field{"use_post_norm", " hyperclovax "},
    shape_field{"prefix_dense_intermediate_size", " cohere2_moe "},
    shape_field{"embd_layer", " phi4mm "},
    shape_field{"img_processor", " phi4mm "},
    shape_field{"audio_processor", " phi4mm "},
    shape_field{"speech_lora", " phi4mm "},
    shape_field{"vision_lora", " phi4mm "},
    shape_field{"use_mla", " deepseek_v2 "},
    shape_field{"lm_head", " deepseek_v2 "},
    shape_field{"qk_head_dim", " deepseek_v2 deepseek_v3 kimi_k2 glm4_moe_lite youtu mistral4 "},
    shape_field{"expert_hidden_dim", " hy_v3 "},
    shape_field{"sparse_config", " minicpm "},
    shape_field{"cross_attention_layers"},
    shape_field{"pruned_heads"}};

/// Whether a value says that there is something: no null, false, 0 or empty list.
inline bool says_something(const nlohmann::json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  return !value.empty();
}

/// Refuses a list of layer types with more or fewer entries than layers.
inline void require_type_of_each(int layers, const json_fields& config,
                                 const nlohmann::json& types) {
  if (types.size() != static_cast<std::size_t>(layers))
    config.refuse("layer_types", "must name each of the " + std::to_string(layers) +
                                     " layers, not " + std::to_string(types.size()));
}

/// Whether a field counts experts, and says one: a dense network.
inline bool is_one_expert(std::string_view field, const nlohmann::json& value) {
  return (field == "num_experts" || field == "num_local_experts") && value == 1;
}

/// Refuses a model that has what its family's reader does not look at.
inline void refuse_unread_shapes(const json_fields& config, std::string_view family) {
  const std::string name = " " + std::string(family) + " ";
  for (const shape_field& field : shape_fields) {
    const auto found = config.value().find(field.name);
    if (found == config.value().end() || !says_something(*found)) continue;
    if (is_one_expert(field.name, *found)) continue;
    if (field.read_by.find(name) != std::string_view::npos) continue;
    config.refuse(std::string(field.name) + " changes the shape, and model_type " +
                  std::string(family) + " is read without it");
  }
  constexpr std::array<std::string_view, 3> kinds{"full_attention", "sliding_attention",
                                                  "chunked_attention"};
  const auto* types = config.array("layer_types");
  if (types == nullptr) return;
  const int layers = config.integer_or("num_hidden_layers", 0);
  if (layers > 0) require_type_of_each(layers, config, *types);
  for (const nlohmann::json& type : *types)
    if (std::none_of(kinds.begin(), kinds.end(), [&](auto kind) { return type == kind; }))
      config.refuse(
          "layer_types must hold full_attention, sliding_attention or "
          "chunked_attention, not " +
          shown(type));
}

}  // namespace gpuplan::detail
