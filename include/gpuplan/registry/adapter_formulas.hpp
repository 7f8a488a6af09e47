#pragma once
/// \file
/// Rows of adapters beside frozen weights: parameters, memory, operations and time.

#include <array>

#include <gpuplan/compute/adapter_time.hpp>
#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/kernel_formulas.hpp>
#include <gpuplan/registry/layer_formulas.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view lora_paper =
    "E. Hu et al., \"LoRA: Low-Rank Adaptation of Large Language Models\", ICLR (2022), "
    "arXiv:2106.09685";

inline constexpr symbol adapter_rank{"r", "rank of the adapters", "count", ">= 1"};

/// A layer of heads of width 64, all of them with keys and values of their own.
constexpr transformer wide_layer(double hidden, double width) {
  return gpt({1, whole(hidden), whole(hidden / 64), whole(width), 1});
}

inline constexpr std::array adapter_model_formulas{
    formula{.name = "adapter_parameters",
            .header = "model/adapters.hpp",
            .meaning = "Parameters of the adapters of a layer's attention",
            .text = "r (4 h + h + h)",
            .latex = R"(r (h + 3 h) + r (h + h))",
            .symbols = {{"h", "hidden size", "count", ">= 64, multiple of 64"}, adapter_rank},
            .result = "count",
            .validity = "queries, keys and values as one map, as many key heads as heads",
            .source = lora_paper,
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  return adapter_parameters(wide_layer(x[0], 1), layer_kind::dense,
                                            {.rank = whole(x[1])}, {});
                },
            .examples = {{{4096, 16}, 393216, 0, "16 x 6 x 4096"}}}};

inline constexpr std::array adapter_memory_formulas{
    formula{.name = "frozen_beside",
            .header = "memory/adapter_memory.hpp",
            .meaning = "Model states of frozen weights beside adapters",
            .text = "w P + (w + g + k + o) A",
            .latex = R"(w P + (w + g + k + o) A)",
            .symbols = {{"P", "frozen parameters", "count", ">= 0"},
                        {"A", "parameters of adapters", "count", ">= 0"}},
            .result = "B",
            .validity = "16 B a trained parameter: FP16 beside FP32 Adam",
            .source = lora_paper,
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  const auto of = [](double n) {
                    return model_state_memory(n, 1, zero_stage::none);
                  };
                  return frozen_beside(of(x[0]), of(x[1])).total().in(units::byte);
                },
            .examples = {{{7e9, 4e6}, 14.064e9, 1e-12, "14 GB and 64 MB"}}},
    formula{.name = "with_adapters",
            .header = "memory/adapter_memory.hpp",
            .meaning = "Activations that frozen maps of a layer need not keep for adapters beside "
                       "attention alone",
            .text = "T (2 h + 2 f - 4 r)",
            .latex = R"(T (2 h + 2 f - 4 r))",
            .symbols = {{"T", "tokens on the rank", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 64, multiple of 64"},
                        {"f", "width of the network", "count", ">= 1"},
                        adapter_rank},
            .result = "B",
            .validity = "16-bit activations, no tensor parallelism; below 0, where more is kept, "
                        "if 2 r > h + f",
            .source = "PyTorch, torch.nn.functional.linear (2.x)",
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  const transformer m = wide_layer(x[1], x[2]);
                  const recipe how{.sequence_length = whole(x[0]),
                                   .adapters = {.rank = whole(x[3])}};
                  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, {});
                  const auto all = decoder_layer(m, layer_kind::dense, how, {}, {seen, seen});
                  const auto kept = with_adapters(all, m, layer_kind::dense, how, {}, seen);
                  return (all.total() - kept.total()).in(units::byte);
                },
            .examples = {{{1000, 4096, 16384, 16}, 40896000, 1e-12, "40.96 MB less 64 kB"}}}};

inline constexpr std::array adapter_compute_formulas{
    formula{.name = "adapters_forward_flop",
            .header = "compute/training_flop.hpp",
            .meaning = "Operations of the adapters of L layers of attention on a token, forward",
            .text = "2 L r 6 h",
            .latex = R"(12 L r h)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 64, multiple of 64"},
                        adapter_rank},
            .result = "FLOP/token",
            .validity = "as adapter_parameters",
            .source = lora_paper,
            .errata = "",
            .topics = "M19 C3",
            .evaluate =
                [](inputs x) {
                  transformer m = wide_layer(x[1], 1);
                  m.layers = whole(x[0]);
                  return adapters_forward_flop(m, {.adapters = {.rank = whole(x[2])}})
                      .in(units::FLOP / units::token);
                },
            .examples = {{{32, 4096, 16}, 25165824, 0, "2 x 32 x 393216"}}},
    formula{.name = "frozen_product_pass_time",
            .header = "compute/adapter_time.hpp",
            .meaning = "Time of a product with frozen weights, forward and backward",
            .text = "4 m n k / R",
            .latex = R"(4 m n k / R)",
            .symbols = {product_rows, product_columns, product_depth, product_rate, memory_rate},
            .result = "s",
            .validity = "whole tiles on one multiprocessor, not bound by bytes",
            .source = products_guide,
            .errata = "",
            .topics = "C3 M19",
            .evaluate =
                [](inputs x) {
                  const auto unit = rates_of(x[3], x[4]).product;
                  return frozen_product_pass_time(product_of(x), unit).total().in(units::second);
                },
            .examples = {{{2048, 2048, 2048, 1e14, 2e12},
                          3.4359738368e-4,
                          1e-12,
                          "4 x 2048^3 / 1e14, by hand"}}},
    formula{.name = "frozen_head_time",
            .header = "compute/head_time.hpp",
            .meaning = "Time of a frozen head: two products, and the bytes of its logits",
            .text = "4 T h V / R + 34 T V / W",
            .latex = R"(4 T h V / R + 34 T V / W)",
            .symbols = {rank_tokens,
                        {"h", "hidden size", "count", ">= 64, multiple of 64"},
                        {"V", "vocabulary", "count", ">= 1"},
                        product_rate,
                        memory_rate},
            .result = "s",
            .validity = "whole tiles on one multiprocessor, not bound by bytes",
            .source = megatron,
            .errata = "",
            .topics = "C3 M19",
            .evaluate =
                [](inputs x) {
                  transformer m = wide_layer(x[1], 1);
                  m.vocabulary_size = whole(x[2]);
                  return frozen_head_time(m, x[0], 1, rates_of(x[3], x[4])).in(units::second);
                },
            .examples = {{{2048, 2048, 32768, 1e14, 1e15},
                          5.4975581388e-3 + 2.281701376e-6,
                          1e-9,
                          "4 x 2048 x 2048 x 32768 / 1e14 and 2.3 GB, by hand"}}}};

}  // namespace gpuplan::registry
