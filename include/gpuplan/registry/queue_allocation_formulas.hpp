#pragma once
/// \file
/// Rows of queue/share/: which job of a shared cluster gets how many GPUs, or what share of the
/// time.

#include <array>
#include <vector>

#include <gpuplan/queue/share/gavel.hpp>
#include <gpuplan/queue/share/marginal_gain.hpp>
#include <gpuplan/queue/share/sia.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     T_1  steps a second of the first job on the first type      1/s, > 0
///     T_2  of the first job on the second type                    1/s, > 0
///     U_1  steps a second of the second job on the first type     1/s, > 0
///     U_2  of the second job on the second type                   1/s, > 0
inline constexpr std::array queue_allocation_rows{
    /// GPUs of the first of two elastic jobs, of which the next goes to the one that it helps most.
    ///
    ///     argmax Q_i (T(n_i) - T(n_i + 1)),   T(n) = (1 - p) + p / n
    ///
    ///     Q_1  steps left of the first                              count, > 0
    ///     Q_2  steps left of the second                             count, > 0
    ///     p    parallel part of a step, which takes 1 s on a GPU    1, 0 to 1
    ///     G    GPUs                                                 count, 1 to 4096
    ///
    /// Holds: best where each further GPU gains less than the one before.
    row{.call = "queue/share/marginal_gain.hpp: marginal_gain_allocation(Q_1, Q_2, p, G) in 1",
        .latex = R"(\arg\max_i Q_i (T(n_i) - T(n_i + 1)))",
        .errata =
            "A chapter says that Optimus chooses GPUs and batch sizes together; that is Pollux.",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              std::vector<seconds> steps;
              for (int n = 1; n <= whole(x[3]); ++n)
                steps.push_back(seconds{1} / amdahl_speed_up(x[2], n));
              const elastic_job jobs[]{{x[0], steps}, {x[1], steps}};
              int units[]{0, 0};
              marginal_gain_allocation(jobs, whole(x[3]), units);
              return static_cast<double>(units[0]);
            },
        .examples = {{{100, 10, 1, 4}, 3, 0, "one each, then 50 s and 16.7 s against 5 s"},
                     {{100, 100, 1, 4}, 2, 0, "equal jobs get equal shares"}}},
    /// GPUs of the second of two jobs that wait, under Sia: 1, 2 or 4 of one type.
    ///
    ///     min sum_i (G(c_i) / G(1))^(-1/2), 1.1 for a job that gets nothing
    ///
    ///     S_2  goodput with 2 GPUs over that with one    1, > 0
    ///     S_4  goodput with 4 over that with one         1, > 0
    ///     N    GPUs                                      count, 1 to 4096
    ///
    /// Holds: exact; of equal costs the last job goes first.
    row{.call = "queue/share/sia.hpp: sia_allocation(S_2, S_4, N) in 1",
        .latex = R"(\min \sum_i \left(\frac{G(c_i)}{G(1)}\right)^{-1/2})",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              const sia_configuration ways[]{{0, 1}, {0, 2}, {0, 4}};
              const per_second goodput[]{per_second{1}, per_second{x[0]}, per_second{x[1]}};
              const sia_job jobs[]{{goodput}, {goodput}};
              const int gpus[]{whole(x[2])};
              const int chosen = sia_allocation(jobs, ways, gpus)[1];
              return chosen < 0 ? 0.0 : static_cast<double>(ways[chosen].gpus);
            },
        .examples = {{{2, 4, 4}, 2, 0, "two each cost 1.41, all for one 1.6"},
                     {{2, 4, 2}, 2, 0, "both for one cost 1.81, one each 2"},
                     {{1.2, 1.3, 2}, 1, 0, "both for one cost 2.01, one each 2"}}},
    /// The least of speed over claim of two jobs on a GPU of each of two types, made as large as it
    /// can be.
    ///
    ///     max_X min_m f_m(X) / c_m
    ///
    ///     c_1  claim of the first job     1/s, > 0
    ///     c_2  claim of the second job    1/s, > 0
    ///
    /// Holds: time shared without loss; the linear program solved exactly.
    row{.call = "queue/share/gavel.hpp: max_min_shares(T_1, T_2, U_1, U_2, c_1, c_2) in 1",
        .latex = R"(\max_X \min_m \frac{f_m(X)}{c_m})",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const per_second first[]{per_second{x[0]}, per_second{x[1]}};
              const per_second second[]{per_second{x[2]}, per_second{x[3]}};
              const heterogeneous_job jobs[]{{first}, {second}};
              const int gpus[]{1, 1};
              const per_second claims[]{per_second{x[4]}, per_second{x[5]}};
              const time_shares shares = max_min_shares(jobs, gpus, claims);
              const std::span all{shares.share};
              const double ratios[]{effective_speed(jobs[0], all.first(2)) / claims[0],
                                    effective_speed(jobs[1], all.last(2)) / claims[1]};
              return ratios[0] < ratios[1] ? ratios[0] : ratios[1];
            },
        .examples = {{{4, 1, 3, 2, 1, 1}, 2.5, 1e-12, "3 x + 1 = 3 - x at x = 1/2"}}},
    /// Steps a second of the first of two jobs in Gavel's max-min fairness, on a GPU of each of two
    /// types.
    ///
    ///     max_X min_m f_m(X) / f_m(equal shares)
    ///
    /// Holds: equal weights, one GPU a job; time shared without loss.
    row{.call = "queue/share/gavel.hpp: fair_shares(T_1, T_2, U_1, U_2) in 1/s",
        .latex = R"(\max_X \min_m \frac{f_m(X)}{f_m(X^=)})",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const per_second first[]{per_second{x[0]}, per_second{x[1]}};
              const per_second second[]{per_second{x[2]}, per_second{x[3]}};
              const heterogeneous_job jobs[]{{first}, {second}};
              const int gpus[]{1, 1};
              const time_shares shares = fair_shares(jobs, gpus);
              return effective_speed(jobs[0], std::span{shares.share}.first(2)) * seconds{1};
            },
        .examples = {{{4, 1, 1, 4}, 4, 1e-12, "each where it is fast"}}}};
inline constexpr auto queue_allocation_formulas =
    with_words(queue_allocation_rows, words::queue_allocation_formulas);

}  // namespace gpuplan::registry
