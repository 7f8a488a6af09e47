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

inline constexpr std::string_view gpt_layer = "12 h^2 + 13 h of a GPT layer, f = 4 h";

inline constexpr std::array model_formulas{
    formula{
        .name = "parameters_of",
        .header = "model/parameters.hpp",
        .meaning = "Parameters of a transformer",
        .text = "V h + P h + L (4 h^2 + 4 h + 2 h f + f + h + 4 h) + 2 h",
        .latex = R"(V h + P h + L \left( 4 h^2 + 2 h f + f + 9 h \right) + 2 h)",
        .symbols = {{"L", "layers", "count", ">= 1"},
                    {"h", "hidden size", "count", ">= 1"},
                    {"a", "heads", "count", ">= 1"},
                    {"f", "FFN width", "count", ">= 1"},
                    {"V", "vocabulary", "count", ">= 1"},
                    {"P", "rows of the position table", "count", ">= 1"}},
        .result = "count",
        .validity = "a GPT-2 shape: LayerNorm, biases, tied head; other families by their fields",
        .source = "A. Radford et al., \"Language Models are Unsupervised Multitask Learners\" "
                  "(2019), and the released weights",
        .errata = "The paper's table prints 117, 345, 762 and 1542 M; the weights have 124, 355, "
                  "774 and 1558 M. A chapter gets 1 558 214 656 with h = 1280, which gives 1 010 "
                  "159 360: 1.5 B needs h = 1600.",
        .topics = "",
        .evaluate = [](inputs x) { return parameters_of(gpt2_shape(x)).total(); },
        .examples = {{{48, 1600, 25, 6400, 50257, 1024}, 1557611200, 0, "released GPT-2 XL"},
                     {{12, 768, 12, 3072, 50257, 1024}, 124439808, 0, "released GPT-2"}}},
    formula{.name = "active_parameters",
            .header = "model/parameters.hpp",
            .meaning = "Parameters that one token meets",
            .text = "total - (E - k) experts of each layer",
            .latex = R"(P - L (E - k) P_{expert})",
            .symbols = {{"L", "layers, all with experts", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"g", "key-value heads", "count", ">= 1"},
                        {"E", "experts", "count", ">= 1"},
                        {"k", "experts a token visits", "count", "1 to E"},
                        {"f", "width of one expert", "count", ">= 1"},
                        {"V", "vocabulary", "count", ">= 1"}},
            .result = "count",
            .validity = "gated experts, RMSNorm, untied head, no biases",
            .source = "A. Jiang et al., \"Mixtral of Experts\" (2024), arXiv:2401.04088",
            .errata = "",
            .topics = "",
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
    formula{.name = "parameters_of_layer",
            .header = "model/layer_parameters.hpp",
            .meaning = "Parameters of one layer",
            .text = "4 h^2 + 2 h f + biases + norms",
            .latex = R"(4 h^2 + 2 h f + f + 9 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}, {"a", "heads", "count", ">= 1"}},
            .result = "count",
            .validity = gpt_layer,
            .source = narayanan,
            .errata = "Public calculators write 12 h^2, or give LayerNorm 8 h for 4 h.",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return parameters_of_layer(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                             layer_kind::dense)
                      .total();
                },
            .examples = {{{1024, 16}, 12596224, 0, "12 h^2 + 13 h"}}},
    formula{.name = "parameters_of_encoder_layer",
            .header = "model/layer_parameters.hpp",
            .meaning = "Parameters of one layer of the encoder beside a decoder",
            .text = "as parameters_of_layer, without cross-attention",
            .latex = R"(4 h^2 + 2 h f + f + 9 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}, {"a", "heads", "count", ">= 1"}},
            .result = "count",
            .validity = gpt_layer,
            .source = narayanan,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1});
                  m.encoder_layers = 1;
                  return parameters_of_encoder_layer(m).total();
                },
            .examples = {{{1024, 16}, 12596224, 0, "12 h^2 + 13 h"}}},
    formula{.name = "parameters_of_prediction_layer",
            .header = "model/layer_parameters.hpp",
            .meaning = "Parameters of one layer that predicts a further token",
            .text = "layer + 2 h^2 + 3 norms",
            .latex = R"(P_{layer} + 2 h^2 + 3 P_{norm})",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"q", "rank of queries", "count", ">= 0"},
                        {"c", "rank of keys and values", "count", ">= 1"},
                        {"E", "experts", "count", ">= 1"},
                        {"f", "width of one expert, and of the shared one", "count", ">= 1"}},
            .result = "count",
            .validity = "multi-head latent attention with heads of 128 + 64",
            .source = deepseek_v3,
            .errata = "Megatron-LM's estimator leaves out 2 h^2 and the norms: 102 781 952 for "
                      "DeepSeek-V3.",
            .topics = "",
            .evaluate =
                [](inputs x) { return parameters_of_prediction_layer(latent_experts(x)).total(); },
            .examples = {{{7168, 128, 1536, 512, 256, 2048},
                          11.61e9,
                          1e-3,
                          "DeepSeek-V3: 11.61 B unique to the module"}}},
    formula{.name = "latent_compression_of",
            .header = "model/tensor_split.hpp",
            .meaning = "Weights of the maps that compress queries, keys and values",
            .text = "h (q + c + r)",
            .latex = R"(h (r_q + r_{kv} + d_r))",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"q", "rank of queries", "count", ">= 0"},
                        {"c", "rank of keys and values", "count", ">= 1"},
                        {"E", "experts", "count", ">= 1"},
                        {"f", "width of one expert", "count", ">= 1"}},
            .result = "count",
            .validity = "rotary part of 64",
            .source = deepseek_v2,
            .errata = "",
            .topics = "",
            .evaluate = [](inputs x) { return latent_compression_of(latent_experts(x)); },
            .examples = {{{7168, 128, 1536, 512, 256, 2048}, 15138816, 0, "7168 x 2112"}}},
    formula{.name = "tensor_split_of_layer",
            .header = "model/tensor_split.hpp",
            .meaning = "Parameters of a layer that stay whole on every tensor-parallel rank",
            .text = "norms, biases after a sum, router, latent maps: 6 h of a GPT layer",
            .latex = R"(P_{rep} = 4 h + 2 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}, {"a", "heads", "count", ">= 1"}},
            .result = "count",
            .validity = gpt_layer,
            .source = "M. Shoeybi et al., \"Megatron-LM: Training Multi-Billion Parameter Language "
                      "Models Using Model Parallelism\" (2019), arXiv:1909.08053",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return tensor_split_of_layer(
                             gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                             layer_kind::dense)
                      .replicated;
                },
            .examples = {{{1024, 16}, 6144, 0, "two LayerNorms and two biases"}}},
    formula{.name = "tensor_split_of_encoder_layer",
            .header = "model/tensor_split.hpp",
            .meaning = "The same of an encoder's layer",
            .text = "6 h",
            .latex = R"(P_{rep} = 6 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}, {"a", "heads", "count", ">= 1"}},
            .result = "count",
            .validity = gpt_layer,
            .source = "M. Shoeybi et al. (2019), arXiv:1909.08053",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1});
                  m.encoder_layers = 1;
                  return tensor_split_of_encoder_layer(m).replicated;
                },
            .examples = {{{1024, 16}, 6144, 0, "two LayerNorms and two biases"}}},
    formula{.name = "tensor_split_of_prediction_layer",
            .header = "model/tensor_split.hpp",
            .meaning = "The same of a layer that predicts a further token",
            .text = "6 h + 3 norms",
            .latex = R"(P_{rep} = 6 h + 6 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}, {"a", "heads", "count", ">= 1"}},
            .result = "count",
            .validity = gpt_layer,
            .source = deepseek_v3,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return tensor_split_of_prediction_layer(
                             gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}))
                      .replicated;
                },
            .examples = {{{1024, 16}, 12288, 0, "five LayerNorms and two biases"}}},
    formula{.name = "layers_of_stage",
            .header = "model/pipeline_stage.hpp",
            .meaning = "Layers of one pipeline stage when they are as equal as they can be",
            .text = "L / p; where p divides L + 2 alone, (L + 2)/p, one less on the first and the "
                    "last stage; else floor(L / p), one more on the first L mod p stages",
            .latex = R"(\lfloor L/p \rfloor + [i < L \bmod p])",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"p", "stages", "count", ">= 1"},
                        {"i", "this stage", "count", "0 to p - 1"}},
            .result = "count",
            .validity = "one chunk a rank; a split of the recipe goes first",
            .source = megatron,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(layers_of_stage(gpt({.layers = whole(x[0])}), {},
                                                             {.pipeline = whole(x[1])}, whole(x[2]))
                                                 .total());
                },
            .examples = {{{126, 16, 0}, 7, 0, "Llama 3 405B: 7, 8, ..., 8, 7"},
                         {{61, 16, 12}, 4, 0, "61 = 13 x 4 + 3 x 3"},
                         {{61, 16, 13}, 3, 0, "61 = 13 x 4 + 3 x 3"}}},
    formula{.name = "layers_of_chunk",
            .header = "model/pipeline_stage.hpp",
            .meaning = "Layers of one chunk of an interleaved stage",
            .text = "as layers_of_stage of p v stages: of the (k p + i)-th",
            .latex = R"(\lfloor L/(p v) \rfloor + [k p + i < L \bmod p v])",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"p", "stages", "count", ">= 1"},
                        {"v", "chunks a stage", "count", ">= 1, p v <= 1e9"},
                        {"i", "this stage", "count", "0 to p - 1"},
                        {"k", "this chunk", "count", "0 to v - 1"}},
            .result = "count",
            .validity = "no split in the recipe",
            .source = narayanan,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      layers_of_chunk(gpt({.layers = whole(x[0])}), {},
                                      {.pipeline = whole(x[1]), .interleave = whole(x[2])},
                                      whole(x[3]), whole(x[4]))
                          .total());
                },
            .examples = {{{10, 4, 2, 1, 0}, 2, 0, "pieces 2 2 1 1 1 1 1 1"},
                         {{10, 4, 2, 1, 1}, 1, 0, "pieces 2 2 1 1 1 1 1 1"}}},
    formula{.name = "sliding_output",
            .header = "model/convnet.hpp",
            .meaning = "Side of what a window makes of a side",
            .text = "floor((n + 2 p - k) / s) + 1",
            .latex = R"(\left\lfloor \frac{n + 2 p - k}{s} \right\rfloor + 1)",
            .symbols = {{"n", "side of the input", "count", ">= 1"},
                        {"k", "side of the window", "count", ">= 1"},
                        {"s", "stride", "count", ">= 1"},
                        {"p", "padding on either side", "count", ">= 0"}},
            .result = "count",
            .validity = "no dilation",
            .source = "V. Dumoulin and F. Visin, \"A guide to convolution arithmetic for deep "
                      "learning\" (2016), relationship 6, arXiv:1603.07285",
            .errata = "",
            .topics = "M4",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      sliding_output(whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])));
                },
            .examples = {{{224, 7, 2, 3}, 112, 0, "ResNet's first convolution"}}},
    formula{.name = "parameters_of",
            .header = "model/convnet.hpp",
            .meaning = "Parameters of a convolution",
            .text = "k^2 C C'",
            .latex = R"(k^2 C C')",
            .symbols = {{"n", "side of the input", "count", ">= 1"},
                        {"C", "channels in", "count", ">= 1"},
                        {"C'", "channels out", "count", ">= 1"},
                        {"k", "side of the window", "count", ">= 1"}},
            .result = "count",
            .validity = "one group, no bias; other layers by their kind",
            .source =
                "K. He et al., \"Deep Residual Learning for Image Recognition\", CVPR (2016), "
                "arXiv:1512.03385",
            .errata = "A chapter prints 0.037 GB for the weight gradients of a 7 x 7 x 3 x 64 "
                      "convolution: they are 37.6 kB.",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return parameters_of(convolution({whole(x[0]), whole(x[0]), whole(x[1])},
                                                   whole(x[2]), whole(x[3])));
                },
            .examples = {{{224, 3, 64, 7}, 9408, 0, "7 x 7 x 3 x 64"}}},
    formula{.name = "multiply_adds",
            .header = "model/convnet.hpp",
            .meaning = "Multiply-adds of a convolution for one image",
            .text = "H' W' k^2 C C'",
            .latex = R"(H' W' k^2 C C')",
            .symbols = {{"n", "side of the input", "count", ">= 1"},
                        {"C", "channels in", "count", ">= 1"},
                        {"C'", "channels out", "count", ">= 1"},
                        {"k", "side of the window", "count", ">= 1"},
                        {"s", "stride", "count", ">= 1"},
                        {"p", "padding", "count", ">= 0"}},
            .result = "count",
            .validity = "one group",
            .source = definition,
            .errata = "Chapters print multiply-adds as FLOP; a FLOP count is twice that.",
            .topics = "C3",
            .evaluate =
                [](inputs x) {
                  return multiply_adds(convolution({whole(x[0]), whole(x[0]), whole(x[1])},
                                                   whole(x[2]), whole(x[3]), whole(x[4]),
                                                   whole(x[5])));
                },
            .examples = {{{224, 3, 64, 7, 2, 3}, 118013952, 0, "112^2 x 147 x 64"}}},
    formula{.name = "activation_memory",
            .header = "model/convnet.hpp",
            .meaning = "Memory of a convolution's output for a batch",
            .text = "B H' W' C' S",
            .latex = R"(B H' W' C' S)",
            .symbols = {{"B", "images", "count", ">= 0"},
                        {"n", "side of the input", "count", ">= 1"},
                        {"C'", "channels out", "count", ">= 1"},
                        {"k", "side of the window", "count", ">= 1"},
                        {"s", "stride", "count", ">= 1"},
                        {"p", "padding", "count", ">= 0"}},
            .result = "B",
            .validity = "FP32",
            .source = definition,
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

}  // namespace gpuplan::registry
