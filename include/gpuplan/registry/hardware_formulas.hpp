#pragma once
/// \file
/// Rows of hardware/: what of a published rate a plan may count on.

#include <array>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/multiprocessor.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The number that a row gives for a rate.
constexpr double rate_of(const bytes_per_second& rate) {
  return rate.in(units::byte / units::second);
}

/// A link of an advertised and an achievable rate, one direction each.
constexpr physical_link link_of(double advertised, double achievable) {
  return {.advertised = per_direction(bytes_per_second{advertised}),
          .achievable = per_direction(bytes_per_second{achievable})};
}

/// Links to each peer, of a share of all.
constexpr scale_up_links shares_of(double share, double all) {
  return {.joined = wiring::direct, .all_peers = link_of(all, 0), .one_peer = link_of(share, 0)};
}

inline constexpr std::array hardware_rows{
    row{.call = "hardware/physical_link.hpp: planned_rate(W_adv, W_ach) in B/s",
        .latex = R"(W = W_{ach} \text{ if } W_{ach} > 0 \text{ else } W_{adv})",
        .evaluate =
            [](inputs x) { return rate_of(planned_rate(link_of(x[0], x[1])).per_direction()); },
        .examples = {{{300e9, 235e9}, 235e9, 0, "A100: 234.9 GB/s measured"},
                     {{300e9, 0}, 300e9, 0, "nothing measured"}}},
    /// Bandwidth of a link as a plan sees it.
    ///
    ///     planned_rate, one direction
    ///
    ///     W_adv  advertised, one direction    B/s, >= 0
    ///     W_ach  achievable, one direction    B/s, >= 0
    ///
    /// Holds: one of the two is known.
    row{.call = "hardware/physical_link.hpp: interconnect_of(W_adv, W_ach) in B/s",
        .latex = R"(W)",
        .evaluate =
            [](inputs x) { return rate_of(interconnect_of(link_of(x[0], x[1])).bandwidth); },
        .examples = {{{50e9, 48e9}, 48e9, 0, "the measured one"}}},
    /// Bandwidth of a fabric as one of the accelerators that share a port sees it.
    row{.call = "hardware/fabric.hpp: interconnect_of(W, n) in B/s",
        .latex = R"(W / n)",
        .evaluate =
            [](inputs x) {
              const network_fabric net{.port = link_of(x[0], 0), .accelerators = whole(x[1])};
              return rate_of(interconnect_of(net).bandwidth);
            },
        .examples = {{{25e9, 2}, 12.5e9, 0, "200 Gbit/s for two"}}},
    row{.call = "hardware/scale_up.hpp: scale_up_rate(p, w, W) in B/s",
        .latex = R"(\min((p - 1) w,\, W))",
        .errata = "A pair of MI300X has one of its seven links, not all of them.",
        .evaluate =
            [](inputs x) { return rate_of(scale_up_rate(shares_of(x[1], x[2]), whole(x[0]))); },
        .examples = {{{2, 64e9, 448e9}, 64e9, 0, "a pair of MI300X"},
                     {{8, 64e9, 448e9}, 448e9, 0, "all eight"}}},
    /// Bandwidth from one of p accelerators of a node to the others.
    ///
    ///     scale_up_rate, or the host link's where that does not reach
    ///
    ///     p  ranks                              count, >= 1
    ///     w  to a single peer, one direction    B/s, > 0
    ///     W  to all, one direction              B/s, >= w
    ///
    /// Holds: one rank gets what two would.
    row{.call = "hardware/accelerator.hpp: interconnect_between(p, w, W) in B/s",
        .latex = R"(\min((p - 1) w,\, W))",
        .evaluate =
            [](inputs x) {
              const accelerator gpu{.scale_up = shares_of(x[1], x[2])};
              return rate_of(interconnect_between(gpu, whole(x[0])).bandwidth);
            },
        .examples = {{{4, 64e9, 448e9}, 192e9, 0, "three links of 64 GB/s"}}},
    ///     0.95 x best measured
    ///     else 0.95 x 0.75 P
    ///
    ///     P      peak of the datasheet, dense            FLOP/s, >= 0
    ///     P_ach  of the best product measured; 0: not    FLOP/s, >= 0
    ///
    /// Holds: where no rate was fitted for the device.
    row{.call = "hardware/sustained_rate.hpp: sustained_rate(P, P_ach) in FLOP/s",
        .latex = R"(0.95\, P_{ach} \text{ else } 0.95 \times 0.75\, P)",
        .errata = "Guides plan with the peak itself, or with the peak of sparse products, which "
                  "is twice the dense one.",
        .topics = "C2 C6",
        .evaluate =
            [](inputs x) {
              const accelerator gpu{.peak = {.bf16 = flop_per_second{x[0]}},
                                    .achieved = {.bf16 = flop_per_second{x[1]}}};
              return sustained_rate(gpu, number_format::bf16).in(units::FLOP / units::second);
            },
        .examples = {{{312e12, 271.2e12}, 257.64e12, 1e-12, "A100: 0.95 x 271.2"},
                     {{312e12, 0}, 222.3e12, 1e-12, "0.95 x 0.75 x 312"}}},
    row{.call = "hardware/multiprocessor.hpp: core_count(n, c) in count",
        .latex = R"(n c)",
        .topics = "C1",
        .evaluate = [](inputs x) { return 1.0 * core_count(whole(x[0]), whole(x[1])); },
        .examples = {{{108, 64}, 6912, 0, "A100"}, {{132, 128}, 16896, 0, "H100-SXM5"}}},
    row{.call = "hardware/multiprocessor.hpp: vector_peak(n, r, f) in FLOP/s",
        .latex = R"(2 n r f)",
        .topics = "C1 C6",
        .evaluate =
            [](inputs x) {
              return vector_peak(whole(x[0]), whole(x[1]), per_second{x[2]})
                  .in(units::FLOP / units::second);
            },
        .examples = {{{80, 128, 1.37e9}, 28e12, 3e-3, "the card of V100, FP16: 28 TFLOP/s"},
                     {{108, 64, 1.41e9}, 19.5e12, 1e-3, "A100, FP32: 19.5 TFLOP/s"}}}};
inline constexpr auto hardware_formulas = with_words(hardware_rows, words::hardware_formulas);

}  // namespace gpuplan::registry
