#pragma once
/// \file
/// Hugging Face configurations of models whose attention looks up which tokens to attend to.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_moe.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/sparse_index.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

inline constexpr std::string_view deepseek_sparse_fields =
    "num_key_value_heads head_dim qk_head_dim intermediate_size q_lora_rank kv_lora_rank "
    "qk_nope_head_dim qk_rope_head_dim v_head_dim attention_bias n_routed_experts "
    "n_shared_experts num_experts_per_tok moe_intermediate_size first_k_dense_replace "
    "moe_layer_freq mlp_layer_types num_nextn_predict_layers index_head_dim index_n_heads "
    "index_topk indexer_types index_share_for_mtp_iteration index_skip_topk_offset "
    "index_topk_freq index_topk_pattern indexer_rope_interleave";

/// Which layers have an index of their own; the others take the choice of an earlier one over.
inline std::vector<int> read_index_layers(const json_fields& config, int layers) {
  if (config.has("indexer_types"))
    return read_kinds<int>(config, "indexer_types", layers, {{"full", 1}, {"shared", 0}});
  if (config.integer_or("index_topk_freq", 1) != 1)
    config.refuse("indexer_types is missing beside index_topk_freq");
  if (config.has("index_topk_pattern"))
    config.refuse("indexer_types is missing beside index_topk_pattern");
  return std::vector<int>(static_cast<std::size_t>(layers), 1);
}

/// DeepSeek-V3.2 and GLM 5: DeepSeek-V3 with an index of tokens.
inline layered_model read_deepseek_sparse(const json_fields& config) {
  refuse_unknown_fields(config, deepseek_sparse_fields);
  for (const char* field : {"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim",
                            "v_head_dim", "first_k_dense_replace", "n_shared_experts"})
    static_cast<void>(config.integer(field, 0));  // null says none of these
  if (config.has("moe_layer_freq") && config.integer("moe_layer_freq") != 1)
    config.refuse("moe_layer_freq must be 1");
  const transformer m = read_deepseek_v3(config);
  layered_model all = begin_layers(config, m);
  sparse_index index{.heads = config.integer("index_n_heads"),
                     .head_dim = config.integer("index_head_dim"),
                     .query_rank = m.latent.query_rank,
                     .tokens = config.integer("index_topk")};
  const double indexer = sparse_index_parameters(index, m.hidden_size);
  const std::vector<layer_kind> kinds =
      read_expert_layers(config, m.layers, m.moe.first_dense_layers);
  const std::vector<int> indexed = read_index_layers(config, m.layers);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    layer_group layer =
        layer_of(m, indexed[i] == 1 ? "indexed attention" : "sparse attention", kinds[i]);
    if (indexed[i] == 1) {
      layer.further.push_back({"index", indexer});
      layer.cached_values += index.head_dim;
    }
    all.add(layer);
  }
  add_correction_biases(all, m, kinds);
  index.layers = static_cast<int>(std::count(indexed.begin(), indexed.end(), 1));
  index.attending_layers = m.layers;
  if (index.layers == 0) config.refuse("indexer_types must have an index in a layer");
  all.planned = with_layer_kinds(m, kinds);
  all.planned->sparse = index;
  if (m.multi_token_prediction_layers > 0)
    all.multi_token_prediction =
        m.multi_token_prediction_layers * (parameters_of_prediction_layer(m).total() + indexer);
  return all;
}

/// Which layers of MiniMax-M3 choose blocks of tokens, and what the index adds to them.
struct block_index {
  std::vector<int> layers;
  sparse_index of_layer{.head_weights = false};
};

inline block_index read_block_index(const json_fields& config, int layers) {
  if (!config.has("sparse_attention_config")) config.refuse("sparse_attention_config is missing");
  const json_fields sparse{config.value().at("sparse_attention_config"),
                           config.where() + ": sparse_attention_config"};
  refuse_unknown_inside(sparse,
                        "sparse_attention_freq sparse_block_size sparse_disable_index_value "
                        "sparse_index_dim sparse_init_block sparse_local_block "
                        "sparse_num_index_heads sparse_score_type sparse_topk_blocks "
                        "use_sparse_attention");
  block_index index;
  index.layers.assign(static_cast<std::size_t>(layers), 0);
  if (!sparse.flag_or("use_sparse_attention", true)) return index;
  index.layers = read_kinds<int>(sparse, "sparse_attention_freq", layers, {{0, 0}, {1, 1}});
  const auto without_values =
      read_kinds<int>(sparse, "sparse_disable_index_value", layers, {{0, 0}, {1, 1}});
  if (without_values != index.layers)
    sparse.refuse("sparse_disable_index_value must be what sparse_attention_freq is");
  sparse_index& each = index.of_layer;
  each.layers = static_cast<int>(std::count(index.layers.begin(), index.layers.end(), 1));
  each.attending_layers = each.layers;
  each.heads = sparse.integer("sparse_num_index_heads");
  each.head_dim = sparse.integer("sparse_index_dim");
  each.block = sparse.integer("sparse_block_size");
  each.tokens = size_of_product(sparse, "sparse_topk_blocks", sparse.integer("sparse_topk_blocks"),
                                each.block);
  return index;
}

