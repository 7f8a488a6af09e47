#pragma once
/// \file
/// Rows of plan/: links of ranks, time of a stage, and what a step waits for.

#include <array>

#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_resource.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/layer_formulas.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// A node of GPUs that send `inside` to each other and `outside` over their own ports.
constexpr node box_of(double gpus, double inside, double outside) {
  return {.gpus = whole(gpus),
          .scale_up = {.bandwidth = bytes_per_second{inside}},
          .fabric = {.bandwidth = bytes_per_second{outside}}};
}

/// How many times as fast a step is on one GPU of which a resource is better, where arithmetic is
/// all that takes time.
constexpr double speedup_of(double factor) {
  const transformer m = gpt({4, 4096, 32, 16384, 32768});
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

inline constexpr symbol gpus_of_node{"g", "GPUs of a node", "count", ">= 1"};
inline constexpr symbol inside_node{"N", "bandwidth in the node, one direction", "B/s", "> 0"};
inline constexpr symbol port_of_gpu{"W", "port of a GPU, one direction", "B/s", "> 0"};

inline constexpr std::array step_formulas{
    formula{.name = "ring_link",
            .header = "plan/rank_links.hpp",
            .meaning = "Bandwidth of a ring of ranks, by where they lie",
            .text = "N in a node; min(k W, N) across nodes, k = g/i members in each; W/2 if k = 1",
            .latex = R"(\min\left( \frac{g}{i} W,\, N \right))",
            .symbols = {gpus_of_node,
                        inside_node,
                        port_of_gpu,
                        {"i", "GPUs from one member to the next", "count", ">= 1"},
                        {"n", "members", "count", ">= 1"}},
            .result = "B/s",
            .validity = "one direction; each member drives its own port",
            .source = narayanan,
            .errata = "",
            .topics = "P3 N4",
            .evaluate =
                [](inputs x) {
                  return ring_link(box_of(x[0], x[1], x[2]), whole(x[3]), whole(x[4]))
                      .bandwidth.in(units::byte / units::second);
                },
            .examples = {{{8, 250e9, 25e9, 1, 8}, 250e9, 0, "inside a node"},
                         {{8, 250e9, 25e9, 2, 16}, 100e9, 0, "four members in a node"},
                         {{8, 250e9, 25e9, 8, 64},
                          12.6e9,
                          0.01,
                          "12.9 TB/s over the bisection of 512 rings: section 5.9"}}},
    formula{.name = "start_of",
            .header = "plan/rank_links.hpp",
            .meaning = "Start of a message over a link",
            .text = "6.6 us + l",
            .latex = R"(6.6\,\mu s + l)",
            .symbols = {{"l", "latency of a hop", "s", ">= 0"}},
            .result = "s",
            .validity = "collectives of NCCL",
            .source = "NVIDIA, \"NCCL\", src/graph/tuning.cc (2.19, 2023)",
            .errata = "",
            .topics = "N1",
            .evaluate =
                [](inputs x) {
                  return start_of(interconnect{.latency = seconds{x[0]}}).in(units::second);
                },
            .examples = {{{3.4e-6}, 1e-5, 1e-12, "NVLink: 6.6 + 3.4"}}},
    formula{.name = "rank_links_of",
            .header = "plan/rank_links.hpp",
            .meaning = "Bandwidth from one pipeline stage to the next",
            .text = "N where d t p <= g, else W",
            .latex = R"(N \text{ if } d t p \le g \text{ else } W)",
            .symbols = {gpus_of_node,
                        inside_node,
                        port_of_gpu,
                        {"d", "data-parallel ranks", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"},
                        {"p", "pipeline ranks", "count", ">= 1"}},
            .result = "B/s",
            .validity = "ranks numbered tensor innermost, then context, expert, data, pipeline",
            .source = megatron,
            .errata = "",
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
    formula{
        .name = "busy_time_of_layer",
        .header = "plan/busy_time.hpp",
        .meaning = "Messages of tensor parallelism in a layer, forward and backward",
        .text = "4 X (2 (t - 1)/t 2 T h / W + 2 s)",
        .latex = R"(4 X \left( \frac{2 (t - 1)}{t} \frac{2 T h}{W} + 2 s \right))",
        .symbols = {rank_tokens,
                    {"h", "hidden size", "count", ">= 128, multiple of 128"},
                    {"t", "tensor-parallel ranks", "count", ">= 1"},
                    {"W", "their bandwidth, one direction", "B/s", "> 0"},
                    {"X", "share that nothing hides", "1", "> 0"}},
        .result = "s",
        .validity =
            "16-bit values, two all-reduces a pass; s = 6.6 us and no hop to start each half; "
            "beside it what the layer computes and its other messages, each a term",
        .source = "M. Shoeybi et al., \"Megatron-LM: Training Multi-Billion Parameter Language "
                  "Models Using Model Parallelism\" (2019), arXiv:1909.08053",
        .errata = "",
        .topics = "P11",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), whole(x[1] / 128), whole(4 * x[1]), 1});
              const layer_tokens seen{.sequence_length = whole(x[0])};
              return busy_time_of_layer(m, layer_kind::dense, {}, {.tensor = whole(x[2])}, seen,
                                        rates_of(1e14, 1e12), framework_profile{.exposed = x[4]},
                                        {.tensor = {.bandwidth = bytes_per_second{x[3]}}})
                  .tensor.in(units::second);
            },
        .examples = {{{8192, 6144, 8, 1e11, 1},
                      7.09923072e-3,
                      1e-12,
                      "4 x (1.75 x 100 663 296 / 1e11 + 13.2 us), by hand"}}},
    formula{
        .name = "bubble_share",
        .header = "plan/pipeline_bubble.hpp",
        .meaning = "What DualPipe leaves of the bubble of 1F1B",
        .text = "2 (p/2 - 1) / (3 (p - 1))",
        .latex = R"(\frac{2 (p/2 - 1)}{3 (p - 1)})",
        .symbols = {{"p", "stages", "count", ">= 2"}},
        .result = "1",
        .validity = "forward, input-gradient and weight-gradient passes of equal length; "
                    "other schedules 1 (GPipe, 1F1B), 1/3 (ZB-H1) and 0 (ZB-H2, ZB-V)",
        .source = deepseek_v3,
        .errata = "",
        .topics = "P4",
        .evaluate = [](inputs x) { return bubble_share(pipeline_schedule::dualpipe, whole(x[0])); },
        .examples = {{{16}, 14.0 / 45, 1e-12, "table 2 with F = B = W: (16/2 - 1) 2 of 15 x 3"}}},
    formula{.name = "largest_draw",
            .header = "plan/largest_draw.hpp",
            .meaning = "The expected largest of n normal draws, in deviations",
            .text = "sqrt(2 ln 2 ceil(log2 n))",
            .latex = R"(\sqrt{2 \ln 2\, \lceil \log_2 n \rceil})",
            .symbols = {{"n", "draws", "count", ">= 1"}},
            .result = "1",
            .validity = "an upper bound, close for many draws",
            .source = "H. David and H. Nagaraja, \"Order Statistics\", 3rd ed., Wiley (2003), "
                      "section 10.5",
            .errata = "",
            .topics = "P7",
            .evaluate = [](inputs x) { return largest_draw(whole(x[0])); },
            .examples = {{{1024}, 3.72329741105, 1e-11, "sqrt(20 ln 2), by hand"}}},
    formula{.name = "bytes_per_update",
            .header = "plan/step_time_data.hpp",
            .meaning = "Bytes that an update moves for each parameter",
            .text = "3 g + 2 (k + o) + w; without a master copy 3 g + 2 (w + o)",
            .latex = R"(3 g + 2 (k + o) + w)",
            .symbols = {{"w", "weight", "B", ">= 0"},
                        {"g", "gradient", "B", ">= 0"},
                        {"k", "master copy; 0: none", "B", ">= 0"},
                        {"o", "states of the optimizer", "B", ">= 0"}},
            .result = "B",
            .validity = "fused kernels; Muon takes longer",
            .source = "NVIDIA, \"Apex\", csrc/multi_tensor_adam.cu (2024), by counting",
            .errata =
                "A chapter says that a fused Adam step moves 2 tensors of the size of the "
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
    formula{.name = "improved_step_time",
            .header = "plan/step_resource.hpp",
            .meaning = "Steps done in the time of one when a resource is f times as good",
            .text = "t / (t - c (1 - 1/f)), c the time that the resource takes",
            .latex = R"(\frac{t}{t - c (1 - 1/f)})",
            .symbols = {{"f", "how many times as good", "1", "> 0"}},
            .result = "1",
            .validity = "here arithmetic alone takes time: c = t; a resource that hides behind "
                        "another gives less",
            .source = "G. Amdahl, \"Validity of the single processor approach to achieving large "
                      "scale computing capabilities\", AFIPS (1967) 483-485",
            .errata = "",
            .topics = "P6",
            .evaluate = [](inputs x) { return speedup_of(x[0]); },
            .examples = {{{2}, 2, 1e-9, "all of it is twice as fast"}}}};

}  // namespace gpuplan::registry
