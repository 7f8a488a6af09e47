#pragma once
/// \file
/// Rows of queue/: what policies of scheduling make of the time that a job takes.

#include <array>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/gittins.hpp>
#include <gpuplan/queue/gittins_tiresias.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/mgk.hpp>
#include <gpuplan/queue/multilevel.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/priority.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/share/time_slicing.hpp>
#include <gpuplan/queue/share/weighted_sharing.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/queue_formulas.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Two classes of exponential jobs: their rates, and S.
constexpr std::array<priority_class, 2> two_classes(inputs x) {
  const seconds service{x[2]};
  const square_seconds second_moment = 2 * (service * service);
  return {priority_class{per_second{x[0]}, service, second_moment},
          priority_class{per_second{x[1]}, service, second_moment}};
}
/// The servers that two classes wait for.
constexpr workload pool_of(inputs x) {
  return {.mean_service = seconds{x[2]}, .servers = whole(x[3])};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     lambda    jobs that arrive           1/s, >= 0
///     S         mean service               s, 1e-9 to 1e12
///     lambda_1  urgent jobs that arrive    1/s, >= 0
///     lambda_2  other jobs                 1/s, >= 0
///     c         servers                    count, 1 to 1e6
///     q         quantum                    s, > 0
inline constexpr std::array queue_policy_rows{
    /// Holds: M/G/1: here equal jobs.
    row{.call = "queue/mg1.hpp: fcfs_wait(lambda, S) in s",
        .latex = R"(\frac{\lambda E S^2}{2 (1 - \rho)})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return fcfs_wait(deterministic_service{seconds{x[1]}}, per_second{x[0]})
                  .mean.in(units::second);
            },
        .examples = {{{0.5, 1}, 0.5, 1e-14, "M/D/1: rho S / (2 (1 - rho))"}}},
    /// Holds: M/G/1: here exponential jobs.
    row{.call = "queue/mg1.hpp: fcfs_wait_variance(lambda, S) in s^2",
        .latex = R"(\frac{\lambda E S^3}{3 (1 - \rho)} + W_q^2)",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return fcfs_wait_variance(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second * units::second);
            },
        .examples = {{{0.5, 1}, 3, 1e-14, "M/M/1: rho (2 - rho) / (mu - lambda)^2"}}},
    row{.call = "queue/mg1.hpp: processor_sharing_response(x, rho) in s",
        .latex = R"(\frac{x}{1 - \rho})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return processor_sharing_response(seconds{x[0]}, x[1]).in(units::second);
            },
        .examples = {{{3, 0.75}, 12, 0, "3 / (1/4)"}}},
    /// Mean time of a job, shortest job first.
    ///
    ///     E x + lambda E S^2 / (2 (1 - rho(x))^2)
    ///
    ///     lambda  jobs that arrive    1/s, >= 0
    ///
    /// Holds: M/G/1: here exponential jobs; also by size.
    row{.call = "queue/policy.hpp: sjf_response(lambda, S) in s",
        .latex = R"(E\left[ S + \frac{\lambda E S^2}{2 (1 - \rho(S))^2} \right])",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return sjf_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.5, 1}, 1.71268633193889287, 1e-12, "quadrature of 40 digits"}}},
    /// Mean time of a job, preemptive shortest job first.
    ///
    ///     E lambda E[S^2; S <= x] / (2 (1 - rho(x))^2) + x / (1 - rho(x))
    ///
    /// Holds: M/G/1: here exponential jobs; also by size.
    row{.call = "queue/policy.hpp: preemptive_sjf_response(lambda, S) in s",
        .latex = R"(\frac{\lambda E[S^2; S \le x]}{2 (1 - \rho(x))^2} + \frac{x}{1 - \rho(x)})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return preemptive_sjf_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.5, 1}, 1.5313832832963290, 1e-12, "quadrature of 40 digits"}}},
    /// Mean time of a job, shortest remaining processing time.
    ///
    ///     E lambda (m_2(x) + x^2 P(S > x)) / (2 (1 - rho(x))^2) + integral dt / (1 - rho(t))
    ///
    /// Holds: M/G/1: here exponential jobs; also by size.
    row{.call = "queue/policy.hpp: srpt_response(lambda, S) in s",
        .latex = R"(\frac{\lambda (m_2(x) + x^2 P(S > x))}{2 (1 - \rho(x))^2} + )"
                 R"(\int_0^x \frac{dt}{1 - \rho(t)})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return srpt_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.5, 1}, 1.42537266387778574, 1e-12, "quadrature of 40 digits"}}},
    /// Mean time of a job, least attained service first.
    ///
    ///     E lambda E min(S, x)^2 / (2 (1 - r)^2) + x / (1 - r), r = lambda E min(S, x)
    ///
    /// Holds: M/G/1: here exponential jobs; also by size.
    row{.call = "queue/policy.hpp: least_attained_response(lambda, S) in s",
        .latex = R"(\frac{\lambda E \min(S, x)^2}{2 (1 - r)^2} + \frac{x}{1 - r})",
        .errata = "A chapter says that Tiresias follows the progress of training; it follows "
                  "attained service.",
        .topics = "Q2 Q3",
        .evaluate =
            [](inputs x) {
              return least_attained_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.8, 1},
                      5,
                      1e-12,
                      "exponential jobs: every order blind to size has the mean of M/M/1"}}},
    /// Mean time of a job in Tiresias' queues by attained service.
    ///
    ///     sum_i (V_i P(a_(i-1) < S <= a_i) + E[S; same]) / (1 - r_(i-1))
    ///
    ///     lambda  jobs that arrive    1/s, >= 0
    ///     a       threshold           s, > 0
    ///
    /// Holds: M/G/1, one GPU a job: here two levels of exponential jobs; also by size.
    row{.call = "queue/multilevel.hpp: multilevel_response(lambda, S, a) in s",
        .latex =
            R"(\sum_i \frac{V_i P(a_{i-1} < S \le a_i) + E[S; a_{i-1} < S \le a_i]}{1 - r_{i-1}})",
        .topics = "Q3",
        .evaluate =
            [](inputs x) {
              const seconds threshold[]{seconds{x[2]}};
              return multilevel_response(exponential_service(seconds{x[1]}), per_second{x[0]},
                                         threshold)
                  .in(units::second);
            },
        .examples = {{{0.8, 1, 3},
                      5,
                      1e-12,
                      "exponential jobs: every order blind to size has the mean of M/M/1"}}},
    /// Mean time of a job under the Gittins policy.
    ///
    ///     lambda sum_i E X_i^2 / (2 (1 - rho_old) (1 - rho_new))
    ///         + integral da / (1 - rho_new(r(a)))
    ///
    ///     lambda  jobs that arrive      1/s, >= 0
    ///     x_1     short size            s, > 0
    ///     x_2     long size             s, > x_1
    ///     p       share of the short    1, > 0, < 1
    ///
    /// Holds: M/G/1, sizes of whole shares: here two.
    row{.call = "queue/gittins.hpp: gittins_response(lambda, x_1, x_2, p) in s",
        .latex = R"(\frac{\lambda \sum_i E X_i^2}{2 (1 - \rho_{old}) (1 - \rho_{new})} + )"
                 R"(\int_0^x \frac{da}{1 - \rho_{new}(r(a))})",
        .topics = "Q3",
        .evaluate =
            [](inputs x) {
              const service_atom atoms[]{{seconds{x[1]}, x[3]}, {seconds{x[2]}, 1 - x[3]}};
              return gittins_response(gittins_ranks(empirical_service(atoms)), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.44736842, 1, 10, 0.9},
                      5.9701057635595873,
                      1e-12,
                      "exact sums; simulated 5.951 +- 0.063"}}},
    /// The index that Tiresias' simulator gives a new job: of three sizes.
    ///
    ///     x_1  shortest size    s, > 0
    ///     x_2  middle size      s, > x_1
    ///     x_3  longest size     s, > x_2
    ///
    /// Holds: for comparison with that simulator only.
    row{.call = "queue/gittins_tiresias.hpp: tiresias_index(x_1, x_2, x_3, d) in 1/s",
        .latex = R"(\frac{p}{e})",
        .errata =
            "Not the Gittins index: d is fixed, e holds whole sizes, the longest job never ends.",
        .topics = "Q3",
        .evaluate =
            [](inputs x) {
              const seconds sizes[]{seconds{x[0]}, seconds{x[1]}, seconds{x[2]}};
              return tiresias_index(sizes, seconds{0}, seconds{x[3]}) * seconds{1};
            },
        .examples = {{{10, 20, 1000, 50},
                      0.66667 * 3 / 80,
                      1e-12,
                      "2/3 to five decimals, over (10 + 20 + 50)/3"}}},
    /// Mean wait of the second of two classes, the first more urgent.
    ///
    ///     R / ((1 - s_1) (1 - s_2))
    ///
    /// Holds: M/G/1 without preemption: here exponential jobs.
    row{.call = "queue/priority.hpp: priority_wait(lambda_1, lambda_2, S) in s",
        .latex = R"(\frac{R}{(1 - s_1) (1 - s_2)})",
        .topics = "Q2",
        .evaluate = [](inputs x) { return priority_wait(two_classes(x), 1).in(units::second); },
        .examples = {{{0.25, 0.25, 1}, 0.5 / (0.75 * 0.5), 1e-14, "R = 1/2, by hand"}}},
    /// Mean time of the second of two classes, the first interrupting it.
    ///
    ///     (E S + R / (1 - s_2)) / (1 - s_1)
    ///
    /// Holds: M/G/1, preemptive resume: here exponential jobs.
    row{.call = "queue/priority.hpp: preemptive_priority_response(lambda_1, lambda_2, S) in s",
        .latex = R"(\frac{E S + R / (1 - s_2)}{1 - s_1})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return preemptive_priority_response(two_classes(x), 1).in(units::second);
            },
        .examples = {{{0.25, 0.25, 1}, 2 / 0.75, 1e-14, "(1 + 0.5/0.5) / 0.75, by hand"}}},
    /// Mean wait of the second of two classes in a pool.
    ///
    ///     C S / c / ((1 - s_1) (1 - s_2))
    ///
    /// Holds: M/M/c without preemption, one mean service.
    row{.call = "queue/priority.hpp: pool_priority_wait(lambda_1, lambda_2, S, c) in s",
        .latex = R"(\frac{C S / c}{(1 - s_1) (1 - s_2)})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              const per_second rates[]{per_second{x[0]}, per_second{x[1]}};
              return pool_priority_wait(rates, pool_of(x), 1).in(units::second);
            },
        .examples = {{{0.5, 0.9, 1, 2}, 1.2810457516339870, 1e-13, "sums of 40 digits"}}},
    /// Mean time of the second of two classes in a pool, the first interrupting it.
    ///
    ///     (L(1..2) - L(1)) / lambda_2
    ///
    ///     lambda_2  other jobs    1/s, > 0
    ///
    /// Holds: M/M/c, preemptive resume, one mean service.
    row{.call =
            "queue/priority.hpp: pool_preemptive_priority_response(lambda_1, lambda_2, S, c) in s",
        .latex = R"(\frac{L_{1..k} - L_{1..k-1}}{\lambda_k})",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              const per_second rates[]{per_second{x[0]}, per_second{x[1]}};
              return pool_preemptive_priority_response(rates, pool_of(x), 1).in(units::second);
            },
        .examples = {{{0.5, 0.9, 1, 2}, 2.4575163398692811, 1e-13, "sums of 40 digits"}}},
    /// Mean time of the second of two classes that share by weight.
    ///
    ///     T_k (1 - sum b_kj) - sum b_kj T_j = S_k
    ///
    ///     lambda  jobs of each class that arrive           1/s, >= 0
    ///     g       weight of the second, the first has 1    1, > 0
    ///
    /// Holds: M/M/1, discriminatory processor sharing, one mean service.
    row{.call = "queue/share/weighted_sharing.hpp: weighted_sharing_response(lambda, S, g) in s",
        .latex = R"(T_k \left(1 - \sum_j b_{kj}\right) - \sum_j b_{kj} T_j = S_k)",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              const sharing_class classes[]{{per_second{x[0]}, seconds{x[1]}, 1},
                                            {per_second{x[0]}, seconds{x[1]}, x[2]}};
              return weighted_sharing_response(classes, 1).in(units::second);
            },
        .examples = {{{0.3, 1, 2}, 2.1428571428571428, 1e-13, "15/7; simulated 2.1429 +- 0.0029"}}},
    /// Turns that a job takes: an exponential one.
    ///
    ///     sum_k P(S > k q)
    ///
    /// Holds: any law.
    row{.call = "queue/share/time_slicing.hpp: mean_turns(S, q) in count",
        .latex = R"(\sum_{k \ge 0} P(S > k q))",
        .topics = "Q4",
        .evaluate =
            [](inputs x) {
              return mean_turns(exponential_service(seconds{x[0]}), {seconds{x[1]}, seconds{0}});
            },
        .examples = {{{1, 0.5}, 2.5414940825367983, 1e-14, "1 / (1 - e^(-1/2))"}}},
    /// Mean time of a job that takes turns, each after a switch.
    ///
    ///     E S + o E ceil(S/q) + sum_k P(S > (k-1) q) W_k
    ///
    ///     lambda  jobs that arrive    1/s, >= 0
    ///     o       switch              s, >= 0
    ///
    /// Holds: M/G/1 round robin: here exponential jobs; also by size.
    row{.call = "queue/share/time_slicing.hpp: time_slicing_response(lambda, S, q, o) in s",
        .latex = R"(E S + o E \lceil S / q \rceil + \sum_k P(S > (k - 1) q) W_k)",
        .topics = "Q4",
        .evaluate =
            [](inputs x) {
              return time_slicing_response(exponential_service(seconds{x[1]}), per_second{x[0]},
                                           {seconds{x[2]}, seconds{x[3]}})
                  .in(units::second);
            },
        .examples = {{{0.5, 1, 0.05, 0},
                      2,
                      1e-8,
                      "exponential jobs: every order blind to size has the mean of M/M/1"},
                     {{0.8, 1, 1, 0.05}, 7.6132, 0.0132, "simulated, 7.61 +- 0.10"}}},
    row{.call = "queue/mgk.hpp: shared_pool_response(lambda, S, c, x) in s",
        .latex = R"(x \left(1 + \frac{C(c, a)}{c - a}\right))",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return shared_pool_response(jobs_of(x), seconds{x[3]}).in(units::second);
            },
        .examples = {{{0.75, 1, 1, 2}, 8, 1e-13, "2 / (1/4)"},
                     {{2, 1, 3, 1}, 13.0 / 9, 1e-13, "1 + (4/9) / 1"}}},
    /// What no policy beats on k servers.
    ///
    ///     max(E S, E T of one server k times as fast)
    ///
    ///     lambda  jobs that arrive    1/s, >= 0
    ///     k       servers             count, >= 1
    ///
    /// Holds: M/G/k: here exponential jobs; the upper bound of SRPT beside it.
    row{.call = "queue/mgk.hpp: srpt_bounds(lambda, S, k) in s",
        .latex = R"(\max\left(E S, E T_{SRPT\text{-}1}\right))",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return srpt_bounds(exponential_service(seconds{x[1]}), per_second{x[0]}, whole(x[2]))
                  .lower.in(units::second);
            },
        .examples = {
            {{0.5, 1, 1}, 1.42537266387778574, 1e-12, "one server: quadrature of 40 digits"},
            {{3.6, 1, 4}, 1, 1e-12, "E S"}}}};
inline constexpr auto queue_policy_formulas =
    with_words(queue_policy_rows, words::queue_policy_formulas);

}  // namespace gpuplan::registry
