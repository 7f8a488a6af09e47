#pragma once
/// \file
/// Rows of queue/: what schedulers compute, and what is decided exactly.

#include <array>

#include <gpuplan/queue/markov.hpp>
#include <gpuplan/queue/markov_decision.hpp>
#include <gpuplan/queue/share/finish_time_fairness.hpp>
#include <gpuplan/queue/share/gavel.hpp>
#include <gpuplan/queue/share/opportunistic.hpp>
#include <gpuplan/queue/share/sia.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     T_1  steps a second on the first type     1/s, >= 0
///     T_2  steps a second on the second type    1/s, >= 0
inline constexpr std::array queue_scheduler_rows{
    /// Share of the time in each state of a Markov chain: of two, in the second.
    ///
    ///     p Q = 0, sum p = 1
    ///
    ///     q_12  rate from the first to the second    1/s, > 0
    ///     q_21  rate back                            1/s, > 0
    ///
    /// Holds: finite chains of some hundred states.
    row{.call = "queue/markov.hpp: stationary_law(q_12, q_21) in 1",
        .latex = R"(p Q = 0, \quad \sum_i p_i = 1)",
        .topics = "R13",
        .evaluate =
            [](inputs x) {
              const markov_move moves[]{{0, 1, per_second{x[0]}}, {1, 0, per_second{x[1]}}};
              return stationary_law(2, moves)[1];
            },
        .examples = {{{1, 3}, 0.25, 1e-15, "1 / (1 + 3)"}}},
    /// Least mean cost of a Markov decision process: of a machine that may be repaired at two
    /// speeds.
    ///
    ///     g = min c + sum q (h_j - h_i)
    ///
    ///     f    failures                            1/s, > 0
    ///     c_1  cost while it is repaired slowly    1, >= 0
    ///     r_1  slow repairs                        1/s, > 0
    ///     c_2  cost while it is repaired fast      1, >= 0
    ///     r_2  fast repairs                        1/s, > 0
    ///
    /// Holds: finite, exact; the rates are known.
    row{.call = "queue/markov_decision.hpp: best_markov_plan(f, c_1, r_1, c_2, r_2) in 1",
        .latex = R"(g = \min_o c_i(o) + \sum_j q_{ij}(o) (h_j - h_i))",
        .topics = "R13",
        .evaluate =
            [](inputs x) {
              const markov_option options[]{{0, 0, {{1, per_second{x[0]}}}},
                                            {1, x[1], {{0, per_second{x[2]}}}},
                                            {1, x[3], {{0, per_second{x[4]}}}}};
              return best_markov_plan(2, options).mean_cost;
            },
        .examples = {{{1, 10, 1, 14, 2}, 14.0 / 3, 1e-14, "10/2 slowly, 14/3 fast"}}},
    /// Fewest jobs present that any order of starting them can reach: of one kind.
    ///
    ///     min E sum cost_k N_k
    ///
    ///     lambda  jobs that arrive      1/s, > 0
    ///     S       mean service          s, 1e-9 to 1e12
    ///     c       GPUs, one a job       count, 1 to 16
    ///     w       jobs that may wait    count, 1 to 16
    ///
    /// Holds: exponential durations; a job turned away costs as one that stays 100 S.
    row{.call = "queue/markov_decision.hpp: least_gang_cost(lambda, S, c, w) in 1",
        .latex = R"(\min E \sum_k c_k N_k)",
        .topics = "R13 Q7",
        .evaluate =
            [](inputs x) {
              const gang_kind kinds[]{{per_second{x[0]}, seconds{x[1]}, 1, 1, seconds{100 * x[1]}}};
              return least_gang_cost(kinds, {whole(x[2]), whole(x[3])});
            },
        .examples = {{{1, 1, 1, 1},
                      103.0 / 3,
                      1e-12,
                      "M/M/1/2 at full load: (0 + 1 + 2)/3 jobs, a third of them turned away"}}},
    ///     t        since its arrival         s, >= 0
    ///     Q        steps left                count, >= 0
    ///     f        steps a second            1/s, >= 0
    ///     t_alone  the work so far, alone    s, >= 0
    ///     f_alone  steps a second alone      1/s, > 0
    row{.call = "queue/share/finish_time_fairness.hpp: finish_time_fairness(t, Q, f, t_alone, "
                "f_alone) in 1",
        .latex = R"(\rho = \frac{t + Q / f}{t_{id} + Q / f_{id}})",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              return finish_time_fairness(
                  {seconds{x[0]}, x[1], per_second{x[2]}, seconds{x[3]}, per_second{x[4]}});
            },
        .examples = {{{4, 100, 25, 2, 50}, 2, 1e-15, "8 over 4"}}},
    ///     T       step alone                         s, > 0
    ///     m       memory                             B, >= 0
    ///     b       share of the step that computes    1, 0 to 1
    ///     W       to the host, one way               B/s, > 0
    ///     m_left  memory left                        B, >= 0
    ///     i       idle share of the GPU              1, 0 to 1
    row{.call =
            "queue/share/opportunistic.hpp: opportunistic_step_time(T, m, b, W, m_left, i) in s",
        .latex = R"(T \max\left(1, \frac{b}{i}\right) + \frac{2 \max(0, m - m_l)}{W})",
        .errata = "A chapter says that AntMan serves inference; it schedules training jobs.",
        .topics = "Q6",
        .evaluate =
            [](inputs x) {
              return opportunistic_step_time(
                         {seconds{x[0]}, bytes{x[1]}, x[2], bytes_per_second{x[3]}},
                         {bytes{x[4]}, x[5]})
                  .total()
                  .in(units::second);
            },
        .examples =
            {{{0.1, 10e9, 0.5, 20e9, 9e9, 0.25}, 0.3, 1e-14, "0.2 s of work, 1 GB out and in"}}},
    /// Speed of jobs that share a GPU, over that alone.
    ///
    ///     min(1, 1 / sum busy)
    ///
    ///     b  shares of the time that the jobs would use alone, summed    1, > 0
    ///
    /// Holds: coarse: no interference but for time.
    row{.call = "queue/share/opportunistic.hpp: packed_speed(b) in 1",
        .latex = R"(\min\left(1, \frac{1}{\sum b}\right))",
        .topics = "Q4",
        .evaluate = [](inputs x) { return packed_speed(x[0]); },
        .examples = {{{1.25}, 0.8, 1e-15, "1 / 1.25"}}},
    /// Steps a second of a job that runs on two types of GPU in turn.
    ///
    ///     sum_j T_j X_j
    ///
    ///     X_1  share of the time on the first     1, 0 to 1
    ///     X_2  share of the time on the second    1, 0 to 1
    ///
    /// Holds: as many shares as types, which sum to 1 at most.
    row{.call = "queue/share/gavel.hpp: effective_speed(T_1, T_2, X_1, X_2) in 1/s",
        .latex = R"(\sum_j T_j X_j)",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const per_second speeds[]{per_second{x[0]}, per_second{x[1]}};
              return effective_speed({speeds}, x.subspan(2)) * seconds{1};
            },
        .examples = {{{4, 1, 0.5, 0.25}, 2.25, 1e-15, "by hand"}}},
    /// Steps a second with an equal share of two types of GPU.
    ///
    ///     sum_j T_j min(1, N_j / (g M))
    ///
    ///     N_1  GPUs of the first type    count, >= 0
    ///     N_2  of the second             count, >= 0
    ///     M    jobs, of one GPU each     count, >= 1
    ///
    /// Holds: shares cut down where they sum to more than the whole time.
    row{.call = "queue/share/gavel.hpp: equal_share_speed(T_1, T_2, N_1, N_2, M) in 1/s",
        .latex = R"(\frac{\sum_j T_j N_j}{\max(g M, \sum_j N_j)})",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const per_second speeds[]{per_second{x[0]}, per_second{x[1]}};
              const int gpus[]{whole(x[2]), whole(x[3])};
              return equal_share_speed({speeds}, gpus, whole(x[4])) * seconds{1};
            },
        .examples = {{{4, 1, 1, 1, 2}, 2.5, 1e-15, "half of each"}}},
    /// Least time in which jobs on GPUs of several types can be done: two alike on one type.
    ///
    ///     min max_m Q_m / f_m(X)
    ///
    ///     T    steps a second of either job    1/s, > 0
    ///     N    GPUs                            count, >= 1
    ///     Q_1  steps left of the first         count, > 0
    ///     Q_2  of the second                   count, > 0
    ///
    /// Holds: time shared without loss; the linear program solved exactly.
    row{.call = "queue/share/gavel.hpp: least_makespan(T, N, Q_1, Q_2) in s",
        .latex = R"(\min_X \max_m \frac{Q_m}{f_m(X)})",
        .topics = "Q9",
        .evaluate =
            [](inputs x) {
              const per_second speeds[]{per_second{x[0]}};
              const heterogeneous_job jobs[]{{speeds}, {speeds}};
              const int gpus[]{whole(x[1])};
              const double steps[]{x[2], x[3]};
              return least_makespan(jobs, gpus, steps).in(units::second);
            },
        .examples = {{{1, 1, 100, 200}, 300, 1e-12, "one GPU, one after the other"},
                     {{1, 2, 100, 200}, 200, 1e-12, "a GPU each"}}},
    /// What a configuration costs a job in the objective of Sia.
    ///
    ///     (r G / min G)^p + d |x - x_prev|
    ///
    ///     G_1  goodput as it runs now                1/s, > 0
    ///     G_2  goodput of the other configuration    1/s, > G_1
    ///     t    age                                   s, >= 0
    ///     n    restarts so far                       count, >= 0
    ///
    /// Holds: p = -1/2, d = 0.01, 30 s a restart.
    row{.call = "queue/share/sia.hpp: sia_cost(G_1, G_2, t, n) in 1",
        .latex = R"(\left(\frac{r G_c}{\min G}\right)^p + d |x - x_{prev}|)",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              const per_second goodput[]{per_second{x[0]}, per_second{x[1]}};
              return sia_cost({goodput, 0, seconds{x[2]}, whole(x[3])}, 1, {});
            },
        .examples = {
            {{2, 8, 270, 1}, 0.57901699437494745, 1e-13, "1/sqrt(0.8 x 4) + 0.02, by hand"}}}};
inline constexpr auto queue_scheduler_formulas =
    with_words(queue_scheduler_rows, words::queue_scheduler_formulas);

}  // namespace gpuplan::registry
