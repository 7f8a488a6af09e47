#pragma once
/// \file
/// Rows of queue/: how long a job waits, arrivals and service at random.

#include <array>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/impatient.hpp>
#include <gpuplan/queue/limited.hpp>
#include <gpuplan/queue/mdc.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/queue/poisson.hpp>
#include <gpuplan/queue/staffing.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr symbol offered{"a", "offered load", "erlang", ">= 0"};

/// Jobs of lambda, S and c.
constexpr workload jobs_of(inputs x) {
  return {per_second{x[0]}, seconds{x[1]}, whole(x[2])};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     c       servers                count, 1 to 1e6
///     a       offered load           erlang, >= 0
///     lambda  jobs that arrive       1/s, >= 0
///     S       mean service           s, 1e-9 to 1e12
///     t       time                   s, >= 0
///     p       share that may wait    1, 0 to 1
inline constexpr std::array queue_rows{
    row{.call = "queue/erlang.hpp: erlang_b(c, a) in 1",
        .latex = R"(B(c, a) = \frac{a^c / c!}{\sum_{k=0}^{c} a^k / k!})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return erlang_b(whole(x[0]), x[1]); },
        .examples = {{{2, 2}, 0.4, 1e-12, "2/(1 + 2 + 2)"},
                     {{5, 4}, 0.19906687402799378, 1e-12, "128/643"}}},
    row{.call = "queue/erlang.hpp: erlang_c(c, a) in 1",
        .latex = R"(\frac{c B}{c - a + a B})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return erlang_c(whole(x[0]), x[1]); },
        .examples = {{{3, 2}, 4.0 / 9, 1e-12, "4/9 as a fraction"}}},
    /// Mean wait of M/M/c.
    row{.call = "queue/erlang.hpp: wait(lambda, S, c) in s",
        .latex = R"(W_q = \frac{C}{c / S - \lambda})",
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
                      "8 and 2 an hour, 5 servers: a textbook's example, recomputed"}},
        .terms = {{"queue", "count",
                   [](inputs x) {
                     return wait({.arrival_rate = per_second{x[0]},
                                  .mean_service = seconds{x[1]},
                                  .servers = whole(x[2])})
                         .queue_length();
                   }}}},
    row{.call = "queue/continuous_erlang.hpp: continuous_erlang_b(c, a) in 1",
        .latex = R"(\frac{p}{1 - p T})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return continuous_erlang_b(x[0], x[1]); },
        .examples =
            {{{0.5, 1}, 0.72519677735834863, 1e-14, "1 / (1 + sqrt(pi)/2 e erfc(1)), by hand"},
             {{3, 2}, 4.0 / 19, 1e-14, "4/19 as a fraction"}}},
    row{.call = "queue/continuous_erlang.hpp: continuous_erlang_c(c, a) in 1",
        .latex = R"(\frac{c B}{c - a + a B})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return continuous_erlang_c(x[0], x[1]); },
        .examples = {{{3, 2}, 4.0 / 9, 1e-14, "4/9 as a fraction"},
                     {{0.5, 0.25}, 0.64698061619225135, 1e-14, "of B of half a server, by hand"}}},
    row{.call = "queue/continuous_erlang.hpp: log_erlang_b(c, a) in 1",
        .latex = R"(\ln B(c, a))",
        .topics = "Q1",
        .evaluate = [](inputs x) { return log_erlang_b(x[0], x[1]); },
        .examples = {{{3, 1e-200}, -1383.3428152656555, 1e-14, "ln(a^3 / 6)"}}},
    ///     c  servers, whole or not    1, > 0, <= 1e6
    row{.call = "queue/continuous_erlang.hpp: log_erlang_c(c, a) in 1",
        .latex = R"(\ln C(c, a))",
        .topics = "Q1",
        .evaluate = [](inputs x) { return log_erlang_c(x[0], x[1]); },
        .examples = {{{0.5, 0.25}, -0.43543894444741765, 1e-14, "of half a server, by hand"}}},
    row{.call = "queue/mmc.hpp: log_wait_tail(lambda, S, c, t) in 1",
        .latex = R"(\ln C - \left( \frac{c}{S} - \lambda \right) t)",
        .topics = "Q1",
        .evaluate = [](inputs x) { return log_wait_tail(jobs_of(x), seconds{x[3]}); },
        .examples = {{{0.75, 1, 1, 4}, -1.2876820724517809, 1e-14, "M/M/1: ln(3/4) - 1"}}},
    row{.call = "queue/mmc.hpp: response_tail(lambda, S, c, t) in 1",
        .latex = R"(\left(1 + \frac{C}{h}\right) e^{-t/S} )"
                 R"(- \frac{C}{h} e^{-(c/S - \lambda) t})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return response_tail(jobs_of(x), seconds{x[3]}); },
        .examples = {{{0.75, 1, 1, 4}, 0.36787944117144233, 1e-14, "M/M/1: e^-1"},
                     {{6.4, 1, 8, 3.125}, 0.072310146057084725, 1e-13, "sums of 320 bits"}}},
    row{.call = "queue/mmc.hpp: response_percentile(lambda, S, c, q) in s",
        .latex = R"(P(T > t_q) = 1 - q)",
        .topics = "Q1",
        .evaluate =
            [](inputs x) { return response_percentile(jobs_of(x), x[3]).in(units::second); },
        .examples = {{{0.75, 1, 1, 0.5}, 2.7725887222397812, 1e-14, "M/M/1: 4 ln 2"},
                     {{6.4, 1, 8, 0.99}, 5.1521815625055896, 1e-13, "sums of 320 bits"}}},
    ///     min c with C(c, lambda S) <= p
    ///
    ///     lambda  jobs that arrive    1/s, > 0
    ///     S       mean service        s, > 0, lambda S <= 1e6
    ///
    /// Holds: M/M/c; also for mean wait, mean response, percentile and loss.
    row{.call = "queue/staffing.hpp: fewest_servers(lambda, S, p) in count",
        .latex = R"(\min \{ c : C(c, \lambda S) \le p \})",
        .topics = "Q1",
        .evaluate =
            [](inputs x) {
              return 1.0 * fewest_servers({per_second{x[0]}, seconds{x[1]}},
                                          wait_probability_limit{x[2]});
            },
        .examples = {{{1, 1, 0.34}, 2, 0, "C(2, 1) = 1/3"},
                     {{1.7, 1, 0.05}, 5, 0, "0.0326 with 5, 0.109 with 4: sums of 320 bits"}}},
    ///     max lambda with C(c, lambda S) <= p
    ///
    /// Holds: M/M/c; also for mean wait, mean response, percentile and loss.
    row{.call = "queue/staffing.hpp: largest_arrival_rate(c, S, p) in 1/s",
        .latex = R"(\max \{ \lambda : C(c, \lambda S) \le p \})",
        .topics = "Q1",
        .evaluate =
            [](inputs x) {
              return largest_arrival_rate({whole(x[0]), seconds{x[1]}},
                                          wait_probability_limit{x[2]}) *
                     seconds{1};
            },
        .examples = {{{1, 2, 0.5}, 0.25, 1e-14, "one server: C = rho"},
                     {{16, 1, 0.2}, 11.957661659991236, 1e-14, "root of 320 bits"}}},
    /// Logarithm of the probability that n of unlimited servers are busy.
    ///
    ///     n ln a - a - ln n!
    ///
    ///     a  offered load    erlang, >= 0
    ///
    /// Holds: M/G/infinity.
    row{.call = "queue/poisson.hpp: log_poisson_probability(a, n) in 1",
        .latex = R"(\ln \frac{a^n e^{-a}}{n!})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return log_poisson_probability(x[0], whole(x[1])); },
        .examples = {{{2, 3}, -1.7123179275482191, 1e-14, "ln(8/6) - 2"}}},
    ///     n  servers    count, >= 0
    row{.call = "queue/poisson.hpp: poisson_tail(a, n) in 1",
        .latex = R"(\sum_{k > n} \frac{a^k e^{-a}}{k!})",
        .topics = "Q1",
        .evaluate = [](inputs x) { return poisson_tail(x[0], whole(x[1])); },
        .examples = {{{2, 1}, 0.59399415029016192, 1e-14, "1 - 3 e^-2"}}},
    /// Mean wait of the jobs that a queue of K places takes in.
    row{.call = "queue/limited.hpp: limited_wait(lambda, S, c, K) in s",
        .latex = R"(\frac{\sum_k k p_k}{\lambda (1 - p_{K - c})})",
        .topics = "Q1",
        .evaluate =
            [](inputs x) {
              return limited_wait(jobs_of(x), whole(x[3])).accepted.mean.in(units::second);
            },
        .examples = {{{1, 1, 1, 10}, 4.5, 1e-14, "eleven states, all as likely"}}},
    /// Mean wait where jobs give up.
    row{.call = "queue/impatient.hpp: impatient_wait(lambda, S, c, P) in s",
        .latex = R"(\frac{1}{\lambda} \sum_k k p_k, \quad )"
                 R"(p_k \sim \prod_{j \le k} \frac{\lambda}{c / S + j / P})",
        .topics = "Q1",
        .evaluate =
            [](inputs x) {
              return impatient_wait(jobs_of(x), seconds{x[3]}).mean.in(units::second);
            },
        .examples = {{{2, 1, 2, 1},
                      0.27067056647322538,
                      1e-13,
                      "patience as long as service: jobs are Poisson"}}},
    ///     P  mean patience    s, > 0, lambda P <= 1e6
    row{.call = "queue/impatient.hpp: impatient_wait_tail(lambda, S, c, P, t) in 1",
        .latex = R"(\frac{e^{-t/P} J(t)}{e + J(0)})",
        .topics = "Q1",
        .evaluate =
            [](inputs x) { return impatient_wait_tail(jobs_of(x), seconds{x[3]}, seconds{x[4]}); },
        .examples =
            {{{2, 1, 2, 1, 0}, 0.59399415029016192, 1e-13, "1 - 3 e^-2"},
             {{2, 1, 2, 1, 1}, 0.061923499361975993, 1e-12, "the integrals by quadrature"}}},
    /// Mean wait where every job takes the same time.
    ///
    ///     S  service of every job    s, 1e-9 to 1e12
    row{.call = "queue/mdc.hpp: deterministic_wait(lambda, S, c) in s",
        .latex = R"(\frac{1}{\lambda} \sum_{l \ge 1} \frac{E (N_l - l c)^+}{l})",
        .topics = "Q1 Q8",
        .evaluate = [](inputs x) { return deterministic_wait(jobs_of(x)).mean.in(units::second); },
        .examples = {{{0.5, 1, 1}, 0.5, 1e-14, "M/D/1: rho S / (2 (1 - rho))"},
                     {{3, 1, 4}, 0.26696115992686499, 1e-13, "sums of 200 bits"}}}};
inline constexpr auto queue_formulas = with_words(queue_rows, words::queue_formulas);

}  // namespace gpuplan::registry
