#pragma once
/// \file
/// Rows of hardware/: what of a published rate a plan may count on.

#include <array>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view open_book =
    "S. Bekman, \"Machine Learning Engineering Open Book\", network/README.md, "
    "github.com/stas00/ml-engineering (2025)";

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

inline constexpr std::array hardware_formulas{
    formula{.name = "planned_rate",
            .header = "hardware/physical_link.hpp",
            .meaning = "The rate of a link that a plan should count on",
            .text = "achievable where measured, else advertised",
            .latex = R"(W = W_{ach} \text{ if } W_{ach} > 0 \text{ else } W_{adv})",
            .symbols = {{"W_adv", "advertised, one direction", "B/s", ">= 0"},
                        {"W_ach", "achievable, one direction; 0: not measured", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "large messages",
            .source = open_book,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) { return rate_of(planned_rate(link_of(x[0], x[1])).per_direction()); },
            .examples = {{{300e9, 235e9}, 235e9, 0, "A100: 234.9 GB/s measured"},
                         {{300e9, 0}, 300e9, 0, "nothing measured"}}},
    formula{.name = "interconnect_of",
            .header = "hardware/physical_link.hpp",
            .meaning = "Bandwidth of a link as a plan sees it",
            .text = "planned_rate, one direction",
            .latex = R"(W)",
            .symbols = {{"W_adv", "advertised, one direction", "B/s", ">= 0"},
                        {"W_ach", "achievable, one direction", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "one of the two is known",
            .source = open_book,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) { return rate_of(interconnect_of(link_of(x[0], x[1])).bandwidth); },
            .examples = {{{50e9, 48e9}, 48e9, 0, "the measured one"}}},
    formula{.name = "interconnect_of",
            .header = "hardware/fabric.hpp",
            .meaning = "Bandwidth of a fabric as one of the accelerators that share a port sees it",
            .text = "planned_rate / n",
            .latex = R"(W / n)",
            .symbols = {{"W", "rate of the port, one direction", "B/s", "> 0"},
                        {"n", "accelerators that share it", "count", ">= 1"}},
            .result = "B/s",
            .validity = "all send at once",
            .source = definition,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const network_fabric net{.port = link_of(x[0], 0), .accelerators = whole(x[1])};
                  return rate_of(interconnect_of(net).bandwidth);
                },
            .examples = {{{25e9, 2}, 12.5e9, 0, "200 Gbit/s for two"}}},
    formula{.name = "scale_up_rate",
            .header = "hardware/scale_up.hpp",
            .meaning = "What one of p accelerators can send to the others",
            .text = "min((p - 1) w, W) where each peer has its own share; W behind a switch",
            .latex = R"(\min((p - 1) w,\, W))",
            .symbols = {{"p", "ranks", "count", ">= 2"},
                        {"w", "to a single peer, one direction", "B/s", "> 0"},
                        {"W", "to all, one direction", "B/s", ">= w"}},
            .result = "B/s",
            .validity = "collectives that use all links at once",
            .source = open_book,
            .errata = "A pair of MI300X has one of its seven links, not all of them.",
            .topics = "",
            .evaluate =
                [](inputs x) { return rate_of(scale_up_rate(shares_of(x[1], x[2]), whole(x[0]))); },
            .examples = {{{2, 64e9, 448e9}, 64e9, 0, "a pair of MI300X"},
                         {{8, 64e9, 448e9}, 448e9, 0, "all eight"}}},
    formula{.name = "interconnect_between",
            .header = "hardware/accelerator.hpp",
            .meaning = "Bandwidth from one of p accelerators of a node to the others",
            .text = "scale_up_rate, or the host link's where that does not reach",
            .latex = R"(\min((p - 1) w,\, W))",
            .symbols = {{"p", "ranks", "count", ">= 1"},
                        {"w", "to a single peer, one direction", "B/s", "> 0"},
                        {"W", "to all, one direction", "B/s", ">= w"}},
            .result = "B/s",
            .validity = "one rank gets what two would",
            .source = open_book,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const accelerator gpu{.scale_up = shares_of(x[1], x[2])};
                  return rate_of(interconnect_between(gpu, whole(x[0])).bandwidth);
                },
            .examples = {{{4, 64e9, 448e9}, 192e9, 0, "three links of 64 GB/s"}}},
    formula{.name = "sustained_rate",
            .header = "hardware/sustained_rate.hpp",
            .meaning = "The rate that large matrix products keep up in a run",
            .text = "0.95 x best measured; else 0.95 x 0.75 P",
            .latex = R"(0.95\, P_{ach} \text{ else } 0.95 \times 0.75\, P)",
            .symbols = {{"P", "peak of the datasheet, dense", "FLOP/s", ">= 0"},
                        {"P_ach", "of the best product measured; 0: not", "FLOP/s", ">= 0"}},
            .result = "FLOP/s",
            .validity = "where no rate was fitted to runs of the device",
            .source = "S. Bekman, \"Machine Learning Engineering Open Book\", "
                      "compute/accelerator/README.md, github.com/stas00/ml-engineering (2025)",
            .errata =
                "Guides plan with the peak itself, or with the peak of sparse products, which "
                "is twice the dense one.",
            .topics = "C2 C6",
            .evaluate =
                [](inputs x) {
                  const accelerator gpu{.peak = {.bf16 = flop_per_second{x[0]}},
                                        .achieved = {.bf16 = flop_per_second{x[1]}}};
                  return sustained_rate(gpu, number_format::bf16).in(units::FLOP / units::second);
                },
            .examples = {{{312e12, 271.2e12}, 257.64e12, 1e-12, "A100: 0.95 x 271.2"},
                         {{312e12, 0}, 222.3e12, 1e-12, "0.95 x 0.75 x 312"}}}};

}  // namespace gpuplan::registry