/// Grouped heads and experts of MiniMax-M3.
inline transformer read_minimax_m3_base(const json_fields& config) {
  transformer m = read_before_experts(config);
  if (config.flag_or("use_qk_norm", false)) {
    if (config.text("qk_norm_type") != "per_head") config.refuse("qk_norm_type must be per_head");
    m.query_key = query_key_norm::per_head;
  }
  const int dense = config.integer("first_k_dense_replace", 0);
  const int width = config.integer({"moe_intermediate_size", "intermediate_size"});
  const int shared = config.integer_or("n_shared_experts", 0, 0);
  m.moe = {.experts = config.integer("num_local_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = width,
           .shared_ffn_size = shared > 0 ? shared_width(config, "n_shared_experts", shared,
                                                        config.integer("shared_intermediate_size"))
                                         : 0,
           .first_dense_layers = dense,
           .dense_layers = dense,
           .correction_bias = config.flag_or("use_routing_bias", false)};
  need_enough_experts(config, m.moe);
  if (dense > 0) m.ffn_size = config.integer("dense_intermediate_size");
  return m;
}

/// MiniMax-M3: an index of blocks of tokens in all but the first layers.
inline layered_model read_minimax_m3(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size dense_intermediate_size "
      "moe_intermediate_size shared_intermediate_size n_shared_experts num_local_experts "
      "num_experts_per_tok first_k_dense_replace moe_layer_freq num_mtp_modules "
      "num_nextn_predict_layers qk_norm_type use_qk_norm use_gemma_norm use_routing_bias "
      "sparse_attention_config swiglu_alpha swiglu_limit");
  const transformer m = read_minimax_m3_base(config);
  layered_model all = begin_layers(config, m);
  const block_index index = read_block_index(config, m.layers);
  const double indexer =
      index.of_layer.heads > 0 ? sparse_index_parameters(index.of_layer, m.hidden_size) : 0;
  const std::vector<layer_kind> kinds =
      read_expert_layers(config, m.layers, m.moe.first_dense_layers);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    layer_group layer =
        layer_of(m, index.layers[i] == 1 ? "indexed attention" : "full attention", kinds[i]);
    if (index.layers[i] == 1) {
      layer.further.push_back({"index", indexer});
      layer.cached_values += index.of_layer.head_dim;
    }
    all.add(layer);
  }
  add_correction_biases(all, m, kinds);
  all.planned = with_layer_kinds(m, kinds);
  if (index.of_layer.layers > 0) all.planned->sparse = index.of_layer;
  if (config.integer_or("num_nextn_predict_layers", 0, 0) > 0)
    all.note = "the modules that predict further tokens are not counted";
  return all;
}

/// What DeepSeek-V4 tells of its attention.
struct compressed_attention {
  int query_rank = 0;
  int output_rank = 0;    ///< of each group of heads
  int output_groups = 0;  ///< >= 1
  int streams = 0;        ///< of the residual
  int window = 0;
  sparse_index index{};
};

inline compressed_attention read_compressed_attention(const json_fields& config) {
  return {.query_rank = config.integer("q_lora_rank"),
          .output_rank = config.integer("o_lora_rank"),
          .output_groups = config.integer("o_groups"),
          .streams = config.integer("hc_mult"),
          .window = config.integer("sliding_window"),
          .index = {.heads = config.integer("index_n_heads"),
                    .head_dim = config.integer("index_head_dim"),
                    .query_rank = config.integer("q_lora_rank")}};
}

/// Parameters that pool `ratio` tokens to one of width d: two maps, offsets in the pool, a norm.
/// Pools of 4 overlap, and are twice as wide.
inline double compressor_parameters(double hidden, double width, int ratio) {
  const double pooled = ratio == 4 ? 2 * width : width;
  return 2 * hidden * pooled + ratio * pooled + width;
}

