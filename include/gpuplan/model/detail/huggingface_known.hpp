#pragma once
/// \file
/// Fields of Hugging Face configurations that change no shape, and refusal of those that nobody
/// knows.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_shape.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::detail {

/// Whether a list of words, each between blanks, has a word.
inline bool is_listed(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || words[at - 1] == ' ';
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

/// Sizes that every reader looks at.
inline constexpr std::string_view usual_fields =
    "model_type architectures hidden_size num_hidden_layers num_attention_heads vocab_size "
    "max_position_embeddings tie_word_embeddings";

/// What the readers of read_huggingface look at, all families together; shape_fields tells which of
/// them changes the shape of a family that does not.
inline constexpr std::string_view transformer_fields =
    "activation add_bias_linear add_cross_attention add_qkv_bias alibi attention_bias "
    "attention_chunk_size attention_head_dim attention_layers attention_out_bias attention_types "
    "attn_config attn_type_list audio_config audio_processor bias d_model decoder_sparse_step dim "
    "do_layer_norm_before embd_layer enable_bias expansion_ratio expert_hidden_dim "
    "experts_per_token ff_factor ffn_config ffn_dim ffn_hidden_size first_k_dense_replace "
    "global_attn_every_n_layers head_dim hidden_dim img_processor interleave_moe_layer_step "
    "intermediate_size intermediate_size_mlp is_decoder kv_channels kv_lora_rank "
    "layer_norm_elementwise_affine layer_types learned_embeddings learned_pos_emb lm_head "
    "lm_head_bias max_window_layers mlp_bias mlp_intermediate_size mlp_layer_types "
    "mlp_only_layers mlp_type moe_intermediate_size moe_k moe_layer_end_index moe_layer_freq "
    "moe_layer_interval moe_layer_start_index moe_layers moe_num_experts moe_num_shared_experts "
    "moe_router_enable_expert_bias moe_router_enable_shared_expert "
    "moe_shared_expert_intermediate_size moe_topk moe_use_aux_free multi_query "
    "multi_query_attention multi_query_group_num n_embd n_embed n_head n_head_kv n_heads n_inner "
    "n_layer n_layers n_positions n_routed_experts n_shared_experts new_decoder_architecture "
    "no_bias norm_type num_dense_layers num_experts num_experts_per_tok num_heads "
    "num_key_value_heads num_kv_heads num_layers num_ln_in_parallel_attn num_local_experts "
    "num_nextn_predict_layers num_shared_expert num_shared_experts padded_vocab_size "
    "parallel_attn position_embedding_type post_layer_norm pre_seq_len "
    "prefix_dense_intermediate_size prefix_dense_sliding_window_pattern q_lora_rank qk_head_dim "
    "qk_nope_head_dim qk_norm qk_norm_type qk_rope_head_dim qkv_bias query_key_norm rmsnorm "
    "shared_expert_intermediate_size shared_intermediate_size sinusoidal_pos_embds sliding_window "
    "sliding_window_pattern sparse_config speech_lora topk_method type_vocab_size use_bias "
    "use_mla use_parallel_residual use_post_norm use_qk_norm use_qkv_bias use_rotary_pos_emb "
    "use_routing_bias use_sliding_window v_head_dim vision_config vision_lora window_size "
    "word_embed_proj_dim ";

/// What every configuration class of the library has, whatever the model: texts, generation,
/// training, names of files, storage.
inline constexpr std::string_view shapeless_fields =
    "auto_map transformers_version use_cache dtype torch_dtype add_cross_attention bad_words_ids "
    "begin_suppress_tokens chunk_size_feed_forward diversity_penalty do_sample early_stopping "
    "finetuning_task id2label label2id is_decoder length_penalty max_length min_length num_beams "
    "num_beam_groups num_return_sequences prefix problem_type remove_invalid_values "
    "output_attentions output_hidden_states output_scores output_router_logits output_past "
    "repetition_penalty return_dict return_dict_in_generate suppress_tokens "
    "task_specific_params temperature tf_legacy_loss tokenizer_class top_k top_p torchscript "
    "typical_p use_bfloat16 no_repeat_ngram_size encoder_no_repeat_ngram_size ignore_index "
    "quantization_config quantization initializer_range init_std hidden_act hidden_activation "
    "pretraining_tp ep_size "
    "attn_implementation gradient_checkpointing cache_implementation tie_encoder_decoder "
    "transformers.js_config custom_pipelines is_composition "
    // how experts are chosen and weighted
    "norm_topk_prob scoring_func topk_group n_group routed_scaling_factor num_expert_group "
    "topk_method use_grouped_topk "
    "seq_aux router_jitter_noise moe_renormalize moe_router_activation_func "
    "moe_router_dtype moe_token_dispatcher_type "
    // angles of rotary positions
    "rope_theta rope_scale rope_scaling rope_parameters rope_interleave rope_local_base_freq "
    "layer_rope_theta rope_type rope_percent rope_pct rotary_scaling_factor "
    "dual_chunk_attention_config "
    "partial_rotary_factor rotary_dim mrope_section "
    // factors of what flows
    "attention_in_multiplier attention_out_multiplier attention_multiplier embedding_multiplier "
    "key_multiplier lm_head_multiplier mlp_multipliers ssm_in_multiplier ssm_multipliers "
    "ssm_out_multiplier residual_multiplier logits_scaling layernorm_full_attention_alpha "
    "layernorm_full_attention_beta layernorm_linear_attention_alpha "
    "layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta "
    // how scores, norms and activations are computed
    "activation_function attention_softmax_in_fp32 scale_attention_softmax_in_fp32 "
    "scale_attn_weights scale_attn_by_inverse_layer_idx reorder_and_upcast_attn "
    "query_pre_attn_scalar swiglu_limit logit_scale clip_qkv attn_temperature_tuning attn_scale "
    "floor_scale no_rope_layers no_rope_layer_interval rotary_pct rotary_emb_base "
    "apply_residual_connection_post_layernorm masked_softmax_fusion bias_dropout_fusion "
    "slow_but_exact skip_bias_add skip_bias_add_qkv offset_alibi position_embedding_type "
    "attn_logit_softcapping use_bidirectional_attention "
    // context, and how it was stretched
    "n_ctx max_seq_len seq_length initial_context_length original_max_position_embeddings "
    "interpolate_factor "
    "full_attn_mod model_max_length order_of_interleaved_layers layer_switch for_llm_compression "
    // rates of dropping, and losses
    "dropout dropout_rate layerdrop aux_loss_alpha input_jitter_noise moe_drop_tokens "
    "moe_random_routing_dropped_token moe_capacity moe_gate mtp_loss_scaling_factor "
    "score_function altup_lr_multiplier score_func route_norm route_scale load_balance_coeff "
    "num_expert_groups num_limited_groups use_grouped_mm mup_enabled expert_selection_fn "
    "shared_expert_combination_strategy router_scaling_factor enable_moe_fp32_combine "
    "enable_lm_head_fp32 enable_attention_fp32_softmax moe_router_use_sigmoid logits_soft_cap "
    "logits_softcap embedding_initializer_range "
    // heads of other tasks
    "summary_activation summary_first_dropout summary_proj_to_labels summary_type "
    "summary_use_proj directionality pooler_fc_size pooler_num_attention_heads "
    "pooler_num_fc_layers pooler_size_per_head pooler_type classifier_proj_size "
    "prefix_projection tie_weights_ "
    // what GPT-J, StarCoder, MPT, Baichuan, Qwen 1, ChatGLM and MiniCPM say beside shapes
    "rotary inference_runner max_batch_size max_sequence_length pad_key_length "
    "pre_allocate_kv_cache validate_runner_input runner_max_sequence_length embedding_fraction "
    "init_config init_device tokenizer_name verbose z_loss_weight bf16 fp16 fp32 "
    "onnx_safe use_dynamic_ntk use_flash_attn use_logn_attn softmax_in_fp32 "
    "use_cache_quantization use_cache_kernel apply_query_key_layer_scaling "
    "fp32_residual_connection original_rope rope_ratio quantization_bit scale_emb dim_model_base "
    "scale_depth mup_denominator dense_list "
    // of what sees, beside a language model
    "num_image_tokens is_llama_config neftune_noise_alpha perceiver_config pixel_shuffle_factor "
    // Cohere's and Hunyuan's words for what their readers take for granted
    "use_embedding_sharing use_gated_activation use_parallel_block use_parallel_embedding "
    "cla_share_factor use_mixed_mlp_moe mask_init_id num_media_embeds org_vocab_size pool_type "
    "mlp_expansion_factor "
    // modules for further tokens, whose shape is not told
    "num_mtp_modules mtp_transformer_layers use_mtp "
    // how a kernel runs
    "use_mamba_kernels chunk_size mamba_chunk_size time_step_floor time_step_max time_step_min "
    "time_step_limit time_step_rank num_logits_to_keep residual_in_fp32 rescale_prenorm_residual";

/// How names of fields end that change no shape.
inline constexpr std::array<std::string_view, 12> shapeless_ends{
    "_id",   "_token_index", "_dropout", "_pdrop",    "_eps",         "_epsilon",
    "_coef", "_theta",       "_dtype",   "_init_std", "_softcapping", "_dropout_prob"};

/// Whether a field changes the shape of no model.
inline bool is_shapeless(std::string_view field) {
  return is_listed(shapeless_fields, field) || field.starts_with('_') ||
         field.starts_with("unsloth_") ||
         std::any_of(shapeless_ends.begin(), shapeless_ends.end(),
                     [&](auto end) { return field.ends_with(end); });
}

/// Refuses a field that says something, that the family's reader does not look at, and that is not
/// known to change no shape.
inline void refuse_unknown_fields(const json_fields& config, std::string_view read) {
  for (const auto& [field, value] : config.value().items()) {
    if (!says_something(value) || is_listed(usual_fields, field) || is_listed(read, field) ||
        is_shapeless(field))
      continue;
    config.refuse(field, "is not known to model_type " + std::string(config.text("model_type")) +
                             ", so the shape cannot be told");
  }
}

/// Names of activation functions: those of the transformers library, and those that published
/// configurations add to them.  A gate, and what a function learns, is told by the family.
///
/// Source: Hugging Face, "Transformers" (2026), src/transformers/activations.py, ACT2CLS.
inline constexpr std::string_view known_activations =
    "gelu gelu_10 gelu_accurate gelu_fast gelu_new gelu_python gelu_python_tanh gelu_pytorch_tanh "
    "hardswish laplace leaky_relu linear mish prelu quick_gelu relu relu2 relu6 sigmoid silu swish "
    "tanh xielu gegelu geglu reglu swiglu swigluoai situ squared_relu sqrelu relu_squared";

/// Refuses an activation function that nobody knows: it may learn something, or have a gate.
inline void refuse_unknown_activations(const json_fields& config) {
  for (const std::string_view field :
       {"hidden_act", "hidden_activation", "activation_function", "activation", "mlp_hidden_act"}) {
    const std::string_view name = config.text_or(field, "silu");
    if (!is_listed(known_activations, name))
      config.refuse(field, "names no known activation function: " + shown_name(name));
  }
}

/// Methods of storing weights in few bits that quant_method may name: those of the transformers
/// library, and those that serving engines add.
///
/// Source: Hugging Face, "Transformers" (2026), src/transformers/quantizers/auto.py; vLLM (2026),
/// vllm/model_executor/layers/quantization.
inline constexpr std::string_view quantization_methods =
    "aqlm auto-round autoround awq bitnet bitsandbytes bitsandbytes_4bit bitsandbytes_8bit "
    "compressed-tensors eetq experts_int8 fbgemm_fp8 fp8 fp_quant fpquant gguf gptq gptq_marlin "
    "gptqmodel higgs hqq intel/auto-round modelopt modelopt_fp4 mxfp4 mxfp8 nvfp4 quanto quark "
    "sinq spqr torchao vptq";

/// Refuses a word on how weights are stored that is no object, or whose method nobody knows.
inline void refuse_other_storage(const json_fields& config) {
  const auto found = config.value().find("quantization_config");
  if (found == config.value().end() || found->is_null()) return;
  if (!found->is_object())
    config.refuse("quantization_config", "must be an object, not " + shown(*found));
  const json_fields storage{*found, config.where() + ": quantization_config"};
  if (!storage.has("quant_method")) return;
  const std::string_view method = storage.text("quant_method");
  if (is_listed(quantization_methods, method)) return;
  std::string known{quantization_methods};
  for (std::size_t at = 0; (at = known.find(' ', at)) != std::string::npos; at += 2)
    known.replace(at, 1, ", ");
  storage.refuse("quant_method",
                 "names no known method: " + shown_name(method) + "; it must be one of " + known);
}

/// An object of the config; an empty one where it is absent or null.
inline nlohmann::json object_or_empty(const json_fields& config, std::string_view field) {
  return config.has(field) ? config.value().at(field) : nlohmann::json::object();
}

/// Refuses a field that says something, inside an object of the config.
inline void refuse_unknown_inside(const json_fields& part, std::string_view read) {
  for (const auto& [field, value] : part.value().items())
    if (says_something(value) && !is_listed(read, field) && !is_shapeless(field))
      part.refuse(field, "is not known, so the shape cannot be told");
}

}  // namespace gpuplan::detail
