#pragma once
/// \file
/// Rows of comm/: one message, the links of a group, bandwidths as benchmarks print them.

#include <array>

#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/eager_rendezvous.hpp>
#include <gpuplan/comm/group_link.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/loggp.hpp>
#include <gpuplan/comm/max_rate.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr symbol message_size{"m", "message", "B", ">= 0"};
inline constexpr symbol start_up{"alpha", "start-up time of a message", "s", ">= 0"};
inline constexpr symbol one_way{"W", "bandwidth, one direction", "B/s", "> 0"};
inline constexpr symbol rank_count{"p", "ranks", "count", ">= 1"};
inline constexpr symbol collective_place{
    "c", "collective", "count", "0 to 6",
    "all_reduce reduce_scatter all_gather all_to_all broadcast reduce send_receive"};

/// A link of a start-up time and a bandwidth.
constexpr interconnect link_with(double latency, double bandwidth) {
  return {.latency = seconds{latency}, .bandwidth = bytes_per_second{bandwidth}};
}

/// The number that a row gives for a rate.
constexpr double bytes_a_second(const bytes_per_second& rate) {
  return rate.in(units::byte / units::second);
}

inline constexpr std::string_view nccl_tests =
    "NVIDIA, \"NCCL Tests\", doc/PERFORMANCE.md, github.com/NVIDIA/nccl-tests (2025)";
inline constexpr std::string_view loggp_paper =
    "A. Alexandrov, M. Ionescu, K. Schauser and C. Scheiman, \"LogGP: Incorporating Long Messages "
    "into the LogP Model\", SPAA (1995) 95-105";

