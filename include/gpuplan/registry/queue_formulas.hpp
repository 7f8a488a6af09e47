#pragma once
/// \file
/// Rows of queue/: how long a job waits.

#include <array>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view gross =
    "D. Gross et al., \"Fundamentals of Queueing Theory\", 4th ed., Wiley (2008)";

inline constexpr symbol server_count{"c", "servers", "count", ">= 1"};
inline constexpr symbol offered{"a", "offered load", "erlang", ">= 0"};

inline constexpr std::array queue_formulas{
    formula{.name = "erlang_b",
            .header = "queue/erlang.hpp",
            .meaning = "Fraction of jobs lost when c servers have no waiting room",
            .text = "B(k) = a B(k-1) / (k + a B(k-1)), B(0) = 1",
            .latex = R"(B(c, a) = \frac{a^c / c!}{\sum_{k=0}^{c} a^k / k!})",
            .symbols = {{"c", "servers", "count", ">= 0"}, offered},
            .result = "1",
            .validity = "Poisson arrivals; any distribution of service times",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return erlang_b(whole(x[0]), x[1]); },
            .examples = {{{2, 2}, 0.4, 1e-12, "2/(1 + 2 + 2)"},
                         {{5, 4}, 0.19906687402799378, 1e-12, "128/643"}}},
    formula{.name = "erlang_c",
            .header = "queue/erlang.hpp",
            .meaning = "Probability that a job waits",
            .text = "c B / (c - a + a B)",
            .latex = R"(\frac{c B}{c - a + a B})",
            .symbols = {server_count, offered},
            .result = "1",
            .validity = "M/M/c; 1 at and above a = c",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return erlang_c(whole(x[0]), x[1]); },
            .examples = {{{3, 2}, 4.0 / 9, 1e-12, "4/9 as a fraction"}}},
    formula{.name = "wait",
            .header = "queue/erlang.hpp",
            .meaning = "Mean wait of M/M/c",
            .text = "C / (c / S - lambda)",
            .latex = R"(W_q = \frac{C(c, a)}{c \mu - \lambda})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "> 0"},
                        server_count},
            .result = "s",
            .validity = "Poisson arrivals, exponential service; infinite where overloaded",
            .source = gross,
            .errata = "A textbook has a further factor 1/mu, which makes it hours squared: 0.139 "
                      "where 0.277 hours are right.",
            .topics = "Q1",
            .evaluate =
                [](inputs x) {
                  return wait({.arrival_rate = per_second{x[0]},
                               .mean_service = seconds{x[1]},
                               .servers = whole(x[2])})
                      .mean.in(units::second);
                },
            .examples = {{{8.0 / 3600, 1800, 5},
                          0.27705627705627706 * 3600,
                          1e-12,
                          "8 and 2 an hour, 5 servers: a textbook's example, recomputed"}}}};

}  // namespace gpuplan::registry
