#pragma once
/// \file
/// What the configuration class of each family assumes where a config.json is silent.

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// A field that some families may leave out.
struct config_default {
  std::string_view families;  ///< values of model_type, between blanks
  std::string_view fields;    ///< the field, then others that stand in its place
  std::string_view value;     ///< as JSON; empty: the config must state the field
  int version = 0;            ///< major version of the transformers library whose class says so
};

/// Defaults that differ between families.  What all families that read a field assume alike stands
/// in the readers: no biases, no tied head, as many key-value heads as query heads, heads of
/// hidden_size / heads.  A family whose class is not in the library, or whose default fits the
/// smallest of its models only, must state the field.  The configs of Kimi K2 name a class of
/// DeepSeek's own, whose latent attention is that of all DeepSeek classes.
///
/// Source: Hugging Face, "Transformers" (4.x of 2025, 5.x of 2026), src/transformers/models,
/// configuration_<family>.py.
inline constexpr std::array config_defaults{
    // heads
    config_default{"mistral mixtral gpt_oss llama4_text seed_oss falcon_h1 minimax minimax_m2 "
                   "ministral3 ministral cwm nemotron_h solar_open bamba phi4_multimodal hy_v3 "
                   "laguna",
                   "num_key_value_heads", "8", 5},
    config_default{"step3p5", "num_key_value_heads num_attention_groups", "8", 5},
    config_default{"glm4_moe jamba phimoe lfm2 qwen2_5_vl qwen2_5_vl_text qwen2_vl qwen2_vl_text",
                   "num_key_value_heads", "8", 4},
    config_default{"smollm3 ernie4_5_moe qwen3_moe gemma2 vaultgemma gemma4_text qwen3_5_text "
                   "mellum granite_swa",
                   "num_key_value_heads", "4", 5},
    config_default{"gemma3_text", "num_key_value_heads", "4", 4},
    config_default{"starcoder2 ernie4_5 glm glm4 gemma3n_text qwen3_next qwen3_5_moe_text",
                   "num_key_value_heads", "2", 5},
    config_default{"qwen2_moe qwen3_vl_moe_text", "num_key_value_heads", "16", 5},
    config_default{"dots1 exaone4 exaone_moe", "num_key_value_heads", "32", 5},
    config_default{"stablelm", "num_key_value_heads", "32", 4},
    config_default{"deepseek_v4", "num_key_value_heads", "1", 5},
    config_default{"qwen2 qwen3 qwen3_vl_text gemma bailing_moe internlm3 mimo minimax_m1 "
                   "minimax_text_01 minimax_m3",
                   "num_key_value_heads", ""},
    config_default{"qwen3 qwen3_vl_text seed_oss glm glm4 ernie4_5 llama4_text minimax_m2 "
                   "ministral3 solar_open hy_v3 mellum cohere2_moe laguna step3p5",
                   "head_dim", "128", 5},
    config_default{"nemotron_h", "head_dim attention_head_dim", "128", 5},
    config_default{"gemma gemma2 vaultgemma gemma3n_text gemma4_text qwen3_next qwen3_5_text "
                   "qwen3_5_moe_text",
                   "head_dim", "256", 5},
    config_default{"gemma3_text", "head_dim", "256", 4},
    config_default{"gpt_oss", "head_dim", "64", 5},
    config_default{"deepseek_v4", "head_dim", "512", 5},
    config_default{"internlm3 mimo minimax_m1 minimax_text_01 minimax_m3", "head_dim", ""},
    config_default{"gemma4_text", "global_head_dim", "512", 5},
    config_default{"t5 mt5", "d_kv", "64", 4},
    // biases and norms
    config_default{"glm glm4 glm4v_moe_text gpt_oss seed_oss", "attention_bias", "true", 5},
    config_default{"mimo", "attention_bias", ""}, config_default{"bailing_moe", "use_bias", ""},
    config_default{"hunyuan_v1_moe", "use_qk_norm", "true", 4},
    config_default{"minimax_m3", "use_qk_norm", ""},
    config_default{"mimo_v2_flash", "add_swa_attention_sink_bias", ""},
    config_default{"mimo_v2_flash", "add_full_attention_sink_bias", ""},
    config_default{"jais2", "attention_bias", "true", 5},
    config_default{"jais2", "mlp_bias", "true", 5},
    config_default{"hyperclovax", "use_post_norm", ""},
    // embedding and head
    config_default{"minicpm3 phi3small", "tie_word_embeddings", "true", 4},
    config_default{"gemma gemma2 vaultgemma gemma3n_text gemma4_text cohere cohere2 ernie4_5 "
                   "ernie4_5_moe smollm3 starcoder2 youtu mamba falcon_mamba cohere2_moe "
                   "granite_swa",
                   "tie_word_embeddings", "true", 5},
    config_default{"gemma3_text", "tie_word_embeddings", "true", 4},
    config_default{"internlm3 mimo mt5 minimax_m3", "tie_word_embeddings", ""},
    // routed experts
    config_default{"mixtral minimax", "num_local_experts num_experts", "8", 5},
    config_default{"granitemoe granitemoeshared granitemoehybrid", "num_local_experts", "8", 4},
    config_default{"phimoe", "num_local_experts", "16", 4},
    config_default{"llama4_text", "num_local_experts", "16", 5},
    config_default{"gpt_oss", "num_local_experts num_experts", "128", 5},
    config_default{"minimax_m2", "num_local_experts num_experts", "256", 5},
    config_default{"qwen2_moe qwen3_vl_moe_text", "num_experts num_local_experts", "60", 5},
    config_default{"qwen3_moe", "num_experts num_local_experts", "128", 5},
    config_default{"qwen3_next", "num_experts", "512", 5},
    config_default{"qwen3_5_moe_text", "num_experts", "256", 5},
    config_default{"olmoe", "num_experts num_local_experts", "64", 5},
    config_default{"jamba", "num_experts", "16", 4},
    config_default{"ernie4_5_moe", "moe_num_experts num_experts", "64", 5},
    config_default{"deepseek_v2 glm4_moe_lite", "n_routed_experts num_experts num_local_experts",
                   "64", 5},
    config_default{"deepseek_v3 deepseek_v32 glm_moe_dsa deepseek_v4",
                   "n_routed_experts num_experts num_local_experts", "256", 5},
    config_default{"glm4_moe", "n_routed_experts num_experts num_local_experts", "128", 4},
    config_default{"longcat_flash", "n_routed_experts", "512", 5},
    config_default{"nemotron_h", "n_routed_experts", "8", 5},
    config_default{"longcat_flash", "zero_expert_num", "256", 5},
    config_default{"mixtral minimax nemotron_h", "num_experts_per_tok", "2", 5},
    config_default{"granitemoe granitemoeshared granitemoehybrid jamba phimoe",
                   "num_experts_per_tok", "2", 4},
    config_default{"qwen2_moe qwen3_vl_moe_text glm4_moe_lite", "num_experts_per_tok", "4", 5},
    config_default{"gpt_oss", "num_experts_per_tok experts_per_token", "4", 5},
    config_default{"qwen3_moe qwen3_5_moe_text deepseek_v3 deepseek_v32 glm_moe_dsa olmoe "
                   "minimax_m2",
                   "num_experts_per_tok", "8", 5},
    config_default{"glm4_moe", "num_experts_per_tok", "8", 4},
    config_default{"qwen3_next", "num_experts_per_tok", "10", 5},
    config_default{"deepseek_v4", "num_experts_per_tok", "6", 5},
    config_default{"llama4_text", "num_experts_per_tok", "1", 5},
    config_default{"ernie4_5_moe", "moe_k num_experts_per_tok", "6", 5},
    config_default{"longcat_flash", "moe_topk", "12", 5},
    // their widths
    config_default{"qwen2_moe qwen3_vl_moe_text", "moe_intermediate_size", "1408", 5},
    config_default{"qwen3_moe", "moe_intermediate_size", "768", 5},
    config_default{"qwen3_next qwen3_5_moe_text", "moe_intermediate_size", "512", 5},
    config_default{"deepseek_v2", "moe_intermediate_size", "1407", 5},
    config_default{"deepseek_v3 deepseek_v32 glm_moe_dsa deepseek_v4", "moe_intermediate_size",
                   "2048", 5},
    config_default{"glm4_moe", "moe_intermediate_size", "1408", 4},
    config_default{"glm4_moe_lite ernie4_5_moe", "moe_intermediate_size", "1536", 5},
    config_default{"dots1", "moe_intermediate_size", "1408", 5},
    config_default{"nemotron_h", "moe_intermediate_size", "7688", 5},
    config_default{"longcat_flash", "expert_ffn_hidden_size", "2048", 5},
    config_default{"llama4_text", "intermediate_size_mlp", "16384", 5},
    // shared experts
    config_default{"qwen2_moe", "shared_expert_intermediate_size", "5632", 5},
    config_default{"qwen3_next qwen3_5_moe_text", "shared_expert_intermediate_size", "512", 5},
    config_default{"granitemoehybrid", "shared_intermediate_size", "1024", 4},
    config_default{"nemotron_h", "moe_shared_expert_intermediate_size", "7688", 5},
    config_default{"deepseek_v2", "n_shared_experts", "2", 5},
    config_default{"deepseek_v3 deepseek_v32 glm_moe_dsa deepseek_v4 glm4_moe_lite",
                   "n_shared_experts", "1", 5},
    config_default{"glm4_moe", "n_shared_experts", "1", 4},
    config_default{"kimi_k2 minimax_m3", "n_shared_experts", ""},
    config_default{"ernie4_5_moe", "moe_num_shared_experts", "2", 5},
    // which layers have experts
    config_default{"deepseek_v3", "first_k_dense_replace", "3", 5},
    config_default{"deepseek_v32 glm_moe_dsa", "first_k_dense_replace mlp_layer_types", "3", 5},
    config_default{"glm4_moe_lite", "first_k_dense_replace", "1", 5},
    config_default{"glm4_moe", "first_k_dense_replace", "1", 4},
    config_default{"kimi_k2", "first_k_dense_replace", ""},
    config_default{"mimo_v2_flash", "moe_layer_freq", ""},
    config_default{"minimax_m3", "use_routing_bias", ""},
    config_default{"deepseek_v4", "num_hash_layers", "3", 5},
    config_default{"deepseek_v4", "num_nextn_predict_layers", "1", 5},
    // latent attention, and the index of sparse attention
    config_default{"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 longcat_flash youtu",
                   "q_lora_rank", "1536", 5},
    config_default{"glm4_moe_lite", "q_lora_rank", "768", 5},
    config_default{"glm_moe_dsa", "q_lora_rank", "2048", 5},
    config_default{"deepseek_v4", "q_lora_rank", "1024", 5},
    config_default{"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm4_moe_lite glm_moe_dsa "
                   "longcat_flash youtu",
                   "kv_lora_rank", "512", 5},
    config_default{"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm4_moe_lite glm_moe_dsa "
                   "longcat_flash youtu",
                   "qk_rope_head_dim", "64", 5},
    config_default{"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 longcat_flash youtu",
                   "qk_nope_head_dim", "128", 5},
    config_default{"glm4_moe_lite glm_moe_dsa", "qk_nope_head_dim", "192", 5},
    config_default{"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 longcat_flash youtu", "v_head_dim",
                   "128", 5},
    config_default{"glm4_moe_lite glm_moe_dsa", "v_head_dim", "256", 5},
    config_default{"deepseek_v32 deepseek_v4", "index_n_heads", "64", 5},
    config_default{"glm_moe_dsa", "index_n_heads", "32", 5},
    config_default{"deepseek_v32 glm_moe_dsa deepseek_v4", "index_head_dim", "128", 5},
    config_default{"deepseek_v32 glm_moe_dsa", "index_topk", "2048", 5},
    config_default{"deepseek_v4", "o_lora_rank", "1024", 5},
    config_default{"deepseek_v4", "o_groups", "8", 5},
    config_default{"deepseek_v4", "hc_mult", "4", 5},
    // families that stand inside others, and smaller ones
    config_default{"helium", "num_key_value_heads", "20", 5},
    config_default{"helium cwm", "head_dim", "128", 5},
    config_default{"cwm", "sliding_window", "8192", 5}, config_default{"cwm", "layer_types", ""},
    config_default{"ministral", "sliding_window", "4096", 5},
    config_default{"glm4v_text", "num_key_value_heads", "2", 5},
    config_default{"glm4v glm4v_moe_text qwen2_5_omni_text qwen3_omni_moe_text deepseek",
                   "num_key_value_heads", ""},
    config_default{"glm4v_moe_text deepseek", "n_shared_experts", ""},
    config_default{"glm4v_moe_text deepseek", "first_k_dense_replace", ""},
    // Trinity, and LFM2 with experts
    config_default{"afmoe", "head_dim", "128", 5},
    config_default{"afmoe", "num_experts num_local_experts n_routed_experts", "64", 5},
    config_default{"afmoe", "num_experts_per_tok", "6", 5},
    config_default{"afmoe", "moe_intermediate_size", "1408", 5},
    config_default{"afmoe", "num_shared_experts", "2", 5},
    config_default{"afmoe", "num_dense_layers", "1", 5},
    config_default{"afmoe", "global_attn_every_n_layers", "4", 5},
    config_default{"afmoe", "sliding_window", "1024", 5},
    config_default{"lfm2_moe", "num_key_value_heads", "8", 5},
    config_default{"lfm2_moe", "num_experts", "32", 5},
    config_default{"lfm2_moe", "num_experts_per_tok", "4", 5},
    config_default{"lfm2_moe", "moe_intermediate_size", "1792", 5},
    config_default{"lfm2_moe", "num_dense_layers", "2", 5},
    config_default{"lfm2_moe", "conv_L_cache", "3", 5},
    // Solar Open, EXAONE with experts, Aria
    config_default{"solar_open", "n_routed_experts num_experts num_local_experts", "128", 5},
    config_default{"solar_open exaone_moe", "num_experts_per_tok", "8", 5},
    config_default{"solar_open", "moe_intermediate_size", "1280", 5},
    config_default{"solar_open", "n_shared_experts", "1", 5},
    config_default{"exaone_moe", "num_experts num_local_experts n_routed_experts", "64", 5},
    config_default{"exaone_moe", "moe_intermediate_size", "1024", 5},
    config_default{"exaone_moe", "num_shared_experts", "1", 5},
    config_default{"exaone_moe", "first_k_dense_replace mlp_layer_types", "1", 5},
    config_default{"exaone_moe", "sliding_window_pattern", "4", 5},
    config_default{"aria_text", "moe_num_experts", "8", 5},
    config_default{"aria_text", "moe_topk", "2", 5},
    config_default{"aria_text", "moe_num_shared_experts", "2", 5},
    // Mistral Small 4, Hunyuan 3, Mellum 2, Command A+, A.X K1, Laguna, Step 3.5
    config_default{"mistral4", "q_lora_rank", "1024", 5},
    config_default{"mistral4", "kv_lora_rank", "256", 5},
    config_default{"mistral4", "qk_rope_head_dim", "64", 5},
    config_default{"mistral4", "qk_nope_head_dim", "64", 5},
    config_default{"mistral4", "v_head_dim", "128", 5},
    config_default{"mistral4", "n_routed_experts num_local_experts", "128", 5},
    config_default{"mistral4", "num_experts_per_tok", "4", 5},
    config_default{"mistral4", "moe_intermediate_size", "2048", 5},
    config_default{"mistral4", "n_shared_experts", "1", 5},
    config_default{"hy_v3", "num_experts num_local_experts n_routed_experts", "192", 5},
    config_default{"hy_v3 mellum laguna", "num_experts_per_tok", "8", 5},
    config_default{"hy_v3", "moe_intermediate_size expert_hidden_dim", "1536", 5},
    config_default{"hy_v3", "num_shared_experts", "1", 5},
    config_default{"hy_v3", "first_k_dense_replace mlp_layer_types", "1", 5},
    config_default{"mellum", "num_experts num_local_experts n_routed_experts", "64", 5},
    config_default{"mellum", "moe_intermediate_size", "896", 5},
    config_default{"mellum cohere2_moe", "first_k_dense_replace mlp_layer_types", "0", 5},
    config_default{"mellum", "sliding_window", "1024", 5},
    config_default{"cohere2_moe", "num_experts num_local_experts n_routed_experts", "8", 5},
    config_default{"cohere2_moe", "num_experts_per_tok", "2", 5},
    config_default{"cohere2_moe", "sliding_window_pattern", "4", 5},
    config_default{"cohere2_moe", "prefix_dense_sliding_window_pattern", "1", 5},
    config_default{"granite_swa", "sliding_window", "128", 5},
    config_default{"axk1 AXK1", "q_lora_rank", "1536", 5},
    config_default{"axk1 AXK1", "kv_lora_rank", "512", 5},
    config_default{"axk1 AXK1", "qk_rope_head_dim", "64", 5},
    config_default{"axk1 AXK1", "qk_nope_head_dim", "128", 5},
    config_default{"axk1 AXK1", "v_head_dim", "128", 5},
    config_default{"axk1 AXK1", "n_routed_experts num_local_experts", "192", 5},
    config_default{"axk1 AXK1", "num_experts_per_tok", "8", 5},
    config_default{"axk1 AXK1", "moe_intermediate_size", "2048", 5},
    config_default{"axk1 AXK1", "n_shared_experts", "1", 5},
    config_default{"axk1 AXK1", "first_k_dense_replace", "1", 5},
    config_default{"laguna", "num_experts", "256", 5},
    config_default{"laguna", "moe_intermediate_size", "512", 5},
    config_default{"laguna", "shared_expert_intermediate_size", "512", 5},
    config_default{"laguna", "sliding_window", "512", 5},
    config_default{"step3p5", "n_routed_experts moe_num_experts num_local_experts", "288", 5},
    config_default{"step3p5", "num_experts_per_tok moe_top_k", "8", 5},
    config_default{"step3p5", "moe_intermediate_size", "1280", 5},
    config_default{"step3p5", "share_expert_dim share_expert_dims", "1280", 5},
    // windows
    config_default{"mistral gemma3_text qwen2_5_vl qwen2_5_vl_text qwen2_vl qwen2_vl_text",
                   "sliding_window", "4096", 4},
    config_default{"gemma2 vaultgemma cohere2 olmo3 qwen2 qwen2_moe qwen3 qwen3_moe exaone_moe "
                   "cohere2_moe",
                   "sliding_window", "4096", 5},
    config_default{"gpt_oss deepseek_v4", "sliding_window", "128", 5},
    config_default{"gemma3n_text gemma4_text", "sliding_window", "512", 5},
    config_default{"gemma3_text", "sliding_window_pattern", "6", 4},
    config_default{"cohere2", "sliding_window_pattern", "4", 5},
    config_default{"qwen2_5_vl qwen2_5_vl_text qwen2_vl qwen2_vl_text", "max_window_layers", "80",
                   4},
    config_default{"llama4_text", "attention_chunk_size", "8192", 5},
    // inputs of each layer's own
    config_default{"gemma3n_text gemma4_text", "hidden_size_per_layer_input", "256", 5},
    config_default{"gemma3n_text gemma4_text", "vocab_size_per_layer_input", "262144", 5},
    config_default{"gemma3n_text", "num_kv_shared_layers", "15", 5},
    config_default{"gemma3n_text", "altup_num_inputs", "4", 5},
    config_default{"gemma3n_text", "laurel_rank", "64", 5},
    // linear attention, convolutions and state spaces
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text olmo_hybrid", "linear_conv_kernel_dim",
                   "4", 5},
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text", "linear_key_head_dim", "128", 5},
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text", "linear_value_head_dim", "128", 5},
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text", "linear_num_key_heads", "16", 5},
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text", "linear_num_value_heads", "32", 5},
    config_default{"qwen3_next qwen3_5_text qwen3_5_moe_text olmo_hybrid",
                   "full_attention_interval layer_types", "4", 5},
    config_default{"lfm2", "conv_L_cache", "3", 4},
    config_default{"lfm2", "block_multiple_of", "256", 4},
    config_default{"lfm2", "block_ffn_dim_multiplier", "1.0", 4},
    config_default{"jamba", "attn_layer_period", "8", 4},
    config_default{"jamba", "attn_layer_offset", "4", 4},
    config_default{"jamba", "expert_layer_period", "2", 4},
    config_default{"jamba", "expert_layer_offset", "1", 4},
    config_default{"jamba", "mamba_d_state", "16", 4},
    config_default{"jamba", "mamba_dt_rank", R"("auto")", 4},
    config_default{"jamba granitemoehybrid", "mamba_d_conv", "4", 4},
    config_default{"jamba granitemoehybrid", "mamba_expand", "2", 4},
    config_default{"falcon_h1", "mamba_d_conv", "4", 5},
    config_default{"falcon_h1", "mamba_d_state", "256", 5},
    config_default{"falcon_h1", "mamba_n_heads", "128", 5},
    config_default{"falcon_h1", "mamba_n_groups", "1", 5},
    config_default{"granitemoehybrid", "mamba_d_state", "256", 4},
    config_default{"granitemoehybrid", "mamba_n_heads", "128", 4},
    config_default{"granitemoehybrid", "mamba_n_groups", "1", 4},
    config_default{"nemotron_h", "ssm_state_size", "128", 5},
    config_default{"nemotron_h", "mamba_num_heads", "128", 5},
    config_default{"nemotron_h", "mamba_head_dim", "64", 5},
    config_default{"nemotron_h", "n_groups", "8", 5},
    config_default{"nemotron_h", "conv_kernel", "4", 5},
    config_default{"bamba", "mamba_d_head", R"("auto")", 5},
    config_default{"bamba", "mamba_d_conv", "4", 5},
    config_default{"bamba", "mamba_d_state", "256", 5},
    config_default{"bamba", "mamba_expand", "2", 5},
    config_default{"bamba", "mamba_n_groups", "1", 5},
    config_default{"bamba", "mamba_n_heads", "128", 5},
    config_default{"mamba falcon_mamba", "state_size", "16", 5},
    config_default{"mamba2", "state_size", "128", 5},
    config_default{"mamba mamba2 falcon_mamba", "conv_kernel", "4", 5},
    config_default{"mamba mamba2 falcon_mamba", "expand", "2", 5},
    config_default{"mamba2", "num_heads", "128", 5}, config_default{"mamba2", "head_dim", "64", 5},
    config_default{"mamba2", "n_groups", "8", 5},
    config_default{"bitnet", "num_key_value_heads", "5", 5},
    // attention to images
    config_default{"mllama_text_model", "num_key_value_heads", "8", 4},
    // encoders
    config_default{"t5 mt5", "relative_attention_num_buckets", "32", 4},
    config_default{"mt5", "feed_forward_proj", R"("gated-gelu")", 4},
    config_default{"whisper", "num_mel_bins", "80", 4},
    config_default{"whisper", "max_source_positions", "1500", 4},
    config_default{"whisper", "max_target_positions", "448", 4}};