inline constexpr std::array comm_link_formulas{
    formula{.name = "message_time",
            .header = "comm/hockney.hpp",
            .meaning = "Time of one message between two ranks",
            .text = "T = alpha + m / W",
            .latex = R"(T = \alpha + \frac{m}{W})",
            .symbols = {message_size, start_up, one_way},
            .result = "s",
            .validity = "nothing else uses the link; alpha does not depend on m",
            .source = "R. Hockney, \"The communication challenge for MPP: Intel Paragon and Meiko "
                      "CS-2\", Parallel Computing 20 (1994) 389-398",
            .errata = "Papers write beta for 1/W and for W.",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  return message_time(link_with(x[1], x[2]), bytes{x[0]}).total().in(units::second);
                },
            .examples = {{{3e9, 0, 12.5e9}, 0.24, 1e-15, "3 GB over 100 Gbit/s"}}},
    formula{.name = "message_time",
            .header = "comm/eager_rendezvous.hpp",
            .meaning = "Time of one message where short ones take another protocol",
            .text = "alpha_e + m / W for m <= S, else alpha_r + m / W",
            .latex = R"(T = \alpha_{e,r} + \frac{m}{W})",
            .symbols = {message_size,
                        {"S", "largest eager message", "B", ">= 0"},
                        {"alpha_e", "start-up time of eager ones", "s", ">= 0"},
                        {"alpha_r", "of the others, a round trip more", "s", ">= 0"},
                        one_way},
            .result = "s",
            .validity = "may jump at S",
            .source =
                "T. Hoefler, T. Schneider and A. Lumsdaine, \"LogGP in Theory and Practice\", "
                "Simulation Modelling Practice and Theory 17 (2009) 1511-1521",
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  const eager_rendezvous link{.limit = bytes{x[1]},
                                              .eager = link_with(x[2], x[4]),
                                              .rendezvous = link_with(x[3], x[4])};
                  return message_time(link, bytes{x[0]}).total().in(units::second);
                },
            .examples = {{{1000, 8192, 1e-6, 5e-6, 1e9}, 2e-6, 1e-12, "1 + 1 us"},
                         {{1e6, 8192, 1e-6, 5e-6, 1e9}, 1.005e-3, 1e-12, "5 + 1000 us"}}},
    formula{.name = "loggp_messages_time",
            .header = "comm/loggp.hpp",
            .meaning = "Time of some messages of equal size, by LogGP",
            .text = "(k - 1) max(o, g + (m - 1) G) + o + (m - 1) G + L + o",
            .latex = R"((k - 1) \max(o,\, g + (m - 1) G) + L + 2 o + (m - 1) G)",
            .symbols = {{"k", "messages", "count", ">= 1"},
                        {"m", "size of each", "B", ">= 1"},
                        {"L", "latency", "s", ">= 0"},
                        {"o", "overhead of a processor", "s", ">= 0"},
                        {"g", "gap between messages", "s", ">= 0"},
                        {"G", "gap between bytes", "s/B", ">= 0"}},
            .result = "s",
            .validity = "no contention, at most L/g messages under way",
            .source = loggp_paper,
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  const loggp net{.latency = seconds{x[2]},
                                  .overhead = seconds{x[3]},
                                  .gap = seconds{x[4]},
                                  .gap_per_byte = seconds_per_byte{x[5]}};
                  return loggp_messages_time(net, static_cast<std::int64_t>(x[0]), bytes{x[1]})
                      .total()
                      .in(units::second);
                },
            .examples = {{{1, 1, 5e-6, 2e-6, 4e-6, 0}, 9e-6, 1e-12, "L + 2 o of LogP"},
                         {{3, 1, 5e-6, 2e-6, 4e-6, 0}, 17e-6, 1e-12, "and 2 g more"}}},
    formula{.name = "loggp_message_time",
            .header = "comm/loggp.hpp",
            .meaning = "Time of one message, by LogGP",
            .text = "o + (m - 1) G + L + o",
            .latex = R"(L + 2 o + (m - 1) G)",
            .symbols = {{"m", "message", "B", ">= 1"},
                        {"L", "latency", "s", ">= 0"},
                        {"o", "overhead of a processor", "s", ">= 0"},
                        {"G", "gap between bytes", "s/B", ">= 0"}},
            .result = "s",
            .validity = "no contention",
            .source = loggp_paper,
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  const loggp net{.latency = seconds{x[1]},
                                  .overhead = seconds{x[2]},
                                  .gap_per_byte = seconds_per_byte{x[3]}};
                  return loggp_message_time(net, bytes{x[0]}).total().in(units::second);
                },
            .examples = {{{1001, 5e-6, 2e-6, 1e-9}, 1e-5, 1e-12, "9 us + 1000 G"}}},
    formula{.name = "interconnect_of",
            .header = "comm/loggp.hpp",
            .meaning = "Start-up time of the alpha-beta model that agrees with LogGP",
            .text = "alpha = L + 2 o - G",
            .latex = R"(\alpha = L + 2 o - G,\quad W = 1/G)",
            .symbols = {{"L", "latency", "s", ">= 0"},
                        {"o", "overhead of a processor", "s", ">= 0"},
                        {"G", "gap between bytes", "s/B", "> 0"}},
            .result = "s",
            .validity = "L + 2 o >= G",
            .source = loggp_paper,
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  const loggp net{.latency = seconds{x[0]},
                                  .overhead = seconds{x[1]},
                                  .gap_per_byte = seconds_per_byte{x[2]}};
                  return interconnect_of(net).latency.in(units::second);
                },
            .examples = {{{5e-6, 2e-6, 1e-9}, 8.999e-6, 1e-12, "9 us less one byte"}}},
    formula{.name = "max_rate_message_time",
            .header = "comm/max_rate.hpp",
            .meaning = "Time of messages of several ranks that leave a node by one port",
            .text = "alpha + k m / min(R, k W)",
            .latex = R"(\alpha + \frac{k m}{\min(R, k W)})",
            .symbols = {{"k", "ranks that send", "count", ">= 1"},
                        message_size,
                        start_up,
                        {"W", "what one rank can send", "B/s", "> 0"},
                        {"R", "what the port can send", "B/s", "> 0"}},
            .result = "s",
            .validity = "all start at once",
            .source = "W. Gropp, L. Olson and P. Samfass, \"Modeling MPI Communication Performance "
                      "on SMP Nodes: Is it Time to Retire the Ping Pong Test\", EuroMPI (2016) "
                      "41-50",
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  return max_rate_message_time(link_with(x[2], x[3]), whole(x[0]),
                                               bytes_per_second{x[4]}, bytes{x[1]})
                      .total()
                      .in(units::second);
                },
            .examples = {{{4, 1e9, 0, 10e9, 20e9}, 0.2, 1e-12, "4 GB through 20 GB/s"},
                         {{1, 1e9, 0, 10e9, 20e9}, 0.1, 1e-12, "one rank fills half the port"}}},
    formula{.name = "group_link",
            .header = "comm/group_link.hpp",
            .meaning = "Bandwidth that joins a group of ranks, by where its members lie",
            .text = "inside a node W1; across nodes min(k W2, W1)",
            .latex = R"(\min(k W_2, W_1))",
            .symbols = {{"g", "GPUs of a node", "count", ">= 1"},
                        {"stride", "GPUs between two members", "count", ">= 1"},
                        rank_count,
                        {"W1", "inside a node", "B/s", "> 0"},
                        {"W2", "of one port of the fabric", "B/s", "> 0"}},
            .result = "B/s",
            .validity = "rings that use each member's port in turn",
            .source = "NVIDIA, \"NCCL\", src/graph/search.cc (2.30, 2026)",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const node box{.gpus = whole(x[0]),
                                 .scale_up = link_with(0, x[3]),
                                 .fabric = link_with(0, x[4])};
                  return bytes_a_second(group_link(box, whole(x[1]), whole(x[2])).bandwidth);
                },
            .examples = {{{8, 1, 8, 450e9, 50e9}, 450e9, 0, "one node"},
                         {{8, 8, 4, 450e9, 50e9}, 50e9, 0, "one member a node"},
                         {{8, 1, 16, 450e9, 50e9}, 400e9, 0, "eight ports at once"}}},
    formula{
        .name = "bus_factor",
        .header = "comm/bandwidth.hpp",
        .meaning = "What bus bandwidth is of algorithm bandwidth",
        .text = "all-reduce 2 (p - 1)/p; reduce-scatter, all-gather, all-to-all (p - 1)/p; else 1",
        .latex = R"(\frac{2 (p - 1)}{p},\quad \frac{p - 1}{p},\quad 1)",
        .symbols = {collective_place, rank_count},
        .result = "1",
        .validity = "ranks alone sum",
        .source = nccl_tests,
        .errata = "",
        .topics = "N3 N4",
        .evaluate =
            [](inputs x) {
              return bus_factor(collectives[static_cast<std::size_t>(x[0])], whole(x[1]));
            },
        .examples = {{{0, 8}, 1.75, 0, "14/8"}, {{2, 8}, 0.875, 0, "7/8"}}},
    formula{.name = "algorithm_bandwidth",
            .header = "comm/bandwidth.hpp",
            .meaning = "Algorithm bandwidth of a measured collective",
            .text = "m / t",
            .latex = R"(m / t)",
            .symbols = {message_size, {"t", "time", "s", "> 0"}},
            .result = "B/s",
            .validity = "m as NCCL's tests count it",
            .source = nccl_tests,
            .errata = "",
            .topics = "N4",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(algorithm_bandwidth(bytes{x[0]}, seconds{x[1]}));
                },
            .examples = {{{1e9, 0.01}, 100e9, 1e-12, "1 GB in 10 ms"}}},
    formula{.name = "bus_bandwidth",
            .header = "comm/bandwidth.hpp",
            .meaning = "Bus bandwidth of a measured all-reduce",
            .text = "2 (p - 1)/p m / t",
            .latex = R"(\frac{2 (p - 1)}{p} \cdot \frac{m}{t})",
            .symbols = {rank_count, message_size, {"t", "time", "s", "> 0"}},
            .result = "B/s",
            .validity = "the rate of a wire only where the algorithm moves just those bytes",
            .source = nccl_tests,
            .errata = "",
            .topics = "N4",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(bus_bandwidth(collective::all_reduce, whole(x[0]),
                                                      bytes{x[1]}, seconds{x[2]}));
                },
            .examples = {{{8, 1e9, 0.01}, 175e9, 1e-12, "1.75 x 100 GB/s"}}},
    formula{.name = "time_at_bus_bandwidth",
            .header = "comm/bandwidth.hpp",
            .meaning = "Time of an all-reduce that goes with a bus bandwidth",
            .text = "2 (p - 1)/p m / W",
            .latex = R"(\frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
            .symbols = {rank_count, message_size, one_way},
            .result = "s",
            .validity = "large messages",
            .source = nccl_tests,
            .errata = "A chapter has 5 ms for 3 GB over 600 GB/s; as a ring of 8 it is 8.75 ms.",
            .topics = "N4",
            .evaluate =
                [](inputs x) {
                  return time_at_bus_bandwidth(collective::all_reduce, whole(x[0]), bytes{x[1]},
                                               bytes_per_second{x[2]})
                      .in(units::second);
                },
            .examples = {{{8, 3e9, 600e9}, 0.00875, 1e-12, "7/4 x 5 ms"}}},
    formula{.name = "nvls_bus_bandwidth_limit",
            .header = "comm/bandwidth.hpp",
            .meaning = "The most that the bus bandwidth of an all-reduce in a switch can be",
            .text = "2 (p - 1)/(p + 1) W",
            .latex = R"(\frac{2 (p - 1)}{p + 1} W)",
            .symbols = {{"p", "ranks", "count", ">= 2"}, one_way},
            .result = "B/s",
            .validity = "NVLink SHARP",
            .source =
                "A. Ishii and R. Wells, \"The NVLink-Network Switch: NVIDIA's Switch Chip for "
                "High Communication-Bandwidth SuperPODs\", Hot Chips 34 (2022)",
            .errata = "",
            .topics = "N2",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(
                      nvls_bus_bandwidth_limit(bytes_per_second{x[1]}, whole(x[0])));
                },
            .examples = {{{8, 450e9}, 700e9, 1e-12, "14/9 of 450"}}},
    formula{.name = "port_bandwidth",
            .header = "comm/bandwidth.hpp",
            .meaning = "What each port of a node carries in an all-reduce, from its bus bandwidth",
            .text = "(N - 1)/(N k) n/(n - 1) W_bus",
            .latex = R"(\frac{N - 1}{N k} \cdot \frac{n}{n - 1} W_{bus})",
            .symbols = {{"g", "ranks of a node", "count", ">= 1"},
                        {"N", "nodes", "count", ">= 1"},
                        {"k", "ports of a node", "count", ">= 1"},
                        {"W_bus", "bus bandwidth", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "hierarchical all-reduce, n = g N",
            .source = nccl_tests,
            .errata = "",
            .topics = "N4",
            .evaluate =
                [](inputs x) {
                  return bytes_a_second(port_bandwidth(bytes_per_second{x[3]}, whole(x[0]),
                                                       whole(x[1]), whole(x[2])));
                },
            .examples = {{{8, 2, 8, 450e9}, 30e9, 1e-12, "(N - 1)/(n - 1) = 1/15 of 450"}}}};

}  // namespace gpuplan::registry
