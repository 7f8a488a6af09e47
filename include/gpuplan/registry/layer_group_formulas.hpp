#pragma once
/// \file
/// Rows of plan/: layouts that differ between groups of layers.

#include <array>
#include <limits>
#include <optional>

#include <gpuplan/plan/layer_groups.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The link of alpha and W, its first input at `first`.
constexpr interconnect link_at(inputs x, std::size_t first) {
  return {.latency = seconds{x[first]}, .bandwidth = bytes_per_second{x[first + 1]}};
}

/// A layer of mixed-precision Adam: 16 B of states for 2 B of weights.
constexpr group_work adam_layer(inputs x, std::size_t first) {
  return {.layers = 1,
          .work = flop{x[first]},
          .weights = bytes{x[first + 1] / 8},
          .states = bytes{x[first + 1]},
          .kept = bytes{x[first + 2]}};
}

/// The best layouts of two layers of n, R, alpha, W, M, A, F_1, S_1, K_1, F_2, S_2, K_2.
inline std::optional<group_layouts> two_groups(inputs x) {
  const std::array groups{adam_layer(x, 6), adam_layer(x, 9)};
  return best_group_layouts({.gpus = whole(x[0]),
                             .sustained = flop_per_second{x[1]},
                             .link = link_at(x, 2),
                             .memory = bytes{x[4]}},
                            groups, bytes{x[5]});
}

inline constexpr std::array layer_group_rows{
    row{.call = "plan/layer_groups.hpp: resharded_bytes(d_1, d_2, A) in B",
        .latex = R"(\frac{r - 1}{r} \frac{A}{\min(d_1, d_2)})",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              return resharded_bytes(whole(x[0]), whole(x[1]), bytes{x[2]}).in_base_units();
            },
        .examples = {{{8, 2, 8e9}, 3e9, 1e-15, "three of four quarters of 4 GB"},
                     {{4, 4, 8e9}, 0, 0, "no change"}}},
    row{.call = "plan/layer_groups.hpp: resharding_time(alpha, W, d_1, d_2, A) in s",
        .latex = R"((r - 1) \alpha + \frac{r - 1}{r} \frac{A}{\min(d_1, d_2) W})",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              return resharding_time(link_at(x, 0), whole(x[2]), whole(x[3]), bytes{x[4]})
                  .in(units::second);
            },
        .examples = {{{0, 300e9, 8, 2, 8e9}, 0.01, 1e-12, "3 GB at 300 GB/s"}}},
    ///     F / (n R)  +  4 T_ar(t, A / d)  +  T_ar(d, S / (8 t)),    d = n / t
    ///
    ///     S  states    B, >= 0
    ///
    /// Holds: one layer of mixed-precision Adam, whose gradients are an eighth of S; nothing
    /// overlaps; n and t are powers of two.
    row{.call = "plan/layer_groups.hpp: group_time(n, t, R, alpha, W, F, S, A) in s",
        .latex = R"(\frac{F}{n R} + 4 T_{ar}(t, A / d) + T_{ar}(d, S / (8 t)))",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              const group_work layer{
                  .work = flop{x[5]}, .weights = bytes{x[6] / 8}, .states = bytes{x[6]}};
              return group_time({.gpus = whole(x[0]),
                                 .sustained = flop_per_second{x[2]},
                                 .link = link_at(x, 3)},
                                layer, whole(x[1]), bytes{x[7]})
                  .in(units::second);
            },
        .examples =
            {{{2, 1, 1e12, 0, 1e9, 2e12, 16e9, 1e9},
              3,
              1e-15,
              "1 s of work, 2 GB of gradients at 1 GB/s"},
             {{2, 2, 1e12, 0, 1e9, 2e12, 16e9, 1e9}, 5, 1e-15, "1 s of work, four times 1 GB"}}},
    row{.call = "plan/layer_groups.hpp: group_memory(n, t, S, K) in B",
        .latex = R"(\frac{S}{t} + \frac{K}{d})",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              return group_memory({.gpus = whole(x[0]),
                                   .sustained = flop_per_second{1},
                                   .link = {.bandwidth = bytes_per_second{1}}},
                                  {.states = bytes{x[2]}, .kept = bytes{x[3]}}, whole(x[1]))
                  .in_base_units();
            },
        .examples = {{{8, 1, 16e9, 8e9}, 17e9, 1e-15, "all states, an eighth of the batch"},
                     {{8, 8, 16e9, 8e9}, 10e9, 1e-15, "an eighth of the states, the whole batch"}}},
    /// Time of a step of two layers with their best layouts.
    ///
    ///     min over t_1, t_2 of  T_1(t_1) + T_2(t_2) + T_change
    ///     M_1(t_1) + M_2(t_2) <= M
    ///
    ///     n      GPUs                                 count, >= 1, <= 64
    ///     R      rate of a GPU                        FLOP/s, > 0
    ///     alpha  start-up time of a message           s, >= 0
    ///     W      bandwidth                            B/s, > 0
    ///     M      memory of a GPU                      B, >= 0
    ///     A      activations between layers           B, >= 0
    ///     F_1    operations of the first layer        FLOP, >= 0
    ///     S_1    states of the first layer            B, >= 0
    ///     K_1    activations kept by the first        B, >= 0
    ///     F_2    operations of the second layer       FLOP, >= 0
    ///     S_2    states of the second layer           B, >= 0
    ///     K_2    activations kept by the second       B, >= 0
    ///
    /// Holds: as group_time; exact, infinite where nothing fits; n is a power of two.
    row{.call =
            "plan/layer_groups.hpp: best_group_layouts(n, R, alpha, W, M, A, F_1, S_1, K_1, F_2, "
            "S_2, K_2) in s",
        .latex = R"(\min_{t_1, t_2} T_1(t_1) + T_2(t_2) + T_{change})",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              const auto best = two_groups(x);
              return best ? best->time.in(units::second) : std::numeric_limits<double>::infinity();
            },
        .examples = {{{2, 1e12, 0, 1e9, 100e9, 0.5e9, 2e12, 160e9, 1e9, 2e12, 1.6e9, 1e9},
                      4.45,
                      1e-12,
                      "tensor ranks: 1 + 4 x 0.5 s; change 0.25 s; then data: 1 + 0.2 s"}},
        .terms = {{.name = "tensor ranks of the first",
                   .unit = "count",
                   .evaluate =
                       [](inputs x) {
                         const auto best = two_groups(x);
                         return best ? 1.0 * best->tensor[0] : 0.0;
                       }},
                  {.name = "tensor ranks of the second",
                   .unit = "count",
                   .evaluate =
                       [](inputs x) {
                         const auto best = two_groups(x);
                         return best ? 1.0 * best->tensor[1] : 0.0;
                       }},
                  {.name = "memory of a GPU", .unit = "B", .evaluate = [](inputs x) {
                     const auto best = two_groups(x);
                     return best ? best->memory.in_base_units()
                                 : std::numeric_limits<double>::infinity();
                   }}}}};
inline constexpr auto layer_group_formulas =
    with_words(layer_group_rows, words::layer_group_formulas);

}  // namespace gpuplan::registry
