#pragma once
/// \file
/// How Megatron-LM writes which layers go where: expressions like Et*3|(tt|)*6mL and
/// ([0]*3+[1]*12), and options that move a layer away from the ends.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// The longest expression of layers, written out.
inline constexpr std::size_t most_written_layers = std::size_t{1} << 16;

/// Writes every repetition out: x*n is x n times, for one letter, (a group) or [a list].
///
/// \throws invalid_input if a bracket is missing or too many, or the whole is longer than
///         most_written_layers
inline std::string written_out(std::string_view layout) {
  std::string all;
  std::size_t last = 0;  // where what a repetition repeats begins
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const char c = layout[i];
    if (c == '(' || c == '[') {
      open.push_back(all.size());
    } else if (c == ')' || c == ']') {
      if (open.empty()) throw invalid_input{"a bracket too many in " + shown_name(layout)};
      last = open.back();
      open.pop_back();
    } else if (c == '*') {
      std::size_t times = 0;
      while (i + 1 < layout.size() && std::isdigit(static_cast<unsigned char>(layout[i + 1])) != 0)
        times = std::min(most_written_layers + 1,
                         10 * times + static_cast<std::size_t>(layout[++i] - '0'));
      const std::string repeated = all.substr(last);
      all.resize(last);
      if (times * repeated.size() + last > most_written_layers)
        throw invalid_input{shown_name(layout) + " stands for more than 65536 layers"};
      for (std::size_t n = 0; n < times; ++n) all += repeated;
    } else if (c != '+' && c != ',' && c != ' ') {
      last = all.size();
      all += c;
    }
    if (all.size() > most_written_layers)
      throw invalid_input{shown_name(layout) + " stands for more than 65536 layers"};
  }
  if (!open.empty()) throw invalid_input{"a bracket is not closed in " + shown_name(layout)};
  return all;
}

/// Layers of each piece of a pipeline, between bars; t is a layer, E, m and L the ends.
///
/// \throws invalid_input as written_out
inline std::vector<int> layers_of_pieces(std::string_view layout) {
  std::vector<int> layers{0};
  for (const char c : written_out(layout)) {
    if (c == '|') layers.push_back(0);
    if (c == 't') ++layers.back();
  }
  return layers;
}

/// Layers of each stage where the embedding, the head, or both count as one layer of their stage.
///
/// \throws invalid_input if the layers and these do not divide into equal stages
inline std::vector<int> balanced_ends(int layers, int stages, bool embedding, bool head) {
  const int all = layers + (embedding ? 1 : 0) + (head ? 1 : 0);
  if (stages < 1 || all % stages != 0)
    throw invalid_input{"layers and ends do not divide into equal stages"};
  std::vector<int> split(static_cast<std::size_t>(stages), all / stages);
  if (embedding) --split.front();
  if (head) --split.back();
  return split;
}

/// Layers of each stage where the first and the last are given and the others are equal.
///
/// \throws invalid_input if those left over do not divide
inline std::vector<int> given_ends(int layers, int stages, int first, int last) {
  const int between = stages - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
  const int left = layers - first - last;
  if (left < 0 || between < 0 || (between == 0 ? left != 0 : left % between != 0))
    throw invalid_input{"layers do not divide over the stages between the ends"};
  std::vector<int> split(static_cast<std::size_t>(stages), between == 0 ? 0 : left / between);
  if (first > 0) split.front() = first;
  if (last > 0) split.back() = last;
  return split;
}

/// Layers of each stage where those of the first and the last are given.
///
/// \throws invalid_input naming the argument, as given_ends
inline std::vector<int> given_stages(const launch_arguments& args, int layers, int stages,
                                     int first, int last) {
  return args.in_argument(
      first > 0 ? "decoder-first-pipeline-num-layers" : "decoder-last-pipeline-num-layers",
      [&] { return given_ends(layers, stages, first, last); });
}

/// Chunks of each rank of a pipeline by --num-layers-per-virtual-pipeline-stage, where all stages
/// are equal and so are all chunks.
///
///     layers  those of the model, and its ends that count as layers
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, validate_args (commit d98e8a64,
/// 2026).
///
/// \throws invalid_input naming the argument if they are not equal
inline int chunks_of_layers(const launch_arguments& args, int layers, int stages, int chunk) {
  constexpr const char* name = "num-layers-per-virtual-pipeline-stage";
  for (const char* end : {"decoder-first-pipeline-num-layers", "decoder-last-pipeline-num-layers"})
    if (args.has(end))
      args.refuse(name, "contradicts " + args.shown_as(end) + "; use " +
                            args.shown_as("num-virtual-stages-per-pipeline-rank"));
  if (layers % stages != 0)
    args.refuse("pipeline-model-parallel-size", std::to_string(stages) + " does not divide the " +
                                                    std::to_string(layers) + " layers");
  const int held = layers / stages;
  if (held % chunk != 0)
    args.refuse(name, std::to_string(chunk) + " does not divide the " + std::to_string(held) +
                          " layers of a stage");
  return held / chunk;
}

/// Dense layers before the first with experts, so that all later layers alternate evenly: 1 of
/// 0111, none of 0101.  Where no number makes them even, all that stand before the first.
///
///     drawn  0 for each dense layer, 1 for each with experts, in order
inline int first_dense_layers(std::string_view drawn) {
  const auto layers = static_cast<std::int64_t>(drawn.size());
  const std::int64_t experts = std::count(drawn.begin(), drawn.end(), '1');
  const auto alternate_from = [&](std::int64_t first) {
    std::int64_t seen = 0;
    for (std::int64_t i = first; i < layers; ++i) {
      seen += drawn[static_cast<std::size_t>(i)] == '1' ? 1 : 0;
      if (seen != (i + 1 - first) * experts / (layers - first)) return false;
    }
    return true;
  };
  const auto standing = static_cast<std::int64_t>(std::min(drawn.find('1'), drawn.size()));
  for (std::int64_t first = standing; first >= std::max<std::int64_t>(0, standing - 1000); --first)
    if (alternate_from(first)) return static_cast<int>(first);
  return static_cast<int>(standing);
}

}  // namespace gpuplan