/// Sizes that the configuration class of a family assumes, of language models that stand inside a
/// config: the library writes there only what differs.
inline constexpr std::array wrapped_sizes{
    config_default{"llama mistral", "vocab_size", "32000", 4},
    config_default{"qwen2", "vocab_size", "151936", 4},
    config_default{"gemma gemma2", "vocab_size", "256000", 4},
    config_default{"gemma3_text", "vocab_size", "262208", 4},
    config_default{"llama mistral qwen2", "hidden_size", "4096", 4},
    config_default{"gemma", "hidden_size", "3072", 4},
    config_default{"gemma2 gemma3_text", "hidden_size", "2304", 4},
    config_default{"llama", "intermediate_size", "11008", 4},
    config_default{"mistral", "intermediate_size", "14336", 4},
    config_default{"qwen2", "intermediate_size", "22016", 4},
    config_default{"gemma", "intermediate_size", "24576", 4},
    config_default{"gemma2 gemma3_text", "intermediate_size", "9216", 4},
    config_default{"llama mistral qwen2", "num_hidden_layers", "32", 4},
    config_default{"gemma", "num_hidden_layers", "28", 4},
    config_default{"gemma2 gemma3_text", "num_hidden_layers", "26", 4},
    config_default{"llama mistral qwen2", "num_attention_heads", "32", 4},
    config_default{"gemma", "num_attention_heads", "16", 4},
    config_default{"gemma2 gemma3_text", "num_attention_heads", "8", 4},
    config_default{"qwen2", "num_key_value_heads", "32", 4},
    config_default{"gemma", "num_key_value_heads", "16", 4}};

