#pragma once
/// \file
/// Rows of comm/: collectives, by their algorithms.

#include <array>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/double_tree.hpp>
#include <gpuplan/comm/hierarchical.hpp>
#include <gpuplan/comm/in_switch.hpp>
#include <gpuplan/comm/lower_bound.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>
#include <gpuplan/comm/reduce.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>
#include <gpuplan/comm/torus.hpp>
#include <gpuplan/registry/comm_link_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view chan =
    "E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, \"Collective communication: theory, "
    "practice, and experience\", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783";
inline constexpr std::string_view two_trees =
    "P. Sanders, J. Speck and J. Träff, \"Two-tree algorithms for full bandwidth broadcast, "
    "reduction and scan\", Parallel Computing 35 (2009) 581-594";
inline constexpr std::string_view barnett =
    "M. Barnett et al., \"Interprocessor Collective Communication Library (InterCom)\", Scalable "
    "High Performance Computing Conf. (1994) 357-364";

/// What most collectives are asked: p, m, alpha, W.
inline constexpr few<symbol, 12> on_a_link{rank_count, message_size, start_up, one_way};

/// The link of a row that is asked p, m, alpha, W.
constexpr interconnect link_of_inputs(inputs x) {
  return link_with(x[2], x[3]);
}

/// The sum of the terms of a time.
template <class Time>
constexpr double total_seconds(const Time& time) {
  return time.total().in(units::second);
}

/// Two levels of g ranks, N nodes, k ports, W1 and W2, without start-up times.
constexpr two_level levels_of(inputs x) {
  return {.inside = link_with(0, x[4]),
          .between = link_with(0, x[5]),
          .node_ranks = whole(x[0]),
          .nodes = whole(x[1]),
          .ports = whole(x[2])};
}
inline constexpr few<symbol, 12> two_level_symbols{
    {"g", "ranks of a node", "count", ">= 1"}, {"N", "nodes", "count", ">= 1"},
    {"k", "ports of a node", "count", ">= 1"}, message_size,
    {"W1", "inside a node", "B/s", "> 0"},     {"W2", "of one port", "B/s", "> 0"}};

/// A torus of two equal dimensions.
constexpr std::array<torus_dimension, 2> square_torus(inputs x) {
  const torus_dimension along{.ranks = whole(x[0]), .link = link_of_inputs(x)};
  return {along, along};
}
inline constexpr few<symbol, 12> torus_symbols{
    {"d", "ranks along either dimension", "count", ">= 1"}, message_size, start_up, one_way};

