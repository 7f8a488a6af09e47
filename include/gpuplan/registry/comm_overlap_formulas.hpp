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
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Hopper GPUs of one node whose switch sums, by the rate of their links.
constexpr nccl_machine hopper_node(double rate) {
  return {.inside = {.port = {.latency = 3.4 * units::us,
                              .advertised = per_direction(bytes_per_second{rate})}},
          .sums_in_node = true};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     p      ranks                         count, >= 1
///     m      message                       B, >= 0
///     alpha  start-up time of a message    s, >= 0
///     W      bandwidth, one direction      B/s, > 0
inline constexpr std::array comm_fastest_rows{
    /// Time of the quickest all-reduce, and which it is.
    ///
    ///     T = min over algorithms of A alpha + B m/W + C gamma m
    ///
    /// Holds: all pairs of ranks equally near, no contention.
    row{.call = "comm/fastest.hpp: fastest_all_reduce(p, m, alpha, W) in s",
        .latex = R"(T = \min_a \left( A_a \alpha + B_a \frac{m}{W} + C_a \gamma m \right))",
        .errata = "log2 p (alpha + 2 (p - 1)/p m/W), which a guide gives, multiplies a tree's "
                  "steps with a ring's bytes: none that sends so many starts so quickly.",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_all_reduce(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{8, 0, 1e-5, 1e9}, 3e-5, 1e-12, "recursive doubling: log2 8 messages"},
                     {{8, 8e9, 0, 1e9}, 14, 1e-12, "2 x 7/8 of 8 GB at 1 GB/s"}}},
    /// Time of the quickest reduce-scatter, and which it is.
    ///
    ///     T = ceil(log2 p) alpha + (p - 1)/p m/W
    ///
    /// Holds: all pairs of ranks equally near, no contention; sums are free.
    row{.call = "comm/fastest.hpp: fastest_reduce_scatter(p, m, alpha, W) in s",
        .latex = R"(T = \lceil \log_2 p \rceil \alpha + \frac{p - 1}{p} \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_reduce_scatter(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{5, 5e9, 1, 1e9}, 7, 1e-12, "3 messages, 4/5 of 5 GB at 1 GB/s"}}},
    /// Time of the quickest all-gather, and which it is.
    ///
    ///     T = ceil(log2 p) alpha + (p - 1)/p m/W
    ///
    /// Holds: all pairs of ranks equally near, no contention.
    row{.call = "comm/fastest.hpp: fastest_all_gather(p, m, alpha, W) in s",
        .latex = R"(T = \lceil \log_2 p \rceil \alpha + \frac{p - 1}{p} \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_all_gather(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{5, 5e9, 1, 1e9}, 7, 1e-12, "3 messages, 4/5 of 5 GB at 1 GB/s"}}},
    /// Time of the quickest all-to-all, and which it is.
    ///
    ///     T = alpha + (p - 1)/p m/W
    ///
    /// Holds: all sends start at once.
    row{.call = "comm/fastest.hpp: fastest_all_to_all(p, m, alpha, W) in s",
        .latex = R"(T = \alpha + \frac{p - 1}{p} \frac{m}{W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_all_to_all(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{5, 5e9, 1, 1e9}, 5, 1e-12, "one start, 4/5 of 5 GB at 1 GB/s"}}},
    /// Time of the quickest reduce, and which it is.
    ///
    ///     T = min(H alpha + H m/W, 2 H alpha + 2 (p - 1)/p m/W), H = ceil(log2 p)
    ///
    /// Holds: all pairs of ranks equally near, no contention; sums are free.
    row{.call = "comm/fastest.hpp: fastest_reduce(p, m, alpha, W) in s",
        .latex = R"(T = \min\left( H \alpha + H \frac{m}{W},
                        2 H \alpha + \frac{2 (p - 1)}{p} \frac{m}{W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_reduce(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{8, 0, 1, 1e9}, 3, 1e-12, "a binomial tree of height 3"},
                     {{8, 8e9, 0, 1e9}, 14, 1e-12, "2 x 7/8 of 8 GB at 1 GB/s"}}},
    /// Time of the quickest broadcast, which it is, and into how many segments it cuts the message.
    ///
    ///     T = min over algorithms and whole k of (f + k e) (alpha + m / (k e W))
    ///
    /// Holds: all pairs of ranks equally near, no contention.
    row{.call = "comm/fastest.hpp: fastest_broadcast(p, m, alpha, W) in s",
        .latex = R"(T = \min_{a, k} \left( f_a + k e_a \right)
                        \left( \alpha + \frac{m}{k e_a W} \right))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return fastest_broadcast(link_with(x[2], x[3]), whole(x[0]), bytes{x[1]})
                  .time.total()
                  .in(units::second);
            },
        .examples = {{{8, 0, 1, 1e9}, 3, 1e-12, "a binomial tree of height 3"},
                     {{2, 1e9, 1, 1e9}, 2, 1e-12, "one message"}}}};
inline constexpr auto comm_fastest_formulas =
    with_words(comm_fastest_rows, words::comm_fastest_formulas);

/// Their inputs, where neither a row nor its function says otherwise.
///
///     alpha  start-up time of a message         s, >= 0
///     W      bandwidth, one direction           B/s, > 0
///     a      all-gather of a layer's weights    s, >= 0
///     p      ranks                              count, >= 1
///     m      message                            B, >= 0
inline constexpr std::array comm_overlap_rows{
    /// What shows of gradients sent in two buckets while the backward pass goes on.
    ///
    ///     max(0, max(r2, r1 + t1) + t2 - b)
    ///
    ///     r1  when the first bucket is ready    s, >= 0
    ///     t1  collective of the first           s, >= 0
    ///     r2  when the second is ready          s, >= 0
    ///     t2  collective of the second          s, >= 0
    ///     b   the whole backward pass           s, >= 0
    ///
    /// Holds: one collective at a time, neither slows the other.
    row{.call = "comm/overlap.hpp: overlapped_buckets(r1, t1, r2, t2, b) in s",
        .latex = R"(\max(0, \max(r_2, r_1 + t_1) + t_2 - b))",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              const std::array<gradient_bucket, 2> two{
                  {{seconds{x[0]}, seconds{x[1]}}, {seconds{x[2]}, seconds{x[3]}}}};
              return overlapped_buckets<double>(two, seconds{x[4]}).exposed.in(units::second);
            },
        .examples = {{{1, 4, 2, 3, 6}, 2, 1e-12, "the second waits for the first until 5"},
                     {{1, 1, 5, 3, 6}, 2, 1e-12, "the second is ready at 5, done at 8"}}},
    row{.call = "comm/overlap.hpp: overlapped_uniform_buckets(k, c, m) in s",
        .latex = R"(m \text{ if } m \le c, \text{ else } k m - (k - 1) c)",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              return overlapped_uniform_buckets(whole(x[0]), seconds{x[1]}, seconds{x[2]})
                  .exposed.in(units::second);
            },
        .examples = {{{4, 3, 2}, 2, 1e-12, "the last bucket"},
                     {{4, 1, 2}, 5, 1e-12, "8 of communication, 3 hidden"}}},
    ///     as overlapped_buckets, buckets ready in proportion to the bytes before them
    ///
    ///     b  the whole backward pass    s, >= 0
    ///     G  gradients                  B, 0 to 1e18
    ///     B  bytes of a bucket          B, >= 1
    ///
    /// Holds: one collective at a time, neither slows the other.
    row{.call = "comm/overlap.hpp: overlapped_gradients(b, G, B, alpha, W) in s",
        .latex = R"(\max(0, e_{\text{last}} - b))",
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
    ///     f  forward pass of a layer    s, >= 0
    row{.call = "comm/prefetch.hpp: prefetched_forward(L, a, f) in s",
        .latex = R"(a + (L - 1) \max(f, a) + f)",
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
    ///     b  backward pass of a layer           s, >= 0
    ///     r  reduce-scatter of its gradients    s, >= 0
    row{.call = "comm/prefetch.hpp: prefetched_backward(L, a, b, r) in s",
        .latex = R"(a + L b + r \text{ if } b \ge a + r, \text{ else }
                        a + \max(a, b) + (L - 2)(a + r) + \max(b, r) + r)",
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
    row{.call = "comm/prefetch.hpp: blocking_forward(L, a, f) in s",
        .latex = R"(L (a + f))",
        .topics = "N6 M12",
        .evaluate =
            [](inputs x) {
              return blocking_forward(
                         sharded_layer{.gather = seconds{x[1]}, .forward = seconds{x[2]}},
                         whole(x[0]))
                  .in(units::second);
            },
        .examples = {{{10, 1, 2}, 30, 1e-12, "ten layers of 3 s"}}},
    row{.call = "comm/prefetch.hpp: blocking_backward(L, a, b, r) in s",
        .latex = R"(L (a + b + r))",
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
    row{.call = "comm/prefetch.hpp: prefetch_bound(C, M) in s",
        .latex = R"(\max(C, M))",
        .topics = "N6",
        .evaluate =
            [](inputs x) { return prefetch_bound(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{20, 10}, 20, 1e-12, "by hand"}}},
    ///     C  computation, on its own                      s, >= 0
    ///     M  communication, on its own                    s, >= 0
    ///     k  computation takes so many times as long      1, >= 1
    ///     l  communication takes so many times as long    1, >= 1
    row{.call = "comm/contention.hpp: beside_each_other(C, M, k, l) in s",
        .latex = R"(k C + M - \frac{k C}{l} \text{ if } k C \le l M, \text{ else }
                        l M + C - \frac{l M}{k})",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              return beside_each_other(seconds{x[0]}, seconds{x[1]}, {x[2], x[3]})
                  .in(units::second);
            },
        .examples = {{{4, 10, 1.25, 2}, 12.5, 1e-12, "2.5 of 10 done in the first 5 s"},
                     {{3, 2, 1, 1}, 3, 1e-12, "without interference the longer"}}},
    row{.call = "comm/contention.hpp: slowdown_at_share(s) in 1",
        .latex = R"(\frac{1}{1 - s})",
        .topics = "N6",
        .evaluate = [](inputs x) { return slowdown_at_share(x[0]); },
        .examples = {{{0.2}, 1.25, 1e-12, "four fifths are left"}}},
    row{.call = "comm/contention.hpp: shared_bandwidth(W, n, C) in B/s",
        .latex = R"(\min\left(W, \frac{C}{n}\right))",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(
                  shared_bandwidth(bytes_per_second{x[0]}, x[1], bytes_per_second{x[2]}));
            },
        .examples = {{{50e9, 4, 100e9}, 25e9, 1e-12, "a quarter of 100 GB/s"},
                     {{50e9, 1, 100e9}, 50e9, 1e-12, "no more than its own"}}},
    row{.call = "comm/contention.hpp: oversubscribed_bandwidth(W, o) in B/s",
        .latex = R"(\frac{W}{o})",
        .topics = "N6",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(oversubscribed_bandwidth(bytes_per_second{x[0]}, x[1]));
            },
        .examples = {{{50e9, 2}, 25e9, 1e-12, "two to one"}}},
    row{.call = "comm/contention.hpp: fullest_uplink(f, u) in count",
        .latex = R"(\frac{f}{u} + \sqrt{\frac{2 f}{u} \ln u})",
        .topics = "N6",
        .evaluate = [](inputs x) { return fullest_uplink(x[0], whole(x[1])); },
        .examples = {{{7, 1}, 7, 1e-12, "one uplink takes all"},
                     {{256, 16}, 25.42, 1e-3, "16 + sqrt(32 ln 16)"}}},
    row{.call = "comm/synchronization.hpp: synchronization_saving(k) in 1",
        .latex = R"(1 - \frac{1}{k})",
        .errata = "A guide says 75% for k = 4 in one place and 60% in another: it is 75%.",
        .topics = "N5 N8",
        .evaluate = [](inputs x) { return synchronization_saving(whole(x[0])); },
        .examples = {{{4}, 0.75, 1e-12, "three of four are left out"}}},
    row{.call = "comm/synchronization.hpp: synchronization_efficiency(k, c, m) in 1",
        .latex = R"(E = \frac{k c}{k c + m})",
        .topics = "N5 N8",
        .evaluate =
            [](inputs x) {
              return synchronization_efficiency(whole(x[0]), seconds{x[1]}, seconds{x[2]});
            },
        .examples = {{{3, 10, 10}, 0.75, 1e-12, "30 of 40 s"}}},
    row{.call = "comm/synchronization.hpp: steps_for_efficiency(c, m, E) in count",
        .latex = R"(k = \left\lceil \frac{E m}{(1 - E) c} \right\rceil)",
        .topics = "N8",
        .evaluate =
            [](inputs x) { return steps_for_efficiency(seconds{x[0]}, seconds{x[1]}, x[2]); },
        .examples = {{{10, 10, 0.75}, 3, 1e-12, "30 of 40 s"},
                     {{10, 10, 0.76}, 4, 1e-12, "3.17 rounded up"}}},
    /// Bandwidth at which a ring all-reduce leaves an efficiency.
    ///
    ///     alpha  start-up time of a message    s, >= 0
    ///     h      what hides behind it          s, >= 0
    ///     E      efficiency                    1, > 0, <= 1
    ///
    /// Holds: the latency alone is shorter than what communication may take.
    row{.call = "comm/synchronization.hpp: bandwidth_for_efficiency(p, m, alpha, c, h, E) in B/s",
        .latex = R"(W = \frac{B m}{c \left(\frac{1}{E} - 1\right) + h - A \alpha})",
        .errata = "A guide's 2 N S p/t is the aggregate of p GPUs for large p; a GPU's link "
                  "carries 2 (p - 1)/p N S/t.",
        .topics = "N4 N8",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(
                  bandwidth_for_efficiency(cost_of(all_reduce_algorithm::ring, whole(x[0])),
                                           bytes{x[1]}, seconds{x[2]}, seconds{x[3]}, seconds{x[4]},
                                           x[5])
                      .bandwidth);
            },
        .examples = {{{8, 8e9, 0, 9, 0, 0.9}, 14e9, 1e-12, "14 GB in the tenth second"},
                     {{8, 8e9, 0, 9, 6, 0.9}, 2e9, 1e-12, "6 s hidden"}}},
    /// Time of a ring all-reduce of compressed gradients.
    ///
    ///     2 (p - 1) alpha + 2 (p - 1)/p m/(x W) + q m
    ///
    ///     x  bytes before over bytes sent          1, >= 1
    ///     q  time to compress and expand a byte    s/B, >= 0
    ///
    /// Holds: what is sent can be summed as it is.
    row{.call = "comm/synchronization.hpp: compressed_time_of(p, m, alpha, W, x, q) in s",
        .latex = R"(2 (p - 1) \alpha + \frac{2 (p - 1)}{p} \frac{m}{x W} + q m)",
        .topics = "N5",
        .evaluate =
            [](inputs x) {
              return compressed_time_of(
                         cost_of(all_reduce_algorithm::ring, whole(x[0])), link_with(x[2], x[3]),
                         bytes{x[1]},
                         compression{.ratio = x[4], .encoding = seconds_per_byte{x[5]}})
                  .total()
                  .in(units::second);
            },
        .examples = {{{8, 8e9, 0, 1e9, 4, 0}, 3.5, 1e-12, "a quarter of 14 s"},
                     {{8, 8e9, 0, 1e9, 4, 1e-9}, 11.5, 1e-12, "and 8 s to compress"}}},
    ///     t0  time of an empty message            s, >= 0
    ///     f   latency of a pipeline that fills    s, >= 0
    ///     B   bandwidth of the algorithm          B/s, > 0
    row{.call = "comm/pipelined_link.hpp: pipelined_time(m, t0, f, B) in s",
        .latex = R"(T = t_0 + 2 \sqrt{\frac{f m}{B}} + \frac{m}{B})",
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
    /// Rate of a ring's channel on one node whose links are known.
    ///
    ///     W/16
    ///
    /// Holds: all GPUs reach all links; one rank on each.
    row{.call = "comm/nccl_fabric.hpp: nccl_group_on(p, W) in B/s",
        .latex = R"(\frac{W}{16})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return bytes_a_second(nccl_group_on(hopper_node(x[1]), whole(x[0]), 1).ring.inside);
            },
        .examples = {{{8, 400e9}, 25e9, 1e-12, "sixteen channels"}}},
    /// Time of an all-reduce that the switch of a Hopper node sums.
    ///
    ///     25 us + (p + 1)/p m/(0.85 W)
    ///
    /// Holds: one node of Hopper GPUs on a switch that sums.
    row{.call = "comm/nccl.hpp: nvls_expected(p, m, W) in s",
        .latex = R"(25\,\mathrm{\mu s} + \frac{p + 1}{p} \frac{m}{0.85 W})",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return nvls_expected(nccl_group_on(hopper_node(x[2]), whole(x[0]), 1),
                                   nccl_algorithm::nvls, bytes{x[1]})
                  ->total()
                  .in(units::second);
            },
        .examples = {{{8, 0, 400e9}, 25e-6, 1e-12, "an empty message"},
                     {{8, 8589934592.0, 367.2e9},
                      0.03177,
                      0.03,
                      "8 GiB on eight H200, measured: S. Bekman, \"Machine Learning Engineering "
                      "Open Book\", network/README.md (2025)"}}},
    /// Time of the all-reduce that NCCL takes on a node of Hopper GPUs.
    ///
    ///     min over algorithms and protocols of T(m)
    ///
    /// Holds: a collective on its own, launches by the host hidden.
    row{.call = "comm/nccl.hpp: nccl_expected(p, m, W) in s",
        .latex = R"(\min_{a, p} T_{a, p}(m))",
        .topics = "N2",
        .evaluate =
            [](inputs x) {
              return nccl_expected(nccl_group_on(hopper_node(x[2]), whole(x[0]), 1),
                                   collective::all_reduce, bytes{x[1]})
                  ->total()
                  .in(units::second);
            },
        .examples = {{{8, 0, 400e9}, 15e-6, 1e-12, "a ring by 8 byte: 6.6 + 14 x 0.6 us"}}}};
inline constexpr auto comm_overlap_formulas =
    with_words(comm_overlap_rows, words::comm_overlap_formulas);

}  // namespace gpuplan::registry
