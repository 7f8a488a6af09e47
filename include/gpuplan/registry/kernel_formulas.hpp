#pragma once
/// \file
/// Rows of compute/: single kernels, bound by arithmetic or by memory.

#include <array>

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/compute/strassen.hpp>
#include <gpuplan/compute/systolic_array.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The product of a row that is asked m, n, k.
constexpr matrix_product product_of(inputs x) {
  return {.rows = x[0], .columns = x[1], .depth = x[2]};
}

/// The array of a row that is asked s, f, a from its fourth input on.
constexpr systolic_array array_of(inputs x) {
  return {.side = x[3], .clock = per_second{x[4]}, .arrays = x[5]};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     m  rows                  count, >= 0
///     n  columns               count, >= 0
///     k  depth, summed over    count, >= 0
///     S  multiprocessors       count, >= 1
inline constexpr std::array kernel_rows{
    row{.call = "compute/gemm.hpp: product_flop(m, n, k) in FLOP",
        .latex = R"(2 m n k)",
        .errata = "A chapter's 161e9 and 42.9e9 are multiply-adds.",
        .topics = "C3",
        .evaluate = [](inputs x) { return product_flop(product_of(x)).in(units::FLOP); },
        .examples = {{{64, 1024, 512}, 67108864, 0, "twice 33 554 432 multiply-adds"}}},
    ///     2 (m k + k n + m n)
    ///
    /// Holds: 2-byte values; each operand read once, the result written once.
    row{.call = "compute/gemm.hpp: product_bytes(m, n, k) in B",
        .latex = R"(2 (m k + k n + m n))",
        .topics = "C1",
        .evaluate = [](inputs x) { return product_bytes(product_of(x), {}).in(units::byte); },
        .examples = {{{1024, 1024, 1024}, 6291456, 0, "3 x 2 MiB"}}},
    /// How often every multiprocessor is given a tile of a product.
    ///
    ///     min(ceil(x), x + 0.1),  x = ceil(m/128) ceil(n/128) / S
    ///
    /// Holds: tiles of 128 x 128, cut to a smaller side.
    row{.call = "compute/gemm.hpp: product_tiles(m, n, k, S) in count",
        .latex =
            R"(\min(\lceil x \rceil,\, x + 0.1),\ x = \lceil m/128 \rceil \lceil n/128 \rceil / S)",
        .topics = "C9",
        .evaluate = [](inputs x) { return product_tiles(product_of(x), whole(x[3])).waves; },
        .examples = {{{2048, 2048, 64, 108}, 256 / 108. + 0.1, 1e-14, "256 tiles on 108"},
                     {{1024, 1280, 64, 108}, 80 / 108. + 0.1, 1e-14, "80 tiles on 108"}}},
    ///     max(2 w M N (k + 128) S / R, bytes / W)
    ///
    ///     R  rate of large products        FLOP/s, > 0
    ///     W  bandwidth of device memory    B/s, > 0
    ///
    /// Holds: a kernel that starts at once; rows and columns of 256 or more.
    row{.call = "compute/gemm.hpp: product_time(m, n, k, S, R, W) in s",
        .latex = R"(\max\left( \frac{2 w M N (k + 128) S}{R},\, \frac{m_B}{W} \right))",
        .topics = "C1 C9",
        .evaluate =
            [](inputs x) {
              const basic_matrix_unit<double> unit{.rate = flop_per_second{x[4]},
                                                   .bandwidth = bytes_per_second{x[5]},
                                                   .streaming_multiprocessors = whole(x[3])};
              return product_time(product_of(x), unit).in(units::second);
            },
        .examples = {{{2048, 2048, 1024, 128, 1e14, 2e12},
                      9.663676416e-05,
                      1e-12,
                      "two full waves: 2 x 2048^2 x (1024 + 128) / 1e14"}}},
    ///     measured, else 0.85 of the datasheet's
    ///
    ///     W_mem  of the datasheet    B/s, > 0
    ///     W_ach  measured; 0: not    B/s, >= 0
    ///
    /// Holds: large streaming kernels.
    row{.call = "compute/roofline.hpp: streaming_bandwidth(W_mem, W_ach) in B/s",
        .latex = R"(W = W_{ach} \text{ else } 0.85\, W_{mem})",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              const accelerator gpu{.memory_bandwidth = bytes_per_second{x[0]},
                                    .achieved_memory_bandwidth = bytes_per_second{x[1]}};
              return streaming_bandwidth(gpu).in(units::byte / units::second);
            },
        .examples = {{{2e12, 1.8e12}, 1.8e12, 0, "the measured one"}}},
    row{.call = "compute/roofline.hpp: roofline(P_max, W, I) in FLOP/s",
        .latex = R"(\min(P_{\max},\, I W))",
        .topics = "C1 C4 C6",
        .evaluate =
            [](inputs x) {
              return roofline(flop_per_second{x[0]}, bytes_per_second{x[1]}, flop_per_byte{x[2]})
                  .in(units::FLOP / units::second);
            },
        .examples = {{{312e12, 2e12, 1}, 2e12, 0, "memory binds"},
                     {{312e12, 2e12, 1000}, 312e12, 0, "arithmetic binds"}}},
    row{.call = "compute/roofline.hpp: ridge(P_max, W) in FLOP/B",
        .latex = R"(P_{\max} / W)",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return ridge(flop_per_second{x[0]}, bytes_per_second{x[1]})
                  .in(units::FLOP / units::byte);
            },
        .examples = {{{312e12, 2e12}, 156, 1e-12, "312/2"}}},
    row{.call = "compute/strassen.hpp: strassen_flop(m, n, k, l) in FLOP",
        .latex = R"(F_l = 7 F_{l-1} + (5 m k + 5 k n + 8 m n)/4,\ F_0 = 2 m n k)",
        .topics = "C3",
        .evaluate =
            [](inputs x) { return strassen_flop(product_of(x), whole(x[3])).in(units::FLOP); },
        .examples = {{{2, 2, 2, 1}, 32, 0, "7 multiplications, twice, and 18 additions"}}},
    row{.call = "compute/systolic_array.hpp: systolic_peak(s, f, a) in FLOP/s",
        .latex = R"(2 a s^2 f)",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return systolic_peak({.side = x[0], .clock = per_second{x[1]}, .arrays = x[2]})
                  .in(units::FLOP / units::second);
            },
        .examples = {{{256, 700e6, 1}, 92e12, 5e-3, "the first TPU"}}},
    row{.call = "compute/systolic_array.hpp: systolic_product_time(m, n, k, s, f, a) in s",
        .latex = R"(\lceil \lceil k/s \rceil \lceil n/s \rceil / a \rceil (m + 3 s - 2) / f)",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return systolic_product_time(product_of(x), array_of(x)).in(units::second);
            },
        .examples = {{{256, 256, 256, 256, 1, 1}, 1022, 0, "256 + 256 + 510 cycles"}}},
    ///     2 m n k / (T P)
    ///
    ///     m  rows                  count, >= 1
    ///     n  columns               count, >= 1
    ///     k  depth, summed over    count, >= 1
    ///     s  side                  count, >= 1
    ///     f  clock                 1/s, > 0
    ///     a  arrays                count, >= 1
    row{.call = "compute/systolic_array.hpp: systolic_utilization(m, n, k, s, f, a) in 1",
        .latex = R"(2 m n k / (T P))",
        .topics = "C1 C7",
        .evaluate = [](inputs x) { return systolic_utilization(product_of(x), array_of(x)); },
        .examples = {{{256, 256, 256, 256, 1, 1}, 256. / 1022, 1e-12, "256 of 1 022 cycles"}}}};
inline constexpr auto kernel_formulas = with_words(kernel_rows, words::kernel_formulas);

}  // namespace gpuplan::registry
