#pragma once
/// \file
/// Rows of comm/: bytes of each way to divide a model, and NCCL's own estimate of a collective.

#include <array>

#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/comm/ulysses.hpp>
#include <gpuplan/registry/comm_link_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// GPUs of one node whose ring has some channels of a rate.
constexpr nccl_group ring_of(int ranks, int channels, double channel_rate) {
  return {.version = nccl_version::v2_28_3,
          .ranks = ranks,
          .ring = {.channels = channels, .inside = bytes_per_second{channel_rate}}};
}

inline constexpr symbol channel_rate{"w", "rate of a channel", "B/s", "> 0"};

/// Their inputs, where neither a row nor its function says otherwise.
///
///     p  ranks                                  count, >= 2
///     m  message                                B, >= 0
///     q  key-value heads for each query head    1, 0 to 1
///     k  channels                               count, >= 1
///     w  rate of a channel                      B/s, > 0
inline constexpr std::array comm_traffic_rows{
    /// Bytes that each rank sends in an all-reduce.
    ///
    ///     2 (p - 1)/p m
    ///
    ///     p  ranks    count, >= 1
    ///
    /// Holds: ranks alone sum; other collectives by bus_factor.
    row{.call = "comm/traffic.hpp: sent_by_each(p, m) in B",
        .latex = R"(\frac{2 (p - 1)}{p} m)",
        .errata = "2 N S N_GPU of a textbook is the sum over the cluster, without (n - 1)/n.",
        .topics = "N3 N4",
        .evaluate =
            [](inputs x) {
              return sent_by_each(collective::all_reduce, whole(x[0]), bytes{x[1]}).in(units::byte);
            },
        .examples = {{{8, 1e9}, 1.75e9, 1e-12, "14/8 GB"}}},
    row{.call = "comm/traffic.hpp: coarse_all_reduce_bandwidth(p, m, t) in B/s",
        .latex = R"(\frac{2 m p}{t})",
        .errata = "A textbook asks this of each job; a ring sends (p - 1)/p of it.",
        .topics = "N4",
        .evaluate =
            [](inputs x) {
              return coarse_all_reduce_bandwidth(whole(x[0]), bytes{x[1]}, seconds{x[2]})
                  .in(units::byte / units::second);
            },
        .examples = {{{8, 3e9, 1}, 48e9, 1e-12, "2 x 3 GB x 8 in a second"},
                     {{1024, 350e9, 4}, 179.2e12, 1e-12, "2 x 350 GB x 1024 in 4 s"}}},
    /// Bytes that a rank sends across replicas of a sharded group, in a step.
    ///
    ///     2 (R - 1)/R G / g
    ///
    ///     g  ranks of a group         count, >= 1
    ///     R  replicas of the group    count, >= 1
    ///     G  gradients                B, >= 0
    ///
    /// Holds: inside the group (g - 1)/g (G + 2 W) for each micro-batch.
    row{.call = "comm/traffic.hpp: hybrid_shard_traffic(g, R, G) in B",
        .latex = R"(\frac{2 (R - 1)}{R} \cdot \frac{G}{g})",
        .topics = "N3",
        .evaluate =
            [](inputs x) {
              return hybrid_shard_traffic(whole(x[0]), whole(x[1]), bytes{x[2]}, bytes{0}, 1)
                  .across.in(units::byte);
            },
        .examples = {{{8, 4, 16e9}, 3e9, 1e-12, "6/4 of 2 GB"}}},
    ///     4 x 2 (t - 1)/t A
    ///
    ///     t  tensor-parallel ranks    count, >= 1
    ///     A  activations              B, >= 0
    ///
    /// Holds: two all-reduces forward, two backward.
    row{.call = "comm/traffic.hpp: tensor_parallel_traffic(t, A) in B",
        .latex = R"(4 \cdot \frac{2 (t - 1)}{t} A)",
        .errata = "An article splits a layer by columns and then sums: columns need an "
                  "all-gather, rows an all-reduce.",
        .topics = "P11",
        .evaluate =
            [](inputs x) {
              return tensor_parallel_traffic(whole(x[0]), bytes{x[1]}).in(units::byte);
            },
        .examples = {{{8, 1e8}, 7e8, 1e-12, "4 x 1.75 x 100 MB"}}},
    ///     (2 + 2 q) A/p (p - 1)/p
    ///
    ///     A  activations    B, >= 0
    ///
    /// Holds: A of the whole sequence; p at most the key-value heads.
    row{.call = "comm/traffic.hpp: ulysses_traffic(p, A, q) in B",
        .latex = R"((2 + 2 q) \frac{A}{p} \cdot \frac{p - 1}{p})",
        .evaluate =
            [](inputs x) {
              return ulysses_traffic(whole(x[0]), bytes{x[1]}, x[2]).in(units::byte);
            },
        .examples = {{{4, 16e8, 1}, 12e8, 1e-12, "4 x 400 MB x 3/4"}}},
    /// What a rank holds of queries, keys, values and output of a layer.
    ///
    ///     T (2 a + 2 g) d x
    ///
    ///     T  tokens of the rank    count, >= 0
    ///     a  query heads           count, >= 1
    ///     g  key-value heads       count, >= 1
    ///     d  width of a head       count, >= 1
    ///     x  bytes of a value      B, >= 0
    ///
    /// Holds: one tensor-parallel rank; heads that the ranks divide.
    row{.call = "comm/ulysses.hpp: ulysses_messages_of(T, a, g, d, x) in B",
        .latex = R"(T (2 a + 2 g)\, d\, x)",
        .evaluate =
            [](inputs x) {
              const transformer m{
                  .attention_heads = whole(x[1]), .kv_heads = whole(x[2]), .head_dim = whole(x[3])};
              return ulysses_messages_of(m, {}, x[0], bytes{x[4]}).total().in(units::byte);
            },
        .examples = {{{1024, 32, 8, 128, 2}, 20971520, 0, "20 MiB, by hand"}}},
    ///     c   ranks                count, >= 1
    ///     k   of them in a node    count, 1 to c
    ///     W1  links of the node    B/s, > 0
    ///     W2  port of a rank       B/s, > 0
    row{.call = "comm/ulysses.hpp: ulysses_time(c, k, M, W1, W2, l) in s",
        .latex = R"(4 l + \max(\frac{k - 1}{c} \frac{M}{W_1}, \frac{c - k}{c} \frac{M}{W_2}))",
        .evaluate =
            [](inputs x) {
              const interconnect inside{seconds{x[5]}, bytes_per_second{x[3]}};
              const interconnect outside{seconds{x[5]}, bytes_per_second{x[4]}};
              return ulysses_time(inside, outside, {whole(x[0]), whole(x[1])},
                                  {.queries = bytes{x[2]}})
                  .total()
                  .in(units::second);
            },
        .examples = {{{8, 8, 8e9, 100e9, 10e9, 0}, 0.07, 1e-12, "7 GB at 100 GB/s"},
                     {{8, 4, 8e9, 100e9, 10e9, 0.01}, 0.44, 1e-12, "4 GB at 10 GB/s"}}},
    row{.call = "comm/expert_dispatch.hpp: other_nodes_of_token(E, k, N) in count",
        .latex = R"((N - 1) \left(1 - \prod_{i=0}^{k-1} \frac{E - E/N - i}{E - i}\right))",
        .evaluate = [](inputs x) { return other_nodes_of_token(whole(x[0]), whole(x[1]), x[2]); },
        .examples = {{{8, 8, 4}, 3, 0, "all experts, so all nodes"},
                     {{4, 2, 2}, 5.0 / 6, 1e-12, "of six pairs of experts one is here alone"}}},
    ///     (p - 1) 2 q A/p
    ///
    ///     p  ranks          count, >= 1
    ///     A  activations    B, >= 0
    ///
    /// Holds: A of the whole sequence; backward about twice.
    row{.call = "comm/traffic.hpp: ring_attention_traffic(p, A, q) in B",
        .latex = R"((p - 1)\, 2 q \frac{A}{p})",
        .evaluate =
            [](inputs x) {
              return ring_attention_traffic(whole(x[0]), bytes{x[1]}, x[2]).in(units::byte);
            },
        .examples = {{{4, 16e8, 0.25}, 6e8, 1e-12, "3 x 0.5 x 400 MB"}}},
    row{.call = "comm/traffic.hpp: expert_traffic(p, A, k) in B",
        .latex = R"(\frac{p - 1}{p} k A)",
        .evaluate =
            [](inputs x) {
              return expert_traffic(whole(x[0]), bytes{x[1]}, whole(x[2])).in(units::byte);
            },
        .examples = {{{8, 1e8, 2}, 1.75e8, 1e-12, "7/8 of 200 MB"}}},
    /// Algorithm bandwidth that NCCL expects of a ring all-reduce in a node.
    ///
    ///     k w p / (2 (p - 1))
    ///
    /// Holds: the protocol for large messages.
    row{.call = "comm/nccl_group.hpp: nccl_bandwidth(p, k, w) in B/s",
        .latex = R"(k w \frac{p}{2 (p - 1)})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(nccl_bandwidth(ring_of(whole(x[0]), whole(x[1]), x[2]),
                                                   collective::all_reduce, nccl_algorithm::ring,
                                                   nccl_protocol::simple));
            },
        .examples = {{{8, 24, 20e9}, 480e9 * 8 / 14, 1e-12, "24 x 20 GB/s over 1.75"}}},
    /// Time that NCCL expects of a small all-reduce by ring and LL in a node.
    ///
    ///     6.6 us + 2 (p - 1) 0.6 us + m / W
    ///
    /// Holds: NVLink, version 2.28.3.
    row{.call = "comm/nccl.hpp: nccl_estimate(p, k, w, m) in s",
        .latex = R"(6.6\,\mu s + 2 (p - 1)\, 0.6\,\mu s + \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              const auto time =
                  nccl_estimate(ring_of(whole(x[0]), whole(x[1]), x[2]), collective::all_reduce,
                                nccl_algorithm::ring, nccl_protocol::ll, bytes{x[3]});
              return time ? time->total().in(units::second) : 0;
            },
        .examples = {{{8, 24, 20e9, 0},
                      15e-6,
                      1e-12,
                      "6.6 + 14 x 0.6 us; 12.9 to 15.5 measured for 8 to 128 B"}}},
    /// Time of the algorithm and protocol that NCCL would take, of a ring's three.
    ///
    ///     min over algorithms and protocols of T(m)
    ///
    /// Holds: a group that has a ring alone.
    row{.call = "comm/nccl.hpp: nccl_choice(p, k, w, m) in s",
        .latex = R"(\min_{a, p} T_{a, p}(m))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              const auto time = nccl_choice(ring_of(whole(x[0]), whole(x[1]), x[2]),
                                            collective::all_reduce, bytes{x[3]});
              return time ? time->total().in(units::second) : 0;
            },
        .examples = {{{8, 24, 20e9, 0}, 15e-6, 1e-12, "LL has the least latency"}}}};
inline constexpr auto comm_traffic_formulas =
    with_words(comm_traffic_rows, words::comm_traffic_formulas);

}  // namespace gpuplan::registry
