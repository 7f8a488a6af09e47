#pragma once
/// \file
/// Rows of compute/: kernels that only move bytes, apart and fused, and the levels of memory.

#include <array>

#include <gpuplan/compute/activation_function.hpp>
#include <gpuplan/compute/core_activation.hpp>
#include <gpuplan/compute/kernel_fusion.hpp>
#include <gpuplan/compute/latency_hiding.hpp>
#include <gpuplan/compute/memory_hierarchy.hpp>
#include <gpuplan/compute/softmax_time.hpp>
#include <gpuplan/compute/update_kernels.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The function of a row that is asked f first.
constexpr activation_function function_of(inputs x) {
  return static_cast<activation_function>(whole(x[0]));
}

/// The rates of a row that is asked R, R_s, W from its input `first` on.
constexpr activation_rates activation_rates_of(inputs x, std::size_t first) {
  return {.arithmetic = flop_per_second{x[first]},
          .special = flop_per_second{x[first + 1]},
          .memory = bytes_per_second{x[first + 2]}};
}

/// Rates of a core of f, a, c and W.
constexpr activation_rates core_of(inputs x) {
  return core_rates({.clock = per_second{x[0]},
                     .arithmetic = x[1],
                     .cycles_of_special = x[2],
                     .memory = bytes_per_second{x[3]}});
}

/// The optimizer of a row that is asked for one of five first.
constexpr optimizer updated_by(inputs x) {
  constexpr std::array five{optimizer::sgd, optimizer::momentum, optimizer::rmsprop,
                            optimizer::adam, optimizer::adamw};
  const int place = whole(x[0]);
  require(place >= 0 && place < 5, "update: o must be one of five");
  return five[static_cast<std::size_t>(place)];
}

/// The function of a row that is asked for one of four first.
constexpr activation_function coarse_function_of(inputs x) {
  constexpr std::array four{activation_function::relu, activation_function::sigmoid,
                            activation_function::gelu, activation_function::gelu_tanh};
  const int place = whole(x[0]);
  require(place >= 0 && place < 4, "coarse_activation_cost: f must be one of four");
  return four[static_cast<std::size_t>(place)];
}

/// The kernels of a row that is asked for one of fused and separate.
constexpr update_kernels kernels_of(double k) {
  return static_cast<update_kernels>(whole(k));
}

/// The passes of a row that is asked for them fourth.
constexpr softmax_passes softmax_passes_of(inputs x) {
  return static_cast<softmax_passes>(whole(x[3]));
}

