#pragma once
/// \file
/// Hybrid models of Megatron Core: layers by letters, as MEM*E|MEM*E/*E, and the mixers that stand
/// in place of attention.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_layers.hpp>
#include <gpuplan/launch/megatron_pieces.hpp>
#include <gpuplan/model/linear_attention.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// Layers of a hybrid model: M is Mamba 2, G a gated delta net, * attention, - a feed-forward
/// network and E experts, each with one norm.
struct hybrid_pattern {
  std::vector<std::string> pieces{};  ///< letters of each piece of a pipeline; one: not cut
  std::string prediction{};           ///< letters of the module of one further token
  int predictions = 0;                ///< further tokens

  /// Letters of the whole model, in order.
  [[nodiscard]] std::string layers() const {
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    return all;
  }
  [[nodiscard]] int count(char letter) const {
    int sum = 0;
    for (const std::string& piece : pieces)
      sum += static_cast<int>(std::count(piece.begin(), piece.end(), letter));
    return sum;
  }
};

namespace detail {

/// Feed-forward networks and sets of experts among letters.
inline int networks_in(std::string_view letters) {
  return static_cast<int>(
      std::count_if(letters.begin(), letters.end(), [](char c) { return c == '-' || c == 'E'; }));
}

inline const char* hybrid_pattern_name(const launch_arguments& args) {
  return args.has("hybrid-layer-pattern") ? "hybrid-layer-pattern" : "hybrid-override-pattern";
}

/// The pattern of a text: pieces between bars, further tokens after slashes, groups in brackets.
inline hybrid_pattern hybrid_pattern_of(const launch_arguments& args, const std::string& text) {
  const char* const name = hybrid_pattern_name(args);
  if (text.size() > most_written_layers) args.refuse(name, "stands for more than 65536 layers");
  hybrid_pattern read{.pieces = {std::string{}}};
  std::vector<std::string> ahead;  // letters of each further token
  int open = 0;
  for (const char c : text) {
    if (c == '/') {
      ahead.emplace_back();
    } else if (c == '|' && ahead.empty()) {
      read.pieces.emplace_back();
    } else if (std::string_view("MG*-E").find(c) != std::string_view::npos) {
      (ahead.empty() ? read.pieces : ahead).back() += c;
    } else if (c == '[' || c == ']') {
      open += c == '[' ? 1 : -1;
      if (open < 0) args.refuse(name, "has a bracket too many");
    } else {
      args.refuse(name, "has layers " + shown_name(std::string(1, c)) +
                            "; those that are modelled are M, G, *, - and E");
    }
  }
  if (open > 0) args.refuse(name, "has a bracket that is not closed");
  if (ahead.empty()) return read;
  read.prediction = ahead.front();
  for (const std::string& letters : ahead)
    if (letters != read.prediction)
      args.refuse(name, "has further predictions " + shown_name(read.prediction) + " and " +
                            shown_name(letters) + ", which must be alike");
  if (!read.prediction.empty()) read.predictions = static_cast<int>(ahead.size());
  return read;
}

}  // namespace detail

/// The pattern of --hybrid-layer-pattern, or of --hybrid-override-pattern as it was called, with
/// that of --mtp-hybrid-override-pattern; none where no argument asks for a hybrid model.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/models/hybrid/hybrid_layer_allocation.py (commit
/// d98e8a64, 2026).
///
/// \throws invalid_input if a letter is not modelled, or a hybrid model has no pattern
inline std::optional<hybrid_pattern> read_hybrid_pattern(const launch_arguments& args) {
  const char* const name = detail::hybrid_pattern_name(args);
  const nlohmann::json& given = args.value(name);
  if (!given.is_null() && !given.is_string())
    args.refuse(name, "must be a string of layers, as \"M-M*-\"");
  std::string text = args.text(name);
  static_cast<void>(args.has("hybrid-override-pattern"));  // the older name of the same
  const bool asked = args.flag("is-hybrid-model");
  const std::string needs = "needs " + args.shown_as("hybrid-layer-pattern") + ", as M-M*-";
  for (const char* ratio : {"hybrid-attention-ratio", "hybrid-mlp-ratio"})
    if (args.number_or(ratio, 0) != 0 && text.empty()) args.refuse(ratio, needs);
  if (text.empty()) {
    if (asked) args.refuse("is-hybrid-model", needs);
    return std::nullopt;
  }
  const std::string further = args.text("mtp-hybrid-override-pattern");
  if (text.find('/') == text.npos && !further.empty())
    for (int i = args.whole_or("mtp-num-layers", 0); i > 0 && text.size() <= most_written_layers;
         --i)
      text += "/" + further;
  return detail::hybrid_pattern_of(args, text);
}

