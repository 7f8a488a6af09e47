#pragma once
/// \file
/// Rows of what a recipe keeps on the host: its memory, its traffic, the wait for it.

#include <array>

#include <gpuplan/memory/offload.hpp>
#include <gpuplan/plan/offload_traffic.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view zero_offload =
    "J. Ren et al., \"ZeRO-Offload: Democratizing Billion-Scale Model Training\", USENIX ATC "
    "(2021), arXiv:2101.06840";
inline constexpr std::string_view zero_infinity =
    "S. Rajbhandari et al., \"ZeRO-Infinity: Breaking the GPU Memory Wall for Extreme Scale Deep "
    "Learning\", SC21 (2021), arXiv:2104.07857";

inline constexpr std::array host_memory_formulas{
    formula{.name = "states_on_host",
            .header = "memory/offload.hpp",
            .meaning = "Model states that lie on the host with an offloaded optimizer",
            .text = "k + o of w + g + k + o",
            .latex = R"(k + o)",
            .symbols = {{"w", "weights", "B", ">= 0"},
                        {"g", "gradients", "B", ">= 0"},
                        {"k", "master weights", "B", ">= 0"},
                        {"o", "optimizer states", "B", ">= 0"}},
            .result = "B",
            .validity = "the update runs on the host; gradients stay on the GPU until then",
            .source = zero_offload,
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return states_on_host({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}},
                                        offloaded_states::optimizer)
                      .total()
                      .in(units::byte);
                },
            .examples = {{{2e9, 2e9, 4e9, 8e9}, 12e9, 0, "12 B of 16 for each of 1e9 parameters"}}},
    formula{.name = "activations_on_device",
            .header = "memory/offload.hpp",
            .meaning = "Activations that stay on the GPU where a part waits on the host",
            .text = "(1 - f) A + min(f A, 2 f a)",
            .latex = R"((1 - f) A + \min(f A, 2 f a))",
            .symbols = {{"A", "kept by all micro-batches in flight", "B", ">= 0"},
                        {"a", "of them, by one layer of one micro-batch", "B", "0 to A"},
                        {"f", "part of them offloaded", "1", "0 to 1"}},
            .result = "B",
            .validity = "two layers on the GPU: one at work, one on its way",
            .source = "M. Rhu et al., \"vDNN: Virtualized Deep Neural Networks for Scalable, "
                      "Memory-Efficient Neural Network Design\", MICRO (2016), arXiv:1602.08124",
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return activations_on_device(bytes{x[0]}, bytes{x[1]}, x[2]).in(units::byte);
                },
            .examples = {{{10e9, 1e9, 0.5}, 6e9, 0, "5 GB stay, 1 GB is on its way"},
                         {{10e9, 1e9, 0}, 10e9, 0, "nothing moved"}}}};

inline constexpr std::array host_traffic_formulas{
    formula{
        .name = "host_traffic_of",
        .header = "plan/offload_traffic.hpp",
        .meaning = "Bytes between a GPU and its host in a step with an offloaded optimizer",
        .text = "g P down, w P up",
        .latex = R"((g + w) P)",
        .symbols = {{"P", "parameters that the rank updates", "count", ">= 0"},
                    {"w", "a weight", "B", ">= 0"},
                    {"g", "a gradient", "B", ">= 0"}},
        .result = "B",
        .validity = "once a step, however many micro-batches",
        .source = zero_offload,
        .errata = "",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              const recipe how{.offload = offloaded_states::optimizer};
              const auto moved =
                  host_traffic_of(how, {x[0], x[0]}, {bytes{x[1]}, bytes{x[2]}}, bytes{0}).update;
              return (moved.to_host + moved.to_device).in(units::byte);
            },
        .examples = {{{1e9, 2, 2}, 4e9, 0, "4 M of section 3.2"}}},
    formula{.name = "bytes_per_host_update",
            .header = "plan/offload_traffic.hpp",
            .meaning = "Bytes of the host's memory moved to update a parameter",
            .text = "g + 2 (k + o) + w; without a master copy g + 2 (w + o)",
            .latex = R"(g + 2 (k + o) + w)",
            .symbols = {{"w", "a weight", "B", ">= 0"},
                        {"g", "a gradient", "B", ">= 0"},
                        {"k", "its master copy", "B", ">= 0"},
                        {"o", "its optimizer states", "B", ">= 0"}},
            .result = "B",
            .validity = "one pass over all; norms of gradients are made on the GPU",
            .source = zero_offload,
            .errata = "",
            .topics = "M13 C5",
            .evaluate =
                [](inputs x) {
                  return bytes_per_host_update({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}})
                      .in(units::byte);
                },
            .examples = {{{2, 2, 4, 8}, 28, 0, "FP16 beside FP32 Adam, by hand"},
                         {{4, 4, 0, 8}, 28, 0, "FP32, by hand"}}},
    formula{.name = "host_wait_of",
            .header = "plan/offload_traffic.hpp",
            .meaning = "Time that a GPU waits for activations to reach the host",
            .text = "max(A/W + l - T, X (A/W + l))",
            .latex = R"(\max(A/W + l - T, X (A/W + l)))",
            .symbols = {{"A", "sent to the host", "B", "> 0"},
                        {"W", "bandwidth of the link, one direction", "B/s", "> 0"},
                        {"l", "its latency", "s", ">= 0"},
                        {"T", "the forward pass beside it", "s", ">= 0"},
                        {"X", "share that nothing hides", "1", ">= 0"}},
            .result = "s",
            .validity = "pinned memory; no other GPU on the link",
            .source = zero_infinity,
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  const interconnect host{seconds{x[2]}, bytes_per_second{x[1]}};
                  return host_wait_of(host, {.forward = {.to_host = bytes{x[0]}}},
                                      {.forward = seconds{x[3]}, .exposed = x[4]})
                      .forward.in(units::second);
                },
            .examples = {{{25e9, 25e9, 0, 0.75, 0.1}, 0.25, 1e-12, "by hand"},
                         {{25e9, 25e9, 0, 2, 0.1}, 0.1, 1e-12, "hidden but for a tenth"}}}};

}  // namespace gpuplan::registry
