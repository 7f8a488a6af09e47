#pragma once
/// \file
/// The model that a set of Megatron-LM arguments describes.

#include <nlohmann/json.hpp>

#include <gpuplan/model/transformer.hpp>

namespace gpuplan::testing {

/// An argument that may be null or absent.
inline int argument(const nlohmann::json& arguments, const char* name, int otherwise) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number_integer() ? found->get<int>() : otherwise;
}

/// Layers with experts: all, every k-th, or those of a list of zeros and ones.
inline void read_moe_layers(transformer& m, const nlohmann::json& frequency) {
  m.moe.dense_layers = 0;
  if (frequency.is_array()) {
    for (const auto& has_experts : frequency) m.moe.dense_layers += has_experts == 0 ? 1 : 0;
    while (frequency.at(static_cast<std::size_t>(m.moe.first_dense_layers)) == 0)
      ++m.moe.first_dense_layers;
  } else if (const int every = frequency.get<int>(); every > 1) {
    m.moe.dense_layers = m.layers - (m.layers + every - 1) / every;
  }
}

inline transformer transformer_of_megatron(const nlohmann::json& arguments) {
  transformer m{.layers = arguments.at("num_layers"),
                .hidden_size = arguments.at("hidden_size"),
                .attention_heads = arguments.at("num_attention_heads"),
                .head_dim = argument(arguments, "kv_channels", 0),
                .ffn_size = arguments.at("ffn_hidden_size"),
                .vocabulary_size = arguments.at("padded_vocab_size"),
                .gated_ffn = arguments.at("swiglu"),
                .tied_embeddings = !arguments.at("untie_embeddings_and_output_weights"),
                .multi_token_prediction_layers = argument(arguments, "mtp_num_layers", 0)};
  if (arguments.value("group_query_attention", false)) m.kv_heads = arguments["num_query_groups"];
  if (arguments.at("normalization") == "LayerNorm") m.norm = normalization::layer_norm;
  if (const int experts = argument(arguments, "num_experts", 0); experts > 0) {
    m.moe = {.experts = experts,
             .experts_per_token = arguments.at("moe_router_topk"),
             .ffn_size = argument(arguments, "moe_ffn_hidden_size", m.ffn_size),
             .shared_ffn_size = argument(arguments, "moe_shared_expert_intermediate_size", 0)};
    read_moe_layers(m, arguments.at("moe_layer_freq"));
  }
  if (arguments.value("multi_latent_attention", false)) {
    m.head_dim = 0;
    m.latent = {.query_rank = argument(arguments, "q_lora_rank", 0),
                .kv_rank = arguments.at("kv_lora_rank"),
                .rope_head_dim = arguments.at("qk_pos_emb_head_dim"),
                .content_head_dim = arguments.at("qk_head_dim"),
                .value_head_dim = arguments.at("v_head_dim")};
  }
  return m;
}

}  // namespace gpuplan::testing