namespace detail {

/// --mamba-num-groups: each holds whole heads, and each rank whole groups.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/ssm/mamba_mixer.py, MambaMixer (2026).
inline int mamba_groups(const launch_arguments& args, int heads) {
  constexpr const char* name = "mamba-num-groups";
  constexpr const char* ranks = "tensor-model-parallel-size";
  const int groups = args.whole_or(name, 8, 1);
  const int tensor = args.whole_or(ranks, 1, 1);
  if (heads % groups != 0)
    args.refuse(name, std::to_string(groups) + " does not divide the " + std::to_string(heads) +
                          " heads of Mamba");
  if (groups % tensor != 0)
    args.refuse(ranks, std::to_string(tensor) + " does not divide the " + std::to_string(groups) +
                           " groups of " + args.shown_as(name));
  return groups;
}

/// --mamba-...: heads of --mamba-head-dim channels, twice the hidden size where none are said; a
/// convolution of 4 tokens with its bias, maps without, and a norm of the output.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/ssm/mamba_mixer.py, MambaMixer (2026).
inline state_space read_mamba(const launch_arguments& args, int hidden) {
  const int width = args.whole_or("mamba-head-dim", 64, 1);
  const double inner = 2.0 * hidden;
  const int heads = args.whole("mamba-num-heads", 1)
                        .value_or(static_cast<int>(std::min(1e9, std::floor(inner / width))));
  const double channels = double(heads) * width;
  if (!(channels >= 1 && channels <= launch_arguments::largest))
    args.refuse("mamba-num-heads",
                "times " + args.shown_as("mamba-head-dim") + " must be 1 to 1000000000 channels");
  if (!args.has("mamba-num-heads") && channels != inner)
    args.refuse("mamba-head-dim", "does not divide twice the hidden size");
  return {.channels = static_cast<int>(channels),
          .state_size = args.whole_or("mamba-state-dim", 128, 1),
          .heads = heads,
          .groups = mamba_groups(args, heads),
          .norm = true};
}

/// --linear-...: the heads of a gated delta net.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/transformer_config.py (2026).
inline linear_attention read_delta_net(const launch_arguments& args) {
  return {.key_heads = args.whole_or("linear-num-key-heads", 16, 1),
          .value_heads = args.whole_or("linear-num-value-heads", 32, 1),
          .key_head_dim = args.whole_or("linear-key-head-dim", 128, 1),
          .value_head_dim = args.whole_or("linear-value-head-dim", 128, 1),
          .convolution = args.whole_or("linear-conv-kernel-dim", 4, 1)};
}

/// The mixers of a pattern: Mamba 2 or gated delta nets, and attention.
inline void read_hybrid_mixers(const launch_arguments& args, const hybrid_pattern& pattern,
                               transformer& m) {
  const char* const name = hybrid_pattern_name(args);
  const int mamba = pattern.count('M');
  const int delta = pattern.count('G');
  const int attending = pattern.count('*');
  if (mamba > 0 && delta > 0) args.refuse(name, "has mixers of two kinds, M and G");
  if (mamba + delta == 0) {
    if (attending != m.layers)
      args.refuse(name, "has other attentions than networks, and no mixer");
    return;
  }
  m.recurrent = {.layers = mamba + delta, .attention_layers = attending};
  if (mamba > 0)
    m.recurrent.space = read_mamba(args, m.hidden_size);
  else
    m.recurrent.linear = read_delta_net(args);
}

/// The networks of a pattern, which are the layers of the model, and the modules of further tokens.
inline void read_hybrid_networks(const launch_arguments& args, const hybrid_pattern& pattern,
                                 transformer& m, launch_job& said) {
  const char* const name = hybrid_pattern_name(args);
  const std::string letters = pattern.layers();
  std::string drawn;
  for (const char letter : letters)
    if (letter == '-' || letter == 'E') drawn += letter == 'E' ? '1' : '0';
  const bool experts = pattern.count('E') > 0;
  if (!experts) m.moe = {};
  if (experts) {
    m.moe.dense_layers = pattern.count('-');
    m.moe.first_dense_layers = first_dense_layers(drawn);
  }
  if (pattern.predictions == 0) return;
  m.multi_token_prediction_layers = pattern.predictions;
  if (pattern.prediction != (m.moe.experts > 0 ? "*E" : "*-"))
    said.not_modelled.push_back(args.shown_as(name) + ": further predictions of layers " +
                                shown_name(pattern.prediction) +
                                ", taken for attention and a network");
}

/// Letters of each piece of a pipeline: those between bars, else equal numbers of letters but for
/// the first and the last stage, where these are given.
inline std::vector<std::string> hybrid_pieces(const launch_arguments& args,
                                              const hybrid_pattern& pattern, int stages) {
  const char* const name = hybrid_pattern_name(args);
  if (pattern.pieces.size() > 1) {
    if (pattern.pieces.size() % static_cast<std::size_t>(stages) != 0)
      args.refuse(name, "does not fit the stages");
    return pattern.pieces;
  }
  const int first = args.whole_or("decoder-first-pipeline-num-layers", 0);
  const int last = args.whole_or("decoder-last-pipeline-num-layers", 0);
  const std::string letters = pattern.layers();
  const auto all = static_cast<int>(letters.size());
  if (first + last == 0 && all % stages != 0)
    args.refuse(name, "does not divide into equal stages, and has no bars");
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  const std::vector<int> counts = first + last > 0 ? given_stages(args, all, stages, first, last)
                                                   : given_ends(all, stages, first, last);
  for (const int count : counts) {
    pieces.push_back(letters.substr(begin, static_cast<std::size_t>(count)));
    begin += static_cast<std::size_t>(count);
  }
  return pieces;
}

/// The pieces of a pipeline that a pattern draws.
inline void cut_hybrid_pipeline(const launch_arguments& args, const hybrid_pattern& pattern,
                                launch_job& said) {
  parallelism& cut = said.parallelism;
  if (cut.pipeline > layer_split::most_stages)
    args.refuse("pipeline-model-parallel-size", "must be <= 128");
  if (cut.pipeline == 1) return;
  std::vector<int> networks;
  for (const std::string& piece : hybrid_pieces(args, pattern, cut.pipeline))
    networks.push_back(networks_in(piece));
  args.in_argument(hybrid_pattern_name(args),
                   [&] { cut_into_pieces(networks, *said.model, said.recipe, cut); });
  said.assumed.emplace_back("each stage has mixers in proportion to its networks");
}

/// The letters of networks begin to end - 1, each with the mixers before it: all mixers spread
/// evenly over all networks, and attention over mixers.
inline std::string hybrid_letters(const transformer& m, int begin, int end) {
  const std::int64_t attending = m.recurrent.attention_layers;
  const std::int64_t mixers = m.recurrent.layers + attending;
  const auto before = [&](std::int64_t network) {
    return (network * mixers + m.layers - 1) / m.layers;
  };
  const char mixer = m.recurrent.is_linear() ? 'G' : 'M';
  std::string letters;
  for (int i = begin; i < end; ++i) {
    for (std::int64_t k = before(i); k < before(i + 1); ++k)
      letters += (k + 1) * attending / mixers > k * attending / mixers ? '*' : mixer;
    letters += moe_layers_before(m, i + 1) > moe_layers_before(m, i) ? 'E' : '-';
  }
  return letters;
}

/// MEM*E|MEM*E/*E: the layers of each chunk of a pipeline, and the modules of further tokens.
inline std::string drawn_hybrid(const transformer& m, const recipe& how, const parallelism& cut) {
  std::string drawn;
  int begin = 0;
  for (int chunk = 0; chunk < cut.interleave; ++chunk)
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      if (chunk + stage > 0) drawn += "|";
      const int end = begin + layers_of_chunk(m, how, cut, stage, chunk).total();
      drawn += hybrid_letters(m, begin, end);
      begin = end;
    }
  for (int i = 0; i < m.multi_token_prediction_layers; ++i)
    drawn += m.moe.experts > 0 ? "/*E" : "/*-";
  return drawn;
}

}  // namespace detail

/// Whether a model is one of letters to Megatron Core: Mamba 2 stands in some of its layers.
constexpr bool is_hybrid_pattern(const transformer& m) {
  return m.recurrent.layers > 0 && !m.recurrent.is_linear() && !m.recurrent.beside_attention &&
         m.recurrent.space.kind == state_space_kind::mamba_2;
}

}  // namespace gpuplan
