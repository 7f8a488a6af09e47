#pragma once
/// \file
/// The model that arguments of Megatron-LM describe.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_layers.hpp>
#include <gpuplan/launch/megatron_vocabulary.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// What a run of Megatron-LM trains: pretrain_gpt.py, pretrain_bert.py or pretrain_t5.py.
enum class megatron_kind { gpt, bert, t5 };

/// Told by the script where it is named, else by the arguments: a decoder beside an encoder is T5,
/// a vocabulary of word pieces without a decoder BERT.
inline megatron_kind megatron_kind_of(const launch_arguments& args) {
  const std::string script = args.text("script");
  if (script.find("bert") != script.npos) return megatron_kind::bert;
  if (script.find("t5") != script.npos) return megatron_kind::t5;
  if (script.find("gpt") != script.npos) return megatron_kind::gpt;
  if (args.has("decoder-num-layers")) return megatron_kind::t5;
  const bool pieces = detail::megatron_tokenizer(args).starts_with("BertWordPiece");
  return pieces || args.flag("bert-no-binary-head") ? megatron_kind::bert : megatron_kind::gpt;
}

namespace detail {

inline constexpr auto megatron_norms = std::to_array<named<normalization>>(
    {{"LayerNorm", normalization::layer_norm}, {"RMSNorm", normalization::rms_norm}});

inline constexpr auto megatron_positions =
    std::to_array<named<position_encoding>>({{"learned_absolute", position_encoding::learned},
                                             {"rope", position_encoding::rotary},
                                             {"yarn", position_encoding::rotary},
                                             {"mrope", position_encoding::rotary},
                                             {"none", position_encoding::none}});

/// Which layers have experts: --moe-layer-freq, a period or a pattern of 0 and 1.
inline void place_experts(const launch_arguments& args, transformer& m) {
  std::string pattern = args.text("moe-layer-freq");
  if (pattern.empty() && args.value("moe-layer-freq").is_array())
    for (const auto& layer : args.value("moe-layer-freq")) pattern += layer == 0 ? '0' : '1';
  if (pattern.find_first_not_of("0123456789") == pattern.npos && std::ssize(pattern) != m.layers) {
    const int period = args.whole_or("moe-layer-freq", 1, 1);
    pattern.clear();
    for (int i = 0; i < m.layers; ++i) pattern += i % period == 0 ? '1' : '0';
  } else {
    pattern = written_out(pattern);
  }
  if (std::ssize(pattern) != m.layers) args.refuse("moe-layer-freq", "does not fit the layers");
  m.moe.dense_layers = static_cast<int>(std::count(pattern.begin(), pattern.end(), '0'));
  m.moe.first_dense_layers = static_cast<int>(std::min(pattern.find('1'), pattern.size()));
}

inline void read_latent(const launch_arguments& args, transformer& m) {
  m.latent = {.query_rank = args.whole_or("q-lora-rank", 0),
              .kv_rank = args.whole_or("kv-lora-rank", 32, 1),
              .rope_head_dim = args.whole_or("qk-pos-emb-head-dim", 64),
              .content_head_dim = args.whole_or("qk-head-dim", 128, 1),
              .value_head_dim = args.whole_or("v-head-dim", 128, 1)};
  m.query_key = query_key_norm::none;  // the latents' own norms are counted with them
  m.biases.query_key_value = false;
}

inline void read_experts(const launch_arguments& args, transformer& m) {
  const int experts = args.whole_or("num-experts", 0);
  if (experts == 0) return;
  m.moe = {.experts = experts,
           .experts_per_token = args.whole_or("moe-router-topk", 2, 1),
           .ffn_size = args.whole_or("moe-ffn-hidden-size", m.ffn_size, 1),
           .shared_ffn_size = args.whole_or("moe-shared-expert-intermediate-size", 0),
           .router_bias = args.flag("add-bias-router"),
           .expert_bias = !args.flag("disable-bias-linear"),
           .shared_gate = args.flag("moe-shared-expert-gate"),
           .correction_bias = args.flag("moe-router-enable-expert-bias")};
  place_experts(args, m);
}

/// Width of the feed-forward network: 4 h, of a gated one two thirds of it in multiples of 64.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, validate_args.
inline int megatron_ffn(const launch_arguments& args, int hidden, bool gated) {
  if (const auto given = args.whole("ffn-hidden-size", 1)) return *given;
  if (hidden > launch_arguments::largest / 4) args.refuse("hidden-size", "is too large");
  return gated ? static_cast<int>(4.0 * hidden * 2 / 3 / 64) * 64 : 4 * hidden;
}

/// --window-size left,right: a token looks back on `left` others and on itself; every
/// --window-attn-skip-freq-th layer has no window.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/transformer_config.py (2026).
inline void read_window(const launch_arguments& args, transformer& m) {
  const std::vector<std::string> sides = args.words("window-size");
  if (sides.empty()) return;
  const nlohmann::json left = number_from(sides.front());
  if (!left.is_number_integer() || left < 0 || left >= launch_arguments::largest)
    args.refuse("window-size", "must be tokens to the left and to the right, as 4095,0");
  m.sliding_window = left.get<int>() + 1;
  m.full_attention_interval = args.whole_or("window-attn-skip-freq", 0);
}

inline void read_positions(const launch_arguments& args, transformer& m) {
  m.positions = args.choice("position-embedding-type", "learned_absolute", megatron_positions);
  if (args.flag("use-rotary-position-embeddings")) m.positions = position_encoding::rotary;
  if (args.flag("no-position-embedding")) m.positions = position_encoding::none;
  if (m.positions == position_encoding::learned)
    m.position_rows = args.needed("max-position-embeddings");
  else
    static_cast<void>(args.has("max-position-embeddings"));
}

/// State-space layers have no transformer's shape.
inline void refuse_state_space(const launch_arguments& args) {
  for (const char* name : {"hybrid-layer-pattern", "hybrid-override-pattern", "is-hybrid-model"})
    if (args.has(name)) args.refuse(name, "cannot be planned with: layers that are no attention");
}

}  // namespace detail

