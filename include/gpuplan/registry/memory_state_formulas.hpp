#pragma once
/// \file
/// Rows of memory/: weights, gradients and optimizer states, on one rank and of all.

#include <array>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/reference_memory.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/unused_gradients.hpp>
#include <gpuplan/memory/weight_formats.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     o  optimizer                       one of optimizer
///     d  data-parallel ranks             count, >= 1
///     t  tensor-parallel ranks           count, >= 1
///     e  expert-parallel ranks           count, >= 1
///     P  dense parameters of the rank    count, >= 0
///     h  hidden size                     count, >= 1
///     a  heads                           count, >= 1
inline constexpr std::array memory_state_rows{
    /// State values that an optimizer keeps for each parameter.
    ///
    ///     sgd 0
    ///     momentum, rmsprop, adagrad, lion, lars 1
    ///     adam, adamw, lamb 2
    ///     muon 1
    ///
    /// Holds: of a matrix of a hidden layer; Muon keeps Adam's two for all else.
    row{.call = "memory/model_states.hpp: state_values(o) in count",
        .latex = R"(n_{sgd} = 0,\; n_{momentum} = n_{RMSprop} = 1,\; n_{Adam} = 2)",
        .errata = "\"3 x M_model\" of a textbook counts a gradient copy that its total adds "
                  "again.",
        .topics = "M3",
        .evaluate = [](inputs x) { return state_values(static_cast<optimizer>(whole(x[0]))); },
        .examples = {{{0}, 0, 0, "plain gradient descent keeps nothing"},
                     {{1}, 1, 0, "a velocity"},
                     {{4}, 2, 0, "Adam: mean and variance"}}},
    row{.call = "memory/model_states.hpp: adafactor_values(R, C) in count",
        .latex = R"(R + C)",
        .topics = "M3",
        .evaluate = [](inputs x) { return adafactor_values(x[0], x[1]); },
        .examples = {{{4096, 11008}, 15104, 0, "4096 + 11008"}}},
    /// Bytes of one moment of Adam in a format of its own.
    ///
    ///     storage of F
    ///
    ///     F  format    one of moment_format
    ///
    /// Holds: scales of a tensor are not counted.
    row{.call = "memory/model_states.hpp: bytes_of_moment(F) in B",
        .latex = R"(\mathrm{storage}(F))",
        .topics = "M3 M7",
        .evaluate =
            [](inputs x) {
              return bytes_of_moment(static_cast<moment_format>(whole(x[0]))).in(units::byte);
            },
        .examples = {{{1}, 4, 0, "FP32"}, {{2}, 2, 0, "BF16"}, {{3}, 1, 0, "FP8"}}},
    /// Bytes of one weight that products read in FP8.
    ///
    ///     1 + T of F tensorwise, 2 of blockwise, 2 (1 + 1/32) of mxfp8
    ///
    ///     F  recipe                                        one of fp8_recipe
    ///     T  1 where products need a copy the other way    1, 0 or 1
    ///
    /// Holds: Transformer Engine with FP8 primary weights.
    row{.call = "memory/weight_formats.hpp: bytes_per_fp8_weight(F, T) in B",
        .latex = R"(1 + T,\; 2,\; 2 (1 + 1/32))",
        .topics = "M7",
        .evaluate =
            [](inputs x) {
              return bytes_per_fp8_weight({.fp8_recipe = static_cast<fp8_recipe>(whole(x[0]))},
                                          {.fp8_transposed = x[1] > 0})
                  .in(units::byte);
            },
        .examples = {{{0, 0}, 1, 0, "Blackwell"},
                     {{0, 1}, 2, 0, "Hopper"},
                     {{2, 0}, 2.0625, 0, "MXFP8"}}},
    ///     2 sum of R C    over distinct shapes R x C of the matrices on a rank
    ///
    ///     h  hidden size               count, >= 1
    ///     f  width of the network      count, >= 1
    ///     t  tensor-parallel ranks     count, >= 1
    ///
    /// Holds: dense layers, as many key-value heads as heads, a plain network, 16 bits.
    row{.call = "memory/unused_gradients.hpp: unused_gradients_of(h, f, t) in B",
        .latex = R"(2 \sum_{(R, C)} R C)",
        .topics = "M5",
        .evaluate =
            [](inputs x) {
              const transformer m{.layers = 1,
                                  .hidden_size = whole(x[0]),
                                  .attention_heads = 1,
                                  .ffn_size = whole(x[1]),
                                  .vocabulary_size = 1};
              return unused_gradients_of(m, {}, {.tensor = whole(x[2])}, {}).dense.in(units::byte);
            },
        .examples = {{{1024, 4096, 1}, 25165824, 0, "2 h (3 h + h + f + f), all four distinct"}}},
    ///     weight + gradient + master + states
    ///
    ///     p  precision    one of fp32 tf32 mixed_fp16 mixed_bf16 mixed_fp8 mixed_nvfp4 pure_bf16
    ///
    /// Holds: FP32 gradients beside BF16 weights, FP16 beside FP16.
    row{.call = "memory/model_states.hpp: bytes_per_parameter(p, o) in B",
        .latex = R"(\mathrm{weight} + \mathrm{gradient} + \mathrm{master} + \mathrm{states})",
        .errata = "Mixed precision saves none of this: FP32 Adam keeps 16 B, mixed FP16 Adam "
                  "16 B, with FP32 gradients 18 B. The 40 to 50 % that guides promise are of "
                  "activations.",
        .topics = "M3 M5 M7",
        .evaluate =
            [](inputs x) {
              return bytes_per_parameter(static_cast<precision>(whole(x[0])),
                                         static_cast<optimizer>(whole(x[1])))
                  .total()
                  .in(units::byte);
            },
        .examples = {{{2, 4}, 16, 0, "ZeRO, section 3.1: mixed FP16 with Adam"},
                     {{0, 4}, 16, 0, "4 + 4 + 8: a chapter's 24 GB of 1.5e9 parameters"},
                     {{3, 5}, 18, 0, "Megatron-LM, theoretical_memory_usage.py"}}},
    /// Model states on each rank under ZeRO.
    ///
    ///     none (w+g+k+o) P
    ///     1: (w+g) P + (k+o) P/N
    ///     2: w P + (g+k+o) P/N
    ///     3: all / N
    ///
    ///     P  parameters of one model-parallel rank    count, >= 0
    ///     z  ZeRO stage                               count, 0 to 3
    ///
    /// Holds: 16 B a parameter; exact where N divides every tensor.
    row{.call = "memory/model_states.hpp: model_state_memory(P, N, z) in B",
        .latex = R"(w P + \frac{g P}{N_2} + \frac{(k + o) P}{N_1})",
        .errata = "An article lets gradients grow with the batch. Parameter gradients do not; "
                  "only activation gradients do.",
        .topics = "M2 M5 M12",
        .evaluate =
            [](inputs x) {
              return model_state_memory(x[0], whole(x[1]), static_cast<zero_stage>(whole(x[2])))
                  .total()
                  .in(units::byte);
            },
        .examples = {{{7.5e9, 64, 0}, 120e9, 0, "ZeRO, figure 1: 120 GB"},
                     {{7.5e9, 64, 1}, 31.4e9, 2e-3, "ZeRO, figure 1: 31.4 GB"},
                     {{7.5e9, 64, 3}, 1.9e9, 2e-2, "ZeRO, figure 1: 1.9 GB"}}},
    ///     max(1, S t / (e x))
    ///
    ///     x  tensor-parallel ranks within an expert    count, >= 1
    ///
    /// Holds: e x divides d t.
    row{.call = "memory/stage_states.hpp: expert_shards(d, t, e, x) in count",
        .latex = R"(\max(1,\, S t / (e x)))",
        .errata = "Megatron-LM's own estimator divided by d until May 2026.",
        .topics = "M12",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(expert_shards({.data = whole(x[0]),
                                                        .tensor = whole(x[1]),
                                                        .expert = whole(x[2]),
                                                        .expert_tensor = whole(x[3])}));
            },
        .examples = {{{32, 2, 8, 1}, 8, 0, "64 ranks hold 8 pieces, by hand"}}},
    ///     sum over parts of model_state_memory(P_part, S_part, z)
    ///
    ///     E  expert parameters of the rank    count, >= 0
    ///
    /// Holds: mixed BF16 with Adam, optimizer divided (ZeRO 1): 6 + 12/S B.
    row{.call = "memory/stage_states.hpp: states_on_rank(P, E, d, e) in B",
        .latex = R"(\sum_{k} M_{states}(P_k, S_k, z))",
        .topics = "M12",
        .evaluate =
            [](inputs x) {
              return states_on_rank({.matrices = x[0], .experts = x[1]},
                                    {.zero = zero_stage::optimizer},
                                    {.data = whole(x[2]), .expert = whole(x[3])})
                  .total()
                  .in(units::byte);
            },
        .examples =
            {{{1e9, 2e9, 8, 4}, 31.5e9, 1e-12, "(6 + 12/8) 1e9 + (6 + 12/2) 2e9, by hand"}}},
    ///     P / S + E / S_e
    ///
    /// Holds: optimizer divided; all of them otherwise.
    row{.call = "memory/stage_states.hpp: updated_on_rank(P, d) in count",
        .latex = R"(P / S + E / S_e)",
        .topics = "M12",
        .evaluate =
            [](inputs x) {
              return updated_on_rank({.matrices = x[0]}, {.zero = zero_stage::optimizer},
                                     {.data = whole(x[1])});
            },
        .examples = {{{1e9, 8}, 1.25e8, 0, "1e9 / 8"}}},
    ///     2 (P / S + E / S_e)
    ///
    ///     E  expert parameters of the rank    count, >= 0
    ///
    /// Holds: 16-bit weights, divided (ZeRO 3); 2 (P + E) otherwise.
    row{.call = "memory/reference_memory.hpp: reference_weights_on_rank(P, E, d, e) in B",
        .latex = R"(2 (P / S + E / S_e))",
        .topics = "M12",
        .evaluate =
            [](inputs x) {
              const recipe how{.zero = zero_stage::parameters};
              return reference_weights_on_rank(
                         {.matrices = x[0], .experts = x[1]}, how,
                         state_rates_of(how, {.data = whole(x[2]), .expert = whole(x[3])}))
                  .in(units::byte);
            },
        .examples = {{{8030261248.0, 0, 8, 1}, 2007565312.0, 0, "Llama 3 8B over 8 ranks, by hand"},
                     {{1e9, 2e9, 8, 4}, 2.25e9, 0, "2 (1e9 / 8 + 2e9 / 2), by hand"}}},
    ///     4 P / S
    ///
    /// Holds: mixed FP16, optimizer divided; none where gradients are FP32.
    row{.call = "memory/stage_states.hpp: gradient_copy_on_rank(P, d) in B",
        .latex = R"(4 P / S)",
        .topics = "M5 M7",
        .evaluate =
            [](inputs x) {
              return gradient_copy_on_rank(
                         {.matrices = x[0]},
                         {.precision = precision::mixed_fp16, .zero = zero_stage::optimizer},
                         {.data = whole(x[1])})
                  .in(units::byte);
            },
        .examples = {{{1e9, 8}, 5e8, 0, "4e9 / 8"}}},
    ///     replicated + divided / t + experts / (e x)
    ///
    /// Holds: a GPT layer, f = 4 h, with biases and two LayerNorms.
    row{.call = "memory/stage_parameters.hpp: parameters_on_rank(h, a, t) in count",
        .latex = R"(P_{rep} + P_{div} / t + P_{exp} / (e x))",
        .errata = "Public estimators divide norms by t too.",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1});
              return parameters_on_rank(m, parameters_of_layer(m, layer_kind::dense),
                                        tensor_split_of_layer(m, layer_kind::dense),
                                        {.tensor = whole(x[2])})
                  .total();
            },
        .examples = {{{1024, 16, 1}, 12596224, 0, "12 h^2 + 13 h, the source's layer"},
                     {{1024, 16, 4}, 3153664, 0, "(12 h^2 + 7 h)/4 + 6 h, by hand"}}},
    ///     parameters_on_rank of the layer's own parts
    ///
    /// Holds: a GPT layer, f = 4 h.
    row{.call = "memory/stage_parameters.hpp: layer_on_rank(h, a, t) in count",
        .latex = R"(P_{rep} + P_{div} / t + P_{exp} / (e x))",
        .evaluate =
            [](inputs x) {
              return layer_on_rank(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                   layer_kind::dense, {.tensor = whole(x[2])})
                  .total();
            },
        .examples = {{{1024, 16, 4}, 3153664, 0, "(12 h^2 + 7 h)/4 + 6 h, by hand"}}},
    row{.call = "memory/stage_parameters.hpp: table_on_rank(V, h, t) in count",
        .latex = R"(V h / t)",
        .evaluate =
            [](inputs x) {
              return table_on_rank(gpt({1, whole(x[1]), 1, 1, whole(x[0])}),
                                   {.tensor = whole(x[2])})
                  .total();
            },
        .examples = {{{51200, 12288, 8}, 78643200, 0, "51200 x 12288 / 8"}}},
    ///     V h / t + positions h
    ///
    ///     V  vocabulary, padded            count, >= 1
    ///     P  rows of the position table    count, >= 1
    ///
    /// Holds: a GPT-2 shape.
    row{.call = "memory/stage_parameters.hpp: first_stage_on_rank(V, h, P, t) in count",
        .latex = R"(V h / t + P h)",
        .evaluate =
            [](inputs x) {
              transformer m = gpt({1, whole(x[1]), 1, 1, whole(x[0])});
              m.positions = position_encoding::learned;
              m.position_rows = whole(x[2]);
              return first_stage_on_rank(m, parameters_of(m), {.tensor = whole(x[3])}).total();
            },
        .examples = {{{51200, 1024, 2048, 8}, 8650752, 0, "6553600 + 2097152"}}},
    ///     final norm: 2 h
    ///
    /// Holds: a GPT: LayerNorm, no pooler.
    row{.call = "memory/stage_parameters.hpp: last_stage_on_rank(h) in count",
        .latex = R"(2 h)",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[0]), 1, 1, 1});
              return last_stage_on_rank(m, parameters_of(m), {}).total();
            },
        .examples = {{{1024}, 2048, 0, "scale and shift"}}},
    row{.call = "memory/workspace.hpp: framework_at_start(W_blas, W_TE) in B",
        .latex = R"(2 W_{blas} + n W_{TE})",
        .errata = "Guides reserve 10 to 20 % of the model; workspaces do not grow with it.",
        .topics = "M6",
        .evaluate =
            [](inputs x) {
              return framework_at_start({.cublas = bytes{x[0]}, .transformer_engine = bytes{x[1]}})
                  .in(units::byte);
            },
        .examples = {{{33554432, 4194304},
                      71e6,
                      6e-3,
                      "71 MB: the least that deterministic A100 runs of Megatron-LM show"},
                     {{33554432, 33554432},
                      100667904,
                      1e-4,
                      "the residual of a measured H100 run, in bytes"}}}};
inline constexpr auto memory_state_formulas =
    with_words(memory_state_rows, words::memory_state_formulas);

}  // namespace gpuplan::registry
