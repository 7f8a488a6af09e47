#pragma once
/// \file
/// Rows of scaling/: Optimus' model of a job.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/scaling/optimus.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::array scaling_optimus_rows{
    row{.call = "scaling/optimus.hpp: loss_after(b_0, b_1, b_2, k) in 1",
        .latex = R"(\frac{1}{b_0 k + b_1} + b_2)",
        .errata = "A chapter credits Optimus with joint batch sizes: that is Pollux.",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              return loss_after({x[0], x[1], x[2]}, x[3]);
            },
        .examples = {{{0.01, 0.25, 1, 75}, 2, 1e-15, "1 / 1 + 1"}}},
    row{.call = "scaling/optimus.hpp: steps_to_converge(b_0, b_1, t, w) in count",
        .latex = R"(\frac{x - b_1}{b_0}, \quad x (x + b_0 w) = \frac{b_0 w}{t})",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              return steps_to_converge({x[0], x[1], 0}, x[2], x[3]);
            },
        .examples = {{{1, 1, 0.5, 1}, 0, 0, "1 - 1/2 from the start"},
                     {{1, 1, 0.05, 1}, 3, 1e-14, "1/4 - 1/5"}}},
    row{.call = "scaling/optimus.hpp: synchronous_step_time(t_0, t_1, t_2, t_3, t_4, p, w, M) in s",
        .latex = R"(t_0 \frac{M}{w} + t_1 + t_2 \frac{w}{p} + t_3 w + t_4 p)",
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
    row{.call = "scaling/optimus.hpp: asynchronous_step_rate(t_1, t_2, t_3, t_4, p, w) in 1/s",
        .latex = R"(\frac{w}{t_1 + t_2 w / p + t_3 w + t_4 p})",
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
inline constexpr auto scaling_optimus_formulas =
    with_words(scaling_optimus_rows, words::scaling_optimus_formulas);

}  // namespace gpuplan::registry
