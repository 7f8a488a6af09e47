#pragma once
/// \file
/// Rows of adapters beside frozen weights: parameters, memory, operations, time; of pruned weights.

#include <array>

#include <gpuplan/compute/adapter_time.hpp>
#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/pruned_weights.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/kernel_formulas.hpp>
#include <gpuplan/registry/layer_formulas.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// A layer of heads of width 64, all of them with keys and values of their own.
constexpr transformer wide_layer(double hidden, double width) {
  return gpt({1, whole(hidden), whole(hidden / 64), whole(width), 1});
}

inline constexpr std::array adapter_model_rows{
    ///     r (4 h + h + h)
    ///
    ///     h  hidden size             count, >= 64, multiple of 64
    ///     r  rank of the adapters    count, >= 1
    ///
    /// Holds: queries, keys and values as one map, as many key heads as heads.
    row{.call = "model/adapters.hpp: adapter_parameters(h, r) in count",
        .latex = R"(r (h + 3 h) + r (h + h))",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              return adapter_parameters(wide_layer(x[0], 1), layer_kind::dense,
                                        {.rank = whole(x[1])}, {});
            },
        .examples = {{{4096, 16}, 393216, 0, "16 x 6 x 4096"}}},
    ///     1/2 + (1 + 4 / 256) / B
    ///
    ///     B  weights that share one scale    count, >= 1
    ///
    /// Holds: scales in 8 bits, with one FP32 scale for 256 of them.
    row{.call = "model/frozen_weights.hpp: bytes_per_4_bit_weight(B) in B",
        .latex = R"(\frac{1}{2} + \frac{1 + 4 / 256}{B})",
        .topics = "M7",
        .evaluate =
            [](inputs x) { return bytes_per_4_bit_weight({.size = whole(x[0])}).in(units::byte); },
        .examples = {{{64}, 0.515869140625, 0, "0.5 + 1.015625 / 64, of QLoRA"}}},
    /// Bytes of one weight of a frozen matrix beside adapters.
    ///
    ///     storage of F: by_precision 2, int8 and fp8 1, int4 and nf4 as bytes_per_4_bit_weight
    ///
    ///     F  format    one of base_weights
    ///
    /// Holds: mixed BF16; blocks of 64 with scales in 8 bits.
    row{.call = "model/frozen_weights.hpp: bytes_per_frozen_weight(F) in B",
        .latex = R"(\mathrm{storage}(F))",
        .topics = "M7",
        .evaluate =
            [](inputs x) {
              return bytes_per_frozen_weight(
                         {.adapters = {.base = static_cast<base_weights>(whole(x[0]))}})
                  .in(units::byte);
            },
        .examples = {{{0}, 2, 0, "BF16"}, {{2}, 1, 0, "FP8"}, {{3}, 0.515869140625, 0, "NF4"}}}};
inline constexpr auto adapter_model_formulas =
    with_words(adapter_model_rows, words::adapter_model_formulas);

inline constexpr std::array adapter_memory_rows{
    row{.call = "memory/adapter_memory.hpp: frozen_beside(P, A) in B",
        .latex = R"(w P + (w + g + k + o) A)",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              const auto of = [](double n) { return model_state_memory(n, 1, zero_stage::none); };
              return frozen_beside(of(x[0]), of(x[1])).total().in(units::byte);
            },
        .examples = {{{7e9, 4e6}, 14.064e9, 1e-12, "14 GB and 64 MB"}}},
    /// Activations that frozen maps of a layer need not keep, less those that adapters keep.
    ///
    ///     T (2 h + 2 f - 4 r)
    ///
    ///     T  tokens on the rank      count, >= 1
    ///     h  hidden size             count, >= 64, multiple of 64
    ///     f  width of the network    count, >= 1
    ///     r  rank of the adapters    count, 1 to h
    ///
    /// Holds: adapters beside attention alone, 16-bit activations, no tensor parallelism; below 0,
    /// where more is kept, if 2 r > h + f.
    row{.call = "memory/adapter_memory.hpp: with_adapters(T, h, f, r) in B",
        .latex = R"(T (2 h + 2 f - 4 r))",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              const transformer m = wide_layer(x[1], x[2]);
              const recipe how{.sequence_length = whole(x[0]), .adapters = {.rank = whole(x[3])}};
              const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, {});
              const auto all = decoder_layer(m, layer_kind::dense, how, {}, {seen, seen});
              const auto kept = with_adapters(all, m, layer_kind::dense, how, {}, seen);
              return (all.total() - kept.total()).in(units::byte);
            },
        .examples = {{{1000, 4096, 16384, 16}, 40896000, 1e-12, "40.96 MB less 64 kB"}}},
    row{.call = "memory/pruned_weights.hpp: pruned_weight_memory(N, z, b, s, r) in B",
        .latex = R"(N (b + 1/8),\; (1 - z) N (b + 4) + 4 (r + 1),\; N (b/2 + 1/8))",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              const auto stored = static_cast<pruned_storage>(whole(x[3]));
              return pruned_weight_memory(x[0], x[1], bytes{x[2]}, stored, x[4]).in(units::byte);
            },
        .examples = {{{4, 0.5, 2, 2, 1}, 4.5, 0, "two values of 2 B and four bits"},
                     {{1e6, 0.9, 2, 1, 999}, 604000, 1e-12, "6 B of each tenth, 1 000 starts"}}}};
