#pragma once
/// \file
/// Hugging Face configurations of Gemma 3n and Gemma 4.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_experts.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/detail/huggingface_llama.hpp>
#include <gpuplan/model/detail/huggingface_uneven.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Which layers are windowed: 1; and which attend to all: 0.
inline std::vector<int> read_gemma_windows(const json_fields& config, int layers) {
  return read_kinds<int>(config, "layer_types", layers,
                         {{"sliding_attention", 1}, {"full_attention", 0}});
}

/// Layers at the end that attend to keys and values of earlier ones.
inline int read_shared_layers(const json_fields& config, int layers) {
  const int shared = config.integer_or("num_kv_shared_layers", 0, 0);
  if (shared >= layers) config.refuse("num_kv_shared_layers must be below num_hidden_layers");
  return shared;
}

/// A table of the vocabulary with a row for each layer, the map of the embedding to as many values,
/// and in each layer a map there and back with a norm.
///
/// Source: Google DeepMind, "Gemma 3n" model overview (2025), per-layer embeddings.
inline void add_layer_inputs(layered_model& all, layer_group& layer, const transformer& m,
                             double width, double rows) {
  const double h = m.hidden_size;
  if (all.further.empty()) {
    const double wide = width * m.layers;
    all.further.push_back({"per-layer embedding", rows * wide, parameter_use::looked_up});
    all.further.push_back({"per-layer projection", h * wide + width});
  }
  layer.further.push_back({"per-layer input", 2 * h * width + h});
}

/// The width of each layer's network: a number, or a list of one for each layer.
inline std::vector<int> read_gemma_widths(const json_fields& config, int layers) {
  const auto found = config.value().find("intermediate_size");
  if (found == config.value().end() || !found->is_array())
    return std::vector<int>(static_cast<std::size_t>(layers), config.integer("intermediate_size"));
  std::vector<int> widths;
  for (const nlohmann::json& one : *entry_of_layers(config, "intermediate_size", layers)) {
    const nlohmann::json alone{{"intermediate_size", one}};
    widths.push_back(json_fields{alone, config.where()}.integer("intermediate_size"));
  }
  return widths;
}

/// What Gemma 3n adds to a layer: a low-rank path beside attention (LAuReL), and the prediction and
/// correction of n copies of the state (AltUp).
///
/// Source: G. Menghani et al., "LAuReL: Learned Augmented Residual Layer" (2024), arXiv:2411.07501;
/// C. Baykal et al., "Alternating Updates for Efficient Transformers" (2023), arXiv:2301.13310.
inline void add_gemma3n_parts(layer_group& layer, double h, double rank, double copies) {
  const double squared = copies * copies;
  layer.further.push_back({"LAuReL", 2 * h * rank + h});
  layer.further.push_back({"AltUp", squared * copies + squared + copies * h + 2 * h});
}

/// Gemma 3n.  Layers that share keys and values hold maps for their own nevertheless.
inline layered_model read_gemma3n(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim intermediate_size sliding_window layer_types "
      "vocab_size_per_layer_input hidden_size_per_layer_input altup_num_inputs altup_active_idx "
      "altup_correct_scale altup_coef_clip activation_sparsity_pattern num_kv_shared_layers "
      "laurel_rank attention_bias query_pre_attn_scalar");
  const std::vector<int> widths = [&] {
    const int layers = config.integer("num_hidden_layers");
    if (layers > most_layers)
      config.refuse("num_hidden_layers must be <= " + std::to_string(most_layers));
    return read_gemma_widths(config, layers);
  }();
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  if (!config.flag_or("altup_correct_scale", true))
    config.refuse("altup_correct_scale must be true");
  read_heads(m, config);
  m.head_dim = config.integer("head_dim");
  read_attention_bias(m, config);
  m.norms_per_layer = 4;
  m.query_key = query_key_norm::per_head;
  m.ffn_size = widths.front();
  layered_model all = begin_layers(config, m);
  const double copies = config.integer("altup_num_inputs");
  const double h = m.hidden_size;
  const std::vector<int> windowed = read_gemma_windows(config, m.layers);
  const int own = m.layers - read_shared_layers(config, m.layers);
  for (int i = 0; i < m.layers; ++i) {
    m.ffn_size = widths[static_cast<std::size_t>(i)];
    const bool narrow = windowed[static_cast<std::size_t>(i)] == 1;
    layer_group layer =
        layer_of(m, narrow ? "windowed attention" : "full attention", layer_kind::dense);
    if (i >= own) layer.cached_values = 0;
    if (narrow) put_window(layer, config.integer("sliding_window"));
    add_gemma3n_parts(layer, h, config.integer("laurel_rank"), copies);
    add_layer_inputs(all, layer, m, config.integer("hidden_size_per_layer_input"),
                     config.integer("vocab_size_per_layer_input"));
    all.add(layer);
  }
  all.further.push_back({"AltUp projections", 2 * (copies - 1) * h * h});
  return all;
}