/// Adds to a language model that stands inside a config the sizes that it leaves out.
inline void fill_wrapped_sizes(nlohmann::json& text) {
  if (!text.is_object() || !text.contains("model_type") || !text["model_type"].is_string()) return;
  const std::string family = text["model_type"];
  for (const config_default& row : wrapped_sizes)
    if (const std::string field{row.fields};
        is_listed(row.families, family) && !text.contains(field))
      text[field] = nlohmann::json::parse(row.value);
}

/// The first of words between blanks.
constexpr std::string_view first_word(std::string_view words) {
  return words.substr(0, words.find(' '));
}

/// Whether one of several fields, given as words between blanks, is there and not null.
inline bool has_one_of(const json_fields& config, std::string_view fields) {
  for (const auto& [field, value] : config.value().items())
    if (!value.is_null() && is_listed(fields, field)) return true;
  return false;
}

/// The same config with what its family assumes where it is silent.  Null is no silence.
///
/// \throws invalid_input if it lacks a field that its family must state
inline nlohmann::json with_defaults(const json_fields& config) {
  const std::string family{config.text("model_type")};
  nlohmann::json filled = config.value();
  for (const config_default& row : config_defaults) {
    if (!is_listed(row.families, family)) continue;
    const std::string_view field = first_word(row.fields);
    if (config.names(field) || has_one_of(config, row.fields)) continue;
    if (row.value.empty()) config.refuse(field, "is missing: " + family + "'s config states it");
    filled[std::string(field)] = nlohmann::json::parse(row.value);
  }
  return filled;
}

}  // namespace gpuplan::detail