inline constexpr std::array comm_collective_formulas{
    formula{.name = "time_of",
            .header = "comm/collective_time.hpp",
            .meaning = "Time of an algorithm on a link, from its critical path",
            .text = "A alpha + B m / W",
            .latex = R"(A \alpha + B \frac{m}{W} + C \gamma m)",
            .symbols = {{"A", "messages one after another", "count", ">= 0"},
                        {"B", "bytes sent, in units of m", "1", ">= 0"},
                        message_size,
                        start_up,
                        one_way},
            .result = "s",
            .validity = "any two ranks are joined by such a link; sums are free",
            .source = chan,
            .errata = "",
            .topics = "N1 N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      time_of(collective_cost{x[0], x[1], 0}, link_with(x[3], x[4]), bytes{x[2]}));
                },
            .examples = {{{14, 1.75, 1e9, 5e-6, 300e9},
                          0.00590333333333333,
                          1e-12,
                          "a ring of 8: 70 us + 1.75/300 s"}}},
    formula{.name = "cost_of",
            .header = "comm/all_reduce.hpp",
            .meaning = "Messages on the critical path of a ring all-reduce",
            .text = "2 (p - 1)",
            .latex = R"(2 (p - 1))",
            .symbols = {rank_count},
            .result = "count",
            .validity = "other algorithms by their place in all_reduce_algorithms",
            .source = patarasuk,
            .errata = "A chapter has n - 1 steps; n - 1 reduce, n - 1 gather.",
            .topics = "N3",
            .evaluate =
                [](inputs x) { return cost_of(all_reduce_algorithm::ring, whole(x[0])).messages; },
            .examples = {{{8}, 14, 0, "7 + 7"}}},
    formula{
        .name = "all_reduce",
        .header = "comm/all_reduce.hpp",
        .meaning = "Time of an all-reduce by Rabenseifner's algorithm",
        .text = "2 log2 p alpha + 2 (p - 1)/p m / W",
        .latex = R"(2 \log_2 p\, \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
        .symbols = on_a_link,
        .result = "s",
        .validity = "p a power of two; other algorithms by their name",
        .source = thakur,
        .errata = "log2 n (alpha + 2 (n - 1)/n m / W) of a chapter multiplies a tree's "
                  "messages with a ring's bytes: 17.5 ms for 8 ranks and 1 GB, not 5.9.",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(all_reduce(all_reduce_algorithm::rabenseifner, link_of_inputs(x),
                                              whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 1e9, 5e-6, 300e9}, 0.00586333333333333, 1e-12, "30 us + 1.75/300 s"}}},
    formula{.name = "ring_all_reduce",
            .header = "comm/all_reduce.hpp",
            .meaning = "Time of a ring all-reduce",
            .text = "2 (p - 1) alpha + 2 (p - 1)/p m / W",
            .latex = R"(2 (p - 1) \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "every rank sends and receives at W at once",
            .source = patarasuk,
            .errata = "3 GB over 12.5 GB/s on 32 ranks is 0.465 s, not 0.24.",
            .topics = "N2 N3",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      ring_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 1e9, 5e-6, 300e9}, 0.00590333333333333, 1e-12, "70 us + 1.75/300 s"},
                         {{32, 3e9, 0, 12.5e9}, 0.465, 1e-12, "31/16 x 0.24 s"}}},
    formula{.name = "cost_of",
            .header = "comm/all_gather.hpp",
            .meaning = "Messages on the critical path of Bruck's all-gather",
            .text = "ceil(log2 p)",
            .latex = R"(\lceil \log_2 p \rceil)",
            .symbols = {rank_count},
            .result = "count",
            .validity = "any p",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) { return cost_of(all_gather_algorithm::bruck, whole(x[0])).messages; },
            .examples = {{{6}, 3, 0, "2^3 >= 6"}}},
    formula{.name = "all_gather",
            .header = "comm/all_gather.hpp",
            .meaning = "Time of an all-gather by recursive doubling",
            .text = "log2 p alpha + (p - 1)/p m / W",
            .latex = R"(\log_2 p\, \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p a power of two; m is what each rank has after it",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(all_gather(all_gather_algorithm::recursive_doubling,
                                                  link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.003, 1e-12, "3 ms + 7 s"}}},
    formula{.name = "ring_all_gather",
            .header = "comm/all_gather.hpp",
            .meaning = "Time of a ring all-gather",
            .text = "(p - 1) alpha + (p - 1)/p m / W",
            .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "m is what each rank has after it",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      ring_all_gather(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    formula{.name = "cost_of",
            .header = "comm/reduce_scatter.hpp",
            .meaning = "Messages on the critical path of recursive halving",
            .text = "log2 p",
            .latex = R"(\log_2 p)",
            .symbols = {rank_count},
            .result = "count",
            .validity = "p a power of two",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return cost_of(reduce_scatter_algorithm::recursive_halving, whole(x[0])).messages;
                },
            .examples = {{{16}, 4, 0, "2^4 = 16"}}},
    formula{.name = "reduce_scatter",
            .header = "comm/reduce_scatter.hpp",
            .meaning = "Time of a reduce-scatter by recursive halving",
            .text = "log2 p alpha + (p - 1)/p m / W",
            .latex = R"(\log_2 p\, \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p a power of two; m is the vector on each rank before it",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(reduce_scatter(reduce_scatter_algorithm::recursive_halving,
                                                      link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.003, 1e-12, "3 ms + 7 s"}}},
    formula{.name = "ring_reduce_scatter",
            .header = "comm/reduce_scatter.hpp",
            .meaning = "Time of a ring reduce-scatter",
            .text = "(p - 1) alpha + (p - 1)/p m / W",
            .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "sums hide behind the transfer",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      ring_reduce_scatter(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    formula{
        .name = "cost_of",
        .header = "comm/all_to_all.hpp",
        .meaning = "Bytes that Bruck's all-to-all sends, in units of m",
        .text = "ones in the binary digits of 0 to p - 1, over p",
        .latex = R"(\frac{1}{p} \sum_{i < p} \mathrm{popcount}(i))",
        .symbols = {rank_count},
        .result = "1",
        .validity = "any p",
        .source = "J. Bruck et al., \"Efficient Algorithms for All-to-All Communications in "
                  "Multiport Message-Passing Systems\", IEEE Trans. Parallel Distributed "
                  "Systems 8 (1997) 1143-1156",
        .errata = "",
        .topics = "N2",
        .evaluate = [](inputs x) { return cost_of(all_to_all_algorithm::bruck, whole(x[0])).sent; },
        .examples = {{{8}, 1.5, 0, "12 ones of 24 digits, over 8"}}},
    formula{.name = "all_to_all",
            .header = "comm/all_to_all.hpp",
            .meaning = "Time of an all-to-all whose messages all start at once",
            .text = "alpha + (p - 1)/p m / W",
            .latex = R"(\alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p >= 2; m is what a rank sends, its own piece included",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(all_to_all(all_to_all_algorithm::direct, link_of_inputs(x),
                                                  whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.001, 1e-12, "1 ms + 7 s"}}},
    formula{.name = "pairwise_all_to_all",
            .header = "comm/all_to_all.hpp",
            .meaning = "Time of an all-to-all, one exchange after another",
            .text = "(p - 1) alpha + (p - 1)/p m / W",
            .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "m is what a rank sends, its own piece included",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      pairwise_all_to_all(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    formula{
        .name = "cost_of",
        .header = "comm/broadcast.hpp",
        .meaning = "Messages on the critical path of a binomial broadcast",
        .text = "ceil(log2 p)",
        .latex = R"(\lceil \log_2 p \rceil)",
        .symbols = {rank_count},
        .result = "count",
        .validity = "the whole message in each",
        .source = barnett,
        .errata = "",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return cost_of(broadcast_algorithm::binomial, whole(x[0])).messages; },
        .examples = {{{100}, 7, 0, "2^7 >= 100"}}},
    formula{.name = "broadcast",
            .header = "comm/broadcast.hpp",
            .meaning = "Time of a binomial broadcast",
            .text = "ceil(log2 p) (alpha + m / W)",
            .latex = R"(\lceil \log_2 p \rceil \left( \alpha + \frac{m}{W} \right))",
            .symbols = on_a_link,
            .result = "s",
            .validity = "the whole message in each round",
            .source = barnett,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(broadcast(broadcast_algorithm::binomial, link_of_inputs(x),
                                                 whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 1e9, 1e-3, 1e9}, 3.003, 1e-12, "three rounds"}}},
    formula{.name = "cost_of",
            .header = "comm/reduce.hpp",
            .meaning = "Messages on the critical path of a binomial reduce",
            .text = "ceil(log2 p)",
            .latex = R"(\lceil \log_2 p \rceil)",
            .symbols = {rank_count},
            .result = "count",
            .validity = "the whole vector in each",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) { return cost_of(reduce_algorithm::binomial, whole(x[0])).messages; },
            .examples = {{{100}, 7, 0, "2^7 >= 100"}}},
    formula{.name = "reduce",
            .header = "comm/reduce.hpp",
            .meaning = "Time of a binomial reduce",
            .text = "ceil(log2 p) (alpha + m / W)",
            .latex = R"(\lceil \log_2 p \rceil \left( \alpha + \frac{m}{W} \right))",
            .symbols = on_a_link,
            .result = "s",
            .validity = "sums hide behind the transfer",
            .source = thakur,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(reduce(reduce_algorithm::binomial, link_of_inputs(x),
                                              whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 1e9, 1e-3, 1e9}, 3.003, 1e-12, "three rounds"}}},
    formula{.name = "double_tree_all_reduce",
            .header = "comm/double_tree.hpp",
            .meaning = "Time of an all-reduce by two trees, in blocks",
            .text = "2 (2 h + 2 k - 2) (alpha + m / (2 k W))",
            .latex = R"(2 (2 h + 2 k - 2) \left( \alpha + \frac{m}{2 k W} \right))",
            .symbols = {rank_count,
                        message_size,
                        start_up,
                        one_way,
                        {"k", "blocks on each tree", "count", ">= 1"}},
            .result = "s",
            .validity = "h = ceil(log2 p)",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      double_tree_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}, x[4]));
                },
            .examples = {{{8, 1e9, 0, 1e9, 10}, 2.4, 1e-12, "48 steps of 50 ms"}}},
    formula{.name = "best_double_tree_all_reduce",
            .header = "comm/double_tree.hpp",
            .meaning = "The same with the number of blocks that makes it quickest",
            .text = "min over k",
            .latex = R"(\min_k 2 (2 h + 2 k - 2) \left( \alpha + \frac{m}{2 k W} \right))",
            .symbols = on_a_link,
            .result = "s",
            .validity = "whole blocks of a byte at least",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      best_double_tree_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{2, 1e9, 1e-3, 1e9}, 2.004, 1e-12, "h = 1: one block, 2 x 2 steps"}}},
    formula{
        .name = "hierarchical_all_reduce",
        .header = "comm/hierarchical.hpp",
        .meaning = "Time of an all-reduce in two levels, one after the other",
        .text = "2 (g - 1)/g m / W1 + 2 (N - 1)/N m / (k W2)",
        .latex = R"(\frac{2 (g - 1)}{g} \frac{m}{W_1} + \frac{2 (N - 1)}{N} \frac{m}{k W_2})",
        .symbols = two_level_symbols,
        .result = "s",
        .validity = "upper bound; large messages",
        .source = "A. Sergeev and M. Del Balso, \"Horovod: fast and easy distributed deep "
                  "learning in TensorFlow\" (2018), arXiv:1802.05799",
        .errata = "",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return hierarchical_all_reduce(levels_of(x), bytes{x[3]}).serial().in(units::second);
            },
        .examples = {{{8, 4, 1, 3e9, 600e9, 12.5e9}, 0.36875, 1e-12, "8.75 + 360 ms"}}},
    formula{
        .name = "flat_ring_all_reduce",
        .header = "comm/hierarchical.hpp",
        .meaning = "Time of one ring over all ranks of several nodes",
        .text = "2 (n - 1)/n m max(1/W1, 1/(k W2))",
        .latex = R"(\frac{2 (n - 1)}{n} m \max\left( \frac{1}{W_1}, \frac{1}{k W_2} \right))",
        .symbols = two_level_symbols,
        .result = "s",
        .validity = "n = g N; large messages",
        .source = "NVIDIA, \"NCCL\", src/graph/search.cc (2.30, 2026)",
        .errata = "",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return total_seconds(flat_ring_all_reduce(levels_of(x), bytes{x[3]})); },
        .examples = {{{8, 4, 1, 3e9, 600e9, 12.5e9}, 0.465, 1e-12, "31/16 x 0.24 s"}}},
    formula{.name = "two_level_all_to_all",
            .header = "comm/hierarchical.hpp",
            .meaning = "Time of an all-to-all in two levels, one after the other",
            .text = "(g - 1)/n m / W1 + (n - g)/n m g / (k W2)",
            .latex =
                R"(\frac{g - 1}{n} \cdot \frac{m}{W_1} + \frac{n - g}{n} \cdot \frac{m g}{k W_2})",
            .symbols = two_level_symbols,
            .result = "s",
            .validity = "n = g N; large messages",
            .source = "K. Mandakolathur and S. Jeaugey, \"Doubling all2all Performance with NVIDIA "
                      "Collective Communication Library 2.12\", developer.nvidia.com/blog (2022)",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return two_level_all_to_all(levels_of(x), bytes{x[3]}, aggregation::none)
                      .serial()
                      .in(units::second);
                },
            .examples = {{{8, 2, 8, 16e9, 100e9, 50e9}, 0.23, 1e-12, "7 GB/100 + 8 GB/50"}}},
    formula{.name = "nvls_all_reduce",
            .header = "comm/in_switch.hpp",
            .meaning = "Time of an all-reduce in a switch that all ranks hang on",
            .text = "alpha + (p + 1)/p m / W",
            .latex = R"(\alpha + \frac{p + 1}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p >= 2; NVLink SHARP",
            .source = "A. Ishii and R. Wells, \"The NVLink-Network Switch\", Hot Chips 34 (2022)",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      nvls_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 9.001, 1e-12, "9/8 of 8 s"}}},
    formula{.name = "nvls_all_gather",
            .header = "comm/in_switch.hpp",
            .meaning = "Time of an all-gather in such a switch",
            .text = "alpha + m / W",
            .latex = R"(\alpha + \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p >= 2; no quicker than a ring for large m",
            .source = "A. Ishii and R. Wells, \"The NVLink-Network Switch\", Hot Chips 34 (2022)",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      nvls_all_gather(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 8.001, 1e-12, "every rank receives all"}}},
    formula{.name = "sharp_all_reduce",
            .header = "comm/in_switch.hpp",
            .meaning = "Time of an all-reduce in the switches of a network",
            .text = "2 alpha + h s + m / W",
            .latex = R"(2 \alpha + h s + \frac{m}{W})",
            .symbols = {rank_count,
                        message_size,
                        start_up,
                        one_way,
                        {"h", "switches passed", "count", ">= 1"},
                        {"s", "in one switch", "s", ">= 0"}},
            .result = "s",
            .validity = "p >= 2; the switches sum at W",
            .source = "R. Graham et al., \"Scalable Hierarchical Aggregation Protocol (SHArP)\", "
                      "COM-HPC (2016) 1-10",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(
                      sharp_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]},
                                       switch_path{.hops = whole(x[4]), .each = seconds{x[5]}}));
                },
            .examples = {{{8, 1e9, 1e-3, 1e9, 3, 1e-4}, 1.0023, 1e-12, "2 + 0.3 ms and 1 s"}}},
    formula{.name = "lower_bound_cost",
            .header = "comm/lower_bound.hpp",
            .meaning = "Least bytes on the critical path of an all-reduce, in units of m",
            .text = "2 (p - 1)/p",
            .latex = R"(\frac{2 (p - 1)}{p})",
            .symbols = {rank_count},
            .result = "1",
            .validity = "ranks alone sum",
            .source = chan,
            .errata = "",
            .topics = "N2 N3",
            .evaluate =
                [](inputs x) { return lower_bound_cost(collective::all_reduce, whole(x[0])).sent; },
            .examples = {{{8}, 1.75, 0, "14/8"}}},
    formula{.name = "lower_bound",
            .header = "comm/lower_bound.hpp",
            .meaning = "The time that no all-reduce among ranks can beat",
            .text = "ceil(log2 p) alpha + 2 (p - 1)/p m / W",
            .latex = R"(\lceil \log_2 p \rceil \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "each term is a bound of its own",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(lower_bound(collective::all_reduce, link_of_inputs(x),
                                                   whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{8, 8e9, 1e-3, 1e9}, 14.003, 1e-12, "3 ms + 14 s"}}},
    formula{.name = "steps_of",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "Steps that fill a chain of ranks",
            .text = "p - 2",
            .latex = R"(p - 2)",
            .symbols = {{"p", "ranks", "count", ">= 2"}},
            .result = "count",
            .validity = "a chain; two trees take 2 h - 2",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate = [](inputs x) { return steps_of(pipeline_shape::chain, whole(x[0])).fill; },
            .examples = {{{8}, 6, 0, "8 - 2"}}},
    formula{.name = "pipelined_broadcast",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "Time of a broadcast along a chain, in segments",
            .text = "(p - 2 + k) (alpha + m / (k W))",
            .latex = R"((p - 2 + k) \left( \alpha + \frac{m}{k W} \right))",
            .symbols =
                {rank_count, message_size, start_up, one_way, {"k", "segments", "count", ">= 1"}},
            .result = "s",
            .validity = "p >= 2",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(pipelined_broadcast(pipeline_shape::chain, link_of_inputs(x),
                                                           whole(x[0]), bytes{x[1]}, x[4]));
                },
            .examples = {{{8, 1e9, 0, 1e9, 10}, 1.6, 1e-12, "16 steps of 0.1 s"}}},
    formula{.name = "best_segments",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "The whole number of segments that makes a chain quickest",
            .text = "smallest k with k (k + 1) alpha >= (p - 2) m / W",
            .latex = R"(k (k + 1)\, \alpha \ge (p - 2) \frac{m}{W})",
            .symbols = on_a_link,
            .result = "count",
            .validity = "p >= 2, each segment a byte at least",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return best_segments(pipeline_shape::chain, link_of_inputs(x), whole(x[0]),
                                       bytes{x[1]});
                },
            .examples = {{{8, 1e9, 0.1, 1e9}, 8, 0, "8 x 9 >= 60 > 7 x 8"}}},
    formula{.name = "best_segments_unrounded",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "The same, were it not whole",
            .text = "sqrt((p - 2) m / (alpha W))",
            .latex = R"(\sqrt{\frac{(p - 2)\, m}{\alpha W}})",
            .symbols = on_a_link,
            .result = "count",
            .validity = "p >= 2, alpha > 0",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return best_segments_unrounded(pipeline_shape::chain, link_of_inputs(x),
                                                 whole(x[0]), bytes{x[1]});
                },
            .examples = {{{6, 1e9, 0.01, 1e9}, 20, 1e-12, "sqrt(4 x 100)"}}},
    formula{.name = "best_pipelined_broadcast",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "Time of a broadcast along a chain in the best segments",
            .text = "min over k of (p - 2 + k) (alpha + m / (k W))",
            .latex = R"(\min_k (p - 2 + k) \left( \alpha + \frac{m}{k W} \right))",
            .symbols = on_a_link,
            .result = "s",
            .validity = "p >= 2",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(best_pipelined_broadcast(
                      pipeline_shape::chain, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{6, 1e9, 0.01, 1e9}, 1.44, 1e-12, "k = 20: 24 steps of 60 ms"}}},
    formula{.name = "pipelined_broadcast_unrounded",
            .header = "comm/pipelined_broadcast.hpp",
            .meaning = "The time that goes with best_segments_unrounded",
            .text = "f alpha + m / W + 2 sqrt(f alpha m / W)",
            .latex = R"(f \alpha + \frac{m}{W} + 2 \sqrt{f \alpha \frac{m}{W}})",
            .symbols = on_a_link,
            .result = "s",
            .validity = "a chain, f = p - 2",
            .source = two_trees,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return total_seconds(pipelined_broadcast_unrounded(
                      pipeline_shape::chain, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
                },
            .examples = {{{6, 1e9, 0.01, 1e9}, 1.44, 1e-12, "0.04 + 1 + 2 x 0.2"}}},
    formula{.name = "torus_all_reduce",
            .header = "comm/torus.hpp",
            .meaning = "Time of an all-reduce on a square torus, one dimension after another",
            .text = "sum_i 2 (d - 1) (alpha + m / (W d^i))",
            .latex = R"(\sum_i 2 (d - 1) \left( \alpha + \frac{m}{W d^i} \right))",
            .symbols = torus_symbols,
            .result = "s",
            .validity = "two dimensions, one direction of each ring",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  const auto torus = square_torus(x);
                  return total_seconds(
                      torus_all_reduce(std::span<const torus_dimension>{torus}, bytes{x[1]}));
                },
            .examples = {{{4, 16e9, 1e-3, 1e9}, 30.012, 1e-12, "24 + 6 s and 12 messages"}}},
    formula{.name = "concurrent_torus_all_reduce",
            .header = "comm/torus.hpp",
            .meaning = "The same with both dimensions at work",
            .text = "latency as before, transfer over the dimensions",
            .latex = R"(\sum_i 2 (d - 1) \left( \alpha + \frac{m}{D W d^i} \right))",
            .symbols = torus_symbols,
            .result = "s",
            .validity = "two equal dimensions",
            .source = "P. Sack and W. Gropp, \"Collective Algorithms for Multiported Torus "
                      "Networks\", ACM Trans. Parallel Computing 1 (2015) 12:1-12:33",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  const auto torus = square_torus(x);
                  return total_seconds(concurrent_torus_all_reduce(
                      std::span<const torus_dimension>{torus}, bytes{x[1]}));
                },
            .examples = {{{4, 16e9, 1e-3, 1e9}, 15.012, 1e-12, "half of 30 s, 12 messages"}}}};

}  // namespace gpuplan::registry