/// What all layers of Gemma 4 have in common.
inline transformer read_gemma4_base(const json_fields& config) {
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  read_heads(m, config);
  m.head_dim = config.integer("head_dim");
  m.norms_per_layer = 4;
  m.query_key = query_key_norm::per_head;
  m.ffn_size = config.integer("intermediate_size");
  if (config.flag_or("enable_moe_block", false)) {
    m.moe = {.experts = config.integer("num_experts"),
             .experts_per_token = config.integer("top_k_experts"),
             .ffn_size = config.integer({"moe_intermediate_size", "expert_intermediate_size"})};
    need_enough_experts(config, m.moe);
  }
  return m;
}

/// Heads of a layer of Gemma 4: those of full attention are wider, and may take keys for values;
/// layers at the end use keys and values of earlier ones.
inline uneven_heads gemma4_heads(const json_fields& config, const transformer& m, bool narrow,
                                 bool shared) {
  const bool same = !narrow && config.flag_or("attention_k_eq_v", false);
  const int width = narrow ? m.head_dim : config.integer("global_head_dim");
  return {
      .heads = m.attention_heads,
      .kv_heads = same ? config.integer_or("num_global_key_value_heads", m.kv_heads) : m.kv_heads,
      .key_dim = width,
      .value_dim = width,
      .key_map = !shared,
      .value_map = !shared && !same};
}

/// Experts beside the network of a layer: a router with scales, and three more norms.
inline void add_gemma4_experts(layer_group& layer, const transformer& m) {
  const double h = m.hidden_size;
  const layer_parameters experts = parameters_of_layer(m, layer_kind::moe);
  layer.kind += ", experts";
  layer.common.router = experts.router;
  layer.common.routed_experts = experts.routed_experts;
  layer.common.norms += 3 * norm_parameters_of(m, h);
  layer.further.push_back({"router scales", h + m.moe.experts});
  layer.unvisited = unvisited_of(m, experts.routed_experts);
}

/// Gemma 4.
inline layered_model read_gemma4(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "num_key_value_heads head_dim global_head_dim num_global_key_value_heads intermediate_size "
      "attention_k_eq_v enable_moe_block num_experts top_k_experts moe_intermediate_size "
      "expert_intermediate_size hidden_size_per_layer_input vocab_size_per_layer_input "
      "layer_types num_kv_shared_layers sliding_window use_bidirectional_attention "
      "use_double_wide_mlp");
  transformer m = read_gemma4_base(config);
  layered_model all = begin_layers(config, m);
  const int width = config.integer_or("hidden_size_per_layer_input", 0, 0);
  const int own = m.layers - read_shared_layers(config, m.layers);
  const int ffn_size = m.ffn_size;
  const bool doubled = config.flag_or("use_double_wide_mlp", false);
  const std::vector<int> windowed = read_gemma_windows(config, m.layers);
  for (int i = 0; i < m.layers; ++i) {
    const bool narrow = windowed[static_cast<std::size_t>(i)] == 1;
    const bool shared = i >= own;
    m.ffn_size = ffn_size * (shared && doubled ? 2 : 1);
    const uneven_heads heads = gemma4_heads(config, m, narrow, shared);
    layer_group layer =
        layer_of(m, narrow ? "windowed attention" : "full attention", layer_kind::dense);
    layer.unvisited = 0;
    layer.common.attention_weights = weights_of_heads(heads, m.hidden_size);
    layer.common.query_key_norms = (shared ? 1 : 2) * norm_parameters_of(m, heads.key_dim);
    layer.cached_values = shared ? 0 : kept_by_heads(heads);
    if (narrow) put_window(layer, config.integer("sliding_window"));
    if (m.moe.experts > 0) add_gemma4_experts(layer, m);
    if (width > 0)
      add_layer_inputs(all, layer, m, width, config.integer("vocab_size_per_layer_input"));
    all.add(layer);
  }
  all.untrained = m.layers;  // a factor of each layer's output
  m.ffn_size = ffn_size;
  if (width == 0 && own == m.layers && m.moe.experts == 0)
    all.planned = with_uneven_heads(m, gemma4_heads(config, m, false, false),
                                    gemma4_heads(config, m, true, false),
                                    config.integer("sliding_window"), windowed);
  all.unlike = width > 0        ? "inputs of each layer's own"
               : own < m.layers ? "layers that share keys and values"
                                : "experts beside networks";
  return all;
}

}  // namespace gpuplan::detail
