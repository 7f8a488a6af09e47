#pragma once
/// \file
/// Rows of model/: parameters of transformers and convolutional networks, and where layers go.

#include <array>

#include <gpuplan/model/convnet.hpp>
#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// A layer of multi-head latent attention with experts, as DeepSeek-V3's.
constexpr transformer latent_experts(inputs x) {
  transformer m{.layers = 1,
                .hidden_size = whole(x[0]),
                .attention_heads = whole(x[1]),
                .vocabulary_size = 1,
                .gated_ffn = true};
  m.latent = {.query_rank = whole(x[2]),
              .kv_rank = whole(x[3]),
              .rope_head_dim = 64,
              .content_head_dim = 128,
              .value_head_dim = 128};
  m.moe = {.experts = whole(x[4]),
           .experts_per_token = 8,
           .ffn_size = whole(x[5]),
           .shared_ffn_size = whole(x[5])};
  return m;
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     L   layers                     count, >= 1
///     h   hidden size                count, >= 1
///     a   heads                      count, >= 1
///     f   width of one expert        count, >= 1
///     V   vocabulary                 count, >= 1
///     E   experts                    count, >= 1
///     k   side of the window         count, >= 1
///     q   rank of queries            count, >= 0
///     c   rank of keys and values    count, >= 1
///     p   stages                     count, >= 1
///     i   this stage                 count, 0 to p - 1
///     n   side of the input          count, >= 1
///     C   channels in                count, >= 1
///     C'  channels out               count, >= 1
///     s   stride                     count, >= 1
inline constexpr std::array model_rows{
    ///     V h + P h + L (4 h^2 + 4 h + 2 h f + f + h + 4 h) + 2 h
    ///
    ///     f  FFN width                     count, >= 1
    ///     P  rows of the position table    count, >= 1
    ///
    /// Holds: a GPT-2 shape: LayerNorm, biases, tied head; other families by their fields.
    row{.call = "model/parameters.hpp: parameters_of(L, h, a, f, V, P) in count",
        .latex = R"(V h + P h + L \left( 4 h^2 + 2 h f + f + 9 h \right) + 2 h)",
        .errata = "The paper's table prints 117, 345, 762 and 1542 M; the weights have 124, 355, "
                  "774 and 1558 M. A chapter gets 1 558 214 656 with h = 1280, which gives 1 010 "
                  "159 360: 1.5 B needs h = 1600.",
        .evaluate = [](inputs x) { return parameters_of(gpt2_shape(x)).total(); },
        .examples = {{{48, 1600, 25, 6400, 50257, 1024}, 1557611200, 0, "released GPT-2 XL"},
                     {{12, 768, 12, 3072, 50257, 1024}, 124439808, 0, "released GPT-2"}}},
    ///     total - (E - k) experts of each layer
    ///
    ///     L  layers, all with experts    count, >= 1
    ///     g  key-value heads             count, >= 1
    ///     k  experts a token visits      count, 1 to E
    ///
    /// Holds: gated experts, RMSNorm, untied head, no biases.
    row{.call = "model/parameters.hpp: active_parameters(L, h, a, g, E, k, f, V) in count",
        .latex = R"(P_{total} - L (E - k) P_{expert})",
        .evaluate =
            [](inputs x) {
              const transformer m{.layers = whole(x[0]),
                                  .hidden_size = whole(x[1]),
                                  .attention_heads = whole(x[2]),
                                  .kv_heads = whole(x[3]),
                                  .vocabulary_size = whole(x[7]),
                                  .gated_ffn = true,
                                  .tied_embeddings = false,
                                  .moe = {.experts = whole(x[4]),
                                          .experts_per_token = whole(x[5]),
                                          .ffn_size = whole(x[6])}};
              return active_parameters(m);
            },
        .examples = {{{32, 4096, 32, 8, 8, 2, 14336, 32000},
                      12.9e9,
                      5e-3,
                      "Mixtral 8x7B: the paper's 13B active, 12.9 on its model card"}}},
    ///     4 h^2 + 2 h f + biases + norms
    ///
    ///     h  hidden size    count, 1 to 2.5e8
    ///
    /// Holds: 12 h^2 + 13 h of a GPT layer, f = 4 h.
    row{.call = "model/layer_parameters.hpp: parameters_of_layer(h, a) in count",
        .latex = R"(4 h^2 + 2 h f + f + 9 h)",
        .errata = "Public calculators write 12 h^2, or give LayerNorm 8 h for 4 h.",
        .evaluate =
            [](inputs x) {
              return parameters_of_layer(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                         layer_kind::dense)
                  .total();
            },
        .examples = {{{1024, 16}, 12596224, 0, "12 h^2 + 13 h"}}},
    ///     as parameters_of_layer, without cross-attention
    ///
    ///     h  hidden size    count, 1 to 2.5e8
    ///
    /// Holds: 12 h^2 + 13 h of a GPT layer, f = 4 h.
    row{.call = "model/layer_parameters.hpp: parameters_of_encoder_layer(h, a) in count",
        .latex = R"(12 h^2 + 13 h)",
        .evaluate =
            [](inputs x) {
              transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1});
              m.encoder_layers = 1;
              return parameters_of_encoder_layer(m).total();
            },
        .examples = {{{1024, 16}, 12596224, 0, "12 h^2 + 13 h"}}},
    ///     layer + 2 h^2 + 3 norms
    ///
    ///     f  width of one expert, and of the shared one    count, >= 1
    ///
    /// Holds: multi-head latent attention with heads of 128 + 64.
    row{.call =
            "model/layer_parameters.hpp: parameters_of_prediction_layer(h, a, q, c, E, f) in count",
        .latex = R"(P_{layer} + 2 h^2 + 3 P_{norm})",
        .errata = "Megatron-LM's estimator leaves out 2 h^2 and the norms: 102 781 952 for "
                  "DeepSeek-V3.",
        .evaluate =
            [](inputs x) { return parameters_of_prediction_layer(latent_experts(x)).total(); },
        .examples = {{{7168, 128, 1536, 512, 256, 2048},
                      11.61e9,
                      1e-3,
                      "DeepSeek-V3: 11.61 B unique to the module"}}},
    ///     h (q + c + r)
    ///
    /// Holds: rotary part of 64.
    row{.call = "model/tensor_split.hpp: latent_compression_of(h, a, q, c, E, f) in count",
        .latex = R"(h (r_q + r_{kv} + d_r))",
        .evaluate = [](inputs x) { return latent_compression_of(latent_experts(x)); },
        .examples = {{{7168, 128, 1536, 512, 256, 2048}, 15138816, 0, "7168 x 2112"}}},
    /// Parameters of a layer that stay whole on every tensor-parallel rank.
    ///
    ///     norms, biases after a sum, router, latent maps: 6 h of a GPT layer
    ///
    ///     h  hidden size    count, 1 to 2.5e8
    ///
    /// Holds: 12 h^2 + 13 h of a GPT layer, f = 4 h.
    row{.call = "model/tensor_split.hpp: tensor_split_of_layer(h, a) in count",
        .latex = R"(P_{rep} = 4 h + 2 h)",
        .evaluate =
            [](inputs x) {
              return tensor_split_of_layer(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                           layer_kind::dense)
                  .replicated;
            },
        .examples = {{{1024, 16}, 6144, 0, "two LayerNorms and two biases"}}},
    /// The same of an encoder's layer.
    ///
    ///     6 h
    ///
    ///     h  hidden size    count, 1 to 2.5e8
    ///
    /// Holds: 12 h^2 + 13 h of a GPT layer, f = 4 h.
    row{.call = "model/tensor_split.hpp: tensor_split_of_encoder_layer(h, a) in count",
        .latex = R"(P_{rep} = 6 h)",
        .evaluate =
            [](inputs x) {
              transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1});
              m.encoder_layers = 1;
              return tensor_split_of_encoder_layer(m).replicated;
            },
        .examples = {{{1024, 16}, 6144, 0, "two LayerNorms and two biases"}}},
    /// The same of a layer that predicts a further token.
    ///
    ///     6 h + 3 norms
    ///
    ///     h  hidden size    count, 1 to 2.5e8
    ///
    /// Holds: 12 h^2 + 13 h of a GPT layer, f = 4 h.
    row{.call = "model/tensor_split.hpp: tensor_split_of_prediction_layer(h, a) in count",
        .latex = R"(P_{rep} = 6 h + 6 h)",
        .evaluate =
            [](inputs x) {
              return tensor_split_of_prediction_layer(
                         gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}))
                  .replicated;
            },
        .examples = {{{1024, 16}, 12288, 0, "five LayerNorms and two biases"}}},
    ///     L / p
    ///     where p divides L + 2 alone, (L + 2)/p, one less on the first and the last stage
    ///     else floor(L / p), one more on the first L mod p stages
    ///
    /// Holds: one chunk a rank; a split of the recipe goes first.
    row{.call = "model/pipeline_stage.hpp: layers_of_stage(L, p, i) in count",
        .latex = R"(\lfloor L/p \rfloor + [i < L \bmod p])",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(layers_of_stage(gpt({.layers = whole(x[0])}), {},
                                                         {.pipeline = whole(x[1])}, whole(x[2]))
                                             .total());
            },
        .examples = {{{126, 16, 0}, 7, 0, "Llama 3 405B: 7, 8, ..., 8, 7"},
                     {{61, 16, 12}, 4, 0, "61 = 13 x 4 + 3 x 3"},
                     {{61, 16, 13}, 3, 0, "61 = 13 x 4 + 3 x 3"}}},
    ///     as layers_of_stage of p v stages: of the (k p + i)-th
    ///
    ///     v  chunks a stage    count, >= 1, p v <= 1e9
    ///     k  this chunk        count, 0 to v - 1
    ///
    /// Holds: no split in the recipe.
    row{.call = "model/pipeline_stage.hpp: layers_of_chunk(L, p, v, i, k) in count",
        .latex = R"(\lfloor L/(p v) \rfloor + [k p + i < L \bmod p v])",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  layers_of_chunk(gpt({.layers = whole(x[0])}), {},
                                  {.pipeline = whole(x[1]), .interleave = whole(x[2])}, whole(x[3]),
                                  whole(x[4]))
                      .total());
            },
        .examples = {{{10, 4, 2, 1, 0}, 2, 0, "pieces 2 2 1 1 1 1 1 1"},
                     {{10, 4, 2, 1, 1}, 1, 0, "pieces 2 2 1 1 1 1 1 1"}}},
    row{.call = "model/convnet.hpp: sliding_output(n, k, s, p) in count",
        .latex = R"(\left\lfloor \frac{n + 2 p - k}{s} \right\rfloor + 1)",
        .topics = "M4",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  sliding_output(whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])));
            },
        .examples = {{{224, 7, 2, 3}, 112, 0, "ResNet's first convolution"}}},
    /// Parameters of a convolution.
    ///
    ///     k^2 C C'
    ///
    /// Holds: one group, no bias; other layers by their kind.
    row{.call = "model/convnet.hpp: parameters_of(n, C, C', k) in count",
        .latex = R"(k^2 C C')",
        .errata = "A chapter prints 0.037 GB for the weight gradients of a 7 x 7 x 3 x 64 "
                  "convolution: they are 37.6 kB.",
        .evaluate =
            [](inputs x) {
              return parameters_of(
                  convolution({whole(x[0]), whole(x[0]), whole(x[1])}, whole(x[2]), whole(x[3])));
            },
        .examples = {{{224, 3, 64, 7}, 9408, 0, "7 x 7 x 3 x 64"}}},
    ///     H' W' k^2 C C'
    ///
    ///     p  padding    count, >= 0
    ///
    /// Holds: one group.
    row{.call = "model/convnet.hpp: multiply_adds(n, C, C', k, s, p) in count",
        .latex = R"(H' W' k^2 C C')",
        .errata = "Chapters print multiply-adds as FLOP; a FLOP count is twice that.",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              return multiply_adds(convolution({whole(x[0]), whole(x[0]), whole(x[1])}, whole(x[2]),
                                               whole(x[3]), whole(x[4]), whole(x[5])));
            },
        .examples = {{{224, 3, 64, 7, 2, 3}, 118013952, 0, "112^2 x 147 x 64"}}},
    ///     B H' W' C' S
    ///
    ///     p  padding    count, >= 0
    ///
    /// Holds: FP32.
    row{.call = "model/convnet.hpp: activation_memory(B, n, C', k, s, p) in B",
        .latex = R"(B H' W' C' S)",
        .errata = "3.14 MB of an article is 3.211 MB, or 3.0625 MiB.",
        .topics = "M4",
        .evaluate =
            [](inputs x) {
              return activation_memory(convolution({whole(x[1]), whole(x[1]), 3}, whole(x[2]),
                                                   whole(x[3]), whole(x[4]), whole(x[5])),
                                       whole(x[0]), number_format::fp32)
                  .in(units::byte);
            },
        .examples = {{{1, 224, 64, 7, 2, 3}, 3211264, 0, "112 x 112 x 64 x 4"},
                     {{32, 224, 64, 7, 2, 3}, 102760448, 0, "98 MiB"}}}};
inline constexpr auto model_formulas = with_words(model_rows, words::model_formulas);

}  // namespace gpuplan::registry
