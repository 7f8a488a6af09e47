#pragma once
/// \file
/// Hugging Face configurations of the families with experts.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

inline void need_enough_experts(const json_fields& config, const mixture_of_experts& moe) {
  if (moe.experts_per_token > moe.experts)
    config.refuse("num_experts_per_tok (" + std::to_string(moe.experts_per_token) +
                  ") must be at most the number of experts (" + std::to_string(moe.experts) + ")");
}

/// Width of the dense layers, where there is one; without experts nothing is left of `moe`.
inline void read_dense_width(transformer& m, const json_fields& config) {
  if (m.moe.dense_layers == m.layers) m.moe = {};
  const int width = config.integer_or("intermediate_size", 0);
  if (m.dense_layers() > 0) m.ffn_size = width > 0 ? width : config.integer("intermediate_size");
}

inline transformer read_mixtral(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  m.moe = {.experts = config.integer({"num_local_experts", "num_experts"}),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = config.integer("intermediate_size")};
  need_enough_experts(config, m.moe);
  read_window(m, config, 0);
  return m;
}

/// Of every decoder_sparse_step layers the last has experts, unless mlp_only_layers names it.
inline transformer read_qwen3_moe(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  m.moe.experts = config.integer({"num_experts", "num_local_experts"}, 0);
  m.moe.dense_layers = m.layers;

  const int step = config.integer_or("decoder_sparse_step", 1);
  std::set<std::int64_t> excepted;  // of the layers that would have experts
  if (const auto* listed = config.array("mlp_only_layers"))
    for (const auto& layer : *listed) {
      if (!layer.is_number_integer())
        config.refuse("mlp_only_layers", "must hold integers, not " + shown(layer));
      const auto index = layer.get<std::int64_t>();
      if (index >= 0 && index < m.layers && (index + 1) % step == 0) excepted.insert(index);
    }
  if (m.moe.experts > 0) {
    m.moe.experts_per_token = config.integer("num_experts_per_tok");
    m.moe.ffn_size = config.integer("moe_intermediate_size");
    need_enough_experts(config, m.moe);
    std::int64_t first = std::int64_t{step} - 1;
    while (excepted.contains(first)) first += step;
    m.moe.first_dense_layers = static_cast<int>(std::min<std::int64_t>(first, m.layers));
    m.moe.dense_layers = m.layers - m.layers / step + static_cast<int>(excepted.size());
  }
  read_dense_width(m, config);
  if (config.flag_or("use_sliding_window", false)) read_window(m, config, 0);
  return m;
}

/// DBRX: norms without a shift, and sizes in attn_config and ffn_config.
inline transformer read_dbrx(const json_fields& config) {
  transformer m = essential_sizes(config, {"n_layers", "num_hidden_layers"},
                                  {"d_model", "hidden_size"}, {"n_heads", "num_attention_heads"});
  if (config.flag_or("tie_word_embeddings", false))
    config.refuse("tie_word_embeddings must be false");
  be_llama_like(m, config);
  need_dividing_heads(config, m);
  const nlohmann::json attention = object_or_empty(config, "attn_config");
  const nlohmann::json experts = object_or_empty(config, "ffn_config");
  const json_fields heads{attention, config.where() + ": attn_config"};
  const json_fields ffn{experts, config.where() + ": ffn_config"};
  refuse_unknown_inside(heads, "attn_pdrop clip_qkv kv_n_heads model_type rope_theta");
  refuse_unknown_inside(ffn,
                        "ffn_act_fn ffn_hidden_size model_type moe_jitter_eps moe_loss_weight "
                        "moe_normalize_expert_weights moe_num_experts moe_top_k "
                        "uniform_expert_assignment");
  const nlohmann::json activation = object_or_empty(ffn, "ffn_act_fn");
  if (json_fields{activation, ffn.where() + ": ffn_act_fn"}.text_or("name", "silu") != "silu")
    ffn.refuse("ffn_act_fn must be silu");
  m.kv_heads = heads.integer("kv_n_heads");
  need_dividing_kv_heads(config, m);
  m.moe = {.experts = ffn.integer("moe_num_experts"),
           .experts_per_token = ffn.integer("moe_top_k"),
           .ffn_size = ffn.integer("ffn_hidden_size")};
  need_enough_experts(config, m.moe);
  return m;
}

