#pragma once
/// \file
/// Rows of scaling/: Optimus' model of a job.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/scaling/optimus.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view optimus_paper =
    "Y. Peng et al., \"Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning "
    "Clusters\", "
    "EuroSys (2018)";

inline constexpr std::array scaling_optimus_formulas{
    formula{.name = "loss_after",
            .header = "scaling/optimus.hpp",
            .meaning = "Loss after k steps, as Optimus fits it",
            .text = "1 / (b_0 k + b_1) + b_2",
            .latex = R"(\frac{1}{b_0 k + b_1} + b_2)",
            .symbols = {{"b_0", "slope", "1", "> 0"},
                        {"b_1", "start", "1", "> 0"},
                        {"b_2", "floor", "1", ">= 0"},
                        {"k", "steps", "count", ">= 0"}},
            .result = "1",
            .validity = "fitted to a run; poor at its beginning",
            .source = optimus_paper,
            .errata = "A chapter credits Optimus with joint batch sizes: that is Pollux.",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  return loss_after({x[0], x[1], x[2]}, x[3]);
                },
            .examples = {{{0.01, 0.25, 1, 75}, 2, 1e-15, "1 / 1 + 1"}}},
    formula{.name = "steps_to_converge",
            .header = "scaling/optimus.hpp",
            .meaning = "Steps until the loss falls by less than a threshold in a window",
            .text = "(x - b_1) / b_0, x = (-d + sqrt(d^2 + 4 d / t)) / 2, d = b_0 w",
            .latex = R"(\frac{x - b_1}{b_0}, \quad x (x + b_0 w) = \frac{b_0 w}{t})",
            .symbols = {{"b_0", "slope", "1", "> 0"},
                        {"b_1", "start", "1", "> 0"},
                        {"t", "threshold", "1", "> 0"},
                        {"w", "window", "count", "> 0"}},
            .result = "count",
            .validity = "of the curve of loss_after",
            .source = optimus_paper,
            .errata = "",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  return steps_to_converge({x[0], x[1], 0}, x[2], x[3]);
                },
            .examples = {{{1, 1, 0.5, 1}, 0, 0, "1 - 1/2 from the start"},
                         {{1, 1, 0.05, 1}, 3, 1e-14, "1/4 - 1/5"}}},
    formula{.name = "synchronous_step_time",
            .header = "scaling/optimus.hpp",
            .meaning = "Step of workers that wait for each other, with parameter servers",
            .text = "t_0 M/w + t_1 + t_2 w/p + t_3 w + t_4 p",
            .latex = R"(t_0 \frac{M}{w} + t_1 + t_2 \frac{w}{p} + t_3 w + t_4 p)",
            .symbols = {{"t_0", "sample", "s", ">= 0"},
                        {"t_1", "step", "s", ">= 0"},
                        {"t_2", "traffic", "s", ">= 0"},
                        {"t_3", "per worker", "s", ">= 0"},
                        {"t_4", "per server", "s", ">= 0"},
                        {"p", "servers", "count", ">= 1"},
                        {"w", "workers", "count", ">= 1"},
                        {"M", "batch", "count", "> 0"}},
            .result = "s",
            .validity = "one batch among all workers",
            .source = optimus_paper,
            .errata = "",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  return synchronous_step_time({seconds{x[0]}, seconds{x[1]}, seconds{x[2]},
                                                seconds{x[3]}, seconds{x[4]}},
                                               {whole(x[5]), whole(x[6])}, x[7])
                      .in(units::second);
                },
            .examples = {{{0.010, 0.020, 0.008, 0.001, 0.002, 4, 8, 64},
                          0.132,
                          1e-14,
                          "80 + 20 + 16 + 8 + 8 ms"}}},
    formula{
        .name = "asynchronous_step_rate",
        .header = "scaling/optimus.hpp",
        .meaning = "Steps a second of workers that do not wait, with parameter servers",
        .text = "w / (t_1 + t_2 w/p + t_3 w + t_4 p)",
        .latex = R"(\frac{w}{t_1 + t_2 w / p + t_3 w + t_4 p})",
        .symbols = {{"t_1", "step", "s", ">= 0"},
                    {"t_2", "traffic", "s", ">= 0"},
                    {"t_3", "per worker", "s", ">= 0"},
                    {"t_4", "per server", "s", ">= 0"},
                    {"p", "servers", "count", ">= 1"},
                    {"w", "workers", "count", ">= 1"}},
        .result = "1/s",
        .validity = "throughput alone: steps on stale weights are worth less",
        .source = optimus_paper,
        .errata = "",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              return asynchronous_step_rate(
                         {seconds{0}, seconds{x[0]}, seconds{x[1]}, seconds{x[2]}, seconds{x[3]}},
                         {whole(x[4]), whole(x[5])}) *
                     seconds{1};
            },
        .examples = {
            {{0.020, 0.008, 0.001, 0.002, 4, 8}, 8 / 0.052, 1e-14, "8 in 20 + 16 + 8 + 8 ms"}}}};

}  // namespace gpuplan::registry
