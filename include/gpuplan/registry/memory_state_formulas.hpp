#pragma once
/// \file
/// Rows of memory/: weights, gradients and optimizer states, on one rank and of all.

#include <array>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>

namespace gpuplan::registry {

inline constexpr std::array memory_state_formulas{
    formula{.name = "state_values",
            .header = "memory/model_states.hpp",
            .meaning = "State values that an optimizer keeps for each parameter",
            .text = "sgd 0; momentum, rmsprop, adagrad, lion, lars 1; adam, adamw, lamb 2; muon 1",
            .latex = R"(n_{sgd} = 0,\; n_{momentum} = n_{RMSprop} = 1,\; n_{Adam} = 2)",
            .symbols = {optimizer_choice},
            .result = "count",
            .validity = "of a matrix of a hidden layer; Muon keeps Adam's two for all else",
            .source = "D. Kingma and J. Ba, \"Adam: A Method for Stochastic Optimization\", ICLR "
                      "(2015), arXiv:1412.6980, and the paper of each",
            .errata = "\"3 x M_model\" of a textbook counts a gradient copy that its total adds "
                      "again.",
            .topics = "M3",
            .evaluate = [](inputs x) { return state_values(static_cast<optimizer>(whole(x[0]))); },
            .examples = {{{0}, 0, 0, "plain gradient descent keeps nothing"},
                         {{1}, 1, 0, "a velocity"},
                         {{4}, 2, 0, "Adam: mean and variance"}}},
    formula{.name = "adafactor_values",
            .header = "memory/model_states.hpp",
            .meaning = "State values of Adafactor for one matrix",
            .text = "R + C",
            .latex = R"(R + C)",
            .symbols = {{"R", "rows", "count", ">= 0"}, {"C", "columns", "count", ">= 0"}},
            .result = "count",
            .validity = "without its optional momentum; a vector keeps one a value",
            .source =
                "N. Shazeer and M. Stern, \"Adafactor: Adaptive Learning Rates with Sublinear "
                "Memory Cost\", ICML (2018), arXiv:1804.04235",
            .errata = "",
            .topics = "M3",
            .evaluate = [](inputs x) { return adafactor_values(x[0], x[1]); },
            .examples = {{{4096, 11008}, 15104, 0, "4096 + 11008"}}},
    formula{.name = "bytes_per_parameter",
            .header = "memory/model_states.hpp",
            .meaning = "Bytes that a precision and an optimizer keep for each parameter",
            .text = "weight + gradient + master + states",
            .latex = R"(\beta = w + g + k + o)",
            .symbols = {precision_choice, optimizer_choice},
            .result = "B",
            .validity = "FP32 gradients beside BF16 weights, FP16 beside FP16",
            .source = zero_paper,
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
    formula{.name = "model_state_memory",
            .header = "memory/model_states.hpp",
            .meaning = "Model states on each rank under ZeRO",
            .text = "none (w+g+k+o) P; 1: (w+g) P + (k+o) P/N; 2: w P + (g+k+o) P/N; 3: all / N",
            .latex = R"(w P + \frac{g P}{N_2} + \frac{(k + o) P}{N_1})",
            .symbols = {{"P", "parameters of one model-parallel rank", "count", ">= 0"},
                        {"N", "ranks that divide them", "count", ">= 1"},
                        {"z", "ZeRO stage", "count", "0 to 3"}},
            .result = "B",
            .validity = "16 B a parameter; exact where N divides every tensor",
            .source = zero_paper,
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
    formula{.name = "expert_shards",
            .header = "memory/stage_states.hpp",
            .meaning = "Ranks over which ZeRO divides the states of routed experts",
            .text = "max(1, S t / (e x))",
            .latex = R"(\max(1,\, S t / (e x)))",
            .symbols = {{"d", "data-parallel ranks", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"},
                        {"e", "expert-parallel ranks", "count", ">= 1"},
                        {"x", "tensor-parallel ranks within an expert", "count", ">= 1"}},
            .result = "count",
            .validity = "e x divides d t",
            .source = megatron,
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
    formula{.name = "states_on_rank",
            .header = "memory/stage_states.hpp",
            .meaning = "Model states of one rank, dense parameters and experts each over their own "
                       "ranks",
            .text = "sum over parts of model_state_memory(P_part, S_part, z)",
            .latex = R"(\sum_k M(P_k, S_k, z))",
            .symbols = {{"P", "dense parameters of the rank", "count", ">= 0"},
                        {"E", "expert parameters of the rank", "count", ">= 0"},
                        {"d", "data-parallel ranks", "count", ">= 1"},
                        {"e", "expert-parallel ranks", "count", ">= 1"}},
            .result = "B",
            .validity = "mixed BF16 with Adam, optimizer divided (ZeRO 1): 6 + 12/S B",
            .source = zero_paper,
            .errata = "",
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
    formula{.name = "updated_on_rank",
            .header = "memory/stage_states.hpp",
            .meaning = "Parameters that one rank updates",
            .text = "P / S + E / S_e",
            .latex = R"(P / S + E / S_e)",
            .symbols = {{"P", "dense parameters of the rank", "count", ">= 0"},
                        {"d", "data-parallel ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "optimizer divided; all of them otherwise",
            .source = zero_paper,
            .errata = "",
            .topics = "M12",
            .evaluate =
                [](inputs x) {
                  return updated_on_rank({.matrices = x[0]}, {.zero = zero_stage::optimizer},
                                         {.data = whole(x[1])});
                },
            .examples = {{{1e9, 8}, 1.25e8, 0, "1e9 / 8"}}},
    formula{.name = "gradient_copy_on_rank",
            .header = "memory/stage_states.hpp",
            .meaning = "FP32 copies of 16-bit gradients that an update works on",
            .text = "4 P / S",
            .latex = R"(4 P / S)",
            .symbols = {{"P", "dense parameters of the rank", "count", ">= 0"},
                        {"d", "data-parallel ranks", "count", ">= 1"}},
            .result = "B",
            .validity = "mixed FP16, optimizer divided; none where gradients are FP32",
            .source = megatron,
            .errata = "",
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
    formula{.name = "parameters_on_rank",
            .header = "memory/stage_parameters.hpp",
            .meaning = "Parameters of a layer on one rank, by what tensor parallelism divides",
            .text = "replicated + divided / t + experts / (e x)",
            .latex = R"(P_{rep} + P_{div} / t + P_{exp} / (e x))",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "a GPT layer, f = 4 h, with biases and two LayerNorms",
            .source = narayanan,
            .errata = "Public estimators divide norms by t too.",
            .topics = "",
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
    formula{.name = "layer_on_rank",
            .header = "memory/stage_parameters.hpp",
            .meaning = "Parameters of one layer of a model on one rank",
            .text = "parameters_on_rank of the layer's own parts",
            .latex = R"(P_{rep} + P_{div} / t + P_{exp} / (e x))",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "a GPT layer, f = 4 h",
            .source = narayanan,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return layer_on_rank(gpt({1, whole(x[0]), whole(x[1]), whole(4 * x[0]), 1}),
                                       layer_kind::dense, {.tensor = whole(x[2])})
                      .total();
                },
            .examples = {{{1024, 16, 4}, 3153664, 0, "(12 h^2 + 7 h)/4 + 6 h, by hand"}}},
    formula{.name = "table_on_rank",
            .header = "memory/stage_parameters.hpp",
            .meaning = "An embedding or a head on one rank",
            .text = "V h / t",
            .latex = R"(V h / t)",
            .symbols = {{"V", "vocabulary, padded", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "t divides V",
            .source = megatron,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return table_on_rank(gpt({1, whole(x[1]), 1, 1, whole(x[0])}),
                                       {.tensor = whole(x[2])})
                      .total();
                },
            .examples = {{{51200, 12288, 8}, 78643200, 0, "51200 x 12288 / 8"}}},
    formula{.name = "first_stage_on_rank",
            .header = "memory/stage_parameters.hpp",
            .meaning = "What the first pipeline stage holds beside its layers",
            .text = "V h / t + positions h",
            .latex = R"(V h / t + P h)",
            .symbols = {{"V", "vocabulary, padded", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"P", "rows of the position table", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "a GPT-2 shape",
            .source = megatron,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  transformer m = gpt({1, whole(x[1]), 1, 1, whole(x[0])});
                  m.positions = position_encoding::learned;
                  m.position_rows = whole(x[2]);
                  return first_stage_on_rank(m, parameters_of(m), {.tensor = whole(x[3])}).total();
                },
            .examples = {{{51200, 1024, 2048, 8}, 8650752, 0, "6553600 + 2097152"}}},
    formula{.name = "last_stage_on_rank",
            .header = "memory/stage_parameters.hpp",
            .meaning = "What the last pipeline stage holds beside its layers and the head",
            .text = "final norm: 2 h",
            .latex = R"(2 h)",
            .symbols = {{"h", "hidden size", "count", ">= 1"}},
            .result = "count",
            .validity = "a GPT: LayerNorm, no pooler",
            .source = megatron,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const transformer m = gpt({1, whole(x[0]), 1, 1, 1});
                  return last_stage_on_rank(m, parameters_of(m), {}).total();
                },
            .examples = {{{1024}, 2048, 0, "scale and shift"}}},
    formula{.name = "framework_at_start",
            .header = "memory/workspace.hpp",
            .meaning = "What the framework's allocator shows before the first tensor of the model",
            .text = "2 cublas + n transformer_engine",
            .latex = R"(2 W_{blas} + n W_{TE})",
            .symbols = {{"W_blas", "cuBLAS workspace of a thread", "B", ">= 0"},
                        {"W_TE", "Transformer Engine's of a stream", "B", ">= 0"}},
            .result = "B",
            .validity = "n = 1; 5 with grouped products of experts",
            .source = "PyTorch, CublasHandlePool.cpp (2.x); NVIDIA, \"Transformer Engine\" (2026)",
            .errata = "Guides reserve 10 to 20 % of the model; workspaces do not grow with it.",
            .topics = "M6",
            .evaluate =
                [](inputs x) {
                  return framework_at_start(
                             {.cublas = bytes{x[0]}, .transformer_engine = bytes{x[1]}})
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

}  // namespace gpuplan::registry