/// The model, with the defaults of Megatron-LM where an argument is absent.
///
/// \throws invalid_input naming the argument that is missing or that no transformer has
inline transformer read_megatron_model(const launch_arguments& args, int tensor, launch_job& said) {
  detail::refuse_state_space(args);
  const megatron_kind kind = megatron_kind_of(args);
  const bool both = kind == megatron_kind::t5;
  const bool bert = kind == megatron_kind::bert;
  const bool bias = !args.flag("disable-bias-linear");
  const bool gated = args.flag("swiglu") || args.flag("quick-geglu");
  const int hidden = args.needed("hidden-size");
  const int heads = args.needed("num-attention-heads");
  const char* const layers = args.has("num-layers") ? "num-layers" : "encoder-num-layers";
  if (bert && !args.has("script"))
    said.assumed.emplace_back("BERT, as the vocabulary is one of word pieces");

  transformer m{
      .layers = args.needed(both && args.has("decoder-num-layers") ? "decoder-num-layers" : layers),
      .hidden_size = hidden,
      .attention_heads = heads,
      .kv_heads =
          args.flag("group-query-attention") ? args.whole_or("num-query-groups", 1, 1) : heads,
      .head_dim = args.whole("kv-channels", 1).value_or(std::max(1, hidden / heads)),
      .ffn_size = detail::megatron_ffn(args, hidden, gated),
      .vocabulary_size = megatron_vocabulary(args, tensor, said),
      .encoder_layers =
          both ? args.needed(args.has("encoder-num-layers") ? "encoder-num-layers" : "num-layers")
               : 0,
      .gated_ffn = gated,
      .tied_embeddings = !args.flag("untie-embeddings-and-output-weights"),
      .norm = args.choice("normalization", "LayerNorm", detail::megatron_norms),
      .biases = {.query_key_value = bias || args.flag("add-qkv-bias"),
                 .attention_output = bias,
                 .ffn = bias,
                 .head = bert || both}};
  if (both) static_cast<void>(args.has("num-layers"));
  detail::read_positions(args, m);
  detail::read_window(args, m);
  if (args.flag("qk-layernorm")) m.query_key = query_key_norm::per_head;
  if (bert) {
    m.mask = attention_mask::full;
    m.token_types = 2;
    m.pooler = m.head_transform = true;
  }
  m.multi_token_prediction_layers = args.whole_or("mtp-num-layers", 0);
  if (args.flag("multi-latent-attention")) detail::read_latent(args, m);
  detail::read_experts(args, m);
  require_valid(m);
  return m;
}

}  // namespace gpuplan
