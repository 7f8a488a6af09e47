#pragma once
/// \file
/// Hugging Face configurations of models whose layers have parts that others lack: a learned
/// activation, norms inside or after attention and network, cross-attention to images.

#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/detail/huggingface_recent.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Apertus: plain networks; xIELU learns two values a layer.
inline layered_model read_apertus(const json_fields& config) {
  refuse_unknown_fields(config, "num_key_value_heads intermediate_size attention_bias qk_norm");
  if (!config.flag_or("qk_norm", true)) config.refuse("qk_norm must be true");
  transformer m = read_gated(config);
  m.gated_ffn = false;
  read_attention_bias(m, config);
  m.query_key = query_key_norm::per_head;
  layered_model all = begin_layers(config, m);
  layer_group layer = layer_of(m, "full attention", layer_kind::dense);
  if (config.text_or("hidden_act", "xielu") == "xielu") layer.further.push_back({"activation", 2});
  layer.layers = m.layers;
  all.add(layer);
  all.planned = m;
  if (!layer.further.empty()) all.planned->activation_values = 2;
  return all;
}

/// BitNet: Llama with an RMSNorm before the output projection of attention and before that of the
/// network.
inline layered_model read_bitnet(const json_fields& config) {
  refuse_unknown_fields(config, "num_key_value_heads intermediate_size attention_bias mlp_bias");
  if (config.flag_or("mlp_bias", false)) config.refuse("mlp_bias must be false");
  transformer m = read_gated(config);
  read_attention_bias(m, config);
  layered_model all = begin_layers(config, m);
  layer_group layer = layer_of(m, "full attention", layer_kind::dense);
  layer.further.push_back({"inner norms", 1.0 * m.hidden_size + m.ffn_size});
  layer.layers = m.layers;
  all.add(layer);
  return all;
}

/// Phi-3-small: LayerNorm, a bias on every map, a gate, and in all but every so many layers
/// attention to blocks of keys.
inline layered_model read_phi3_small(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads ff_intermediate_size ff_dim_multiplier gegelu_limit gegelu_pad_to_256 "
      "dense_attention_every_n_layers blocksparse_block_size blocksparse_homo_head_pattern "
      "blocksparse_num_local_blocks blocksparse_triton_kernel_block_size blocksparse_vert_stride "
      "mup_attn_multiplier mup_embedding_multiplier mup_use_scaling mup_width_multiplier "
      "rope_embedding_base rope_position_scale dummy_token_indices");
  if (config.has("ff_dim_multiplier")) config.refuse("ff_dim_multiplier must be null");
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  be_classic(m);
  need_dividing_heads(config, m);
  read_heads(m, config);
  m.ffn_size = config.integer("ff_intermediate_size");
  layered_model all = begin_layers(config, m);
  layer_group layer = layer_of(m, "attention", layer_kind::dense);
  layer.layers = m.layers;
  all.add(layer);
  return all;
}

/// Llama 3.2 with images: in the layers that a list names, cross-attention to the vision encoder in
/// place of self-attention, with norms of queries and keys and two gates of one value each.  The
/// embedding has eight rows more than the head.
///
/// Source: Hugging Face, "Transformers" (2024), src/transformers/models/mllama.
inline layered_model read_mllama(const json_fields& config) {
  refuse_unknown_fields(config, "num_key_value_heads intermediate_size cross_attention_layers");
  const transformer m = read_gated(config);
  transformer crossed = m;
  crossed.query_key = query_key_norm::per_head;
  layered_model all = begin_layers(config, m);
  constexpr double rows_of_images = 8;
  all.further.push_back(
      {"embedding of images", rows_of_images * m.hidden_size, parameter_use::looked_up});
  const layer_group self = layer_of(m, "attention", layer_kind::dense);
  layer_group cross = layer_of(crossed, "attention to images", layer_kind::dense);
  cross.cached_values = 0;  // keys and values of the images are kept once, not for each token
  cross.further.push_back({"gates", 2});
  nlohmann::json told = config.value();
  if (!config.has("cross_attention_layers"))
    told["cross_attention_layers"] = {3, 8, 13, 18, 23, 28, 33, 38};  // as its class assumes
  const std::vector<int> crossing =
      read_layer_indices({told, config.where()}, "cross_attention_layers", m.layers);
  for (int i = 0; i < m.layers; ++i)
    all.add(std::binary_search(crossing.begin(), crossing.end(), i) ? cross : self);
  all.note = "keys and values of images are not counted in the cache";
  return all;
}

/// A.X K1: DeepSeek-V3 with an RMSNorm after the experts.
inline layered_model read_axk1(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size attention_bias q_lora_rank kv_lora_rank "
      "qk_rope_head_dim qk_nope_head_dim v_head_dim moe_intermediate_size n_routed_experts "
      "n_shared_experts num_experts_per_tok first_k_dense_replace moe_layer_freq "
      "qk_head_dim num_nextn_predict_layers");
  const transformer m = read_deepseek_v3(config);
  layered_model all = begin_layers(config, m);
  if (m.dense_layers() > 0) {
    layer_group dense = layer_of(m, "attention", layer_kind::dense);
    dense.layers = m.dense_layers();
    all.add(dense);
  }
  if (m.moe_layers() == 0) return all;
  layer_group experts = layer_of(m, "attention", layer_kind::moe);
  experts.further.push_back({"norms after experts", 1.0 * m.hidden_size});
  if (m.multi_token_prediction_layers > 0)
    all.multi_token_prediction =
        m.multi_token_prediction_layers * prediction_module(m, experts.total());
  experts.layers = m.moe_layers();
  all.add(experts);
  if (m.moe.correction_bias) all.untrained = 1.0 * m.moe_layers() * m.moe.experts;
  return all;
}

}  // namespace gpuplan::detail
