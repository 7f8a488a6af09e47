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
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view nccl_tuning =
    "NVIDIA, \"NCCL\", src/graph/tuning.cc (2.28.3, 2025), github.com/NVIDIA/nccl";

inline constexpr std::string_view ulysses_paper =
    "S. A. Jacobs et al., \"DeepSpeed Ulysses: System Optimizations for Enabling Training of "
    "Extreme "
    "Long Sequence Transformer Models\" (2023), arXiv:2309.14509";

/// GPUs of one node whose ring has some channels of a rate.
constexpr nccl_group ring_of(int ranks, int channels, double channel_rate) {
  return {.version = nccl_version::v2_28_3,
          .ranks = ranks,
          .ring = {.channels = channels, .inside = bytes_per_second{channel_rate}}};
}

inline constexpr symbol channel_count{"k", "channels", "count", ">= 1"};
inline constexpr symbol channel_rate{"w", "rate of a channel", "B/s", "> 0"};
inline constexpr symbol activation_bytes_sent{"A", "activations", "B", ">= 0"};
inline constexpr symbol kv_share{"q", "key-value heads for each query head", "1", "0 to 1"};

inline constexpr std::array comm_traffic_formulas{
    formula{
        .name = "sent_by_each",
        .header = "comm/traffic.hpp",
        .meaning = "Bytes that each rank sends in an all-reduce",
        .text = "2 (p - 1)/p m",
        .latex = R"(\frac{2 (p - 1)}{p} m)",
        .symbols = {rank_count, message_size},
        .result = "B",
        .validity = "ranks alone sum; other collectives by bus_factor",
        .source = patarasuk,
        .errata = "2 N S N_GPU of a textbook is the sum over the cluster, without (n - 1)/n.",
        .topics = "N3 N4",
        .evaluate =
            [](inputs x) {
              return sent_by_each(collective::all_reduce, whole(x[0]), bytes{x[1]}).in(units::byte);
            },
        .examples = {{{8, 1e9}, 1.75e9, 1e-12, "14/8 GB"}}},
    formula{.name = "hybrid_shard_traffic",
            .header = "comm/traffic.hpp",
            .meaning = "Bytes that a rank sends across replicas of a sharded group, in a step",
            .text = "2 (R - 1)/R G / g",
            .latex = R"(\frac{2 (R - 1)}{R} \cdot \frac{G}{g})",
            .symbols = {{"g", "ranks of a group", "count", ">= 1"},
                        {"R", "replicas of the group", "count", ">= 1"},
                        {"G", "gradients", "B", ">= 0"}},
            .result = "B",
            .validity = "inside the group (g - 1)/g (G + 2 W) for each micro-batch",
            .source = fsdp_paper,
            .errata = "",
            .topics = "N3",
            .evaluate =
                [](inputs x) {
                  return hybrid_shard_traffic(whole(x[0]), whole(x[1]), bytes{x[2]}, bytes{0}, 1)
                      .across.in(units::byte);
                },
            .examples = {{{8, 4, 16e9}, 3e9, 1e-12, "6/4 of 2 GB"}}},
    formula{.name = "tensor_parallel_traffic",
            .header = "comm/traffic.hpp",
            .meaning = "Bytes that a rank sends for a tensor-parallel layer and micro-batch",
            .text = "4 x 2 (t - 1)/t A",
            .latex = R"(4 \cdot \frac{2 (t - 1)}{t} A)",
            .symbols = {{"t", "tensor-parallel ranks", "count", ">= 1"}, activation_bytes_sent},
            .result = "B",
            .validity = "two all-reduces forward, two backward",
            .source = "M. Shoeybi et al., \"Megatron-LM: Training Multi-Billion Parameter Language "
                      "Models Using Model Parallelism\" (2019), arXiv:1909.08053",
            .errata = "An article splits a layer by columns and then sums: columns need an "
                      "all-gather, rows an all-reduce.",
            .topics = "P11",
            .evaluate =
                [](inputs x) {
                  return tensor_parallel_traffic(whole(x[0]), bytes{x[1]}).in(units::byte);
                },
            .examples = {{{8, 1e8}, 7e8, 1e-12, "4 x 1.75 x 100 MB"}}},
    formula{.name = "ulysses_traffic",
            .header = "comm/traffic.hpp",
            .meaning = "Bytes that a rank sends for one layer of Ulysses, forward",
            .text = "(2 + 2 q) A/p (p - 1)/p",
            .latex = R"((2 + 2 q) \frac{A}{p} \cdot \frac{p - 1}{p})",
            .symbols = {rank_count, activation_bytes_sent, kv_share},
            .result = "B",
            .validity = "A of the whole sequence; p at most the key-value heads",
            .source = ulysses_paper,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return ulysses_traffic(whole(x[0]), bytes{x[1]}, x[2]).in(units::byte);
                },
            .examples = {{{4, 16e8, 1}, 12e8, 1e-12, "4 x 400 MB x 3/4"}}},
    formula{.name = "ulysses_messages_of",
            .header = "comm/ulysses.hpp",
            .meaning = "What a rank holds of queries, keys, values and output of a layer",
            .text = "T (2 a + 2 g) d x",
            .latex = R"(T (2 a + 2 g)\, d\, x)",
            .symbols = {{"T", "tokens of the rank", "count", ">= 0"},
                        {"a", "query heads", "count", ">= 1"},
                        {"g", "key-value heads", "count", ">= 1"},
                        {"d", "width of a head", "count", ">= 1"},
                        {"x", "bytes of a value", "B", ">= 0"}},
            .result = "B",
            .validity = "one tensor-parallel rank; heads that the ranks divide",
            .source = ulysses_paper,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const transformer m{.attention_heads = whole(x[1]),
                                      .kv_heads = whole(x[2]),
                                      .head_dim = whole(x[3])};
                  return ulysses_messages_of(m, {}, x[0], bytes{x[4]}).total().in(units::byte);
                },
            .examples = {{{1024, 32, 8, 128, 2}, 20971520, 0, "20 MiB, by hand"}}},
    formula{.name = "ulysses_time",
            .header = "comm/ulysses.hpp",
            .meaning = "Time of the all-to-alls of one pass of a layer",
            .text = "4 l + max((k - 1)/c M / W1, (c - k)/c M / W2)",
            .latex = R"(4 l + \max(\frac{k - 1}{c} \frac{M}{W_1}, \frac{c - k}{c} \frac{M}{W_2}))",
            .symbols = {{"c", "ranks", "count", ">= 1"},
                        {"k", "of them in a node", "count", "1 to c"},
                        {"M", "what a rank holds of the four tensors", "B", ">= 0"},
                        {"W1", "links of the node", "B/s", "> 0"},
                        {"W2", "port of a rank", "B/s", "> 0"},
                        {"l", "latency, of the port where c > k", "s", ">= 0"}},
            .result = "s",
            .validity = "nothing runs beside it; both kinds of link at once",
            .source = ulysses_paper,
            .errata = "",
            .topics = "",
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
    formula{
        .name = "other_nodes_of_token",
        .header = "comm/expert_dispatch.hpp",
        .meaning = "Nodes besides its own that a token visits on the way to its experts",
        .text = "(N - 1) (1 - prod_i (E - E/N - i)/(E - i)), i from 0 to k - 1",
        .latex = R"((N - 1) \left(1 - \prod_{i=0}^{k-1} \frac{E - E/N - i}{E - i}\right))",
        .symbols = {{"E", "experts", "count", ">= 1"},
                    {"k", "of a token", "count", "1 to E"},
                    {"N", "nodes", "count", ">= 1"}},
        .result = "count",
        .validity = "any experts as likely, spread evenly over the nodes",
        .source = "W. Feller, \"An Introduction to Probability Theory and Its Applications\", "
                  "vol. 1, 3rd ed., Wiley (1968), section II.6",
        .errata = "",
        .topics = "",
        .evaluate = [](inputs x) { return other_nodes_of_token(whole(x[0]), whole(x[1]), x[2]); },
        .examples = {{{8, 8, 4}, 3, 0, "all experts, so all nodes"},
                     {{4, 2, 2}, 5.0 / 6, 1e-12, "of six pairs of experts one is here alone"}}},
    formula{.name = "ring_attention_traffic",
            .header = "comm/traffic.hpp",
            .meaning = "Bytes that a rank sends for one layer of ring attention, forward",
            .text = "(p - 1) 2 q A/p",
            .latex = R"((p - 1)\, 2 q \frac{A}{p})",
            .symbols = {rank_count, activation_bytes_sent, kv_share},
            .result = "B",
            .validity = "A of the whole sequence; backward about twice",
            .source = "H. Liu, M. Zaharia and P. Abbeel, \"Ring Attention with Blockwise "
                      "Transformers for Near-Infinite Context\" (2023), arXiv:2310.01889",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return ring_attention_traffic(whole(x[0]), bytes{x[1]}, x[2]).in(units::byte);
                },
            .examples = {{{4, 16e8, 0.25}, 6e8, 1e-12, "3 x 0.5 x 400 MB"}}},
    formula{.name = "expert_traffic",
            .header = "comm/traffic.hpp",
            .meaning = "Bytes that a rank sends to dispatch its tokens to their experts, one way",
            .text = "(p - 1)/p k A",
            .latex = R"(\frac{p - 1}{p} k A)",
            .symbols = {rank_count,
                        activation_bytes_sent,
                        {"k", "experts of a token", "count", ">= 1"}},
            .result = "B",
            .validity = "tokens spread evenly",
            .source = deepseek_v3,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return expert_traffic(whole(x[0]), bytes{x[1]}, whole(x[2])).in(units::byte);
                },
            .examples = {{{8, 1e8, 2}, 1.75e8, 1e-12, "7/8 of 200 MB"}}},
    formula{.name = "nccl_bandwidth",
            .header = "comm/nccl_group.hpp",
            .meaning = "Algorithm bandwidth that NCCL expects of a ring all-reduce in a node",
            .text = "k w p / (2 (p - 1))",
            .latex = R"(k w \frac{p}{2 (p - 1)})",
            .symbols = {{"p", "ranks", "count", ">= 2"}, channel_count, channel_rate},
            .result = "B/s",
            .validity = "the protocol for large messages",
            .source = nccl_tuning,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(nccl_bandwidth(ring_of(whole(x[0]), whole(x[1]), x[2]),
                                                       collective::all_reduce, nccl_algorithm::ring,
                                                       nccl_protocol::simple));
                },
            .examples = {{{8, 24, 20e9}, 480e9 * 8 / 14, 1e-12, "24 x 20 GB/s over 1.75"}}},
    formula{.name = "nccl_estimate",
            .header = "comm/nccl.hpp",
            .meaning = "Time that NCCL expects of a small all-reduce by ring and LL in a node",
            .text = "6.6 us + 2 (p - 1) 0.6 us + m / W",
            .latex = R"(6.6\,\mu s + 2 (p - 1)\, 0.6\,\mu s + \frac{m}{W})",
            .symbols = {{"p", "ranks", "count", ">= 2"}, channel_count, channel_rate, message_size},
            .result = "s",
            .validity = "NVLink, version 2.28.3",
            .source = nccl_tuning,
            .errata = "",
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
    formula{.name = "nccl_choice",
            .header = "comm/nccl.hpp",
            .meaning = "Time of the algorithm and protocol that NCCL would take, of a ring's three",
            .text = "min over algorithms and protocols",
            .latex = R"(\min_{a, p} T_{a, p}(m))",
            .symbols = {{"p", "ranks", "count", ">= 2"}, channel_count, channel_rate, message_size},
            .result = "s",
            .validity = "a group that has a ring alone",
            .source = nccl_tuning,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  const auto time = nccl_choice(ring_of(whole(x[0]), whole(x[1]), x[2]),
                                                collective::all_reduce, bytes{x[3]});
                  return time ? time->total().in(units::second) : 0;
                },
            .examples = {{{8, 24, 20e9, 0}, 15e-6, 1e-12, "LL has the least latency"}}}};

}  // namespace gpuplan::registry
