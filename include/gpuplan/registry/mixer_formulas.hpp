#pragma once
/// \file
/// Rows of what mixes tokens in place of attention, or beside it: state-space layers, linear
/// attention, the index of sparse attention.

#include <array>

#include <gpuplan/model/linear_attention.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/model/sparse_index.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// A Mamba 2 layer whose convolution has a bias, and a norm of its output: of so many channels,
/// heads, groups and states of a channel.
constexpr state_space mamba_2_layer(double c, double a, double g, double n) {
  return {.channels = whole(c),
          .state_size = whole(n),
          .heads = whole(a),
          .groups = whole(g),
          .norm = true};
}

/// A gated delta net whose keys and values have heads of one width.
constexpr linear_attention delta_net(double g, double a, double d) {
  return {.key_heads = whole(g),
          .value_heads = whole(a),
          .key_head_dim = whole(d),
          .value_head_dim = whole(d)};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     h  hidden size                     count, >= 1
///     c  channels                        count, >= 1
///     n  state of a channel              count, >= 1
///     d  width of a head                 count, >= 1
inline constexpr std::array mixer_rows{
    ///     h (c + v + a) + v (k + 1) + 3 a + c + c h,   v = c + 2 g n,   k = 4
    ///
    ///     a  heads     count, >= 1
    ///     g  groups    count, >= 1
    ///
    /// Holds: Mamba 2 with a norm of its output, a convolution of 4 tokens with a bias.
    row{.call = "model/state_space.hpp: state_space_parameters(h, c, a, g, n) in count",
        .latex = R"(h (c + v + a) + v (k + 1) + 3 a + c + c h)",
        .evaluate =
            [](inputs x) {
              return state_space_parameters(mamba_2_layer(x[1], x[2], x[3], x[4]), whole(x[0]));
            },
        .examples = {{{2688, 4096, 64, 8, 128}, 38742208, 0, "Nemotron 3 Nano, by hand"}}},
    ///     c n + (k - 1) (c + 2 g n),   k = 4
    ///
    ///     g  groups    count, >= 1
    ///
    /// Holds: Mamba 2 with a convolution of 4 tokens; both parts, of one layer and one sequence.
    row{.call = "model/state_space.hpp: state_space_state(c, g, n) in count",
        .latex = R"(c n + (k - 1) (c + 2 g n))",
        .evaluate =
            [](inputs x) {
              const sequence_state kept = state_space_state(mamba_2_layer(x[0], 1, x[1], x[2]));
              return kept.recurrent + kept.convolution;
            },
        .examples = {{{4096, 8, 128}, 542720, 0, "4096 x 128 + 3 x 6144"}}},
    ///     h (2 K + 3 V + 2 a) + k (2 K + V) + 2 a + d,   K = g d,   V = a d,   k = 4
    ///
    ///     g  key heads      count, >= 1
    ///     a  value heads    count, >= 1
    ///
    /// Holds: a gated delta net whose heads are of one width, a convolution of 4 tokens.
    row{.call = "model/linear_attention.hpp: linear_attention_parameters(h, g, a, d) in count",
        .latex = R"(h (2 K + 3 V + 2 a) + k (2 K + V) + 2 a + d)",
        .evaluate =
            [](inputs x) {
              return linear_attention_parameters(delta_net(x[1], x[2], x[3]), whole(x[0]));
            },
        .examples = {{{2048, 16, 32, 128}, 33718464, 0, "Qwen3-Next 80B-A3B, by hand"}}},
    ///     V d + (k - 1) (2 K + V),   K = g d,   V = a d,   k = 4
    ///
    ///     g  key heads      count, >= 1
    ///     a  value heads    count, >= 1
    ///
    /// Holds: a gated delta net whose heads are of one width; both parts, of one layer and one
    /// sequence.
    row{.call = "model/linear_attention.hpp: linear_attention_state(g, a, d) in count",
        .latex = R"(V d + (k - 1) (2 K + V))",
        .evaluate =
            [](inputs x) {
              const sequence_state kept = linear_attention_state(delta_net(x[0], x[1], x[2]));
              return kept.recurrent + kept.convolution;
            },
        .examples = {{{16, 32, 128}, 548864, 0, "32 x 128^2 + 3 x 8192"}}},
    ///     8 a d^2
    ///
    ///     a  value heads    count, >= 1
    ///
    /// Holds: a gated delta net whose heads are of one width.
    row{.call = "model/recurrent_mixer.hpp: recurrence_operations(a, d) in count",
        .latex = R"(8 a d^2)",
        .evaluate =
            [](inputs x) { return recurrence_operations({.linear = delta_net(x[0], x[0], x[1])}); },
        .examples = {{{32, 128}, 4194304, 0, "8 x 32 x 128^2"}}},
    ///     3 (2 K + V) + 4 V,   K = g d,   V = a d
    ///
    ///     g  key heads      count, >= 1
    ///     a  value heads    count, >= 1
    ///
    /// Holds: a gated delta net whose heads are of one width.
    row{.call = "model/recurrent_mixer.hpp: recurrent_traffic(g, a, d) in count",
        .latex = R"(3 (2 K + V) + 4 V)",
        .evaluate =
            [](inputs x) { return recurrent_traffic({.linear = delta_net(x[0], x[1], x[2])}); },
        .examples = {{{16, 32, 128}, 40960, 0, "3 x 8192 + 4 x 4096"}}},
    ///     2 (2 K + V) + 64 a + 3 V,   K = g d,   V = a d
    ///
    ///     g  key heads      count, >= 1
    ///     a  value heads    count, >= 1
    ///
    /// Holds: a gated delta net whose heads are of one width.
    row{.call = "model/recurrent_mixer.hpp: recurrent_kept_values(g, a, d) in count",
        .latex = R"(2 (2 K + V) + 64 a + 3 V)",
        .evaluate =
            [](inputs x) { return recurrent_kept_values({.linear = delta_net(x[0], x[1], x[2])}); },
        .examples = {{{16, 32, 128}, 30720, 0, "2 x 8192 + 64 x 32 + 3 x 4096"}}},
    ///     q a d + h d + h a + 2 d
    ///
    ///     q  rank of queries       count, >= 1
    ///     a  heads of the index    count, >= 1
    row{.call = "model/sparse_index.hpp: sparse_index_parameters(h, q, a, d) in count",
        .latex = R"(q a d + h d + h a + 2 d)",
        .evaluate =
            [](inputs x) {
              return sparse_index_parameters(
                  {.heads = whole(x[2]), .head_dim = whole(x[3]), .query_rank = whole(x[1])},
                  whole(x[0]));
            },
        .examples = {{{7168, 1536, 64, 128}, 13959424, 0, "DeepSeek-V3.2, by hand"}}},
    ///     k  tokens that are scored    count, >= 0
    ///     a  heads of the index        count, >= 1
    ///
    /// Holds: a ReLU of each score, whose operations are not counted.
    row{.call = "model/sparse_index.hpp: index_operations(k, a, d) in FLOP/token",
        .latex = R"(2 k a (d + 1))",
        .evaluate =
            [](inputs x) {
              return index_operations({.heads = whole(x[1]), .head_dim = whole(x[2])}, x[0]);
            },
        .examples = {{{2048, 64, 128}, 33816576, 0, "DeepSeek-V3.2, 4096 tokens, by hand"}}}};
inline constexpr auto mixer_formulas = with_words(mixer_rows, words::mixer_formulas);

}  // namespace gpuplan::registry
