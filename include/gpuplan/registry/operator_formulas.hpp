#pragma once
/// \file
/// Rows of operators with measured constants: products that add or come in groups, casts, tokens on
/// their way to experts, collectives inside a node.  As of every table of rows, the examples of a
/// row are its test: registry_test computes each of them.

#include <array>

#include <gpuplan/comm/node_collective.hpp>
#include <gpuplan/comm/token_exchange.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/grouped_gemm.hpp>
#include <gpuplan/compute/quantization_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/kernel_formulas.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The matrix unit of a row that is asked S, R, W from its fourth input on.
constexpr basic_matrix_unit<double> unit_of(inputs x) {
  return {.rate = flop_per_second{x[4]},
          .bandwidth = bytes_per_second{x[5]},
          .streaming_multiprocessors = whole(x[3])};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     m  rows                        count, >= 0
///     n  columns                     count, >= 0
///     k  depth, summed over          count, >= 0
///     S  multiprocessors             count, >= 1
///     R  rate of large products      FLOP/s, > 0
///     W  bandwidth                   B/s, > 0
///     c  experts of the rank         count, >= 0
inline constexpr std::array operator_rows{
    ///     max(2 w M N (k + 128) S / R, 2 (m + n) k / W) + 4 m n / W
    ///
    /// Holds: 2-byte operands, an FP32 gradient read and written; a kernel that starts at once.
    row{.call = "compute/gemm.hpp: weight_gradient_time(m, n, k, S, R, W) in s",
        .latex = R"(\max\left( \frac{2 w M N (k + 128) S}{R},\, \frac{2 (m + n) k}{W} \right))"
                 R"( + \frac{4 m n}{W})",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return weight_gradient_time(product_of(x), unit_of(x), bytes{2}, bytes{8})
                  .in(units::second);
            },
        .examples = {{{2048, 2048, 1024, 128, 1e14, 2e12},
                      1.050253721600e-04,
                      1e-12,
                      "9.663676416e-05 of the product, 4 x 2048^2 B at 2 TB/s"}}},
    ///     max(A, B) + 0.3 min(A, B),  A = 2 w M N (k + 128) S / R,  B = 2 k n c / W
    ///
    /// Holds: 2-byte weights; one kernel, which starts at once.
    row{.call = "compute/grouped_gemm.hpp: grouped_product_time(m, n, k, S, R, W, c) in s",
        .latex = R"(\max(A, B) + 0.3 \min(A, B))",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              const matrix_product p{x[0], x[1], x[2], x[6]};
              const basic_grouped_unit<double> unit{.product = unit_of(x),
                                                    .weights = bytes_per_second{x[5]}};
              return grouped_product_time(p, unit, {}, grouped_launch::fused).in(units::second);
            },
        .examples = {{{256, 1024, 1024, 128, 1e14, 2e12, 8},
                      5.0834964480e-05,
                      1e-12,
                      "one wave, 4.831838208e-05; 2 x 8 x 1024^2 B, 8.388608e-06"}}},
    ///     2 n (4 h + 3 f) / W
    ///
    ///     n  rows of all experts of the rank    count, >= 0
    ///     h  hidden size                        count, >= 0
    ///     f  width of an expert                 count, >= 0
    ///
    /// Holds: 2-byte values, gated experts.
    row{.call = "compute/grouped_gemm.hpp: permutation_time(n, h, f, W) in s",
        .latex = R"(\frac{2 n (4 h + 3 f)}{W})",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              return permutation_time(expert_values{.rows = x[0], .hidden = x[1], .width = x[2]},
                                      product_formats{}, bytes_per_second{x[3]})
                  .in(units::second);
            },
        .examples = {{{1000, 4096, 1024, 2e12}, 1.9456e-05, 1e-12, "2 x 1000 x 19456 B"}}},
    ///     t_0 + n (2 + c (1 + 1/32)) / W
    ///
    ///     n    values                      count, >= 0
    ///     c    copies                      count, >= 1
    ///     t_0  start of a kernel           s, >= 0
    ///
    /// Holds: MXFP8.
    row{.call = "compute/quantization_time.hpp: quantization_time(n, c, t_0, W) in s",
        .latex = R"(t_0 + \frac{n (2 + c (1 + 1/32))}{W})",
        .topics = "C4 C6",
        .evaluate =
            [](inputs x) {
              return quantization_time(x[0], quantization::mxfp8, whole(x[1]),
                                       basic_cast_unit<double>{.bandwidth = bytes_per_second{x[3]},
                                                               .start = seconds{x[2]}})
                  .in(units::second);
            },
        .examples = {{{1e6, 2, 4e-6, 2e12}, 6.03125e-06, 1e-12, "4.0625 B a value"}}}};
inline constexpr auto operator_formulas = with_words(operator_rows, words::operator_formulas);

/// Their inputs, where neither a row nor its function says otherwise.
///
///     p    ranks                                   count, >= 1
///     m    message                                 B, >= 0
///     W    bus bandwidth                           B/s, > 0
///     B    start of the protocol                   s, >= 0
///     H    a step of the ring                      s, >= 0
///     n    tokens                                  count, >= 0
///     r    ranks that a token visits               count, >= 0
///     b    bytes of a token                        B, >= 0
///     a    time of a token, wherever it goes       s, >= 0
///     t_0  start of a call                         s, >= 0
inline constexpr std::array exchange_rows{
    ///     B + (p - 1) H + (p - 1)/p m / W
    ///
    /// Holds: an all-gather in place, by one protocol.
    row{.call = "comm/node_collective.hpp: node_collective_time(p, m, W, B, H) in s",
        .latex = R"(B + (p - 1) H + \frac{p - 1}{p} \frac{m}{W})",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              const collective_rates rates{.gather = bytes_per_second{x[2]},
                                           .small_share = 1,
                                           .base = seconds{x[3]},
                                           .hop = seconds{x[4]},
                                           .simple_base = seconds{x[3]},
                                           .simple_hop = seconds{x[4]}};
              return node_collective_time(rates, collective::all_gather, whole(x[0]), bytes{x[1]})
                  .total()
                  .in(units::second);
            },
        .examples = {{{8, 1e9, 3.5e11, 2e-5, 1e-6}, 2.527e-03, 1e-12, "27 us, and 7/8 GB"}}},
    ///     t_0 + n (a + r b / W)
    ///
    ///     W  bandwidth of a rank    B/s, > 0
    ///
    /// Holds: inside a node.
    row{.call = "comm/token_exchange.hpp: token_exchange_time(n, r, b, t_0, a, W) in s",
        .latex = R"(t_0 + n \left( a + \frac{r b}{W} \right))",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              return token_exchange_time(
                         token_exchange{.tokens = x[0], .ranks = x[1], .token = bytes{x[2]}},
                         basic_exchange_unit<double>{.start = seconds{x[3]},
                                                     .a_token = seconds{x[4]},
                                                     .rate = bytes_per_second{x[5]}})
                  .in(units::second);
            },
        .examples = {{{1000, 4, 15000, 4e-5, 2e-8, 3e11},
                      2.6e-04,
                      1e-12,
                      "40 us, 20 us and 60 MB at 300 GB/s"}}}};
inline constexpr auto exchange_formulas = with_words(exchange_rows, words::exchange_formulas);

}  // namespace gpuplan::registry