inline transformer read_gpt_oss(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  read_head_dim(m, config);
  read_attention_bias(m, config);
  m.attention_sinks = true;
  m.moe = {.experts = config.integer({"num_local_experts", "num_experts"}),
           .experts_per_token = config.integer({"num_experts_per_tok", "experts_per_token"}),
           .ffn_size = config.integer("intermediate_size"),
           .router_bias = true,
           .expert_bias = true};
  need_enough_experts(config, m.moe);
  read_window(m, config, 2);
  return m;
}

/// Multi-head latent attention, and experts in all but some layers.
inline void read_deepseek_attention(transformer& m, const json_fields& config) {
  m.latent = {.query_rank = config.integer_or("q_lora_rank", 0),
              .kv_rank = config.integer("kv_lora_rank"),
              .rope_head_dim = config.integer("qk_rope_head_dim"),
              .content_head_dim = config.integer("qk_nope_head_dim"),
              .value_head_dim = config.integer("v_head_dim")};
  if (const int both = m.latent.content_head_dim + m.latent.rope_head_dim;
      config.integer_or("qk_head_dim", both) != both)
    config.refuse("qk_head_dim",
                  "must be qk_nope_head_dim plus qk_rope_head_dim (" + std::to_string(both) + ")");
  read_attention_bias(m, config);
}

/// Layers from first_k_dense_replace on have experts where moe_layer_freq divides their index.
inline void read_deepseek_experts(transformer& m, const json_fields& config) {
  m.moe.dense_layers = m.layers;
  if (!config.names("n_routed_experts") || config.has("n_routed_experts")) {
    const std::int64_t step = config.integer_or("moe_layer_freq", 1);
    const std::int64_t first =
        config.names("first_k_dense_replace") ? config.integer("first_k_dense_replace", 0) : 0;
    const std::int64_t begin = std::min<std::int64_t>((first + step - 1) / step * step, m.layers);
    const auto moe_layers = static_cast<int>((m.layers - begin + step - 1) / step);
    const int width = config.integer("moe_intermediate_size");
    const int shared = config.integer_or("n_shared_experts", 0, 0);
    if (std::int64_t{width} * shared > json_fields::largest)
      config.refuse("n_shared_experts", "times moe_intermediate_size must be <= " +
                                            std::to_string(json_fields::largest));
    m.moe = {.experts = config.integer({"n_routed_experts", "num_experts", "num_local_experts"}),
             .experts_per_token = config.integer("num_experts_per_tok"),
             .ffn_size = width,
             .shared_ffn_size = width * shared,
             .first_dense_layers = static_cast<int>(begin),
             .dense_layers = m.layers - moe_layers};
    need_enough_experts(config, m.moe);
  }
  read_dense_width(m, config);
}

/// Heads as in Llama where use_mla is false, latent attention otherwise.
inline transformer read_deepseek_v2(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  need_dividing_heads(config, m);
  if (config.flag_or("use_mla", true)) {
    read_deepseek_attention(m, config);
  } else {
    read_heads(m, config);
    read_attention_bias(m, config);
  }
  m.biases.ffn = config.flag_or("mlp_bias", false);
  read_deepseek_experts(m, config);
  return m;
}

/// The published modules that predict further tokens are described, as the checkpoint has them,
/// though the Hugging Face class leaves them out.
inline transformer read_deepseek_v3(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_deepseek_attention(m, config);
  read_deepseek_experts(m, config);
  m.moe.correction_bias =
      m.moe.experts > 0 && config.text_or("topk_method", "noaux_tc") == "noaux_tc";
  m.multi_token_prediction_layers = config.integer_or("num_nextn_predict_layers", 0, 0);
  return m;
}

}  // namespace gpuplan::detail
