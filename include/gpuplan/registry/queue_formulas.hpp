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
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view gross =
    "D. Gross et al., \"Fundamentals of Queueing Theory\", 4th ed., Wiley (2008)";

inline constexpr symbol server_count{"c", "servers", "count", "1 to 1e6"};
inline constexpr symbol offered{"a", "offered load", "erlang", ">= 0"};

/// Jobs of lambda, S and c.
constexpr workload jobs_of(inputs x) {
  return {per_second{x[0]}, seconds{x[1]}, whole(x[2])};
}

inline constexpr std::array queue_formulas{
    formula{.name = "erlang_b",
            .header = "queue/erlang.hpp",
            .meaning = "Fraction of jobs lost when c servers have no waiting room",
            .text = "B(k) = a B(k-1) / (k + a B(k-1)), B(0) = 1",
            .latex = R"(B(c, a) = \frac{a^c / c!}{\sum_{k=0}^{c} a^k / k!})",
            .symbols = {{"c", "servers", "count", "0 to 1e6"}, offered},
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
                        {"S", "mean service", "s", "1e-9 to 1e12"},
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
                          "8 and 2 an hour, 5 servers: a textbook's example, recomputed"}}},
    formula{.name = "continuous_erlang_b",
            .header = "queue/continuous_erlang.hpp",
            .meaning = "Erlang B of a number of servers that need not be whole",
            .text = "p / (1 - p T)",
            .latex = R"(\frac{a^c e^{-a}}{\Gamma(c + 1, a)})",
            .symbols = {{"c", "servers, whole or not", "1", "> 0, <= 1e6"}, offered},
            .result = "1",
            .validity = "as erlang_b, with which it agrees",
            .source = "D. Jagerman, \"Some properties of the Erlang loss function\", Bell System "
                      "Technical Journal 53 (1974) 525-551",
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return continuous_erlang_b(x[0], x[1]); },
            .examples =
                {{{0.5, 1}, 0.72519677735834863, 1e-14, "1 / (1 + sqrt(pi)/2 e erfc(1)), by hand"},
                 {{3, 2}, 4.0 / 19, 1e-14, "4/19 as a fraction"}}},
    formula{
        .name = "continuous_erlang_c",
        .header = "queue/continuous_erlang.hpp",
        .meaning = "Erlang C of a number of servers that need not be whole",
        .text = "c B / (c - a + a B)",
        .latex = R"(\frac{c B}{c - a + a B})",
        .symbols = {{"c", "servers, whole or not", "1", "> 0, <= 1e6"}, offered},
        .result = "1",
        .validity = "as erlang_c, with which it agrees",
        .source = "D. Jagerman, \"Some properties of the Erlang loss function\", Bell System "
                  "Technical Journal 53 (1974) 525-551",
        .errata = "",
        .topics = "Q1",
        .evaluate = [](inputs x) { return continuous_erlang_c(x[0], x[1]); },
        .examples = {{{3, 2}, 4.0 / 9, 1e-14, "4/9 as a fraction"},
                     {{0.5, 0.25}, 0.64698061619225135, 1e-14, "of B of half a server, by hand"}}},
    formula{.name = "log_erlang_b",
            .header = "queue/continuous_erlang.hpp",
            .meaning = "Logarithm of Erlang B, where B is below the smallest number",
            .text = "ln B",
            .latex = R"(\ln B(c, a))",
            .symbols = {{"c", "servers, whole or not", "1", "> 0, <= 1e6"}, offered},
            .result = "1",
            .validity = "as erlang_b",
            .source = "D. Jagerman, \"Some properties of the Erlang loss function\", Bell System "
                      "Technical Journal 53 (1974) 525-551",
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return log_erlang_b(x[0], x[1]); },
            .examples = {{{3, 1e-200}, -1383.3428152656555, 1e-14, "ln(a^3 / 6)"}}},
    formula{.name = "log_erlang_c",
            .header = "queue/continuous_erlang.hpp",
            .meaning = "Logarithm of Erlang C, where C is below the smallest number",
            .text = "ln C",
            .latex = R"(\ln C(c, a))",
            .symbols = {{"c", "servers, whole or not", "1", "> 0, <= 1e6"}, offered},
            .result = "1",
            .validity = "as erlang_c",
            .source = "D. Jagerman, \"Some properties of the Erlang loss function\", Bell System "
                      "Technical Journal 53 (1974) 525-551",
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return log_erlang_c(x[0], x[1]); },
            .examples = {{{0.5, 0.25}, -0.43543894444741765, 1e-14, "of half a server, by hand"}}},
    formula{.name = "log_wait_tail",
            .header = "queue/mmc.hpp",
            .meaning = "Logarithm of the probability to wait longer than t",
            .text = "ln C - (c/S - lambda) t",
            .latex = R"(\ln C - (c \mu - \lambda) t)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"t", "time", "s", ">= 0"}},
            .result = "1",
            .validity = "M/M/c",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return log_wait_tail(jobs_of(x), seconds{x[3]}); },
            .examples = {{{0.75, 1, 1, 4}, -1.2876820724517809, 1e-14, "M/M/1: ln(3/4) - 1"}}},
    formula{.name = "response_tail",
            .header = "queue/mmc.hpp",
            .meaning = "Probability that a job takes longer than t, wait and service",
            .text = "(1 + C/h) e^(-t/S) - (C/h) e^(-(c/S - lambda) t), h = c - 1 - a",
            .latex = R"(\left(1 + \frac{C}{\theta}\right) e^{-\mu t} )"
                     R"(- \frac{C}{\theta} e^{-(c \mu - \lambda) t})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"t", "time", "s", ">= 0"}},
            .result = "1",
            .validity = "M/M/c",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate = [](inputs x) { return response_tail(jobs_of(x), seconds{x[3]}); },
            .examples = {{{0.75, 1, 1, 4}, 0.36787944117144233, 1e-14, "M/M/1: e^-1"},
                         {{6.4, 1, 8, 3.125}, 0.072310146057084725, 1e-13, "sums of 320 bits"}}},
    formula{.name = "response_percentile",
            .header = "queue/mmc.hpp",
            .meaning = "Time in which a share q of the jobs is done",
            .text = "t of P(T > t) = 1 - q",
            .latex = R"(P(T > t_q) = 1 - q)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"q", "share of the jobs", "1", "0 to 1"}},
            .result = "s",
            .validity = "M/M/c",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate =
                [](inputs x) { return response_percentile(jobs_of(x), x[3]).in(units::second); },
            .examples = {{{0.75, 1, 1, 0.5}, 2.7725887222397812, 1e-14, "M/M/1: 4 ln 2"},
                         {{6.4, 1, 8, 0.99}, 5.1521815625055896, 1e-13, "sums of 320 bits"}}},
    formula{.name = "fewest_servers",
            .header = "queue/staffing.hpp",
            .meaning = "Fewest servers that keep a promise: so few jobs wait",
            .text = "min c with C(c, lambda S) <= p",
            .latex = R"(\min \{ c : C(c, \lambda S) \le p \})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", "> 0"},
                        {"S", "mean service", "s", "> 0, lambda S <= 1e6"},
                        {"p", "share that may wait", "1", "0 to 1"}},
            .result = "count",
            .validity = "M/M/c; also for mean wait, mean response, percentile and loss",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate =
                [](inputs x) {
                  return 1.0 * fewest_servers({per_second{x[0]}, seconds{x[1]}},
                                              wait_probability_limit{x[2]});
                },
            .examples = {{{1, 1, 0.34}, 2, 0, "C(2, 1) = 1/3"},
                         {{1.7, 1, 0.05}, 5, 0, "0.0326 with 5, 0.109 with 4: sums of 320 bits"}}},
    formula{.name = "largest_arrival_rate",
            .header = "queue/staffing.hpp",
            .meaning = "Most jobs at which servers keep a promise: so few wait",
            .text = "max lambda with C(c, lambda S) <= p",
            .latex = R"(\max \{ \lambda : C(c, \lambda S) \le p \})",
            .symbols = {server_count,
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        {"p", "share that may wait", "1", "0 to 1"}},
            .result = "1/s",
            .validity = "M/M/c; also for mean wait, mean response, percentile and loss",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate =
                [](inputs x) {
                  return largest_arrival_rate({whole(x[0]), seconds{x[1]}},
                                              wait_probability_limit{x[2]}) *
                         seconds{1};
                },
            .examples = {{{1, 2, 0.5}, 0.25, 1e-14, "one server: C = rho"},
                         {{16, 1, 0.2}, 11.957661659991236, 1e-14, "root of 320 bits"}}},
    formula{
        .name = "log_poisson_probability",
        .header = "queue/poisson.hpp",
        .meaning = "Logarithm of the probability that n of unlimited servers are busy",
        .text = "n ln a - a - ln n!",
        .latex = R"(\ln \frac{a^n e^{-a}}{n!})",
        .symbols = {{"a", "offered load", "erlang", ">= 0"}, {"n", "busy", "count", ">= 0"}},
        .result = "1",
        .validity = "M/G/infinity",
        .source = "C. Loader, \"Fast and Accurate Computation of Binomial Probabilities\" (2000)",
        .errata = "",
        .topics = "Q1",
        .evaluate = [](inputs x) { return log_poisson_probability(x[0], whole(x[1])); },
        .examples = {{{2, 3}, -1.7123179275482191, 1e-14, "ln(8/6) - 2"}}},
    formula{
        .name = "poisson_tail",
        .header = "queue/poisson.hpp",
        .meaning = "Probability that more than n of unlimited servers are busy",
        .text = "sum_(k > n) a^k e^-a / k!",
        .latex = R"(\sum_{k > n} \frac{a^k e^{-a}}{k!})",
        .symbols = {{"a", "offered load", "erlang", ">= 0"}, {"n", "servers", "count", ">= 0"}},
        .result = "1",
        .validity = "M/G/infinity",
        .source = "C. Loader, \"Fast and Accurate Computation of Binomial Probabilities\" (2000)",
        .errata = "",
        .topics = "Q1",
        .evaluate = [](inputs x) { return poisson_tail(x[0], whole(x[1])); },
        .examples = {{{2, 1}, 0.59399415029016192, 1e-14, "1 - 3 e^-2"}}},
    formula{.name = "limited_wait",
            .header = "queue/limited.hpp",
            .meaning = "Mean wait of the jobs that a queue of K places takes in",
            .text = "sum k p_k / (lambda (1 - p_(K-c)))",
            .latex = R"(\frac{\sum_k k p_k}{\lambda (1 - p_{K - c})})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"K", "places, at servers and waiting", "count", ">= c, <= 1e6"}},
            .result = "s",
            .validity = "M/M/c/K; any load",
            .source = gross,
            .errata = "",
            .topics = "Q1",
            .evaluate =
                [](inputs x) {
                  return limited_wait(jobs_of(x), whole(x[3])).accepted.mean.in(units::second);
                },
            .examples = {{{1, 1, 1, 10}, 4.5, 1e-14, "eleven states, all as likely"}}},
    formula{.name = "impatient_wait",
            .header = "queue/impatient.hpp",
            .meaning = "Mean wait where jobs give up",
            .text = "sum k p_k / lambda",
            .latex = R"(\frac{1}{\lambda} \sum_k k p_k, \quad )"
                     R"(p_k \sim \prod_{j \le k} \frac{\lambda}{c \mu + j \theta})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"P", "mean patience", "s", "> 0, lambda P <= 1e6"}},
            .result = "s",
            .validity = "M/M/c+M, Erlang A; any load",
            .source = "S. Zeltyn and A. Mandelbaum, \"Call centers with impatient customers\", "
                      "Queueing Systems 51 (2005) 361-402",
            .errata = "",
            .topics = "Q1",
            .evaluate =
                [](inputs x) {
                  return impatient_wait(jobs_of(x), seconds{x[3]}).mean.in(units::second);
                },
            .examples = {{{2, 1, 2, 1},
                          0.27067056647322538,
                          1e-13,
                          "patience as long as service: jobs are Poisson"}}},
    formula{
        .name = "impatient_wait_tail",
        .header = "queue/impatient.hpp",
        .meaning = "Probability that a job waits longer than t before it starts or gives up",
        .text = "e^(-t/P) J(t) / (e + J(0))",
        .latex = R"(\frac{e^{-\theta t} J(t)}{\varepsilon + J(0)})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"},
                    server_count,
                    {"P", "mean patience", "s", "> 0, lambda P <= 1e6"},
                    {"t", "time", "s", ">= 0"}},
        .result = "1",
        .validity = "M/M/c+M, Erlang A; any load",
        .source = "S. Zeltyn and A. Mandelbaum, \"Call centers with impatient customers\", "
                  "Queueing Systems 51 (2005) 361-402",
        .errata = "",
        .topics = "Q1",
        .evaluate =
            [](inputs x) { return impatient_wait_tail(jobs_of(x), seconds{x[3]}, seconds{x[4]}); },
        .examples =
            {{{2, 1, 2, 1, 0}, 0.59399415029016192, 1e-13, "1 - 3 e^-2"},
             {{2, 1, 2, 1, 1}, 0.061923499361975993, 1e-12, "the integrals by quadrature"}}},
    formula{
        .name = "deterministic_wait",
        .header = "queue/mdc.hpp",
        .meaning = "Mean wait where every job takes the same time",
        .text = "sum_l E (N_l - l c)^+ / (l lambda)",
        .latex = R"(\frac{1}{\lambda} \sum_{l \ge 1} \frac{E (N_l - l c)^+}{l})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "service of every job", "s", "1e-9 to 1e12"},
                    server_count},
        .result = "s",
        .validity = "M/D/c",
        .source = "C. D. Crommelin, \"Delay probability formulae when the holding times are "
                  "constant\", Post Office Electrical Engineers Journal 25 (1932) 41-50",
        .errata = "",
        .topics = "Q1 Q8",
        .evaluate = [](inputs x) { return deterministic_wait(jobs_of(x)).mean.in(units::second); },
        .examples = {{{0.5, 1, 1}, 0.5, 1e-14, "M/D/1: rho S / (2 (1 - rho))"},
                     {{3, 1, 4}, 0.26696115992686499, 1e-13, "sums of 200 bits"}}}};

}  // namespace gpuplan::registry
