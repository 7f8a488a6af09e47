#pragma once
/// \file
/// Writes a model as arguments of Megatron-LM.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/megatron_attention.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>
#include <gpuplan/launch/megatron_model.hpp>
#include <gpuplan/model/pipeline_stage.hpp>

namespace gpuplan::detail {

/// The name that a table gives to a value, or nothing.
template <class Table, class T>
std::string first_name(const Table& table, T value) {
  for (const auto& row : table)
    if (row.value == value) return std::string(row.name);
  return {};
}

/// 0 for each dense layer and 1 for each with experts.
inline std::string drawn_experts(const transformer& m) {
  std::string drawn;
  for (int i = 0; i < m.layers; ++i)
    drawn += moe_layers_before(m, i + 1) > moe_layers_before(m, i) ? '1' : '0';
  return drawn;
}

/// Equal layers that follow each other, as Megatron-LM writes them: 000111 is ([0]*3+[1]*3).
inline std::string layer_runs(const std::string& drawn) {
  std::string runs;
  for (std::size_t i = 0, end = 0; i < drawn.size(); i = end) {
    end = std::min(drawn.find_first_not_of(drawn[i], i), drawn.size());
    runs += std::string(runs.empty() ? "[" : "+[") + drawn[i] + "]*" + std::to_string(end - i);
  }
  return "(" + runs + ")";
}

inline void write_megatron_experts(const transformer& m, nlohmann::json& args) {
  if (m.moe.experts == 0) return;
  args["num-experts"] = m.moe.experts;
  args["moe-ffn-hidden-size"] = m.moe.ffn_size;
  args["moe-router-topk"] = m.moe.experts_per_token;
  if (m.moe.dense_layers > 0 && !is_hybrid_pattern(m))
    args["moe-layer-freq"] = layer_runs(drawn_experts(m));
  if (m.moe.latent_size > 0) args["moe-latent-size"] = m.moe.latent_size;
  if (m.moe.shared_ffn_size > 0)
    args["moe-shared-expert-intermediate-size"] = m.moe.shared_ffn_size;
  args["moe-shared-expert-gate"] = m.moe.shared_gate;
  // A bias that corrects the choice wants sigmoid scores; one expert, scores of all of them.
  args["moe-router-enable-expert-bias"] = m.moe.correction_bias;
  if (m.moe.correction_bias) args["moe-router-score-function"] = "sigmoid";
  args["moe-router-pre-softmax"] = m.moe.experts_per_token == 1 && !m.moe.correction_bias;
}

/// ([1]*3+[0]*1+...): 1 for so many of all layers, and 0 for the others, which are spread evenly.
inline std::string spread_layers(int layers, int ones) {
  const std::int64_t zeros = layers - ones;
  std::string drawn;
  for (std::int64_t i = 0; i < layers; ++i)
    drawn += (i + 1) * zeros / layers > i * zeros / layers ? '0' : '1';
  return layer_runs(drawn);
}

/// Every how many layers one has no 1, or where that is not equal which have one.
inline nlohmann::json layer_frequency(int layers, int ones) {
  const int zeros = layers - ones;
  if (zeros > 0 && layers / (layers / zeros) == zeros) return layers / zeros;
  return spread_layers(layers, ones);
}

inline void write_megatron_window(const transformer& m, nlohmann::json& args) {
  if (m.sliding_window == 0) return;
  args["window-size"] = std::to_string(m.sliding_window - 1) + ",0";
  const bool regular = m.first_full_attention_layers == 0 && m.listed_windowed_layers == 0;
  if (!regular)
    args["window-attn-skip-freq"] = spread_layers(m.layers, m.windowed_layers());
  else if (m.full_attention_interval > 0)
    args["window-attn-skip-freq"] = m.full_attention_interval;
}

/// An index that all layers attend to: as many layers have one of their own as the smallest
/// interval makes.
inline void write_megatron_index(const transformer& m, nlohmann::json& args) {
  const sparse_index& index = m.sparse;
  if (index.heads == 0) return;
  args["experimental-attention-variant"] = "dsa";
  args["dsa-indexer-n-heads"] = index.heads;
  args["dsa-indexer-head-dim"] = index.head_dim;
  args["dsa-indexer-topk"] = index.tokens;
  if (index.layers >= m.layers) return;
  int interval = 2;
  int offset = 1;
  while (interval < m.layers && indexed_layers(m.layers, offset, interval) != index.layers)
    if (++offset >= interval) offset = 1, ++interval;
  if (interval >= m.layers) offset = index.layers;
  args["dsa-indexer-topk-freq"] = interval;
  args["dsa-indexer-skip-topk-offset"] = offset;
}

/// Gated delta nets in some layers, attention in the others.
inline void write_megatron_delta_net(const transformer& m, nlohmann::json& args) {
  const linear_attention& linear = m.recurrent.linear;
  if (m.recurrent.layers == 0 || !m.recurrent.is_linear()) return;
  if (linear.kind != linear_attention_kind::gated_delta_net || m.recurrent.beside_attention) return;
  args["experimental-attention-variant"] = "gated_delta_net";
  args["linear-attention-freq"] = layer_frequency(m.layers, m.recurrent.layers);
  args["linear-conv-kernel-dim"] = linear.convolution;
  args["linear-key-head-dim"] = linear.key_head_dim;
  args["linear-value-head-dim"] = linear.value_head_dim;
  args["linear-num-key-heads"] = linear.key_heads;
  args["linear-num-value-heads"] = linear.value_heads;
}

/// Mamba 2, whose layers a pattern places.
inline void write_megatron_mamba(const transformer& m, nlohmann::json& args) {
  const state_space& mamba = m.recurrent.space;
  args["spec"] = {"megatron.core.models.hybrid.hybrid_layer_specs", "hybrid_stack_spec"};
  args["mamba-state-dim"] = mamba.state_size;
  args["mamba-head-dim"] = mamba.channels / mamba.heads;
  args["mamba-num-groups"] = mamba.groups;
  args["mamba-num-heads"] = mamba.heads;
}

inline void write_megatron_attention(const transformer& m, nlohmann::json& args) {
  args["num-attention-heads"] = m.attention_heads;
  if (m.key_value_heads() != m.attention_heads) {
    args["group-query-attention"] = true;
    args["num-query-groups"] = m.key_value_heads();
  }
  args["qk-layernorm"] = m.query_key == query_key_norm::per_head;
  args["attention-output-gate"] = m.attention_gate;
  if (m.attention_sinks) args["softmax-type"] = "learnable";
  write_megatron_window(m, args);
  write_megatron_index(m, args);
  write_megatron_delta_net(m, args);
  if (m.latent.kv_rank == 0) {
    args["kv-channels"] = m.query_head_dim();
    return;
  }
  args["multi-latent-attention"] = true;
  if (m.hidden_size % m.attention_heads != 0)  // unused, but else refused
    args["kv-channels"] = m.latent.content_head_dim;
  if (m.latent.query_rank > 0) args["q-lora-rank"] = m.latent.query_rank;
  args["kv-lora-rank"] = m.latent.kv_rank;
  args["qk-head-dim"] = m.latent.content_head_dim;
  args["qk-pos-emb-head-dim"] = m.latent.rope_head_dim;
  args["v-head-dim"] = m.latent.value_head_dim;
}

inline void write_megatron_model(const transformer& m, int sequence, nlohmann::json& args) {
  const bool by_letters = is_hybrid_pattern(m);
  if (by_letters)
    write_megatron_mamba(m, args);
  else
    args["num-layers"] = m.layers;
  args["hidden-size"] = m.hidden_size;
  // Where all layers have experts, --moe-ffn-hidden-size says their width, and no layer has this.
  const bool is_used = m.moe.experts == 0 || m.dense_layers() + m.encoder_layers > 0;
  if (m.ffn_size > 0 && is_used) args["ffn-hidden-size"] = m.ffn_size;
  args["vocab-size"] = m.vocabulary_size;
  args["make-vocab-size-divisible-by"] = 1;
  args["swiglu"] = m.gated_ffn;
  args["squared-relu"] = m.squared_relu;
  args["normalization"] = first_name(megatron_norms, m.norm);
  const bool biased = m.biases.ffn || m.biases.attention_output;
  args["disable-bias-linear"] = !biased;
  args["add-qkv-bias"] = m.biases.query_key_value && !biased;
  args["untie-embeddings-and-output-weights"] = !m.tied_embeddings;
  args["position-embedding-type"] = m.positions == position_encoding::learned  ? "learned_absolute"
                                    : m.positions == position_encoding::rotary ? "rope"
                                                                               : "none";
  args["max-position-embeddings"] = std::max(m.position_rows, sequence);
  if (m.positions == position_encoding::learned) args["max-position-embeddings"] = m.position_rows;
  if (m.multi_token_prediction_layers > 0 && !by_letters)
    args["mtp-num-layers"] = m.multi_token_prediction_layers;
  write_megatron_attention(m, args);
  write_megatron_experts(m, args);
}

}  // namespace gpuplan::detail
