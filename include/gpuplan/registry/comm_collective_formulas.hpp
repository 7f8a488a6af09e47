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
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

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

/// A torus of two equal dimensions.
constexpr std::array<torus_dimension, 2> square_torus(inputs x) {
  const torus_dimension along{.ranks = whole(x[0]), .link = link_of_inputs(x)};
  return {along, along};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     alpha  start-up time of a message      s, >= 0
///     p      ranks                           count, >= 1
///     m      message                         B, >= 0
///     W      bandwidth, one direction        B/s, > 0
///     g      ranks of a node                 count, >= 1
///     N      nodes                           count, >= 1
///     k      ports of a node                 count, >= 1
///     W1     inside a node                   B/s, > 0
///     W2     of one port                     B/s, > 0
///     d      ranks along either dimension    count, >= 1
inline constexpr std::array comm_collective_rows{
    /// Time of an algorithm on a link, from its critical path.
    ///
    ///     A alpha + B m / W
    ///
    ///     A  messages one after another    count, >= 0
    ///     B  bytes sent, in units of m     1, >= 0
    ///     W  bandwidth, one direction      B/s, > 0
    ///
    /// Holds: any two ranks are joined by such a link; sums are free.
    row{.call = "comm/collective_time.hpp: time_of(A, B, m, alpha, W) in s",
        .latex = R"(A \alpha + B \frac{m}{W})",
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
    /// Messages on the critical path of a ring all-reduce.
    ///
    ///     2 (p - 1)
    ///
    /// Holds: other algorithms by their place in all_reduce_algorithms.
    row{.call = "comm/all_reduce.hpp: cost_of(p) in count",
        .latex = R"(2 (p - 1))",
        .errata = "A chapter has n - 1 steps; n - 1 reduce, n - 1 gather.",
        .topics = "N3",
        .evaluate =
            [](inputs x) { return cost_of(all_reduce_algorithm::ring, whole(x[0])).messages; },
        .examples = {{{8}, 14, 0, "7 + 7"}}},
    /// Time of an all-reduce by Rabenseifner's algorithm.
    ///
    ///     2 log2 p alpha + 2 (p - 1)/p m / W
    ///
    /// Holds: p a power of two; other algorithms by their name.
    row{.call = "comm/all_reduce.hpp: all_reduce(p, m, alpha, W) in s",
        .latex = R"(2 \log_2 p\, \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
        .errata = "log2 n (alpha + 2 (n - 1)/n m / W) of a chapter multiplies a tree's "
                  "messages with a ring's bytes: 17.5 ms for 8 ranks and 1 GB, not 5.9.",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(all_reduce(all_reduce_algorithm::rabenseifner, link_of_inputs(x),
                                              whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 1e9, 5e-6, 300e9}, 0.00586333333333333, 1e-12, "30 us + 1.75/300 s"}}},
    /// Time of a ring all-reduce.
    ///
    ///     2 (p - 1) alpha + 2 (p - 1)/p m / W
    ///
    ///     m  message                     B, >= 0
    ///     W  bandwidth, one direction    B/s, > 0
    ///
    /// Holds: every rank sends and receives at W at once.
    row{.call = "comm/all_reduce.hpp: ring_all_reduce(p, m, alpha, W) in s",
        .latex = R"(2 (p - 1) \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
        .errata = "3 GB over 12.5 GB/s on 32 ranks is 0.465 s, not 0.24.",
        .topics = "N2 N3",
        .evaluate =
            [](inputs x) {
              return total_seconds(ring_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 1e9, 5e-6, 300e9}, 0.00590333333333333, 1e-12, "70 us + 1.75/300 s"},
                     {{32, 3e9, 0, 12.5e9}, 0.465, 1e-12, "31/16 x 0.24 s"}}},
    /// Messages on the critical path of Bruck's all-gather.
    ///
    ///     ceil(log2 p)
    ///
    /// Holds: any p.
    row{.call = "comm/all_gather.hpp: cost_of(p) in count",
        .latex = R"(\lceil \log_2 p \rceil)",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return cost_of(all_gather_algorithm::bruck, whole(x[0])).messages; },
        .examples = {{{6}, 3, 0, "2^3 >= 6"}}},
    /// Time of an all-gather by recursive doubling.
    ///
    ///     log2 p alpha + (p - 1)/p m / W
    ///
    /// Holds: p a power of two; m is what each rank has after it.
    row{.call = "comm/all_gather.hpp: all_gather(p, m, alpha, W) in s",
        .latex = R"(\log_2 p\, \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(all_gather(all_gather_algorithm::recursive_doubling,
                                              link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.003, 1e-12, "3 ms + 7 s"}}},
    row{.call = "comm/all_gather.hpp: ring_all_gather(p, m, alpha, W) in s",
        .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(ring_all_gather(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    /// Messages on the critical path of recursive halving.
    ///
    ///     log2 p
    ///
    /// Holds: p a power of two.
    row{.call = "comm/reduce_scatter.hpp: cost_of(p) in count",
        .latex = R"(\log_2 p)",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return cost_of(reduce_scatter_algorithm::recursive_halving, whole(x[0])).messages;
            },
        .examples = {{{16}, 4, 0, "2^4 = 16"}}},
    /// Time of a reduce-scatter by recursive halving.
    ///
    ///     log2 p alpha + (p - 1)/p m / W
    ///
    /// Holds: p a power of two; m is the vector on each rank before it.
    row{.call = "comm/reduce_scatter.hpp: reduce_scatter(p, m, alpha, W) in s",
        .latex = R"(\log_2 p\, \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(reduce_scatter(reduce_scatter_algorithm::recursive_halving,
                                                  link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.003, 1e-12, "3 ms + 7 s"}}},
    /// Time of a ring reduce-scatter.
    ///
    ///     (p - 1) alpha + (p - 1)/p m / W
    ///
    /// Holds: sums hide behind the transfer.
    row{.call = "comm/reduce_scatter.hpp: ring_reduce_scatter(p, m, alpha, W) in s",
        .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  ring_reduce_scatter(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    /// Bytes that Bruck's all-to-all sends, in units of m.
    ///
    ///     ones in the binary digits of 0 to p - 1, over p
    ///
    /// Holds: any p.
    row{.call = "comm/all_to_all.hpp: cost_of(p) in 1",
        .latex = R"(\frac{1}{p} \sum_{i < p} \mathrm{popcount}(i))",
        .topics = "N2",
        .evaluate = [](inputs x) { return cost_of(all_to_all_algorithm::bruck, whole(x[0])).sent; },
        .examples = {{{8}, 1.5, 0, "12 ones of 24 digits, over 8"}}},
    /// Time of an all-to-all whose messages all start at once.
    ///
    ///     alpha + (p - 1)/p m / W
    ///
    /// Holds: p >= 2; m is what a rank sends, its own piece included.
    row{.call = "comm/all_to_all.hpp: all_to_all(p, m, alpha, W) in s",
        .latex = R"(\alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(all_to_all(all_to_all_algorithm::direct, link_of_inputs(x),
                                              whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.001, 1e-12, "1 ms + 7 s"}}},
    row{.call = "comm/all_to_all.hpp: pairwise_all_to_all(p, m, alpha, W) in s",
        .latex = R"((p - 1) \alpha + \frac{p - 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  pairwise_all_to_all(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 7.007, 1e-12, "7 ms + 7 s"}}},
    /// Messages on the critical path of a binomial broadcast.
    ///
    ///     ceil(log2 p)
    ///
    /// Holds: the whole message in each.
    row{.call = "comm/broadcast.hpp: cost_of(p) in count",
        .latex = R"(\lceil \log_2 p \rceil)",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return cost_of(broadcast_algorithm::binomial, whole(x[0])).messages; },
        .examples = {{{100}, 7, 0, "2^7 >= 100"}}},
    /// Time of a binomial broadcast.
    ///
    ///     ceil(log2 p) (alpha + m / W)
    ///
    /// Holds: the whole message in each round.
    row{.call = "comm/broadcast.hpp: broadcast(p, m, alpha, W) in s",
        .latex = R"(\lceil \log_2 p \rceil \left( \alpha + \frac{m}{W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(broadcast(broadcast_algorithm::binomial, link_of_inputs(x),
                                             whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 1e9, 1e-3, 1e9}, 3.003, 1e-12, "three rounds"}}},
    /// Messages on the critical path of a binomial reduce.
    ///
    ///     ceil(log2 p)
    ///
    /// Holds: the whole vector in each.
    row{.call = "comm/reduce.hpp: cost_of(p) in count",
        .latex = R"(\lceil \log_2 p \rceil)",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return cost_of(reduce_algorithm::binomial, whole(x[0])).messages; },
        .examples = {{{100}, 7, 0, "2^7 >= 100"}}},
    /// Time of a binomial reduce.
    ///
    ///     ceil(log2 p) (alpha + m / W)
    ///
    /// Holds: sums hide behind the transfer.
    row{.call = "comm/reduce.hpp: reduce(p, m, alpha, W) in s",
        .latex = R"(\lceil \log_2 p \rceil \left( \alpha + \frac{m}{W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  reduce(reduce_algorithm::binomial, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 1e9, 1e-3, 1e9}, 3.003, 1e-12, "three rounds"}}},
    /// Time of an all-reduce by two trees, in blocks.
    ///
    ///     2 (2 h + 2 k - 2) (alpha + m / (2 k W))
    ///
    ///     m  message                     B, >= 0
    ///     W  bandwidth, one direction    B/s, > 0
    ///
    /// Holds: h = ceil(log2 p).
    row{.call = "comm/double_tree.hpp: double_tree_all_reduce(p, m, alpha, W, k) in s",
        .latex = R"(2 (2 h + 2 k - 2) \left( \alpha + \frac{m}{2 k W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  double_tree_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}, x[4]));
            },
        .examples = {{{8, 1e9, 0, 1e9, 10}, 2.4, 1e-12, "48 steps of 50 ms"}}},
    /// The same with the number of blocks that makes it quickest.
    ///
    ///     min over k of 2 (2 h + 2 k - 2) (alpha + m / (2 k W))
    ///
    /// Holds: whole blocks of a byte at least.
    row{.call = "comm/double_tree.hpp: best_double_tree_all_reduce(p, m, alpha, W) in s",
        .latex = R"(\min_k 2 (2 h + 2 k - 2) \left( \alpha + \frac{m}{2 k W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  best_double_tree_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{2, 1e9, 1e-3, 1e9}, 2.004, 1e-12, "h = 1: one block, 2 x 2 steps"}}},
    /// Time of an all-reduce in two levels, one after the other.
    ///
    ///     2 (g - 1)/g m / W1 + 2 (N - 1)/N m / (k W2)
    ///
    ///     m  message    B, >= 0
    ///
    /// Holds: upper bound; large messages.
    row{.call = "comm/hierarchical.hpp: hierarchical_all_reduce(g, N, k, m, W1, W2) in s",
        .latex = R"(\frac{2 (g - 1)}{g} \frac{m}{W_1} + \frac{2 (N - 1)}{N} \frac{m}{k W_2})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return hierarchical_all_reduce(levels_of(x), bytes{x[3]}).serial().in(units::second);
            },
        .examples = {{{8, 4, 1, 3e9, 600e9, 12.5e9}, 0.36875, 1e-12, "8.75 + 360 ms"}}},
    /// Time of one ring over all ranks of several nodes.
    ///
    ///     2 (n - 1)/n m max(1/W1, 1/(k W2))
    ///
    /// Holds: n = g N; large messages.
    row{.call = "comm/hierarchical.hpp: flat_ring_all_reduce(g, N, k, m, W1, W2) in s",
        .latex = R"(\frac{2 (n - 1)}{n} m \max\left( \frac{1}{W_1}, \frac{1}{k W_2} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) { return total_seconds(flat_ring_all_reduce(levels_of(x), bytes{x[3]})); },
        .examples = {{{8, 4, 1, 3e9, 600e9, 12.5e9}, 0.465, 1e-12, "31/16 x 0.24 s"}}},
    /// Time of an all-to-all in two levels, one after the other.
    ///
    ///     (g - 1)/n m / W1 + (n - g)/n m g / (k W2)
    ///
    ///     m  message    B, >= 0
    ///
    /// Holds: n = g N; large messages.
    row{.call = "comm/hierarchical.hpp: two_level_all_to_all(g, N, k, m, W1, W2) in s",
        .latex = R"(\frac{g - 1}{n} \cdot \frac{m}{W_1} + \frac{n - g}{n} \cdot \frac{m g}{k W_2})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return two_level_all_to_all(levels_of(x), bytes{x[3]}, aggregation::none)
                  .serial()
                  .in(units::second);
            },
        .examples = {{{8, 2, 8, 16e9, 100e9, 50e9}, 0.23, 1e-12, "7 GB/100 + 8 GB/50"}}},
    row{.call = "comm/in_switch.hpp: nvls_all_reduce(p, m, alpha, W) in s",
        .latex = R"(\alpha + \frac{p + 1}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(nvls_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 9.001, 1e-12, "9/8 of 8 s"}}},
    row{.call = "comm/in_switch.hpp: nvls_all_gather(p, m, alpha, W) in s",
        .latex = R"(\alpha + \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(nvls_all_gather(link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 8.001, 1e-12, "every rank receives all"}}},
    row{.call = "comm/in_switch.hpp: sharp_all_reduce(p, m, alpha, W, h, s) in s",
        .latex = R"(2 \alpha + h s + \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  sharp_all_reduce(link_of_inputs(x), whole(x[0]), bytes{x[1]},
                                   switch_path{.hops = whole(x[4]), .each = seconds{x[5]}}));
            },
        .examples = {{{8, 1e9, 1e-3, 1e9, 3, 1e-4}, 1.0023, 1e-12, "2 + 0.3 ms and 1 s"}}},
    /// Least bytes on the critical path of an all-reduce, in units of m.
    ///
    ///     2 (p - 1)/p
    ///
    /// Holds: ranks alone sum.
    row{.call = "comm/lower_bound.hpp: lower_bound_cost(p) in 1",
        .latex = R"(\frac{2 (p - 1)}{p})",
        .topics = "N2 N3",
        .evaluate =
            [](inputs x) { return lower_bound_cost(collective::all_reduce, whole(x[0])).sent; },
        .examples = {{{8}, 1.75, 0, "14/8"}}},
    /// The time that no all-reduce among ranks can beat.
    ///
    ///     ceil(log2 p) alpha + 2 (p - 1)/p m / W
    ///
    /// Holds: each term is a bound of its own.
    row{.call = "comm/lower_bound.hpp: lower_bound(p, m, alpha, W) in s",
        .latex = R"(\lceil \log_2 p \rceil \alpha + \frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(
                  lower_bound(collective::all_reduce, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{8, 8e9, 1e-3, 1e9}, 14.003, 1e-12, "3 ms + 14 s"}}},
    /// Steps that fill a chain of ranks.
    ///
    ///     p - 2
    ///
    ///     p  ranks    count, >= 2
    ///
    /// Holds: a chain; two trees take 2 h - 2.
    row{.call = "comm/pipelined_broadcast.hpp: steps_of(p) in count",
        .latex = R"(p - 2)",
        .topics = "N2",
        .evaluate = [](inputs x) { return steps_of(pipeline_shape::chain, whole(x[0])).fill; },
        .examples = {{{8}, 6, 0, "8 - 2"}}},
    /// Time of a broadcast along a chain, in segments.
    ///
    ///     (p - 2 + k) (alpha + m / (k W))
    ///
    ///     W  bandwidth, one direction    B/s, > 0
    ///
    /// Holds: p >= 2.
    row{.call = "comm/pipelined_broadcast.hpp: pipelined_broadcast(p, m, alpha, W, k) in s",
        .latex = R"((p - 2 + k) \left( \alpha + \frac{m}{k W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(pipelined_broadcast(pipeline_shape::chain, link_of_inputs(x),
                                                       whole(x[0]), bytes{x[1]}, x[4]));
            },
        .examples = {{{8, 1e9, 0, 1e9, 10}, 1.6, 1e-12, "16 steps of 0.1 s"}}},
    /// The whole number of segments that makes a chain quickest.
    ///
    ///     smallest k with k (k + 1) alpha >= (p - 2) m / W
    ///
    /// Holds: p >= 2, each segment a byte at least.
    row{.call = "comm/pipelined_broadcast.hpp: best_segments(p, m, alpha, W) in count",
        .latex = R"(k (k + 1)\, \alpha \ge (p - 2) \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return best_segments(pipeline_shape::chain, link_of_inputs(x), whole(x[0]),
                                   bytes{x[1]});
            },
        .examples = {{{8, 1e9, 0.1, 1e9}, 8, 0, "8 x 9 >= 60 > 7 x 8"}}},
    /// The same, were it not whole.
    ///
    ///     sqrt((p - 2) m / (alpha W))
    ///
    /// Holds: p >= 2, alpha > 0.
    row{.call = "comm/pipelined_broadcast.hpp: best_segments_unrounded(p, m, alpha, W) in count",
        .latex = R"(\sqrt{\frac{(p - 2)\, m}{\alpha W}})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return best_segments_unrounded(pipeline_shape::chain, link_of_inputs(x), whole(x[0]),
                                             bytes{x[1]});
            },
        .examples = {{{6, 1e9, 0.01, 1e9}, 20, 1e-12, "sqrt(4 x 100)"}}},
    /// Time of a broadcast along a chain in the best segments.
    ///
    ///     min over k of (p - 2 + k) (alpha + m / (k W))
    ///
    /// Holds: p >= 2.
    row{.call = "comm/pipelined_broadcast.hpp: best_pipelined_broadcast(p, m, alpha, W) in s",
        .latex = R"(\min_k (p - 2 + k) \left( \alpha + \frac{m}{k W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(best_pipelined_broadcast(
                  pipeline_shape::chain, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{6, 1e9, 0.01, 1e9}, 1.44, 1e-12, "k = 20: 24 steps of 60 ms"}}},
    /// The time that goes with best_segments_unrounded.
    ///
    ///     f alpha + m / W + 2 sqrt(f alpha m / W)
    ///
    /// Holds: a chain, f = p - 2.
    row{.call = "comm/pipelined_broadcast.hpp: pipelined_broadcast_unrounded(p, m, alpha, W) in s",
        .latex = R"(f \alpha + \frac{m}{W} + 2 \sqrt{f \alpha \frac{m}{W}})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return total_seconds(pipelined_broadcast_unrounded(
                  pipeline_shape::chain, link_of_inputs(x), whole(x[0]), bytes{x[1]}));
            },
        .examples = {{{6, 1e9, 0.01, 1e9}, 1.44, 1e-12, "0.04 + 1 + 2 x 0.2"}}},
    /// Time of an all-reduce on a square torus, one dimension after another.
    ///
    ///     sum_i 2 (d - 1) (alpha + m / (W d^i))
    ///
    ///     m  message    B, >= 0
    ///
    /// Holds: two dimensions, one direction of each ring.
    row{.call = "comm/torus.hpp: torus_all_reduce(d, m, alpha, W) in s",
        .latex = R"(\sum_i 2 (d - 1) \left( \alpha + \frac{m}{W d^i} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              const auto torus = square_torus(x);
              return total_seconds(
                  torus_all_reduce(std::span<const torus_dimension>{torus}, bytes{x[1]}));
            },
        .examples = {{{4, 16e9, 1e-3, 1e9}, 30.012, 1e-12, "24 + 6 s and 12 messages"}}},
    /// The same with both dimensions at work.
    ///
    ///     sum_i 2 (d - 1) (alpha + m / (D W d^i)),  D = 2
    ///
    /// Holds: two equal dimensions.
    row{.call = "comm/torus.hpp: concurrent_torus_all_reduce(d, m, alpha, W) in s",
        .latex = R"(\sum_i 2 (d - 1) \left( \alpha + \frac{m}{D W d^i} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              const auto torus = square_torus(x);
              return total_seconds(concurrent_torus_all_reduce(
                  std::span<const torus_dimension>{torus}, bytes{x[1]}));
            },
        .examples = {{{4, 16e9, 1e-3, 1e9}, 15.012, 1e-12, "half of 30 s, 12 messages"}}}};
inline constexpr auto comm_collective_formulas =
    with_words(comm_collective_rows, words::comm_collective_formulas);

}  // namespace gpuplan::registry
