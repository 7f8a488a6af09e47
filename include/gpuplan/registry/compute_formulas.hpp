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

inline constexpr std::array compute_formulas{
    formula{
        .name = "mean_attention_span",
        .header = "compute/layer_flop.hpp",
        .meaning = "Keys that one token attends to, on average over a causal sequence",
        .text = "s/2; with a window w < s: w - w^2 / (2 s)",
        .latex = R"(w - \frac{w^2}{2 s})",
        .symbols = {{"s", "sequence", "token", ">= 1"}, {"w", "window, 0: none", "token", ">= 0"}},
        .result = "token",
        .validity = "masked scores skipped; the exact mean without a window is (s + 1)/2",
        .source = megatron,
        .errata = "Tools differ by the masked half: Megatron-LM skips it, nanotron and "
                  "torchtitan count it.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return mean_attention_span(x[0], x[1], attention_mask::causal,
                                         masked_scores::skipped);
            },
        .examples = {{{8192, 0}, 4096, 0, "s/2"}, {{8192, 4096}, 3072, 0, "4096 - 1024, by hand"}}},
    formula{
        .name = "forward_flop",
        .header = "compute/layer_flop.hpp",
        .meaning = "Forward pass of one layer for one token",
        .text = "2 (4 h^2 + 2 h f) + 4 k h",
        .latex = R"(2 (4 h^2 + 2 h f) + 4 k h)",
        .symbols = {{"h", "hidden size", "count", ">= 1"},
                    {"a", "heads", "count", ">= 1"},
                    {"k", "keys a token attends to", "token", ">= 0"}},
        .result = "FLOP/token",
        .validity = "f = 4 h, as many key-value heads as heads; norms and softmax left out",
        .source = narayanan,
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
    formula{.name = "mean_forward_flop",
            .header = "compute/layer_flop.hpp",
            .meaning = "Forward pass of one layer for one token of a sequence",
            .text = "24 h^2 + 4 s h with all scores counted",
            .latex = R"(24 h^2 + 4 s h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"}},
            .result = "FLOP/token",
            .validity = "as forward_flop",
            .source = narayanan,
            .errata = "",
            .topics = "C3",
            .evaluate =
                [](inputs x) {
                  return mean_forward_flop(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                           layer_kind::dense, x[2], x[2], masked_scores::counted)
                      .total()
                      .in(units::FLOP / units::token);
                },
            .examples = {{{1024, 16, 2048}, 33554432, 0, "24 h^2 + 4 s h"}}},
    formula{
        .name = "head_forward_flop",
        .header = "compute/training_flop.hpp",
        .meaning = "Forward pass of the head, for one token",
        .text = "2 h V",
        .latex = R"(2 h V)",
        .symbols = {{"h", "hidden size", "count", ">= 1"}, {"V", "vocabulary", "count", ">= 1"}},
        .result = "FLOP/token",
        .validity = "no map between head and layers",
        .source = narayanan,
        .errata = "A public calculator counts its forward pass alone, a third of the step's.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return head_forward_flop(gpt({.hidden_size = whole(x[0]), .vocabulary = whole(x[1])}))
                  .in(units::FLOP / units::token);
            },
        .examples = {{{12288, 51200}, 1258291200, 0, "2 x 12288 x 51200"}}},
    formula{
        .name = "forward_layers_flop_per_token",
        .header = "compute/training_flop.hpp",
        .meaning = "Forward pass of all layers, for one token",
        .text = "L (24 h^2 + 4 s h)",
        .latex = R"(L (24 h^2 + 4 s h))",
        .symbols = gpt_step,
        .result = "FLOP/token",
        .validity = "all scores counted, f = 4 h",
        .source = narayanan,
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
    formula{
        .name = "training_step_flop",
        .header = "compute/training_flop.hpp",
        .meaning = "Operations of one optimizer step, nothing computed again",
        .text = "72 B s L h^2 (1 + s/(6 h) + V/(12 h L))",
        .latex = R"(72 B s L h^2 \left( 1 + \frac{s}{6 h} + \frac{V}{12 h L} \right))",
        .symbols = gpt_step,
        .result = "FLOP",
        .validity = "all scores counted, f = 4 h",
        .source = korthikanti,
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
    formula{.name = "recomputed_step_flop",
            .header = "compute/training_flop.hpp",
            .meaning = "Operations of a step that the backward pass does a second time",
            .text = "full: B s L (24 h^2 + 4 s h); selective: 4 B L s^2 h",
            .latex = R"(B s L (24 h^2 + 4 s h))",
            .symbols = gpt_step,
            .result = "FLOP",
            .validity = "full recomputation, all scores counted; the head is kept",
            .source = korthikanti,
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
    formula{.name = "coarse_training_flop",
            .header = "compute/training_flop.hpp",
            .meaning = "Coarse: six operations a parameter and token",
            .text = "6 N D",
            .latex = R"(6 N D)",
            .symbols = {{"N", "parameters", "count", ">= 0"}, {"D", "tokens", "token", ">= 0"}},
            .result = "FLOP",
            .validity = "low by the attention core, high by the embedding",
            .source = "J. Kaplan et al., \"Scaling Laws for Neural Language Models\" (2020), "
                      "arXiv:2001.08361",
            .errata = "",
            .topics = "C2 C8",
            .evaluate =
                [](inputs x) { return coarse_training_flop(x[0], tokens{x[1]}).in(units::FLOP); },
            .examples = {{{175e9, 300e9},
                          3.15e23,
                          1e-2,
                          "T. Brown et al. (2020), table D.1: 3.14e23 for GPT-3"}}},
    formula{.name = "weights_and_scores_flop",
            .header = "compute/training_flop.hpp",
            .meaning = "Operations of a token of training, by weights and scores",
            .text = "6 N + 12 L h s",
            .latex = R"(6 N + 12 L h s)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"N", "parameters a token meets", "count", ">= 0"},
                        {"s", "sequence", "token", ">= 1"}},
            .result = "FLOP/token",
            .validity = "all scores counted, d = h/a",
            .source = "A. Chowdhery et al., \"PaLM: Scaling Language Modeling with Pathways\" "
                      "(2022), appendix B, arXiv:2204.02311",
            .errata = "",
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
    formula{.name = "forward_flop",
            .header = "compute/convnet_time.hpp",
            .meaning = "Forward pass of a network over a batch: of one convolution",
            .text = "2 B H' W' k^2 C C'",
            .latex = R"(2 B H' W' k^2 C C')",
            .symbols = {{"B", "images", "count", ">= 0"}},
            .result = "FLOP",
            .validity = "ResNet's first convolution, 224 x 224 x 3 to 112 x 112 x 64",
            .source = definition,
            .errata = "A chapter prints multiply-adds as operations throughout.",
            .topics = "C3",
            .evaluate =
                [](inputs x) {
                  const std::array layers{convolution({224, 224, 3}, 64, 7, 2, 3)};
                  return forward_flop(convnet{{224, 224, 3}, layers}, whole(x[0])).in(units::FLOP);
                },
            .examples = {{{1}, 236027904, 0, "twice 118 013 952 multiply-adds"}}},
    formula{.name = "training_flop",
            .header = "compute/convnet_time.hpp",
            .meaning = "Forward and backward pass of a network: of one convolution",
            .text = "6 B H' W' k^2 C C'",
            .latex = R"(6 B H' W' k^2 C C')",
            .symbols = {{"B", "images", "count", ">= 0"}},
            .result = "FLOP",
            .validity = "as forward_flop; the first layer needs no gradient of its input",
            .source = definition,
            .errata = "",
            .topics = "C3",
            .evaluate =
                [](inputs x) {
                  const std::array layers{convolution({224, 224, 3}, 64, 7, 2, 3)};
                  return training_flop(convnet{{224, 224, 3}, layers}, whole(x[0])).in(units::FLOP);
                },
            .examples = {{{1}, 708083712, 0, "six times 118 013 952"}}},
    formula{.name = "update_operations",
            .header = "compute/optimizer_flop.hpp",
            .meaning = "Operations of one update for each parameter",
            .text = "sgd 2, momentum 4, adam 13, adamw 14",
            .latex = R"(n_{sgd} = 2,\; n_{adam} = 13)",
            .symbols = {optimizer_choice},
            .result = "FLOP",
            .validity = "every sum, product, quotient and root counts one",
            .source = "the papers that name them",
            .errata = "A chapter has 2, 3, 4, 5 for SGD, momentum, RMSprop and Adam.",
            .topics = "C10",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      update_operations(static_cast<optimizer>(whole(x[0]))));
                },
            .examples = {{{0}, 2, 0, "p - l g: a product and a difference"},
                         {{1}, 4, 0, "v = u v + g, p - l v"}}},
    formula{.name = "coarse_update_operations",
            .header = "compute/optimizer_flop.hpp",
            .meaning = "Coarse: the same, a state's update counted as one",
            .text = "sgd 2, momentum 3, rmsprop 4, adam 5",
            .latex = R"(2,\; 3,\; 4,\; 5)",
            .symbols = {{"o", "optimizer", "count", "0 or 1 or 2 or 4", optimizer_choice.choices}},
            .result = "FLOP",
            .validity = "low by a factor of up to 2.6",
            .source = "a textbook's chapter on training",
            .errata = "",
            .topics = "C10",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      coarse_update_operations(static_cast<optimizer>(whole(x[0]))));
                },
            .examples = {{{4}, 5, 0, "Adam, as printed"}}},
    formula{.name = "newton_schulz_operations",
            .header = "compute/optimizer_flop.hpp",
            .meaning = "Operations for each parameter of Muon's orthogonalisation",
            .text = "k (4 m + 2 m^2 / n)",
            .latex = R"(k \left( 4 m + \frac{2 m^2}{n} \right))",
            .symbols = {{"m", "smaller side", "count", ">= 1"},
                        {"n", "larger side", "count", ">= m"},
                        {"k", "iterations", "count", ">= 0"}},
            .result = "FLOP",
            .validity = "three products an iteration",
            .source = "K. Jordan et al., \"Muon: An optimizer for hidden layers in neural "
                      "networks\" (2024), kellerjordan.github.io/posts/muon",
            .errata = "",
            .topics = "C10",
            .evaluate =
                [](inputs x) {
                  return newton_schulz_operations(whole(x[0]), whole(x[1]), whole(x[2]));
                },
            .examples = {{{1024, 1024, 5}, 30720, 0, "6 m k of a square matrix"}}}};

}  // namespace gpuplan::registry
