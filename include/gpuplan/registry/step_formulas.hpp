#pragma once
/// \file
/// Rows of plan/: links of ranks, time of a stage, and what a step waits for.

#include <array>

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/plan/input_time.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_resource.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/layer_formulas.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// A node of GPUs that send `inside` to each other and `outside` over their own ports.
constexpr node box_of(double gpus, double inside, double outside) {
  return {.gpus = whole(gpus),
          .scale_up = {.bandwidth = bytes_per_second{inside}},
          .fabric = {.bandwidth = bytes_per_second{outside}}};
}

/// How many times as fast a step is on one GPU of which a resource is better, where arithmetic is
/// nearly all that takes time.
constexpr double speedup_of(double factor) {
  const transformer m = gpt({4, 65536, 512, 262144, 32768});
  const accelerator gpu{.memory = units::GB,
                        .memory_bandwidth = bytes_per_second{1e30},
                        .peak = {.bf16 = flop_per_second{1e14}},
                        .streaming_multiprocessors = 1};
  const interconnect unused{.bandwidth = bytes_per_second{1}};
  const cluster pool{.node = {.gpu = gpu, .gpus = 1, .scale_up = unused, .fabric = unused}};
  const auto time = [&](double times) {
    return improved_step_time(m, pool, {}, {}, step_resource::compute, times);
  };
  return time(1) / time(factor);
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     g  GPUs of a node                          count, >= 1
///     N  bandwidth in the node, one direction    B/s, > 0
///     W  port of a GPU, one direction            B/s, > 0
///     t  tensor-parallel ranks                   count, >= 1
inline constexpr std::array step_rows{
    /// Bandwidth of a ring of ranks, by where they lie.
    ///
    ///     N in a node
    ///     min(k W, N) across nodes, k = g/i members in each
    ///
    ///     i  GPUs from one member to the next    count, >= 1
    ///     n  members                             count, >= 1
    ///
    /// Holds: one direction; each member drives its own port.
    row{.call = "plan/rank_links.hpp: ring_link(g, N, W, i, n) in B/s",
        .latex = R"(\min\left( \frac{g}{i} W,\, N \right))",
        .topics = "P3 N4",
        .evaluate =
            [](inputs x) {
              return ring_link(box_of(x[0], x[1], x[2]), whole(x[3]), whole(x[4]))
                  .bandwidth.in(units::byte / units::second);
            },
        .examples = {{{8, 250e9, 25e9, 1, 8}, 250e9, 0, "inside a node"},
                     {{8, 250e9, 25e9, 2, 16}, 100e9, 0, "four members in a node"},
                     {{8, 250e9, 25e9, 8, 64}, 25e9, 0, "one member in a node: its port"}}},
    ///     6.6 us + l
    ///
    ///     l  latency of a hop    s, >= 0
    ///
    /// Holds: collectives of NCCL.
    row{.call = "plan/rank_links.hpp: start_of(l) in s",
        .latex = R"(6.6\,\mu s + l)",
        .topics = "N1",
        .evaluate =
            [](inputs x) {
              return start_of(interconnect{.latency = seconds{x[0]}}).in(units::second);
            },
        .examples = {{{3.4e-6}, 1e-5, 1e-12, "NVLink: 6.6 + 3.4"}}},
    /// Bandwidth from one pipeline stage to the next.
    ///
    ///     N where d t p <= g, else W
    ///
    ///     d  data-parallel ranks    count, >= 1
    ///     p  pipeline ranks         count, >= 1
    ///
    /// Holds: ranks numbered tensor innermost, then context, expert, data, pipeline.
    row{.call = "plan/rank_links.hpp: rank_links_of(g, N, W, d, t, p) in B/s",
        .latex = R"(N \text{ if } d t p \le g \text{ else } W)",
        .topics = "P4 P11",
        .evaluate =
            [](inputs x) {
              const parallelism cut{
                  .data = whole(x[3]), .tensor = whole(x[4]), .pipeline = whole(x[5])};
              return rank_links_of(box_of(x[0], x[1], x[2]), cut)
                  .pipeline.bandwidth.in(units::byte / units::second);
            },
        .examples = {{{8, 250e9, 25e9, 1, 4, 2}, 250e9, 0, "both stages in a node"},
                     {{8, 250e9, 25e9, 1, 8, 4}, 25e9, 0, "a stage is a node"}}},
    /// Messages of tensor parallelism in a layer, forward and backward.
    ///
    ///     4 X (2 (t - 1)/t 2 T h / W + 2 s)
    ///
    ///     T  tokens on the rank                token, >= 1
    ///     h  hidden size                       count, >= 128, multiple of 128
    ///     W  their bandwidth, one direction    B/s, > 0
    ///     X  share that nothing hides          1, > 0
    ///
    /// Holds: 16-bit values, two all-reduces a pass; s = 6.6 us and no hop to start each half;
    /// beside it what the layer computes and its other messages, each a term.
    row{.call = "plan/busy_time.hpp: busy_time_of_layer(T, h, t, W, X) in s",
        .latex = R"(4 X \left( \frac{2 (t - 1)}{t} \frac{2 T h}{W} + 2 s \right))",
        .topics = "P11",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), whole(x[1] / 128), whole(4 * x[1]), 1});
              const layer_tokens seen{.sequence_length = whole(x[0])};
              return busy_time_of_layer(m, layer_kind::dense, {}, {.tensor = whole(x[2])}, seen,
                                        rates_of(1e14, 1e12),
                                        framework_profile{.tensor_exposed = x[4]},
                                        {.tensor = {.bandwidth = bytes_per_second{x[3]}}})
                  .tensor.in(units::second);
            },
        .examples = {{{8192, 6144, 8, 1e11, 1},
                      7.09923072e-3,
                      1e-12,
                      "4 x (1.75 x 100 663 296 / 1e11 + 13.2 us), by hand"}}},
    /// What DualPipe leaves of the bubble of 1F1B.
    ///
    ///     2 (p/2 - 1) / (3 (p - 1))
    ///
    ///     p  stages    count, >= 2
    ///
    /// Holds: forward, input-gradient and weight-gradient passes of equal length; other schedules
    /// 1 (GPipe, 1F1B), 1/3 (ZB-H1) and 0 (ZB-H2, ZB-V).
    row{.call = "plan/pipeline_bubble.hpp: bubble_share(p) in 1",
        .latex = R"(\frac{2 (p/2 - 1)}{3 (p - 1)})",
        .topics = "P4",
        .evaluate = [](inputs x) { return bubble_share(pipeline_schedule::dualpipe, whole(x[0])); },
        .examples = {{{16}, 14.0 / 45, 1e-12, "table 2 with F = B = W: (16/2 - 1) 2 of 15 x 3"}}},
    row{.call = "plan/largest_draw.hpp: largest_draw(n) in 1",
        .latex = R"(\sqrt{2 \ln 2\, \lceil \log_2 n \rceil})",
        .topics = "P7",
        .evaluate = [](inputs x) { return largest_draw(whole(x[0])); },
        .examples = {{{1024}, 3.72329741105, 1e-11, "sqrt(20 ln 2), by hand"}}},
    ///     w  weight                     B, >= 0
    ///     g  gradient                   B, >= 0
    ///     k  master copy; 0: none       B, >= 0
    ///     o  states of the optimizer    B, >= 0
    row{.call = "plan/step_time_data.hpp: bytes_per_update(w, g, k, o) in B",
        .latex = R"(3 g + 2 (k + o) + w)",
        .errata = "A chapter says that a fused Adam step moves 2 tensors of the size of the "
                  "parameters; it reads p, g, m, v and writes p, m, v: 7, beside two passes for "
                  "the norm and the scale of g.",
        .topics = "C5",
        .evaluate =
            [](inputs x) {
              return bytes_per_update({.weight = bytes{x[0]},
                                       .gradient = bytes{x[1]},
                                       .master = bytes{x[2]},
                                       .optimizer = bytes{x[3]}})
                  .in(units::byte);
            },
        .examples = {{{2, 4, 4, 8}, 38, 0, "Adam beside BF16 weights: 12 + 24 + 2"},
                     {{4, 4, 0, 8}, 36, 0, "Adam in FP32: 7 x 4, and g twice more"}}},
    /// Steps done in the time of one when a resource is f times as good.
    ///
    ///     t / (t - c (1 - 1/f)), c the time that the resource takes
    ///
    ///     f  how many times as good    1, > 0
    ///
    /// Holds: here arithmetic alone takes time: c = t; a resource that hides behind another gives
    /// less.
    row{.call = "plan/step_resource.hpp: improved_step_time(f) in 1",
        .latex = R"(\frac{t}{t - c (1 - 1/f)})",
        .topics = "P6",
        .evaluate = [](inputs x) { return speedup_of(x[0]); },
        .examples = {{{2}, 2, 5e-3, "all but the host's time is twice as fast"}}},
    /// What a node takes to bring in its part of a batch, storage and workers at the same time.
    ///
    ///     max(b m_s / W, b t_p / N)
    ///
    ///     b    sequences of a step that a node reads    count, >= 1
    ///     m_s  sequence as it is stored                 B, >= 0
    ///     W    rate at which the node reads             B/s, > 0
    ///     t_p  preprocessing of one, by one worker      s, >= 0
    ///     N    workers                                  count, > 0
    row{.call = "plan/input_time.hpp: feeding_time(b, m_s, W, t_p, N) in s",
        .latex = R"(\max(b\, m_s / W, b\, t_p / N))",
        .topics = "D2",
        .evaluate =
            [](inputs x) {
              return feeding_time({.stored_sample = bytes{x[1]},
                                   .storage = bytes_per_second{x[2]},
                                   .preprocessing = seconds{x[3]},
                                   .workers = x[4]},
                                  {.global_batch_size = whole(x[0])}, {}, 1)
                  .in(units::second);
            },
        .examples = {{{512, 1e6, 2e9, 3e-3, 16}, 0.256, 1e-12, "storage: 512 MB at 2 GB/s"},
                     {{512, 1e6, 1e10, 3e-3, 16}, 0.096, 1e-12, "workers: 1.536 s over 16"}}},
    /// Nodes that read samples for a job.
    ///
    ///     min(ceil(G / g), d)
    ///
    ///     d  replicas              count, >= 1
    ///     r  ranks of a replica    count, >= 1; G = d r
    ///     g  GPUs of a node        count, >= 1
    row{.call = "plan/input_time.hpp: reading_nodes(d, r, g) in count",
        .latex = R"(\min(\lceil d r / g \rceil, d))",
        .topics = "D3",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  reading_nodes({.data = whole(x[0]), .tensor = whole(x[1])}, whole(x[2])));
            },
        .examples = {{{2, 8, 8}, 2, 0, "a node each"}, {{4, 1, 8}, 1, 0, "one node of 8"}}},
    /// What a step waits for samples that come slower than it works.
    ///
    ///     max(0, t - s)
    ///
    ///     t  feeding_time                            s, >= 0
    ///     s  the step, if all samples were there     s, >= 0
    row{.call = "plan/input_time.hpp: input_time(t, s) in s",
        .latex = R"(\max(0, t - s))",
        .topics = "D3",
        .evaluate =
            [](inputs x) {
              const node box{.gpus = 1, .feed = {.preprocessing = seconds{x[0]}}};
              return input_time(box, {.global_batch_size = 1}, {}, seconds{x[1]}).in(units::second);
            },
        .examples = {{{3, 2}, 1, 0, "a step of 2 s waits 1 s"}, {{1, 2}, 0, 0, "hidden"}}}};
inline constexpr auto step_formulas = with_words(step_rows, words::step_formulas);

}  // namespace gpuplan::registry