inline constexpr std::array elementwise_rows{
    /// What an activation function does for each result: arithmetic, and special functions.
    ///
    ///     relu 1, sigmoid 4, tanh 1, gelu 5, gelu_tanh 9, silu 4, swiglu 5
    row{.call = "compute/activation_function.hpp: activation_work_of(f) in FLOP",
        .latex = R"(n_{relu} = 1,\; n_{gelu} = 4 + 1,\; n_{swiglu} = 4 + 1)",
        .topics = "C10",
        .evaluate =
            [](inputs x) {
              const activation_work& work = activation_work_of(function_of(x));
              return 1.0 * work.arithmetic + work.special;
            },
        .examples = {{{0}, 1, 0, "max(x, 0)"},
                     {{3}, 5, 0, "x / sqrt 2, erf, + 1, x / 2, a product"}},
        .terms = {{.name = "values moved",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) { return 1.0 * activation_work_of(function_of(x)).moved(); }},
                  {.name = "values moved, backward",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         return 1.0 * activation_work_of(function_of(x)).moved_back();
                       }}}},
    row{.call = "compute/activation_function.hpp: activated(f, x) in 1",
        .latex = R"(\frac{x}{2} \left( 1 + \mathrm{erf}(x / \sqrt 2) \right))",
        .topics = "C10",
        .evaluate = [](inputs x) { return activated(function_of(x), x[1]); },
        .examples = {{{3, 1}, 0.8413447460685429, 1e-15, "the normal distribution at 1"},
                     {{4, 1}, 0.8411919906082768, 1e-15, "the approximation, by hand"},
                     {{5, 0}, 0, 0, "odd in its argument's half"}}},
    row{.call = "compute/activation_function.hpp: swiglu(g, v) in 1",
        .latex = R"(\frac{v g}{1 + e^{-g}})",
        .topics = "C10",
        .evaluate = [](inputs x) { return swiglu(x[0], x[1]); },
        .examples = {{{1, 2}, 1.4621171572600098, 1e-15, "2 / (1 + 1/e)"}}},
    row{.call = "compute/activation_function.hpp: activation_time(f, n, b, R, R_s, W) in s",
        .latex = R"(\max\left( \frac{n a}{R},\, \frac{n s}{R_s},\, \frac{n (r + 1) b}{W} \right))",
        .topics = "C4 C10",
        .evaluate =
            [](inputs x) {
              return activation_time(function_of(x), x[1], bytes{x[2]}, activation_rates_of(x, 3))
                  .in(units::second);
            },
        .examples = {{{3, 1e9, 2, 19.5e12, 4.9e12, 2e12}, 2e-3, 1e-12, "4 GB at 2 TB/s"}}},
    row{.call = "compute/activation_function.hpp: activation_over_relu(f, b, R, R_s, W) in 1",
        .latex = R"(\frac{T_f}{T_{relu}})",
        .errata =
            "A chapter has 3 to 4 for GELU and 1.5 for its approximation: of arithmetic, which "
            "does not bind on a GPU.",
        .topics = "C4 C10",
        .evaluate =
            [](inputs x) {
              return activation_over_relu(function_of(x), bytes{x[1]}, activation_rates_of(x, 2));
            },
        .examples = {{{3, 2, 19.5e12, 4.9e12, 2e12}, 1, 0, "memory binds both"},
                     {{6, 2, 19.5e12, 4.9e12, 2e12}, 1.5, 1e-15, "3 values for 2"}}},
    row{.call = "compute/core_activation.hpp: core_activation_time(f) in s",
        .latex = R"(t_{relu} = 0.467 \mathrm{ns},\; t_{sigmoid} = 2.757 \mathrm{ns})",
        .errata = "A chapter's picture has tanh faster than sigmoid on one core, which its text "
                  "calls as costly; with the C library it is three times as slow.",
        .topics = "C4 C10",
        .evaluate = [](inputs x) { return core_activation_time(function_of(x)).in(units::second); },
        .examples = {{{0}, 0.467e-9, 1e-12, "measured"}, {{2}, 8.14e-9, 1e-12, "measured"}},
        .terms = {{.name = "over that of relu",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         return core_activation_time(function_of(x)) /
                                core_activation_time(activation_function::relu);
                       }}}},
    ///     (R, R_s)
    ///
    /// Holds: large tensors; specials and sums beside each other.
    row{.call = "compute/core_activation.hpp: core_rates(f, a, c, W) in FLOP/s",
        .latex = R"(R = f a,\; R_s = f / c)",
        .topics = "C4 C10",
        .evaluate = [](inputs x) { return core_of(x).arithmetic.in(units::FLOP / units::second); },
        .examples = {{{3.5e9, 16, 20, 60e9}, 56e9, 1e-15, "four pipes of four lanes"}},
        .terms = {{.name = "of special functions",
                   .unit = "FLOP/s",
                   .evaluate =
                       [](inputs x) { return core_of(x).special.in(units::FLOP / units::second); }},
                  {.name = "sigmoid over relu, 4 B a value",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         return activation_over_relu(activation_function::sigmoid, bytes{4},
                                                     core_of(x));
                       }}}},
    row{.call = "compute/activation_function.hpp: coarse_activation_cost(f) in 1",
        .latex = R"(1,\; 3 \ldots 4,\; 1.5)",
        .topics = "C10",
        .evaluate = [](inputs x) { return coarse_activation_cost(coarse_function_of(x)).most; },
        .examples = {{{2}, 4, 0, "as printed: 3 to 4"}, {{3}, 1.5, 0, "as printed"}},
        .terms = {{.name = "least",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         return coarse_activation_cost(coarse_function_of(x)).least;
                       }}}},
    /// Tensors of the parameters' size that an update reads and writes.
    ///
    ///     fused: sgd 3, momentum and rmsprop 5, adam 7
    ///     separate: sgd 3, momentum 8, rmsprop 13, adam 20, adamw 22
    ///
    ///     o  optimizer    one of sgd momentum rmsprop adam adamw
    ///     k  kernels      one of fused separate
    row{.call = "compute/update_kernels.hpp: update_passes_of(o, k) in count",
        .latex = R"(n_{adam} = 7,\; 20)",
        .errata = "A chapter has 2 fused and 5 separate for Adam.",
        .topics = "C5 C9",
        .evaluate =
            [](inputs x) {
              return 1.0 * update_passes_of(updated_by(x), kernels_of(x[1])).total();
            },
        .examples = {{{3, 0}, 7, 0, "p, g, m, v read; p, m, v written"},
                     {{3, 1}, 20, 0, "eight kernels, by hand"}},
        .terms = {{.name = "kernels",
                   .unit = "count",
                   .evaluate =
                       [](inputs x) {
                         return 1.0 * update_passes_of(updated_by(x), kernels_of(x[1])).kernels;
                       }}}},
    row{.call = "compute/update_kernels.hpp: update_traffic(o, k, w, g, s) in B",
        .latex = R"(n_w w + n_g g + (n_s + n_t) s)",
        .topics = "C5 C9",
        .evaluate =
            [](inputs x) {
              return update_traffic(updated_by(x), kernels_of(x[1]),
                                    {bytes{x[2]}, bytes{x[3]}, bytes{x[4]}})
                  .in(units::byte);
            },
        .examples = {{{3, 0, 4, 4, 4}, 28, 0, "7 tensors of 4 B"},
                     {{3, 1, 4, 4, 4}, 80, 0, "20 tensors of 4 B"},
                     {{1, 1, 4, 2, 4}, 30, 0, "v 2 + 2 + 1 and p 2 times 4 B, g 2 B"}}},
    row{.call = "compute/update_kernels.hpp: coarse_update_passes(k) in count",
        .latex = R"(5,\; 2)",
        .topics = "C5",
        .evaluate = [](inputs x) { return 1.0 * coarse_update_passes(kernels_of(x[0])); },
        .examples = {{{1}, 5, 0, "as printed"}, {{0}, 2, 0, "as printed"}}},
    row{.call = "compute/kernel_fusion.hpp: fusion_saving_of(n, k, p_s, p_f, b, W, t_l) in s",
        .latex = R"(T_s = \max\left( k t_l,\, \frac{n p_s b}{W} \right),\ )"
                 R"(T_f = \max\left( t_l,\, \frac{n p_f b}{W} \right))",
        .topics = "C9",
        .evaluate =
            [](inputs x) {
              return fusion_saving_of({.values = x[0],
                                       .kernels = whole(x[1]),
                                       .separate_passes = x[2],
                                       .fused_passes = x[3]},
                                      bytes{x[4]}, {bytes_per_second{x[5]}, seconds{x[6]}})
                  .saved()
                  .in(units::second);
            },
        .examples = {{{1e9, 3, 7, 3, 2, 2e12, 5e-6}, 4e-3, 1e-12, "four passes over 2 GB"},
                     {{1000, 3, 7, 3, 2, 2e12, 5e-6}, 1e-5, 1e-12, "two launches"}}},
    /// Holds: forward, one GPT layer with dropout and biases, f = 4 h, unfused attention.
    row{.call = "compute/kernel_fusion.hpp: layer_fusion_saving(n, h, a, k, W, t_l) in s",
        .latex = R"(\sum (T_s - T_f))",
        .topics = "C9",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt(
                  {.hidden_size = whole(x[1]), .heads = whole(x[2]), .ffn_size = whole(4 * x[1])});
              const recipe how{.attention = attention_kernel::unfused, .dropout = true};
              return layer_fusion_saving(m, how, {.tokens = x[0], .keys = x[3]},
                                         layer_pass::forward,
                                         {bytes_per_second{x[4]}, seconds{x[5]}})
                  .saved()
                  .in(units::second);
            },
        .examples = {{{2048, 12288, 96, 2048, 2e12, 0},
                      6.845104128e-3,
                      1e-9,
                      "2048 (8 x 12288 + 8 x 12288 + 16 x 96 x 2048) values of 2 B"}}},
    row{.call =
            "compute/memory_hierarchy.hpp: hierarchical_roofline(O, P, m_r, W_r, m_s, W_s, m_c, "
            "W_c, m_d, W_d, m_h, W_h) in s",
        .latex = R"(\max\left( \frac{O}{P},\, \frac{m_r}{W_r},\, \frac{m_s}{W_s},\, )"
                 R"(\frac{m_c}{W_c},\, \frac{m_d}{W_d},\, \frac{m_h}{W_h} \right))",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              hierarchy_work work{.operations = flop{x[0]}, .peak = flop_per_second{x[1]}};
              for (std::size_t i = 0; i < memory_levels.size(); ++i)
                work.at[i] = {bytes{x[2 + 2 * i]}, bytes_per_second{x[3 + 2 * i]}};
              return hierarchical_roofline(work).total().in(units::second);
            },
        .examples = {{{312e12, 312e12, 1e12, 60e12, 1e12, 20e12, 8e12, 4e12, 1e12, 2e12, 1, 32e9},
                      2,
                      1e-12,
                      "8 TB at 4 TB/s of the L2 cache"}}},
    row{.call = "compute/latency_hiding.hpp: bytes_under_way(W, n, f) in B",
        .latex = R"(W n / f)",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return bytes_under_way(bytes_per_second{x[0]}, x[1], per_second{x[2]})
                  .in(units::byte);
            },
        .examples = {{{2e12, 400, 1.25e9}, 640e3, 1e-12, "320 ns at 2 TB/s"}}},
    row{.call = "compute/latency_hiding.hpp: bandwidth_at_latency(m, W, n, f) in B/s",
        .latex = R"(\min(W,\, m f / n))",
        .topics = "C1",
        .evaluate =
            [](inputs x) {
              return bandwidth_at_latency(bytes{x[0]}, bytes_per_second{x[1]}, x[2],
                                          per_second{x[3]})
                  .in(units::byte / units::second);
            },
        .examples = {{{128, 2e12, 400, 1.25e9}, 400e6, 1e-12, "one line of 128 B at a time"},
                     {{1e6, 2e12, 400, 1.25e9}, 2e12, 1e-12, "1 MB under way hide the latency"}}},
    row{.call = "compute/softmax_time.hpp: softmax_bytes(m, n, b, p) in B",
        .latex = R"((r_p + 1)\, m n b,\; r_{separate} = 3,\; r_{online} = 2,\; r_{held} = 1)",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              return softmax_bytes(x[0], x[1], bytes{x[2]}, softmax_passes_of(x)).in(units::byte);
            },
        .examples = {{{1, 1000, 4, 0}, 16000, 0, "three passes read, one writes"},
                     {{1, 1000, 4, 1}, 12000, 0, "the sum beside the largest value"}}},
    row{.call = "compute/softmax_time.hpp: softmax_time(m, n, b, p, W) in s",
        .latex = R"(M / W)",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              return softmax_time(x[0], x[1], bytes{x[2]}, softmax_passes_of(x),
                                  bytes_per_second{x[4]})
                  .in(units::second);
            },
        .examples = {{{4096, 128256, 4, 2, 2e12},
                      2.101346304e-3,
                      1e-12,
                      "4 096 tokens of a vocabulary of 128 256 in FP32 at 2 TB/s"}}}};
inline constexpr auto elementwise_formulas =
    with_words(elementwise_rows, words::elementwise_formulas);

}  // namespace gpuplan::registry
