#pragma once
/// \file
/// Rows of compute/: floating-point operations, a multiply-add counted as two.

#include <array>

#include <gpuplan/compute/convnet_time.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/compute/optimizer_flop.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// A GPT of L, h, a, V that trains B sequences of s tokens, all scores counted.
struct flop_case {
  transformer model{};
  recipe how{};
};

/// What a row that is asked L, h, a, V, B, s trains.
constexpr flop_case flop_of(inputs x) {
  return {.model = gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(4 * x[1]), whole(x[3])}),
          .how = {.global_batch_size = whole(x[4]), .sequence_length = whole(x[5])}};
}

inline constexpr few<symbol, 12> gpt_step{
    {"L", "layers", "count", ">= 1"},       {"h", "hidden size", "count", ">= 1"},
    {"a", "heads", "count", ">= 1"},        {"V", "vocabulary", "count", ">= 1"},
    {"B", "global batch", "count", ">= 1"}, {"s", "sequence", "token", ">= 1"}};

/// Their inputs, where neither a row nor its function says otherwise.
///
///     s  sequence        token, >= 1
///     h  hidden size     count, >= 1
///     a  heads           count, >= 1
///     L  layers          count, >= 1
///     V  vocabulary      count, >= 1
///     B  global batch    count, >= 1
inline constexpr std::array compute_rows{
    ///     w  window, 0: none    token, >= 0
    row{.call = "compute/layer_flop.hpp: mean_attention_span(s, w) in token",
        .latex = R"(w - \frac{w^2}{2 s})",
        .errata = "Tools differ by the masked half: Megatron-LM skips it, nanotron and "
                  "torchtitan count it.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return mean_attention_span(x[0], x[1], attention_mask::causal,
                                         masked_scores::skipped);
            },
        .examples = {{{8192, 0}, 4096, 0, "s/2"}, {{8192, 4096}, 3072, 0, "4096 - 1024, by hand"}}},
    ///     2 (4 h^2 + 2 h f) + 4 k h
    ///
    ///     k  keys a token attends to    token, >= 0
    ///
    /// Holds: f = 4 h, as many key-value heads as heads; norms and softmax left out.
    row{.call = "compute/layer_flop.hpp: forward_flop(h, a, k) in FLOP/token",
        .latex = R"(2 (4 h^2 + 2 h f) + 4 k h)",
        .errata = "A chapter prints 161e9 for the QKV products of one layer at B = 32, s = "
                  "1024, h = 1280: those are multiply-adds, 322e9 FLOP.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return forward_flop(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                  layer_kind::dense, x[2])
                  .total()
                  .in(units::FLOP / units::token);
            },
        .examples = {{{1024, 16, 2048}, 33554432, 0, "24 h^2 + 4 s h, appendix of the source"}}},
    ///     24 h^2 + 4 s h with all scores counted
    ///
    /// Holds: as forward_flop.
    row{.call = "compute/layer_flop.hpp: mean_forward_flop(h, a, s) in FLOP/token",
        .latex = R"(24 h^2 + 4 s h)",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return mean_forward_flop(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                       layer_kind::dense, x[2], x[2], masked_scores::counted)
                  .total()
                  .in(units::FLOP / units::token);
            },
        .examples = {{{1024, 16, 2048}, 33554432, 0, "24 h^2 + 4 s h"}}},
    row{.call = "compute/training_flop.hpp: head_forward_flop(h, V) in FLOP/token",
        .latex = R"(2 h V)",
        .errata = "A public calculator counts its forward pass alone, a third of the step's.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return head_forward_flop(gpt({.hidden_size = whole(x[0]), .vocabulary = whole(x[1])}))
                  .in(units::FLOP / units::token);
            },
        .examples = {{{12288, 51200}, 1258291200, 0, "2 x 12288 x 51200"}}},
    /// Forward pass of all layers, for one token.
    ///
    ///     L (24 h^2 + 4 s h)
    ///
    /// Holds: all scores counted, f = 4 h.
    row{.call = "compute/training_flop.hpp: forward_layers_flop_per_token(L, h, a, V, B, s) in "
                "FLOP/token",
        .latex = R"(L (24 h^2 + 4 s h))",
        .errata = "A chapter multiplies 2 N by the layers again; N has counted them.",
        .topics = "C2 C3",
        .evaluate =
            [](inputs x) {
              const flop_case one = flop_of(x);
              return forward_layers_flop_per_token(one.model, one.how, masked_scores::counted)
                  .total()
                  .in(units::FLOP / units::token);
            },
        .examples =
            {{{96, 12288, 96, 51200, 1, 2048}, 357556027392, 0, "96 (24 h^2 + 4 s h), by hand"}}},
    ///     72 B s L h^2 (1 + s/(6 h) + V/(12 h L))
    ///
    /// Holds: all scores counted, f = 4 h.
    row{.call = "compute/training_flop.hpp: training_step_flop(L, h, a, V, B, s) in FLOP",
        .latex = R"(72 B s L h^2 \left( 1 + \frac{s}{6 h} + \frac{V}{12 h L} \right))",
        .errata = "With full recomputation the first factor is 96: it is no model operation.",
        .topics = "C2 C7",
        .evaluate =
            [](inputs x) {
              const flop_case one = flop_of(x);
              return training_step_flop(one.model, one.how, masked_scores::counted).in(units::FLOP);
            },
        .examples = {{{48, 6144, 64, 51200, 4, 2048},
                      1143560812363776,
                      1e-12,
                      "the source's equation for its 22B model, by hand"}}},
    ///     full: B s L (24 h^2 + 4 s h)
    ///     selective: 4 B L s^2 h
    ///
    /// Holds: full recomputation, all scores counted; the head is kept.
    row{.call = "compute/training_flop.hpp: recomputed_step_flop(L, h, a, V, B, s) in FLOP",
        .latex = R"(B s L (24 h^2 + 4 s h))",
        .errata = "The source's s/(6 h) for selective recomputation counts the core's backward "
                  "pass too; forward alone is s/(18 h).",
        .topics = "M11 C7",
        .evaluate =
            [](inputs x) {
              flop_case one = flop_of(x);
              one.how.recompute = recompute::full;
              return recomputed_step_flop(one.model, one.how, masked_scores::counted)
                  .in(units::FLOP);
            },
        .examples = {{{96, 12288, 96, 51200, 1, 2048},
                      357556027392.0 * 2048,
                      1e-15,
                      "2048 tokens of L (24 h^2 + 4 s h)"}}},
    row{.call = "compute/training_flop.hpp: coarse_training_flop(N, D) in FLOP",
        .latex = R"(6 N D)",
        .topics = "C2 C8",
        .evaluate =
            [](inputs x) { return coarse_training_flop(x[0], tokens{x[1]}).in(units::FLOP); },
        .examples = {{{175e9, 300e9},
                      3.15e23,
                      1e-2,
                      "T. Brown et al. (2020), table D.1: 3.14e23 for GPT-3"}}},
    ///     6 N + 12 L h s
    ///
    ///     N  parameters a token meets    count, >= 0
    ///
    /// Holds: all scores counted, d = h/a.
    row{.call = "compute/training_flop.hpp: weights_and_scores_flop(L, h, a, N, s) in FLOP/token",
        .latex = R"(6 N + 12 L h s)",
        .topics = "C2 C7",
        .evaluate =
            [](inputs x) {
              return weights_and_scores_flop(gpt({.layers = whole(x[0]),
                                                  .hidden_size = whole(x[1]),
                                                  .heads = whole(x[2])}),
                                             x[3], x[4])
                  .in(units::FLOP / units::token);
            },
        .examples = {{{32, 4096, 32, 8030261248, 8192},
                      61066469376,
                      0,
                      "6 N + 12 L h s of Llama 3 8B, by hand"}}},
    /// Forward pass of a network over a batch: of one convolution.
    ///
    ///     2 B H' W' k^2 C C'
    ///
    /// Holds: ResNet's first convolution, 224 x 224 x 3 to 112 x 112 x 64.
    row{.call = "compute/convnet_time.hpp: forward_flop(B) in FLOP",
        .latex = R"(2 B H' W' k^2 C C')",
        .errata = "A chapter prints multiply-adds as operations throughout.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              const std::array layers{convolution({224, 224, 3}, 64, 7, 2, 3)};
              return forward_flop(convnet{{224, 224, 3}, layers}, whole(x[0])).in(units::FLOP);
            },
        .examples = {{{1}, 236027904, 0, "twice 118 013 952 multiply-adds"}}},
    /// Forward and backward pass of a network: of one convolution.
    ///
    ///     6 B H' W' k^2 C C'
    ///
    ///     B  images    count, >= 0
    ///
    /// Holds: as forward_flop; the first layer needs no gradient of its input.
    row{.call = "compute/convnet_time.hpp: training_flop(B) in FLOP",
        .latex = R"(6 B H' W' k^2 C C')",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              const std::array layers{convolution({224, 224, 3}, 64, 7, 2, 3)};
              return training_flop(convnet{{224, 224, 3}, layers}, whole(x[0])).in(units::FLOP);
            },
        .examples = {{{1}, 708083712, 0, "six times 118 013 952"}}},
    /// Operations of one update for each parameter.
    ///
    ///     sgd 2, momentum 4, adam 13, adamw 14
    ///
    ///     o  optimizer    one of optimizer
    ///
    /// Holds: every sum, product, quotient and root counts one.
    row{.call = "compute/optimizer_flop.hpp: update_operations(o) in FLOP",
        .latex = R"(n_{sgd} = 2,\; n_{adam} = 13)",
        .errata = "A chapter has 2, 3, 4, 5 for SGD, momentum, RMSprop and Adam.",
        .topics = "C10",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(update_operations(static_cast<optimizer>(whole(x[0]))));
            },
        .examples = {{{0}, 2, 0, "p - l g: a product and a difference"},
                     {{1}, 4, 0, "v = u v + g, p - l v"}}},
    ///     sgd 2, momentum 3, rmsprop 4, adam 5
    ///
    ///     o  optimizer    count, 0 or 1 or 2 or 4; one of optimizer
    ///
    /// Holds: low by a factor of up to 2.6.
    row{.call = "compute/optimizer_flop.hpp: coarse_update_operations(o) in FLOP",
        .latex = R"(2,\; 3,\; 4,\; 5)",
        .topics = "C10",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  coarse_update_operations(static_cast<optimizer>(whole(x[0]))));
            },
        .examples = {{{4}, 5, 0, "Adam, as printed"}}},
    ///     m  smaller side    count, >= 1
    ///     n  larger side     count, >= m
    row{.call = "compute/optimizer_flop.hpp: newton_schulz_operations(m, n, k) in FLOP",
        .latex = R"(k \left( 4 m + \frac{2 m^2}{n} \right))",
        .topics = "C10",
        .evaluate =
            [](inputs x) {
              return newton_schulz_operations(whole(x[0]), whole(x[1]), whole(x[2]));
            },
        .examples = {{{1024, 1024, 5}, 30720, 0, "6 m k of a square matrix"}}}};
inline constexpr auto compute_formulas = with_words(compute_rows, words::compute_formulas);

}  // namespace gpuplan::registry
