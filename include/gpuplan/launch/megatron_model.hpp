#pragma once
/// \file
/// The model that arguments of Megatron-LM describe.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_attention.hpp>
#include <gpuplan/launch/megatron_contradictions.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>
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
  if (read_hybrid_pattern(args)) return megatron_kind::gpt;
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
    pattern = args.in_argument("moe-layer-freq", [&] { return written_out(pattern); });
    if (pattern.find_first_not_of("01") != pattern.npos)
      args.refuse("moe-layer-freq", "must have 0 or 1 for each layer");
  }
  if (std::ssize(pattern) != m.layers) args.refuse("moe-layer-freq", "does not fit the layers");
  m.moe.dense_layers = static_cast<int>(std::count(pattern.begin(), pattern.end(), '0'));
  m.moe.first_dense_layers = first_dense_layers(pattern);
}

/// Experts, whose router and networks have biases where other linear maps have them.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/moe/router.py, Router (2026).
inline void read_experts(const launch_arguments& args, transformer& m) {
  const int experts = args.whole_or("num-experts", 0);
  const bool bias = !args.flag("disable-bias-linear");
  if (experts == 0) return;
  // As fast, and of one size, either way.
  static_cast<void>(args.has("moe-router-score-function"));
  static_cast<void>(args.flag("moe-router-pre-softmax"));
  m.moe = {.experts = experts,
           .experts_per_token = args.whole_or("moe-router-topk", 2, 1),
           .ffn_size = args.whole_or("moe-ffn-hidden-size", m.ffn_size, 1),
           .shared_ffn_size = args.whole_or("moe-shared-expert-intermediate-size", 0),
           .router_bias = bias,
           .expert_bias = bias,
           .shared_gate = args.flag("moe-shared-expert-gate"),
           .correction_bias = args.flag("moe-router-enable-expert-bias"),
           .latent_size = args.whole_or("moe-latent-size", 0)};
}

/// Width of the feed-forward network: 4 h, of a gated one two thirds of it in multiples of 64.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, validate_args.
inline int megatron_ffn(const launch_arguments& args, int hidden, bool gated) {
  if (const auto given = args.whole("ffn-hidden-size", 1)) return *given;
  if (hidden > launch_arguments::largest / 4) args.refuse("hidden-size", "is too large");
  return gated ? static_cast<int>(4.0 * hidden * 2 / 3 / 64) * 64 : 4 * hidden;
}

/// Width of a head: --kv-channels, else the hidden size over the heads, which must divide it.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, validate_args.
inline int megatron_head_dim(const launch_arguments& args, int hidden, int heads) {
  if (const auto given = args.whole("kv-channels", 1)) return *given;
  if (hidden % heads != 0)
    args.refuse("num-attention-heads",
                std::to_string(heads) + " does not divide " + args.shown_as("hidden-size") + " " +
                    std::to_string(hidden) + ", and there is no " + args.shown_as("kv-channels"));
  return hidden / heads;
}

/// Layers: the networks of a pattern, else --num-layers or that of the decoder.
inline int megatron_depth(const launch_arguments& args,
                          const std::optional<hybrid_pattern>& pattern, bool is_decoder) {
  const bool encodes = args.has("encoder-num-layers");
  const bool named = args.has("num-layers");
  if (pattern) {
    const int networks = pattern->count('-') + pattern->count('E');
    if (networks == 0)
      args.refuse(hybrid_pattern_name(args), "needs a feed-forward network - or experts E");
    return networks;
  }
  if (is_decoder && args.has("decoder-num-layers")) return args.needed("decoder-num-layers");
  return args.needed(encodes && !named ? "encoder-num-layers" : "num-layers");
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

/// Experts, windows and mixers, and the layers that have them.
inline void read_kinds_of_layers(const launch_arguments& args,
                                 const std::optional<hybrid_pattern>& pattern, transformer& m,
                                 launch_job& said) {
  read_experts(args, m);
  if (pattern) {
    read_hybrid_networks(args, *pattern, m, said);
    read_hybrid_mixers(args, *pattern, m);
    return;
  }
  read_attention_variant(args, m);
  if (m.moe.experts > 0) place_experts(args, m);
}

}  // namespace detail

/// The model, with the defaults of Megatron-LM where an argument is absent.
///
/// \throws invalid_input naming the argument that is missing or that no transformer has
inline transformer read_megatron_model(const launch_arguments& args, int tensor, launch_job& said) {
  const std::optional<hybrid_pattern> pattern = read_hybrid_pattern(args);
  const megatron_kind kind = megatron_kind_of(args);
  const bool both = kind == megatron_kind::t5;
  const bool bert = kind == megatron_kind::bert;
  const bool bias = !args.flag("disable-bias-linear");
  const bool has_bias = args.flag("add-qkv-bias");
  const bool swiglu = args.flag("swiglu");
  const bool gated = args.flag("quick-geglu") || swiglu;
  const int hidden = args.needed("hidden-size");
  const int heads = args.needed("num-attention-heads");
  const bool squared = args.flag("squared-relu");
  if (squared && gated)
    args.refuse("squared-relu", "contradicts " + args.shown_as(swiglu ? "swiglu" : "quick-geglu"));
  if (pattern) refuse_contradictions(args, *pattern, said);
  if (bert && !args.has("script"))
    said.assumed.emplace_back("BERT, as the vocabulary is one of word pieces");

  transformer m{
      .layers = detail::megatron_depth(args, pattern, both),
      .hidden_size = hidden,
      .attention_heads = heads,
      .kv_heads =
          args.flag("group-query-attention") ? args.whole_or("num-query-groups", 1, 1) : heads,
      .head_dim = detail::megatron_head_dim(args, hidden, heads),
      .ffn_size = detail::megatron_ffn(args, hidden, gated),
      .vocabulary_size = megatron_vocabulary(args, tensor, said),
      .encoder_layers =
          both ? args.needed(args.has("encoder-num-layers") ? "encoder-num-layers" : "num-layers")
               : 0,
      .gated_ffn = gated,
      .squared_relu = squared,
      .tied_embeddings = !args.flag("untie-embeddings-and-output-weights"),
      .norm = args.choice("normalization", "LayerNorm", detail::megatron_norms),
      .biases = {.query_key_value = bias || has_bias,
                 .attention_output = bias,
                 .ffn = bias,
                 .head = bert || both}};
  if (both) static_cast<void>(args.has("num-layers"));
  detail::read_positions(args, m);
  detail::read_window(args, m);
  m.attention_gate = args.flag("attention-output-gate");
  m.attention_sinks = args.choice("softmax-type", "vanilla", detail::megatron_softmax_types);
  if (args.flag("qk-layernorm")) m.query_key = query_key_norm::per_head;
  if (bert) {
    m.mask = attention_mask::full;
    m.token_types = 2;
    m.pooler = m.head_transform = true;
  }
  m.multi_token_prediction_layers = args.whole_or("mtp-num-layers", 0);
  if (args.flag("multi-latent-attention")) detail::read_latent(args, m);
  detail::read_kinds_of_layers(args, pattern, m, said);
  return args.in_file([&] {
    require_valid(m);
    return m;
  });
}

}  // namespace gpuplan
