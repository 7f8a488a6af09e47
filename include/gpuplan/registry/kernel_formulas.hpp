#pragma once
/// \file
/// Rows of compute/: single kernels, bound by arithmetic or by memory.

#include <array>

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view williams =
    "S. Williams, A. Waterman and D. Patterson, \"Roofline: An Insightful Visual Performance Model "
    "for Multicore Architectures\", Commun. ACM 52 (2009) 65-76";
inline constexpr std::string_view products_guide =
    "NVIDIA, \"Matrix Multiplication Background User's Guide\", DU-09798 (2023)";

inline constexpr symbol product_rows{"m", "rows", "count", ">= 0"};
inline constexpr symbol product_columns{"n", "columns", "count", ">= 0"};
inline constexpr symbol product_depth{"k", "depth, summed over", "count", ">= 0"};

/// The product of a row that is asked m, n, k.
constexpr matrix_product product_of(inputs x) {
  return {.rows = x[0], .columns = x[1], .depth = x[2]};
}

inline constexpr std::array kernel_formulas{
    formula{.name = "product_flop",
            .header = "compute/gemm.hpp",
            .meaning = "Operations of a matrix product",
            .text = "2 m n k",
            .latex = R"(2 m n k)",
            .symbols = {product_rows, product_columns, product_depth},
            .result = "FLOP",
            .validity = "a multiply-add counted as two",
            .source = products_guide,
            .errata = "A chapter's 161e9 and 42.9e9 are multiply-adds.",
            .topics = "C3",
            .evaluate = [](inputs x) { return product_flop(product_of(x)).in(units::FLOP); },
            .examples = {{{64, 1024, 512}, 67108864, 0, "twice 33 554 432 multiply-adds"}}},
    formula{.name = "product_bytes",
            .header = "compute/gemm.hpp",
            .meaning = "Bytes that a matrix product must move",
            .text = "2 (m k + k n + m n)",
            .latex = R"(2 (m k + k n + m n))",
            .symbols = {product_rows, product_columns, product_depth},
            .result = "B",
            .validity = "2-byte values; each operand read once, the result written once",
            .source = products_guide,
            .errata = "",
            .topics = "C1",
            .evaluate = [](inputs x) { return product_bytes(product_of(x), {}).in(units::byte); },
            .examples = {{{1024, 1024, 1024}, 6291456, 0, "3 x 2 MiB"}}},
    formula{.name = "product_tiles",
            .header = "compute/gemm.hpp",
            .meaning = "How often every multiprocessor is given a tile of a product",
            .text = "ceil(ceil(m/M) ceil(n/N) / S)",
            .latex = R"(\left\lceil \lceil m/M \rceil \lceil n/N \rceil / S \right\rceil)",
            .symbols = {product_rows,
                        product_columns,
                        product_depth,
                        {"S", "multiprocessors", "count", ">= 1"}},
            .result = "count",
            .validity = "tiles of 128 x 256, whichever way round is better",
            .source = products_guide,
            .errata = "",
            .topics = "C9",
            .evaluate = [](inputs x) { return product_tiles(product_of(x), whole(x[3])).waves; },
            .examples = {{{2048, 2048, 64, 108}, 2, 0, "128 tiles on 108"},
                         {{1024, 2048, 64, 108}, 1, 0, "64 tiles on 108"}}},
    formula{.name = "product_time",
            .header = "compute/gemm.hpp",
            .meaning = "Time of a product: of its waves, or of its bytes where they take longer",
            .text = "max(w 2 M N k S / R, bytes / W)",
            .latex = R"(\max\left( \frac{2 w M N k S}{R},\, \frac{m_B}{W} \right))",
            .symbols = {product_rows,
                        product_columns,
                        product_depth,
                        {"S", "multiprocessors", "count", ">= 1"},
                        {"R", "rate of large products", "FLOP/s", "> 0"},
                        {"W", "bandwidth of device memory", "B/s", "> 0"}},
            .result = "s",
            .validity = "no time to fill and drain; no sum split over multiprocessors",
            .source = products_guide,
            .errata = "",
            .topics = "C1 C9",
            .evaluate =
                [](inputs x) {
                  const basic_matrix_unit<double> unit{.rate = flop_per_second{x[4]},
                                                       .bandwidth = bytes_per_second{x[5]},
                                                       .streaming_multiprocessors = whole(x[3])};
                  return product_time(product_of(x), unit).in(units::second);
                },
            .examples = {{{2048, 2048, 1024, 128, 1e14, 2e12},
                          8.589934592e-05,
                          1e-12,
                          "one full wave: 2 x 2048^2 x 1024 / 1e14"}}},
    formula{.name = "streaming_bandwidth",
            .header = "compute/roofline.hpp",
            .meaning = "Bandwidth of device memory that a streaming kernel can count on",
            .text = "measured, else 0.85 of the datasheet's",
            .latex = R"(W = W_{ach} \text{ else } 0.85\, W_{mem})",
            .symbols = {{"W_mem", "of the datasheet", "B/s", "> 0"},
                        {"W_ach", "measured; 0: not", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "large streaming kernels",
            .source = "S. Bekman, \"Machine Learning Engineering Open Book\", "
                      "compute/accelerator/README.md, github.com/stas00/ml-engineering (2025)",
            .errata = "",
            .topics = "C1",
            .evaluate =
                [](inputs x) {
                  const accelerator gpu{.memory_bandwidth = bytes_per_second{x[0]},
                                        .achieved_memory_bandwidth = bytes_per_second{x[1]}};
                  return streaming_bandwidth(gpu).in(units::byte / units::second);
                },
            .examples = {{{2e12, 1.8e12}, 1.8e12, 0, "the measured one"}}},
    formula{.name = "roofline",
            .header = "compute/roofline.hpp",
            .meaning = "What a kernel can reach",
            .text = "min(P_max, I W)",
            .latex = R"(\min(P_{\max},\, I W))",
            .symbols = {{"P_max", "peak", "FLOP/s", ">= 0"},
                        {"W", "bandwidth of a level of memory", "B/s", ">= 0"},
                        {"I", "operations for each byte moved", "FLOP/B", ">= 0"}},
            .result = "FLOP/s",
            .validity = "a bound, whatever overlaps",
            .source = williams,
            .errata = "",
            .topics = "C1 C4 C6",
            .evaluate =
                [](inputs x) {
                  return roofline(flop_per_second{x[0]}, bytes_per_second{x[1]},
                                  flop_per_byte{x[2]})
                      .in(units::FLOP / units::second);
                },
            .examples = {{{312e12, 2e12, 1}, 2e12, 0, "memory binds"},
                         {{312e12, 2e12, 1000}, 312e12, 0, "arithmetic binds"}}},
    formula{.name = "ridge",
            .header = "compute/roofline.hpp",
            .meaning = "The intensity above which arithmetic binds",
            .text = "P_max / W",
            .latex = R"(P_{\max} / W)",
            .symbols = {{"P_max", "peak", "FLOP/s", ">= 0"},
                        {"W", "bandwidth of a level of memory", "B/s", "> 0"}},
            .result = "FLOP/B",
            .validity = "of the level whose bytes are counted",
            .source = williams,
            .errata = "",
            .topics = "C1",
            .evaluate =
                [](inputs x) {
                  return ridge(flop_per_second{x[0]}, bytes_per_second{x[1]})
                      .in(units::FLOP / units::byte);
                },
            .examples = {{{312e12, 2e12}, 156, 1e-12, "312/2"}}}};

}  // namespace gpuplan::registry
