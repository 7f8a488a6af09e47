#pragma once
/// \file
/// Rows of simulate/: how sure a simulation is of its means, one more job in a trace, and what a
/// learner chooses.

#include <array>
#include <vector>

#include <gpuplan/queue/markov_decision.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/simulate/confidence.hpp>
#include <gpuplan/simulate/inserted_job.hpp>
#include <gpuplan/simulate/learned_plan.hpp>

namespace gpuplan::registry {

inline constexpr std::array queue_simulation_rows{
    row{.call = "simulate/confidence.hpp: student_t_quantile(p, n) in 1",
        .latex = R"(P(T_n \le t) = p)",
        .topics = "Q9",
        .evaluate = [](inputs x) { return student_t_quantile(x[0], whole(x[1])); },
        .examples = {{{0.75, 1}, 1, 1e-14, "Cauchy: tan(pi / 4)"},
                     {{0.975, 10}, 2.228, 5e-4 / 2.228, "tables, 2.228"}}},
    /// How far the true mean may be from that of samples: here of three, at 95 %.
    ///
    ///     t s / sqrt(n),   s^2 = sum (x - mean)^2 / (n - 1)
    ///
    ///     x1  first sample     1, any
    ///     x2  second sample    1, any
    ///     x3  third sample     1, any
    ///
    /// Holds: normal samples that know nothing of each other, or means of many.
    row{.call = "simulate/confidence.hpp: confidence_interval(x1, x2, x3) in 1",
        .latex = R"(t_{n-1} \frac{s}{\sqrt n})",
        .topics = "Q9",
        .evaluate = [](inputs x) { return confidence_interval(x).half_width; },
        .examples = {{{1, 2, 3}, 2.484, 5e-4 / 2.484, "4.303 / sqrt(3)"}}},
    /// Wait of a job that is put into a trace: here into the middle of a trace of two, on one GPU.
    ///
    ///     t_0 + S - t_i,   t_i = t_0 + (u + (1 - u) / 2) T
    ///
    ///     S  duration of the first                       s, 0 to 1e9
    ///     T  time from it to the second                  s, 0 to 1e9
    ///     u  part of it in which no job is put there     1, 0 to 0.9
    ///
    /// Holds: as exact as a simulation; waits are never below 0.
    row{.call = "simulate/inserted_job.hpp: inserted_waits(S, T, u) in s",
        .latex = R"(t_0 + S - t_i)",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const std::vector<trace_job> jobs{{.duration = seconds{x[0]}},
                                                {.submit = seconds{x[1]}}};
              const insertion_plan plan{.times = 1, .warm_up = x[2]};
              return inserted_waits(jobs, {.duration = seconds{1}}, 1, {}, plan)[0] / seconds{1};
            },
        .examples = {{{8, 10, 0.1}, 2.5, 1e-14, "8 - 5.5"}, {{8, 10, 0.8}, 0, 0, "at 9 s"}}},
    /// Mean cost over time of the repairs that a learner chooses, which does not know the rates.
    ///
    ///     Q_o <- Q_o + a_n (c t - g t + min over options p of j of Q_p - Q_o)
    ///
    ///     f    failures                              1/s, > 0
    ///     c_1  cost while it is repaired slowly      1, any
    ///     r_1  slow repairs                          1/s, > 0
    ///     c_2  cost while it is repaired fast        1, any
    ///     r_2  fast repairs                          1/s, > 0
    ///
    /// Holds: after 200 000 moves of a simulation; within 2 % where costs are not negative.
    row{.call = "simulate/learned_plan.hpp: learned_markov_plan(f, c_1, r_1, c_2, r_2) in 1",
        .latex = R"(Q_o \leftarrow Q_o + a_n (c t - g t + \min_p Q_p - Q_o))",
        .topics = "R13",
        .evaluate =
            [](inputs x) {
              const markov_option options[]{{0, 0, {{1, per_second{x[0]}}}},
                                            {1, x[1], {{0, per_second{x[2]}}}},
                                            {1, x[3], {{0, per_second{x[4]}}}}};
              return learned_markov_plan(2, options).mean_cost;
            },
        .examples = {{{1, 10, 1, 14, 2}, 14.0 / 3, 0.02, "the exact plan, 14/3"}}}};
inline constexpr auto queue_simulation_formulas =
    with_words(queue_simulation_rows, words::queue_simulation_formulas);

}  // namespace gpuplan::registry
