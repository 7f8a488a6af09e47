#pragma once
/// \file
/// Rows of comm/: the quickest algorithm, what computation hides, what contention and saving on
/// gradients do, and what NCCL's collectives take.

#include <array>
#include <string_view>

#include <gpuplan/comm/contention.hpp>
#include <gpuplan/comm/fastest.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/comm/overlap.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/comm/prefetch.hpp>
#include <gpuplan/comm/synchronization.hpp>
#include <gpuplan/registry/comm_collective_formulas.hpp>
#include <gpuplan/registry/comm_link_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr symbol whole_computation{"C", "computation, on its own", "s", ">= 0"};
inline constexpr symbol whole_communication{"M", "communication, on its own", "s", ">= 0"};
inline constexpr symbol layer_count{"L", "equal layers", "count", ">= 1"};
inline constexpr symbol layer_gather{"a", "all-gather of a layer's weights", "s", ">= 0"};
inline constexpr symbol layer_backward{"b", "backward pass of a layer", "s", ">= 0"};
inline constexpr symbol layer_scatter{"r", "reduce-scatter of its gradients", "s", ">= 0"};
inline constexpr symbol backward_pass{"b", "the whole backward pass", "s", ">= 0"};

inline constexpr std::string_view ddp_paper =
    "S. Li et al., \"PyTorch Distributed: Experiences on Accelerating Data Parallel Training\", "
    "Proc. VLDB Endowment 13 (2020) 3005-3018";
inline constexpr std::string_view nccl_source =
    "NVIDIA, \"NCCL\", src/graph/tuning.cc (2.30.7, 2026), github.com/NVIDIA/nccl";

/// Hopper GPUs of one node whose switch sums, by the rate of their links.
constexpr nccl_machine hopper_node(double rate) {
  return {.inside = {.port = {.latency = 3.4 * units::us,
                              .advertised = per_direction(bytes_per_second{rate})}},
          .sums_in_node = true};
}

inline constexpr std::array comm_fastest_formulas{
    formula{.name = "fastest_all_reduce",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest all-reduce, and which it is",
            .text = "T = min over algorithms of A alpha + B m/W + C gamma m",
            .latex = R"(T = \min_a \left( A_a \alpha + B_a \frac{m}{W} + C_a \gamma m \right))",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all pairs of ranks equally near, no contention",
            .source = chan,
            .errata = "log2 p (alpha + 2 (p - 1)/p m/W), which a guide gives, multiplies a tree's "
                      "steps with a ring's bytes: no algorithm takes so long.",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_all_reduce(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{8, 0, 1e-5, 1e9}, 3e-5, 1e-12, "recursive doubling: log2 8 messages"},
                         {{8, 8e9, 0, 1e9}, 14, 1e-12, "2 x 7/8 of 8 GB at 1 GB/s"}}},
    formula{.name = "fastest_reduce_scatter",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest reduce-scatter, and which it is",
            .text = "T = ceil(log2 p) alpha + (p - 1)/p m/W",
            .latex = R"(T = \lceil \log_2 p \rceil \alpha + \frac{p - 1}{p} \frac{m}{W})",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all pairs of ranks equally near, no contention; sums are free",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_reduce_scatter(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{5, 5e9, 1, 1e9}, 7, 1e-12, "3 messages, 4/5 of 5 GB at 1 GB/s"}}},
    formula{.name = "fastest_all_gather",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest all-gather, and which it is",
            .text = "T = ceil(log2 p) alpha + (p - 1)/p m/W",
            .latex = R"(T = \lceil \log_2 p \rceil \alpha + \frac{p - 1}{p} \frac{m}{W})",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all pairs of ranks equally near, no contention",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_all_gather(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{5, 5e9, 1, 1e9}, 7, 1e-12, "3 messages, 4/5 of 5 GB at 1 GB/s"}}},
    formula{.name = "fastest_all_to_all",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest all-to-all, and which it is",
            .text = "T = alpha + (p - 1)/p m/W",
            .latex = R"(T = \alpha + \frac{p - 1}{p} \frac{m}{W})",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all sends start at once",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_all_to_all(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{5, 5e9, 1, 1e9}, 5, 1e-12, "one start, 4/5 of 5 GB at 1 GB/s"}}},
    formula{.name = "fastest_reduce",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest reduce, and which it is",
            .text = "T = min(H alpha + H m/W, 2 H alpha + 2 (p - 1)/p m/W), H = ceil(log2 p)",
            .latex = R"(T = \min\left( H \alpha + H \frac{m}{W},
                        2 H \alpha + \frac{2 (p - 1)}{p} \frac{m}{W} \right))",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all pairs of ranks equally near, no contention; sums are free",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_reduce(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{8, 0, 1, 1e9}, 3, 1e-12, "a binomial tree of height 3"},
                         {{8, 8e9, 0, 1e9}, 14, 1e-12, "2 x 7/8 of 8 GB at 1 GB/s"}}},
    formula{.name = "fastest_broadcast",
            .header = "comm/fastest.hpp",
            .meaning = "Time of the quickest broadcast, which it is, and into how many segments it "
                       "cuts the message",
            .text = "T = min over algorithms and whole segments",
            .latex = R"(T = \min_{a, k} \left( s_a + k e_a \right)
                        \left( \alpha + \frac{m}{k e_a W} \right))",
            .symbols = {rank_count, message_size, start_up, one_way},
            .result = "s",
            .validity = "all pairs of ranks equally near, no contention",
            .source = chan,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return fastest_broadcast(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                      .time.total()
                      .in(units::second);
                },
            .examples = {{{8, 0, 1, 1e9}, 3, 1e-12, "a binomial tree of height 3"},
                         {{2, 1e9, 1, 1e9}, 2, 1e-12, "one message"}}}};