inline constexpr auto adapter_memory_formulas =
    with_words(adapter_memory_rows, words::adapter_memory_formulas);

/// Their inputs, where neither a row nor its function says otherwise.
///
///     h  hidden size                   count, >= 64, multiple of 64
///     R  rate of large products        FLOP/s, > 0
///     W  bandwidth of device memory    B/s, > 0
inline constexpr std::array adapter_compute_rows{
    ///     2 L r 6 h
    ///
    ///     L  layers                  count, >= 1
    ///     r  rank of the adapters    count, >= 1
    ///
    /// Holds: as adapter_parameters.
    row{.call = "compute/training_flop.hpp: adapters_forward_flop(L, h, r) in FLOP/token",
        .latex = R"(12 L r h)",
        .topics = "M19 C3",
        .evaluate =
            [](inputs x) {
              transformer m = wide_layer(x[1], 1);
              m.layers = whole(x[0]);
              return adapters_forward_flop(m, {.adapters = {.rank = whole(x[2])}})
                  .in(units::FLOP / units::token);
            },
        .examples = {{{32, 4096, 16}, 25165824, 0, "2 x 32 x 393216"}}},
    /// Time of a product with frozen weights, forward and backward.
    ///
    ///     (4 m n k + 256 m (n + k)) / R
    ///
    ///     m  rows                  count, >= 0
    ///     n  columns               count, >= 0
    ///     k  depth, summed over    count, >= 0
    ///
    /// Holds: whole tiles on one multiprocessor, not bound by bytes.
    row{.call = "compute/adapter_time.hpp: frozen_product_pass_time(m, n, k, R, W) in s",
        .latex = R"((4 m n k + 256 m (n + k)) / R)",
        .topics = "C3 M19",
        .evaluate =
            [](inputs x) {
              const auto unit = rates_of(x[3], x[4]).product;
              return frozen_product_pass_time(product_of(x), unit).total().in(units::second);
            },
        .examples = {{{2048, 2048, 2048, 1e14, 2e12},
                      0.00036507222016,
                      1e-12,
                      "4 x 2048^2 x 2176 / 1e14, by hand"}}},
    ///     n k (q + 2) / W
    ///
    ///     n  columns                       count, >= 0
    ///     k  depth, summed over            count, >= 0
    ///     q  bytes of a quantised weight   B, > 0
    ///     W  bandwidth                     B/s, > 0
    ///
    /// Holds: one kernel reads and writes.
    row{.call = "compute/adapter_time.hpp: dequantization_time(n, k, q, W) in s",
        .latex = R"(n k (q + 2) / W)",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              return dequantization_time(matrix_product{1, x[0], x[1]}, bytes{x[2]},
                                         bytes_per_second{x[3]})
                  .in(units::second);
            },
        .examples = {{{4096, 4096, 0.5, 1e12}, 4.194304e-5, 1e-12, "4096^2 x 2.5 / 1e12"}}},
    ///     n k (q + 16) / W
    ///
    ///     n  columns                     count, >= 0
    ///     k  depth, summed over          count, >= 0
    ///     q  bytes of a packed weight    B, > 0
    ///     W  bandwidth                   B/s, > 0
    ///
    /// Holds: a kernel for each step, in the forward pass.
    row{.call = "compute/adapter_time.hpp: unpacking_time(n, k, q, W) in s",
        .latex = R"(n k (q + 16) / W)",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              return unpacking_time(matrix_product{1, x[0], x[1]}, bytes{x[2]},
                                    bytes_per_second{x[3]})
                  .in(units::second);
            },
        .examples = {{{4096, 4096, 0.5, 1e12}, 2.768240640e-4, 1e-12, "4096^2 x 16.5 / 1e12"}}},
    /// Time of a frozen head: two products, and the bytes of its logits.
    ///
    ///     (4 T h V + 256 T (V + h)) / R + 34 T V / W
    ///
    ///     T  tokens on the rank    token, >= 1
    ///     V  vocabulary            count, >= 1
    ///
    /// Holds: whole tiles on one multiprocessor, not bound by bytes.
    row{.call = "compute/head_time.hpp: frozen_head_time(T, h, V, R, W) in s",
        .latex = R"((4 T h V + 256 T (V + h)) / R + 34 T V / W)",
        .topics = "C3 M19",
        .evaluate =
            [](inputs x) {
              transformer m = wide_layer(x[1], 1);
              m.vocabulary_size = whole(x[2]);
              return frozen_head_time(m, x[0], 1, rates_of(x[3], x[4])).in(units::second);
            },
        .examples = {
            {{2048, 2048, 32768, 1e14, 1e15},
             0.005682375950336,
             1e-9,
             "4 x 2048^2 x 32768 and 128 more of each depth over 1e14, and 2.3 GB, by hand"}}}};
inline constexpr auto adapter_compute_formulas =
    with_words(adapter_compute_rows, words::adapter_compute_formulas);

}  // namespace gpuplan::registry
