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
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// A link of a start-up time and a bandwidth.
constexpr interconnect link_with(double latency, double bandwidth) {
  return {.latency = seconds{latency}, .bandwidth = bytes_per_second{bandwidth}};
}

/// The number that a row gives for a rate.
constexpr double bytes_a_second(const bytes_per_second& rate) {
  return rate.in(units::byte / units::second);
}

inline constexpr std::array comm_link_rows{
    row{.call = "comm/hockney.hpp: message_time(m, alpha, W) in s",
        .latex = R"(T = \alpha + \frac{m}{W})",
        .errata = "Papers write beta for 1/W and for W.",
        .topics = "N1",
        .evaluate =
            [](inputs x) {
              return message_time(link_with(x[1], x[2]), bytes{x[0]}).total().in(units::second);
            },
        .examples = {{{3e9, 0, 12.5e9}, 0.24, 1e-15, "3 GB over 100 Gbit/s"}}},
    /// Time of one message where short ones take another protocol.
    ///
    ///     alpha_e + m / W for m <= S, else alpha_r + m / W
    ///
    ///     S        largest eager message               B, >= 0
    ///     alpha_e  start-up time of eager ones         s, >= 0
    ///     alpha_r  of the others, a round trip more    s, >= 0
    ///     W        bandwidth, one direction            B/s, > 0
    ///
    /// Holds: may jump at S.
    row{.call = "comm/eager_rendezvous.hpp: message_time(m, S, alpha_e, alpha_r, W) in s",
        .latex = R"(T = \alpha_{e,r} + \frac{m}{W})",
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
    ///     L  latency                    s, >= 0
    ///     o  overhead of a processor    s, >= 0
    ///     g  gap between messages       s, >= 0
    ///     G  gap between bytes          s/B, >= 0
    row{.call = "comm/loggp.hpp: loggp_messages_time(k, m, L, o, g, G) in s",
        .latex = R"((k - 1) \max(o,\, g + (m - 1) G) + L + 2 o + (m - 1) G)",
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
    row{.call = "comm/loggp.hpp: loggp_message_time(m, L, o, G) in s",
        .latex = R"(L + 2 o + (m - 1) G)",
        .topics = "N1",
        .evaluate =
            [](inputs x) {
              const loggp net{.latency = seconds{x[1]},
                              .overhead = seconds{x[2]},
                              .gap_per_byte = seconds_per_byte{x[3]}};
              return loggp_message_time(net, bytes{x[0]}).total().in(units::second);
            },
        .examples = {{{1001, 5e-6, 2e-6, 1e-9}, 1e-5, 1e-12, "9 us + 1000 G"}}},
    row{.call = "comm/loggp.hpp: interconnect_of(L, o, G) in s",
        .latex = R"(\alpha = L + 2 o - G,\quad W = 1/G)",
        .topics = "N1",
        .evaluate =
            [](inputs x) {
              const loggp net{.latency = seconds{x[0]},
                              .overhead = seconds{x[1]},
                              .gap_per_byte = seconds_per_byte{x[2]}};
              return interconnect_of(net).latency.in(units::second);
            },
        .examples = {{{5e-6, 2e-6, 1e-9}, 8.999e-6, 1e-12, "9 us less one byte"}}},
    row{.call = "comm/max_rate.hpp: max_rate_message_time(k, m, alpha, W, R) in s",
        .latex = R"(\alpha + \frac{k m}{\min(R, k W)})",
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
    /// Bandwidth that joins a group of ranks, by where its members lie.
    ///
    ///     inside a node W1
    ///     across nodes min(k W2, W1)
    ///
    ///     g       GPUs of a node               count, >= 1
    ///     stride  GPUs between two members     count, >= 1
    ///     p       ranks                        count, >= 1
    ///     W1      inside a node                B/s, > 0
    ///     W2      of one port of the fabric    B/s, > 0
    ///
    /// Holds: rings that use each member's port in turn.
    row{.call = "comm/group_link.hpp: group_link(g, stride, p, W1, W2) in B/s",
        .latex = R"(\min(k W_2, W_1))",
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
    /// Bandwidth that joins the slowest of a job's groups of contiguous ranks.
    ///
    ///     g divides by p, or p <= n <= g    W1
    ///     otherwise                         min(gcd(p, g) W2, W1)
    ///
    ///     g   GPUs of a node               count, >= 1
    ///     p   ranks of a group             count, >= 1
    ///     n   GPUs of the job              count, >= p
    ///     W1  inside a node                B/s, > 0
    ///     W2  of one port of the fabric    B/s, > 0
    ///
    /// Holds: n of lcm(p, g) and more; a job of fewer GPUs may be faster.
    row{.call = "comm/group_link.hpp: contiguous_group_link(g, p, n, W1, W2) in B/s",
        .latex = R"(\min(\gcd(p, g) W_2, W_1))",
        .evaluate =
            [](inputs x) {
              const node_links box{.gpus = whole(x[0]),
                                   .scale_up = link_with(0, x[3]),
                                   .fabric = link_with(0, x[4])};
              return bytes_a_second(contiguous_group_link(box, whole(x[1]), whole(x[2])).bandwidth);
            },
        .examples = {{{8, 4, 64, 450e9, 50e9}, 450e9, 0, "groups that fill a node"},
                     {{8, 6, 96, 450e9, 50e9}, 100e9, 0, "2 ranks in one node, 4 in another"},
                     {{8, 6, 6, 450e9, 50e9}, 450e9, 0, "one group in one node"}}},
    /// Holds: ranks alone sum.
    row{.call = "comm/bandwidth.hpp: bus_factor(c, p) in 1",
        .latex = R"(\frac{2 (p - 1)}{p},\quad \frac{p - 1}{p},\quad 1)",
        .topics = "N3 N4",
        .evaluate =
            [](inputs x) {
              return bus_factor(collectives[static_cast<std::size_t>(x[0])], whole(x[1]));
            },
        .examples = {{{0, 8}, 1.75, 0, "14/8"}, {{2, 8}, 0.875, 0, "7/8"}}},
    row{.call = "comm/bandwidth.hpp: algorithm_bandwidth(m, t) in B/s",
        .latex = R"(m / t)",
        .topics = "N4",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(algorithm_bandwidth(bytes{x[0]}, seconds{x[1]}));
            },
        .examples = {{{1e9, 0.01}, 100e9, 1e-12, "1 GB in 10 ms"}}},
    row{.call = "comm/bandwidth.hpp: bus_bandwidth(p, m, t) in B/s",
        .latex = R"(\frac{2 (p - 1)}{p} \cdot \frac{m}{t})",
        .topics = "N4",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(
                  bus_bandwidth(collective::all_reduce, whole(x[0]), bytes{x[1]}, seconds{x[2]}));
            },
        .examples = {{{8, 1e9, 0.01}, 175e9, 1e-12, "1.75 x 100 GB/s"}}},
    row{.call = "comm/bandwidth.hpp: time_at_bus_bandwidth(p, m, W) in s",
        .latex = R"(\frac{2 (p - 1)}{p} \cdot \frac{m}{W})",
        .errata = "A chapter has 5 ms for 3 GB over 600 GB/s; as a ring of 8 it is 8.75 ms.",
        .topics = "N4",
        .evaluate =
            [](inputs x) {
              return time_at_bus_bandwidth(collective::all_reduce, whole(x[0]), bytes{x[1]},
                                           bytes_per_second{x[2]})
                  .in(units::second);
            },
        .examples = {{{8, 3e9, 600e9}, 0.00875, 1e-12, "7/4 x 5 ms"}}},
    row{.call = "comm/bandwidth.hpp: nvls_bus_bandwidth_limit(p, W) in B/s",
        .latex = R"(\frac{2 (p - 1)}{p + 1} W)",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(nvls_bus_bandwidth_limit(bytes_per_second{x[1]}, whole(x[0])));
            },
        .examples = {{{8, 450e9}, 700e9, 1e-12, "14/9 of 450"}}},
    row{.call = "comm/bandwidth.hpp: port_bandwidth(g, N, k, W_bus) in B/s",
        .latex = R"(\frac{N - 1}{N k} \cdot \frac{n}{n - 1} W_{bus})",
        .topics = "N4",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(
                  port_bandwidth(bytes_per_second{x[3]}, whole(x[0]), whole(x[1]), whole(x[2])));
            },
        .examples = {{{8, 2, 8, 450e9}, 30e9, 1e-12, "(N - 1)/(n - 1) = 1/15 of 450"}}}};
inline constexpr auto comm_link_formulas = with_words(comm_link_rows, words::comm_link_formulas);

}  // namespace gpuplan::registry