inline constexpr std::array comm_overlap_formulas{
    formula{
        .name = "overlapped_buckets",
        .header = "comm/overlap.hpp",
        .meaning = "What shows of gradients sent in two buckets while the backward pass goes on",
        .text = "max(0, max(r2, r1 + t1) + t2 - b)",
        .latex = R"(\max(0, \max(r_2, r_1 + t_1) + t_2 - b))",
        .symbols = {{"r1", "when the first bucket is ready", "s", ">= 0"},
                    {"t1", "collective of the first", "s", ">= 0"},
                    {"r2", "when the second is ready", "s", ">= 0"},
                    {"t2", "collective of the second", "s", ">= 0"},
                    backward_pass},
        .result = "s",
        .validity = "one collective at a time, neither slows the other",
        .source = ddp_paper,
        .errata = "",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              const std::array<gradient_bucket, 2> two{
                  {{seconds{x[0]}, seconds{x[1]}}, {seconds{x[2]}, seconds{x[3]}}}};
              return overlapped_buckets<double>(two, seconds{x[4]}).exposed.in(units::second);
            },
        .examples = {{{1, 4, 2, 3, 6}, 2, 1e-12, "the second waits for the first until 5"},
                     {{1, 1, 5, 3, 6}, 2, 1e-12, "the second is ready at 5, done at 8"}}},
    formula{.name = "overlapped_uniform_buckets",
            .header = "comm/overlap.hpp",
            .meaning = "What shows of gradients sent in equal buckets",
            .text = "m if m <= c, else k m - (k - 1) c",
            .latex = R"(m \text{ if } m \le c, \text{ else } k m - (k - 1) c)",
            .symbols = {{"k", "buckets", "count", ">= 1"},
                        {"c", "computation that fills one bucket", "s", ">= 0"},
                        {"m", "collective of one bucket", "s", ">= 0"}},
            .result = "s",
            .validity = "one collective at a time, neither slows the other",
            .source = ddp_paper,
            .errata = "",
            .topics = "N6",
            .evaluate =
                [](inputs x) {
                  return overlapped_uniform_buckets(whole(x[0]), seconds{x[1]}, seconds{x[2]})
                      .exposed.in(units::second);
                },
            .examples = {{{4, 3, 2}, 2, 1e-12, "the last bucket"},
                         {{4, 1, 2}, 5, 1e-12, "8 of communication, 3 hidden"}}},
    formula{.name = "overlapped_gradients",
            .header = "comm/overlap.hpp",
            .meaning = "What shows of gradients cut into buckets of a size, sent over a link",
            .text = "as overlapped_buckets, buckets ready in proportion to the bytes before them",
            .latex = R"(\max(0, e_{\text{last}} - b))",
            .symbols = {backward_pass,
                        {"G", "gradients", "B", "0 to 1e18"},
                        {"B", "bytes of a bucket", "B", ">= 1"},
                        start_up,
                        one_way},
            .result = "s",
            .validity = "one collective at a time, neither slows the other",
            .source = ddp_paper,
            .errata = "",
            .topics = "N6",
            .evaluate =
                [](inputs x) {
                  const auto sent = [&](bytes size) {
                    return message_time(link_with(x[3], x[4]), size).total();
                  };
                  return overlapped_gradients(seconds{x[0]}, bytes{x[1]}, bytes{x[2]}, sent)
                      .exposed.in(units::second);
                },
            .examples = {{{8, 4e9, 1e9, 0, 1e9}, 1, 1e-12, "the last of four buckets"},
                         {{4, 4e9, 1e9, 0, 0.5e9}, 5, 1e-12, "first ready at 1, 8 s of sending"}}},
    formula{.name = "prefetched_forward",
            .header = "comm/prefetch.hpp",
            .meaning = "Forward pass over sharded layers, the next gathered while one computes",
            .text = "a + (L - 1) max(f, a) + f",
            .latex = R"(a + (L - 1) \max(f, a) + f)",
            .symbols = {layer_count, layer_gather, {"f", "forward pass of a layer", "s", ">= 0"}},
            .result = "s",
            .validity = "one collective at a time, beside the computation",
            .source = fsdp_paper,
            .errata = "",
            .topics = "N6 M12",
            .evaluate =
                [](inputs x) {
                  return prefetched_forward(
                             sharded_layer{.gather = seconds{x[1]}, .forward = seconds{x[2]}},
                             whole(x[0]))
                      .in(units::second);
                },
            .examples = {{{10, 1, 2}, 21, 1e-12, "one gather shows"},
                         {{10, 3, 2}, 32, 1e-12, "ten gathers, and the last layer"}}},
    formula{
        .name = "prefetched_backward",
        .header = "comm/prefetch.hpp",
        .meaning = "Backward pass over sharded layers, the next gathered while one computes",
        .text = "a + L b + r if b >= a + r, else a + max(a, b) + (L - 2)(a + r) + max(b, r) + r",
        .latex = R"(a + L b + r \text{ if } b \ge a + r, \text{ else }
                        a + \max(a, b) + (L - 2)(a + r) + \max(b, r) + r)",
        .symbols = {layer_count, layer_gather, layer_backward, layer_scatter},
        .result = "s",
        .validity = "collectives one at a time, in the order in which they are asked for; L > 1",
        .source = fsdp_paper,
        .errata = "",
        .topics = "N6 M12",
        .evaluate =
            [](inputs x) {
              return prefetched_backward(sharded_layer{.gather = seconds{x[1]},
                                                       .backward = seconds{x[2]},
                                                       .reduce_scatter = seconds{x[3]}},
                                         whole(x[0]))
                  .in(units::second);
            },
        .examples = {{{10, 1, 4, 1}, 42, 1e-12, "one gather and one reduce-scatter show"},
                     {{3, 2, 1, 1}, 9, 1e-12, "2 + 2 + 3 + 1 + 1, event by event"}}},
    formula{.name = "blocking_forward",
            .header = "comm/prefetch.hpp",
            .meaning = "Forward pass over sharded layers, nothing gathered ahead",
            .text = "L (a + f)",
            .latex = R"(L (a + f))",
            .symbols = {layer_count, layer_gather, {"f", "forward pass of a layer", "s", ">= 0"}},
            .result = "s",
            .validity = "each layer waits for its weights",
            .source = fsdp_paper,
            .errata = "",
            .topics = "N6 M12",
            .evaluate =
                [](inputs x) {
                  return blocking_forward(
                             sharded_layer{.gather = seconds{x[1]}, .forward = seconds{x[2]}},
                             whole(x[0]))
                      .in(units::second);
                },
            .examples = {{{10, 1, 2}, 30, 1e-12, "ten layers of 3 s"}}},
    formula{.name = "blocking_backward",
            .header = "comm/prefetch.hpp",
            .meaning = "Backward pass over sharded layers, nothing gathered ahead",
            .text = "L (a + b + r)",
            .latex = R"(L (a + b + r))",
            .symbols = {layer_count, layer_gather, layer_backward, layer_scatter},
            .result = "s",
            .validity = "each layer waits for its weights, and for its gradients to be sent",
            .source = fsdp_paper,
            .errata = "",
            .topics = "N6 M12",
            .evaluate =
                [](inputs x) {
                  return blocking_backward(sharded_layer{.gather = seconds{x[1]},
                                                         .backward = seconds{x[2]},
                                                         .reduce_scatter = seconds{x[3]}},
                                           whole(x[0]))
                      .in(units::second);
                },
            .examples = {{{10, 1, 4, 1}, 60, 1e-12, "ten layers of 6 s"}}},
    formula{
        .name = "prefetch_bound",
        .header = "comm/prefetch.hpp",
        .meaning = "What a pass cannot beat however far ahead it gathers",
        .text = "max(C, M)",
        .latex = R"(\max(C, M))",
        .symbols = {whole_computation, whole_communication},
        .result = "s",
        .validity = "always",
        .source = fsdp_paper,
        .errata = "",
        .topics = "N6",
        .evaluate =
            [](inputs x) { return prefetch_bound(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{20, 10}, 20, 1e-12, "by hand"}}},
    formula{.name = "beside_each_other",
            .header = "comm/contention.hpp",
            .meaning = "Computation and communication that slow each other while both run",
            .text = "k C + M - k C/l if k C <= l M, else l M + C - l M/k",
            .latex = R"(k C + M - \frac{k C}{l} \text{ if } k C \le l M, \text{ else }
                        l M + C - \frac{l M}{k})",
            .symbols = {whole_computation,
                        whole_communication,
                        {"k", "computation takes so many times as long", "1", ">= 1"},
                        {"l", "communication takes so many times as long", "1", ">= 1"}},
            .result = "s",
            .validity = "both begin together",
            .source = "by hand: each goes on at its own pace once the other has ended; the factors "
                      "after S. Rashidi et al., \"Enabling Compute-Communication Overlap in "
                      "Distributed Deep Learning Training Platforms\", ISCA (2021)",
            .errata = "",
            .topics = "N6",
            .evaluate =
                [](inputs x) {
                  return beside_each_other(seconds{x[0]}, seconds{x[1]}, {x[2], x[3]})
                      .in(units::second);
                },
            .examples = {{{4, 10, 1.25, 2}, 12.5, 1e-12, "2.5 of 10 done in the first 5 s"},
                         {{3, 2, 1, 1}, 3, 1e-12, "without interference the longer"}}},
    formula{.name = "slowdown_at_share",
            .header = "comm/contention.hpp",
            .meaning = "How much longer computation takes beside kernels that hold a share of the "
                       "multiprocessors",
            .text = "1/(1 - s)",
            .latex = R"(\frac{1}{1 - s})",
            .symbols = {{"s", "share of the multiprocessors", "1", ">= 0, < 1"}},
            .result = "1",
            .validity = "computation is bound by multiprocessors",
            .source = "S. Rashidi et al., \"Enabling Compute-Communication Overlap in Distributed "
                      "Deep Learning Training Platforms\", ISCA (2021)",
            .errata = "",
            .topics = "N6",
            .evaluate = [](inputs x) { return slowdown_at_share(x[0]); },
            .examples = {{{0.2}, 1.25, 1e-12, "four fifths are left"}}},
    formula{.name = "shared_bandwidth",
            .header = "comm/contention.hpp",
            .meaning = "What a flow gets of a link that others share",
            .text = "min(W, C/n)",
            .latex = R"(\min\left(W, \frac{C}{n}\right))",
            .symbols = {one_way,
                        {"n", "flows on the link", "count", ">= 1"},
                        {"C", "capacity of the link", "B/s", "> 0"}},
            .result = "B/s",
            .validity = "equal flows share the link fairly",
            .source = "D. Bertsekas and R. Gallager, \"Data Networks\", 2nd ed., Prentice Hall "
                      "(1992), section 6.5, max-min fairness",
            .errata = "",
            .topics = "N6",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(
                      shared_bandwidth(bytes_per_second{x[0]}, x[1], bytes_per_second{x[2]}));
                },
            .examples = {{{50e9, 4, 100e9}, 25e9, 1e-12, "a quarter of 100 GB/s"},
                         {{50e9, 1, 100e9}, 50e9, 1e-12, "no more than its own"}}},
    formula{.name = "oversubscribed_bandwidth",
            .header = "comm/contention.hpp",
            .meaning = "What a node gets beyond its leaf switch when all send",
            .text = "W/o",
            .latex = R"(\frac{W}{o})",
            .symbols = {one_way, {"o", "ports down over ports up", "1", ">= 1"}},
            .result = "B/s",
            .validity = "all nodes of the leaf send across it at once",
            .source =
                "M. Al-Fares, A. Loukissas and A. Vahdat, \"A Scalable, Commodity Data Center "
                "Network Architecture\", SIGCOMM (2008) 63-74",
            .errata = "",
            .topics = "N6",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(oversubscribed_bandwidth(bytes_per_second{x[0]}, x[1]));
                },
            .examples = {{{50e9, 2}, 25e9, 1e-12, "two to one"}}},
    formula{.name = "fullest_uplink",
            .header = "comm/contention.hpp",
            .meaning = "Flows on the fullest of some uplinks that are taken at random",
            .text = "f/u + sqrt(2 f/u ln u)",
            .latex = R"(\frac{f}{u} + \sqrt{\frac{2 f}{u} \ln u})",
            .symbols = {{"f", "flows", "count", ">= 0"}, {"u", "uplinks", "count", ">= 1"}},
            .result = "count",
            .validity =
                "many flows on each uplink; 14% to 5% too large at 16 flows on each of 2 to "
                "64 uplinks",
            .source = "M. Raab and A. Steger, \"'Balls into Bins': A Simple and Tight Analysis\", "
                      "RANDOM (1998) 159-170",
            .errata = "",
            .topics = "N6",
            .evaluate = [](inputs x) { return fullest_uplink(x[0], whole(x[1])); },
            .examples = {{{7, 1}, 7, 1e-12, "one uplink takes all"},
                         {{256, 16}, 25.42, 1e-3, "16 + sqrt(32 ln 16)"}}},
    formula{.name = "synchronization_saving",
            .header = "comm/synchronization.hpp",
            .meaning = "Share of communication saved by synchronising once in k steps",
            .text = "1 - 1/k",
            .latex = R"(1 - \frac{1}{k})",
            .symbols = {{"k", "steps from one synchronisation to the next", "count", ">= 1"}},
            .result = "1",
            .validity = "each synchronisation costs the same",
            .source = "S. U. Stich, \"Local SGD Converges Fast and Communicates Little\", ICLR "
                      "(2019)",
            .errata = "A guide says 75% for k = 4 in one place and 60% in another: it is 75%.",
            .topics = "N5 N8",
            .evaluate = [](inputs x) { return synchronization_saving(whole(x[0])); },
            .examples = {{{4}, 0.75, 1e-12, "three of four are left out"}}},
    formula{.name = "synchronization_efficiency",
            .header = "comm/synchronization.hpp",
            .meaning = "Share of the time that is computation, when every k steps synchronise",
            .text = "E = k c/(k c + m)",
            .latex = R"(E = \frac{k c}{k c + m})",
            .symbols = {{"k", "steps from one synchronisation to the next", "count", ">= 1"},
                        {"c", "computation of a step", "s", "> 0"},
                        {"m", "what shows of a synchronisation", "s", ">= 0"}},
            .result = "1",
            .validity = "steps take equally long",
            .source = "S. U. Stich, \"Local SGD Converges Fast and Communicates Little\", ICLR "
                      "(2019)",
            .errata = "",
            .topics = "N5 N8",
            .evaluate =
                [](inputs x) {
                  return synchronization_efficiency(whole(x[0]), seconds{x[1]}, seconds{x[2]});
                },
            .examples = {{{3, 10, 10}, 0.75, 1e-12, "30 of 40 s"}}},
    formula{.name = "steps_for_efficiency",
            .header = "comm/synchronization.hpp",
            .meaning = "The fewest steps from one synchronisation to the next that reach an "
                       "efficiency",
            .text = "k = ceil(E m/((1 - E) c)), at least 1",
            .latex = R"(k = \left\lceil \frac{E m}{(1 - E) c} \right\rceil)",
            .symbols = {{"c", "computation of a step", "s", "> 0"},
                        {"m", "what shows of a synchronisation", "s", ">= 0"},
                        {"E", "efficiency", "1", ">= 0, < 1"}},
            .result = "count",
            .validity = "steps take equally long",
            .source = "S. U. Stich, \"Local SGD Converges Fast and Communicates Little\", ICLR "
                      "(2019)",
            .errata = "",
            .topics = "N8",
            .evaluate =
                [](inputs x) { return steps_for_efficiency(seconds{x[0]}, seconds{x[1]}, x[2]); },
            .examples = {{{10, 10, 0.75}, 3, 1e-12, "30 of 40 s"},
                         {{10, 10, 0.76}, 4, 1e-12, "3.17 rounded up"}}},
    formula{.name = "bandwidth_for_efficiency",
            .header = "comm/synchronization.hpp",
            .meaning = "Bandwidth at which a ring all-reduce leaves an efficiency",
            .text = "W = B m/(c (1/E - 1) + h - A alpha)",
            .latex = R"(W = \frac{B m}{c \left(\frac{1}{E} - 1\right) + h - A \alpha})",
            .symbols = {rank_count,
                        message_size,
                        start_up,
                        {"c", "computation of a step", "s", "> 0"},
                        {"h", "what hides behind it", "s", ">= 0"},
                        {"E", "efficiency", "1", "> 0, <= 1"}},
            .result = "B/s",
            .validity = "the latency alone is shorter than what communication may take",
            .source = chan,
            .errata = "A guide's 2 N S p/t is the aggregate of p GPUs for large p; a GPU's link "
                      "carries 2 (p - 1)/p N S/t.",
            .topics = "N4 N8",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(
                      bandwidth_for_efficiency(cost_of(all_reduce_algorithm::ring, whole(x[0])),
                                               bytes{x[1]}, seconds{x[2]}, seconds{x[3]},
                                               seconds{x[4]}, x[5])
                          .bandwidth);
                },
            .examples = {{{8, 8e9, 0, 9, 0, 0.9}, 14e9, 1e-12, "14 GB in the tenth second"},
                         {{8, 8e9, 0, 9, 6, 0.9}, 2e9, 1e-12, "6 s hidden"}}},
    formula{.name = "compressed_time_of",
            .header = "comm/synchronization.hpp",
            .meaning = "Time of a ring all-reduce of compressed gradients",
            .text = "2 (p - 1) alpha + 2 (p - 1)/p m/(x W) + q m",
            .latex = R"(2 (p - 1) \alpha + \frac{2 (p - 1)}{p} \frac{m}{x W} + q m)",
            .symbols = {rank_count,
                        message_size,
                        start_up,
                        one_way,
                        {"x", "bytes before over bytes sent", "1", ">= 1"},
                        {"q", "time to compress and expand a byte", "s/B", ">= 0"}},
            .result = "s",
            .validity = "what is sent can be summed as it is",
            .source = "T. Vogels, S. P. Karimireddy and M. Jaggi, \"PowerSGD: Practical Low-Rank "
                      "Gradient Compression for Distributed Optimization\", NeurIPS (2019)",
            .errata = "",
            .topics = "N5",
            .evaluate =
                [](inputs x) {
                  return compressed_time_of(
                             cost_of(all_reduce_algorithm::ring, whole(x[0])),
                             link_with(x[2], x[3]), bytes{x[1]},
                             compression{.ratio = x[4], .encoding = seconds_per_byte{x[5]}})
                      .total()
                      .in(units::second);
                },
            .examples = {{{8, 8e9, 0, 1e9, 4, 0}, 3.5, 1e-12, "a quarter of 14 s"},
                         {{8, 8e9, 0, 1e9, 4, 1e-9}, 11.5, 1e-12, "and 8 s to compress"}}},
    formula{.name = "pipelined_time",
            .header = "comm/pipelined_link.hpp",
            .meaning = "Time of a collective that cuts its message as is best for its size",
            .text = "T = t0 + 2 sqrt(f m/B) + m/B",
            .latex = R"(T = t_0 + 2 \sqrt{\frac{f m}{B}} + \frac{m}{B})",
            .symbols = {message_size,
                        {"t0", "time of an empty message", "s", ">= 0"},
                        {"f", "latency of a pipeline that fills", "s", ">= 0"},
                        {"B", "bandwidth of the algorithm", "B/s", "> 0"}},
            .result = "s",
            .validity =
                "within the sizes of a fit; follows NCCL's sweeps to 3% to 7% in the median",
            .source = two_trees,
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  return pipelined_time(pipelined_link{.latency = seconds{x[1]},
                                                       .fill = seconds{x[2]},
                                                       .bandwidth = bytes_per_second{x[3]}},
                                        bytes{x[0]})
                      .total()
                      .in(units::second);
                },
            .examples = {{{4e9, 3, 1, 1e9}, 11, 1e-12, "3 + 2 x 2 + 4"}}},
    formula{.name = "nccl_group_on",
            .header = "comm/nccl_fabric.hpp",
            .meaning = "Rate of a ring's channel on one node whose links are known",
            .text = "W/16",
            .latex = R"(\frac{W}{16})",
            .symbols = {rank_count, one_way},
            .result = "B/s",
            .validity = "all GPUs reach all links; one rank on each",
            .source = nccl_source,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(
                      nccl_group_on(hopper_node(x[1]), whole(x[0]), 1).ring.inside);
                },
            .examples = {{{8, 400e9}, 25e9, 1e-12, "sixteen channels"}}},
    formula{.name = "nvls_expected",
            .header = "comm/nccl.hpp",
            .meaning = "Time of an all-reduce that the switch of a Hopper node sums",
            .text = "25 us + (p + 1)/p m/(0.85 W)",
            .latex = R"(25\,\mu\text{s} + \frac{p + 1}{p} \frac{m}{0.85 W})",
            .symbols = {rank_count, message_size, one_way},
            .result = "s",
            .validity = "one node of Hopper GPUs on a switch that sums",
            .source = nccl_source,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return nvls_expected(nccl_group_on(hopper_node(x[2]), whole(x[0]), 1),
                                       nccl_algorithm::nvls, bytes{x[1]})
                      ->total()
                      .in(units::second);
                },
            .examples =
                {{{8, 0, 400e9}, 25e-6, 1e-12, "an empty message"},
                 {{8, 8589934592.0, 367.2e9},
                  0.03177,
                  0.03,
                  "8 GiB on eight H200, measured: S. Bekman, \"Machine Learning Engineering "
                  "Open Book\", network/README.md (2025)"}}},
    formula{.name = "nccl_expected",
            .header = "comm/nccl.hpp",
            .meaning = "Time of the all-reduce that NCCL takes on a node of Hopper GPUs",
            .text = "min over algorithms and protocols",
            .latex = R"(\min_{a, p} T_{a, p}(m))",
            .symbols = {rank_count, message_size, one_way},
            .result = "s",
            .validity = "a collective on its own, launches by the host hidden",
            .source = nccl_source,
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return nccl_expected(nccl_group_on(hopper_node(x[2]), whole(x[0]), 1),
                                       collective::all_reduce, bytes{x[1]})
                      ->total()
                      .in(units::second);
                },
            .examples = {{{8, 0, 400e9}, 15e-6, 1e-12, "a ring by 8 byte: 6.6 + 14 x 0.6 us"}}}};

}  // namespace gpuplan::registry
