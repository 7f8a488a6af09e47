#pragma once
/// \file
/// Rows of what a recipe keeps on the host: its memory, its traffic, the wait for it.

#include <array>

#include <gpuplan/memory/offload.hpp>
#include <gpuplan/plan/offload_traffic.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::array host_memory_rows{
    ///     k + o of w + g + k + o
    ///
    ///     w  weights             B, >= 0
    ///     g  gradients           B, >= 0
    ///     k  master weights      B, >= 0
    ///     o  optimizer states    B, >= 0
    ///
    /// Holds: the update runs on the host; gradients stay on the GPU until then.
    row{.call = "memory/offload.hpp: states_on_host(w, g, k, o) in B",
        .latex = R"(k + o)",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return states_on_host({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}},
                                    offloaded_states::optimizer)
                  .total()
                  .in(units::byte);
            },
        .examples = {{{2e9, 2e9, 4e9, 8e9}, 12e9, 0, "12 B of 16 for each of 1e9 parameters"}}},
    row{.call = "memory/offload.hpp: activations_on_device(A, a, f) in B",
        .latex = R"((1 - f) A + \min(f A, 2 f a))",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return activations_on_device(bytes{x[0]}, bytes{x[1]}, x[2]).in(units::byte);
            },
        .examples = {{{10e9, 1e9, 0.5}, 6e9, 0, "5 GB stay, 1 GB is on its way"},
                     {{10e9, 1e9, 0}, 10e9, 0, "nothing moved"}}}};
inline constexpr auto host_memory_formulas =
    with_words(host_memory_rows, words::host_memory_formulas);

/// Their inputs, where neither a row nor its function says otherwise.
///
///     w  a weight      B, >= 0
///     g  a gradient    B, >= 0
inline constexpr std::array host_traffic_rows{
    /// Bytes between a GPU and its host in a step with an offloaded optimizer.
    ///
    ///     g P down, w P up
    ///
    ///     P  parameters that the rank updates    count, >= 0
    ///
    /// Holds: once a step, however many micro-batches.
    row{.call = "plan/offload_traffic.hpp: host_traffic_of(P, w, g) in B",
        .latex = R"((g + w) P)",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              const recipe how{.offload = offloaded_states::optimizer};
              const auto moved =
                  host_traffic_of(how, {x[0], x[0]}, {bytes{x[1]}, bytes{x[2]}}, bytes{0}).update;
              return (moved.to_host + moved.to_device).in(units::byte);
            },
        .examples = {{{1e9, 2, 2}, 4e9, 0, "4 M of section 3.2"}}},
    ///     k  its master copy         B, >= 0
    ///     o  its optimizer states    B, >= 0
    row{.call = "plan/offload_traffic.hpp: bytes_per_host_update(w, g, k, o) in B",
        .latex = R"(g + 2 (k + o) + w)",
        .topics = "M13 C5",
        .evaluate =
            [](inputs x) {
              return bytes_per_host_update({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}})
                  .in(units::byte);
            },
        .examples = {{{2, 2, 4, 8}, 28, 0, "FP16 beside FP32 Adam, by hand"},
                     {{4, 4, 0, 8}, 28, 0, "FP32, by hand"}}},
    /// Time that a GPU waits for activations to reach the host.
    ///
    ///     max(A/W + l - T, X (A/W + l))
    ///
    ///     A  sent to the host                        B, > 0
    ///     W  bandwidth of the link, one direction    B/s, > 0
    ///     l  its latency                             s, >= 0
    ///     T  the forward pass beside it              s, >= 0
    ///     X  share that nothing hides                1, >= 0
    ///
    /// Holds: pinned memory; no other GPU on the link.
    row{.call = "plan/offload_traffic.hpp: host_wait_of(A, W, l, T, X) in s",
        .latex = R"(\max(A/W + l - T, X (A/W + l)))",
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
inline constexpr auto host_traffic_formulas =
    with_words(host_traffic_rows, words::host_traffic_formulas);

}  // namespace gpuplan::registry