/// Parameters that mix n streams of the residual around one half of a layer.
///
///     (2 + n) n (n h) + (2 + n) n + 3
///
/// Source: DeepSeek-AI, "mHC: Manifold-Constrained Hyper-Connections" (2025), arXiv:2512.24880.
inline double hyper_connection_parameters(double hidden, double streams) {
  const double mixes = (2 + streams) * streams;
  return mixes * streams * hidden + mixes + 3;
}

/// One layer of DeepSeek-V4: keys are values, one head of them, of a window and of pooled tokens.
inline layer_group deepseek_v4_layer(const transformer& m, const compressed_attention& c,
                                     int ratio) {
  const double h = m.hidden_size;
  const double d = m.head_dim;
  const double queries = m.query_width();
  layer_group layer =
      layer_of(m, ratio == 0 ? "windowed attention" : "attention to 1/" + std::to_string(ratio),
               layer_kind::moe);
  layer.common.attention_weights = h * c.query_rank + c.query_rank * queries + h * d +
                                   queries * c.output_rank +
                                   static_cast<double>(c.output_groups) * c.output_rank * h;
  layer.common.latent_norms = c.query_rank + d;
  layer.further.push_back({"hyper-connections", 2 * hyper_connection_parameters(h, c.streams)});
  layer.cached_values = 0;
  layer.windowed_values = d;
  layer.window = c.window;
  if (ratio == 0) return layer;
  layer.further.push_back({"compressor", compressor_parameters(h, d, ratio)});
  layer.cached_values = d / ratio;
  if (ratio != 4) return layer;
  const double width = c.index.head_dim;
  layer.further.push_back({"index", c.index.heads * (c.query_rank * width + h) +
                                        compressor_parameters(h, width, ratio)});
  layer.cached_values += width / ratio;
  return layer;
}

inline transformer read_deepseek_v4_base(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  m.kv_heads = config.integer("num_key_value_heads");
  if (m.kv_heads != 1) config.refuse("num_key_value_heads must be 1");
  m.head_dim = config.integer("head_dim");
  m.attention_sinks = true;
  const int width = config.integer("moe_intermediate_size");
  m.moe = {.experts = config.integer("n_routed_experts"),
           .experts_per_token = config.integer("num_experts_per_tok"),
           .ffn_size = width,
           .shared_ffn_size = shared_width(config, "n_shared_experts",
                                           config.integer("n_shared_experts", 0), width)};
  need_enough_experts(config, m.moe);
  return m;
}

/// DeepSeek-V4: compress_ratios tells each layer's pool, and after them that of the modules for
/// further tokens.  The first layers route by a table of the vocabulary, the others by balance.
inline layered_model read_deepseek_v4(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim qk_rope_head_dim q_lora_rank o_lora_rank o_groups hc_mult "
      "hc_eps hc_sinkhorn_iters sliding_window index_head_dim index_n_heads index_topk "
      "compress_ratios compress_rope_theta moe_intermediate_size n_routed_experts "
      "n_shared_experts num_experts_per_tok num_hash_layers num_nextn_predict_layers "
      "expert_dtype swiglu_limit");
  const transformer m = read_deepseek_v4_base(config);
  const compressed_attention c = read_compressed_attention(config);
  layered_model all = begin_layers(config, m);
  const int modules = config.integer_or("num_nextn_predict_layers", 0, 0);
  const std::vector<int> ratios =
      read_kinds<int>(config, "compress_ratios", m.layers + modules, {{0, 0}, {4, 4}, {128, 128}});
  const double h = m.hidden_size;
  const double head = c.streams * (c.streams * h) + c.streams + 1;
  for (int i = 0; i < m.layers + modules; ++i) {
    const layer_group layer = deepseek_v4_layer(m, c, ratios[static_cast<std::size_t>(i)]);
    if (i < m.layers)
      all.add(layer);
    else
      all.multi_token_prediction += prediction_module(m, layer.total()) + head;
  }
  all.further.push_back({"hyper-connections of the end", head});
  const int hashed = (std::min)(config.integer_or("num_hash_layers", 0, 0), m.layers);
  all.untrained = static_cast<double>(hashed) * m.vocabulary_size * m.moe.experts_per_token +
                  static_cast<double>(m.layers - hashed) * m.moe.experts;
  return all;
}

}  // namespace gpuplan::detail
