#pragma once
/// \file
/// Attention that arguments of Megatron-LM describe: latents, windows, sinks, an index of tokens,
/// and linear attention in some layers.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>
#include <gpuplan/launch/megatron_layers.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::detail {

/// Whether a softmax learns a value of each head.
inline constexpr auto megatron_softmax_types =
    std::to_array<named<bool>>({{"vanilla", false}, {"off-by-one", false}, {"learnable", true}});

enum class attention_variant { none, delta_net, sparse };

/// gdn is what gated_delta_net is called where gdn2 is its sibling.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/transformer_config.py (commit d98e8a64,
/// 2026).
inline constexpr auto attention_variants =
    std::to_array<named<attention_variant>>({{"gated_delta_net", attention_variant::delta_net},
                                             {"gdn", attention_variant::delta_net},
                                             {"dsa", attention_variant::sparse}});

inline void read_latent(const launch_arguments& args, transformer& m) {
  m.latent = {.query_rank = args.whole_or("q-lora-rank", 0),
              .kv_rank = args.whole_or("kv-lora-rank", 32, 1),
              .rope_head_dim = args.whole_or("qk-pos-emb-head-dim", 64),
              .content_head_dim = args.whole_or("qk-head-dim", 128, 1),
              .value_head_dim = args.whole_or("v-head-dim", 128, 1)};
  m.query_key = query_key_norm::none;  // the latents' own norms are counted with them
  m.biases.query_key_value = false;
}

/// 0 and 1 of each layer: a list, or an expression such as ([1]*3+[0])*12; empty where the value
/// is a number or absent.
inline std::string drawn_layers(const launch_arguments& args, const char* name, int layers) {
  std::string drawn;
  if (args.value(name).is_array())
    for (const nlohmann::json& layer : args.value(name))
      drawn += layer == 0 ? '0' : layer == 1 ? '1' : '?';
  else if (const std::string text = args.text(name); text.find('[') != text.npos)
    drawn = args.in_argument(name, [&] { return written_out(text); });
  else
    return {};
  if (std::ssize(drawn) != layers || drawn.find_first_not_of("01") != drawn.npos)
    args.refuse(name, "must have 0 or 1 for each of the " + std::to_string(layers) + " layers");
  return drawn;
}

/// --window-size left,right: a token looks back on `left` others and on itself.  Of
/// --window-attn-skip-freq every k-th layer has no window, or those that a list has 0 for.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/transformer_config.py (2026).
inline void read_window(const launch_arguments& args, transformer& m) {
  const std::vector<std::string> sides = args.words("window-size");
  if (sides.empty()) return;
  const nlohmann::json left = number_from(sides.front());
  const nlohmann::json right = number_from(sides.back());
  const auto is_width = [](const nlohmann::json& tokens) {  // -1: no limit
    return tokens.is_number_integer() && tokens >= -1 && tokens < launch_arguments::largest;
  };
  if (sides.size() != 2 || !is_width(left) || !is_width(right))
    args.refuse("window-size", "must be tokens to the left and to the right, as 4095,0");
  const std::string drawn = drawn_layers(args, "window-attn-skip-freq", m.layers);
  if (left < 0) return;
  if (drawn.empty()) {
    m.full_attention_interval = args.whole_or("window-attn-skip-freq", 0);
  } else {
    m.listed_windowed_layers = static_cast<int>(std::count(drawn.begin(), drawn.end(), '1'));
    if (m.listed_windowed_layers == 0) return;
  }
  m.sliding_window = left.get<int>() + 1;
}

/// --linear-attention-freq: every k-th layer attends, or those that a list has 0 for.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, la_freq_type (2026).
inline void read_linear_layers(const launch_arguments& args, transformer& m) {
  constexpr const char* name = "linear-attention-freq";
  const std::string drawn = drawn_layers(args, name, m.layers);
  int attending = static_cast<int>(std::count(drawn.begin(), drawn.end(), '0'));
  if (drawn.empty()) attending = m.layers / args.needed(name);
  if (attending == m.layers) return;
  m.recurrent = {.layers = m.layers - attending,
                 .attention_layers = attending,
                 .linear = read_delta_net(args)};
}

/// Layers with an index of their own: those to --dsa-indexer-skip-topk-offset, at least the first,
/// and from there every --dsa-indexer-topk-freq-th.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/experimental_attention_variant/dsa.py,
/// is_dsa_skip_topk_layer (2026).
inline int indexed_layers(int layers, int offset, int interval) {
  const int first = std::clamp(offset, 1, layers);
  return first + (layers - first) / interval;
}

/// --dsa-indexer-...: an index of tokens, its queries made of the latent of queries.
inline void read_index(const launch_arguments& args, transformer& m) {
  m.sparse = {.heads = args.needed("dsa-indexer-n-heads"),
              .head_dim = args.needed("dsa-indexer-head-dim"),
              .query_rank = m.latent.query_rank,
              .tokens = args.needed("dsa-indexer-topk"),
              .layers = indexed_layers(m.layers, args.whole_or("dsa-indexer-skip-topk-offset", 0),
                                       args.whole_or("dsa-indexer-topk-freq", 1, 1)),
              .attending_layers = m.layers};
}

/// --experimental-attention-variant: gated delta nets in some layers, or an index of tokens.
inline void read_attention_variant(const launch_arguments& args, transformer& m) {
  if (!args.has("experimental-attention-variant")) return;
  const auto variant = args.choice("experimental-attention-variant", "", attention_variants);
  if (variant == attention_variant::delta_net) read_linear_layers(args, m);
  if (variant == attention_variant::sparse) read_index(args, m);
}

}  // namespace gpuplan::detail
