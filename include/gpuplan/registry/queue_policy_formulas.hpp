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

inline constexpr std::array queue_policy_formulas{
    formula{.name = "fcfs_wait",
            .header = "queue/mg1.hpp",
            .meaning = "Mean wait at one server, first come first served",
            .text = "lambda E S^2 / (2 (1 - rho))",
            .latex = R"(\frac{\lambda E S^2}{2 (1 - \rho)})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s",
            .validity = "M/G/1: here equal jobs",
            .source = "F. Pollaczek, Math. Z. 32 (1930) 64-100",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return fcfs_wait(deterministic_service{seconds{x[1]}}, per_second{x[0]})
                      .mean.in(units::second);
                },
            .examples = {{{0.5, 1}, 0.5, 1e-14, "M/D/1: rho S / (2 (1 - rho))"}}},
    formula{.name = "fcfs_wait_variance",
            .header = "queue/mg1.hpp",
            .meaning = "Variance of the wait at one server, first come first served",
            .text = "lambda E S^3 / (3 (1 - rho)) + W_q^2",
            .latex = R"(\frac{\lambda E S^3}{3 (1 - \rho)} + W_q^2)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s^2",
            .validity = "M/G/1: here exponential jobs",
            .source = "L. Takacs, \"A single-server queue with Poisson input\", Operations "
                      "Research 10 (1962) 388-394",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return fcfs_wait_variance(exponential_service(seconds{x[1]}), per_second{x[0]})
                      .in(units::second * units::second);
                },
            .examples = {{{0.5, 1}, 3, 1e-14, "M/M/1: rho (2 - rho) / (mu - lambda)^2"}}},
    formula{
        .name = "processor_sharing_response",
        .header = "queue/mg1.hpp",
        .meaning = "Time of a job of size x where all jobs share the server",
        .text = "x / (1 - rho)",
        .latex = R"(\frac{x}{1 - \rho})",
        .symbols = {{"x", "size of the job", "s", ">= 0"}, {"rho", "utilization", "1", ">= 0"}},
        .result = "s",
        .validity = "M/G/1, any law",
        .source =
            "L. Kleinrock, \"Queueing Systems, Volume II: Computer Applications\", Wiley (1976)",
        .errata = "",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return processor_sharing_response(seconds{x[0]}, x[1]).in(units::second);
            },
        .examples = {{{3, 0.75}, 12, 0, "3 / (1/4)"}}},
    formula{.name = "sjf_response",
            .header = "queue/policy.hpp",
            .meaning = "Mean time of a job, shortest job first",
            .text = "E x + lambda E S^2 / (2 (1 - rho(x))^2)",
            .latex = R"(E\left[ S + \frac{\lambda E S^2}{2 (1 - \rho(S))^2} \right])",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s",
            .validity = "M/G/1: here exponential jobs; also by size",
            .source = "A. Wierman and M. Harchol-Balter, \"Classifying scheduling policies with "
                      "respect to unfairness in an M/GI/1\", SIGMETRICS (2003) 238-249",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return sjf_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                      .in(units::second);
                },
            .examples = {{{0.5, 1}, 1.71268633193889287, 1e-12, "quadrature of 40 digits"}}},
    formula{.name = "preemptive_sjf_response",
            .header = "queue/policy.hpp",
            .meaning = "Mean time of a job, preemptive shortest job first",
            .text = "E lambda E[S^2; S <= x] / (2 (1 - rho(x))^2) + x / (1 - rho(x))",
            .latex = R"(\frac{\lambda m_2(x)}{2 (1 - \rho(x))^2} + \frac{x}{1 - \rho(x)})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s",
            .validity = "M/G/1: here exponential jobs; also by size",
            .source = "A. Wierman and M. Harchol-Balter, \"Classifying scheduling policies with "
                      "respect to unfairness in an M/GI/1\", SIGMETRICS (2003) 238-249",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return preemptive_sjf_response(exponential_service(seconds{x[1]}),
                                                 per_second{x[0]})
                      .in(units::second);
                },
            .examples = {{{0.5, 1}, 1.5313832832963290, 1e-12, "quadrature of 40 digits"}}},
    formula{
        .name = "srpt_response",
        .header = "queue/policy.hpp",
        .meaning = "Mean time of a job, shortest remaining processing time",
        .text =
            "E lambda (m_2(x) + x^2 P(S > x)) / (2 (1 - rho(x))^2) + integral dt / (1 - rho(t))",
        .latex = R"(\frac{\lambda (m_2(x) + x^2 \bar F(x))}{2 (1 - \rho(x))^2} + )"
                 R"(\int_0^x \frac{dt}{1 - \rho(t)})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"}},
        .result = "s",
        .validity = "M/G/1: here exponential jobs; also by size",
        .source = "L. E. Schrage and L. W. Miller, \"The queue M/G/1 with the shortest remaining "
                  "processing time discipline\", Operations Research 14 (1966) 670-684",
        .errata = "",
        .topics = "Q2",
        .evaluate =
            [](inputs x) {
              return srpt_response(exponential_service(seconds{x[1]}), per_second{x[0]})
                  .in(units::second);
            },
        .examples = {{{0.5, 1}, 1.42537266387778574, 1e-12, "quadrature of 40 digits"}}},
    formula{
        .name = "least_attained_response",
        .header = "queue/policy.hpp",
        .meaning = "Mean time of a job, least attained service first",
        .text = "E lambda E min(S, x)^2 / (2 (1 - r)^2) + x / (1 - r), r = lambda E min(S, x)",
        .latex =
            R"(\frac{\lambda E \min(S, x)^2}{2 (1 - \bar\rho_x)^2} + \frac{x}{1 - \bar\rho_x})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"}},
        .result = "s",
        .validity = "M/G/1: here exponential jobs; also by size",
        .source =
            "L. Kleinrock, \"Queueing Systems, Volume II: Computer Applications\", Wiley (1976)",
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
    formula{
        .name = "multilevel_response",
        .header = "queue/multilevel.hpp",
        .meaning = "Mean time of a job in Tiresias' queues by attained service",
        .text = "sum_i (V_i P(a_(i-1) < S <= a_i) + E[S; same]) / (1 - r_(i-1))",
        .latex = R"(\sum_i \frac{V_i P_i + m_i}{1 - \bar\rho_{a_{i-1}}})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"},
                    {"a", "threshold", "s", "> 0"}},
        .result = "s",
        .validity = "M/G/1, one GPU a job: here two levels of exponential jobs; also by size",
        .source =
            "L. Kleinrock, \"Queueing Systems, Volume II: Computer Applications\", Wiley (1976)",
        .errata = "",
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
    formula{.name = "gittins_response",
            .header = "queue/gittins.hpp",
            .meaning = "Mean time of a job under the Gittins policy",
            .text = "lambda sum_i E X_i^2 / (2 (1 - rho_old) (1 - rho_new)) + integral da / (1 - "
                    "rho_new(r(a)))",
            .latex = R"(\frac{\lambda \sum_i E X_i^2}{2 (1 - \rho_0^{old}) (1 - \rho^{new})} + )"
                     R"(\int_0^x \frac{da}{1 - \rho^{new}(r_x(a))})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"x_1", "short size", "s", "> 0"},
                        {"x_2", "long size", "s", "> x_1"},
                        {"p", "share of the short", "1", "0 to 1"}},
            .result = "s",
            .validity = "M/G/1, sizes of whole shares: here two",
            .source =
                "Z. Scully, M. Harchol-Balter and A. Scheller-Wolf, \"SOAP: One clean analysis "
                "of all age-based scheduling policies\", POMACS 2 (2018) 16, arXiv:1712.00790",
            .errata = "",
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
    formula{
        .name = "tiresias_index",
        .header = "queue/gittins_tiresias.hpp",
        .meaning = "The index that Tiresias' simulator gives a new job: of three sizes",
        .text = "p / e",
        .latex = R"(\frac{p}{e})",
        .symbols = {{"x_1", "shortest size", "s", "> 0"},
                    {"x_2", "middle size", "s", "> x_1"},
                    {"x_3", "longest size", "s", "> x_2"},
                    {"d", "quantum", "s", "> 0"}},
        .result = "1/s",
        .validity = "for comparison with that simulator only",
        .source = "J. Gu et al., \"Tiresias: A GPU Cluster Manager for Distributed Deep "
                  "Learning\", NSDI (2019), and its simulator",
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
    formula{.name = "priority_wait",
            .header = "queue/priority.hpp",
            .meaning = "Mean wait of the second of two classes, the first more urgent",
            .text = "R / ((1 - s_1) (1 - s_2))",
            .latex = R"(\frac{R}{(1 - \sigma_{k-1}) (1 - \sigma_k)})",
            .symbols = {{"lambda_1", "urgent jobs that arrive", "1/s", ">= 0"},
                        {"lambda_2", "other jobs", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s",
            .validity = "M/G/1 without preemption: here exponential jobs",
            .source = "A. Cobham, \"Priority assignment in waiting line problems\", Operations "
                      "Research 2 (1954) 70-76",
            .errata = "",
            .topics = "Q2",
            .evaluate = [](inputs x) { return priority_wait(two_classes(x), 1).in(units::second); },
            .examples = {{{0.25, 0.25, 1}, 0.5 / (0.75 * 0.5), 1e-14, "R = 1/2, by hand"}}},
    formula{.name = "preemptive_priority_response",
            .header = "queue/priority.hpp",
            .meaning = "Mean time of the second of two classes, the first interrupting it",
            .text = "(E S + R / (1 - s_2)) / (1 - s_1)",
            .latex = R"(\frac{E S_k + R_k / (1 - \sigma_k)}{1 - \sigma_{k-1}})",
            .symbols = {{"lambda_1", "urgent jobs that arrive", "1/s", ">= 0"},
                        {"lambda_2", "other jobs", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"}},
            .result = "s",
            .validity = "M/G/1, preemptive resume: here exponential jobs",
            .source = "R. W. Conway, W. L. Maxwell and L. W. Miller, \"Theory of Scheduling\" "
                      "(1967), section 8.7",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return preemptive_priority_response(two_classes(x), 1).in(units::second);
                },
            .examples = {{{0.25, 0.25, 1}, 2 / 0.75, 1e-14, "(1 + 0.5/0.5) / 0.75, by hand"}}},
    formula{.name = "pool_priority_wait",
            .header = "queue/priority.hpp",
            .meaning = "Mean wait of the second of two classes in a pool",
            .text = "C S / c / ((1 - s_1) (1 - s_2))",
            .latex = R"(\frac{C / (c \mu)}{(1 - \sigma_{k-1}) (1 - \sigma_k)})",
            .symbols = {{"lambda_1", "urgent jobs that arrive", "1/s", ">= 0"},
                        {"lambda_2", "other jobs", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count},
            .result = "s",
            .validity = "M/M/c without preemption, one mean service",
            .source = "A. Cobham, \"Priority assignment in waiting line problems\", Operations "
                      "Research 2 (1954) 70-76",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  const per_second rates[]{per_second{x[0]}, per_second{x[1]}};
                  return pool_priority_wait(rates, pool_of(x), 1).in(units::second);
                },
            .examples = {{{0.5, 0.9, 1, 2}, 1.2810457516339870, 1e-13, "sums of 40 digits"}}},
    formula{.name = "pool_preemptive_priority_response",
            .header = "queue/priority.hpp",
            .meaning =
                "Mean time of the second of two classes in a pool, the first interrupting it",
            .text = "(L(1..2) - L(1)) / lambda_2",
            .latex = R"(\frac{L_{1..k} - L_{1..k-1}}{\lambda_k})",
            .symbols = {{"lambda_1", "urgent jobs that arrive", "1/s", ">= 0"},
                        {"lambda_2", "other jobs", "1/s", "> 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count},
            .result = "s",
            .validity = "M/M/c, preemptive resume, one mean service",
            .source = gross,
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  const per_second rates[]{per_second{x[0]}, per_second{x[1]}};
                  return pool_preemptive_priority_response(rates, pool_of(x), 1).in(units::second);
                },
            .examples = {{{0.5, 0.9, 1, 2}, 2.4575163398692811, 1e-13, "sums of 40 digits"}}},
    formula{.name = "weighted_sharing_response",
            .header = "queue/share/weighted_sharing.hpp",
            .meaning = "Mean time of the second of two classes that share by weight",
            .text = "T_k (1 - sum b_kj) - sum b_kj T_j = S_k",
            .latex = R"(T_k \left(1 - \sum_j b_{kj}\right) - \sum_j b_{kj} T_j = \frac{1}{\mu_k})",
            .symbols = {{"lambda", "jobs of each class that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        {"g", "weight of the second, the first has 1", "1", "> 0"}},
            .result = "s",
            .validity = "M/M/1, discriminatory processor sharing, one mean service",
            .source = "G. Fayolle, I. Mitrani and R. Iasnogorodski, \"Sharing a processor among "
                      "many job classes\", J. ACM 27 (1980) 519-532",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  const sharing_class classes[]{{per_second{x[0]}, seconds{x[1]}, 1},
                                                {per_second{x[0]}, seconds{x[1]}, x[2]}};
                  return weighted_sharing_response(classes, 1).in(units::second);
                },
            .examples =
                {{{0.3, 1, 2}, 2.1428571428571428, 1e-13, "15/7; simulated 2.1429 +- 0.0029"}}},
    formula{
        .name = "mean_turns",
        .header = "queue/share/time_slicing.hpp",
        .meaning = "Turns that a job takes: an exponential one",
        .text = "sum_k P(S > k q)",
        .latex = R"(E \lceil S / q \rceil)",
        .symbols = {{"S", "mean service", "s", "1e-9 to 1e12"}, {"q", "quantum", "s", "> 0"}},
        .result = "count",
        .validity = "any law",
        .source =
            "L. Kleinrock, \"Queueing Systems, Volume II: Computer Applications\", Wiley (1976)",
        .errata = "",
        .topics = "Q4",
        .evaluate =
            [](inputs x) {
              return mean_turns(exponential_service(seconds{x[0]}), {seconds{x[1]}, seconds{0}});
            },
        .examples = {{{1, 0.5}, 2.5414940825367983, 1e-14, "1 / (1 - e^(-1/2))"}}},
    formula{
        .name = "time_slicing_response",
        .header = "queue/share/time_slicing.hpp",
        .meaning = "Mean time of a job that takes turns, each after a switch",
        .text = "E S + o E ceil(S/q) + sum_k P(S > (k-1) q) W_k",
        .latex = R"(E S + o E \lceil S / q \rceil + \sum_k \bar F((k-1) q) W_k)",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"},
                    {"q", "quantum", "s", "> 0"},
                    {"o", "switch", "s", ">= 0"}},
        .result = "s",
        .validity = "M/G/1 round robin: here exponential jobs; also by size",
        .source =
            "R. W. Wolff, \"Time sharing with priorities\", SIAM J. Appl. Math. 19 (1970) 566-574",
        .errata = "",
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
    formula{.name = "shared_pool_response",
            .header = "queue/mgk.hpp",
            .meaning = "Time of a job of size x where a pool is shared by all its jobs",
            .text = "x (1 + C / (c - a))",
            .latex = R"(x \left(1 + \frac{C(c, a)}{c - a}\right))",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"x", "size of the job", "s", ">= 0"}},
            .result = "s",
            .validity = "M/G/c, any law, a job on one server at most",
            .source = "J. W. Cohen, \"The multiple phase service network with generalized "
                      "processor sharing\", Acta Informatica 12 (1979) 245-284",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return shared_pool_response(jobs_of(x), seconds{x[3]}).in(units::second);
                },
            .examples = {{{0.75, 1, 1, 2}, 8, 1e-13, "2 / (1/4)"},
                         {{2, 1, 3, 1}, 13.0 / 9, 1e-13, "1 + (4/9) / 1"}}},
    formula{.name = "srpt_bounds",
            .header = "queue/mgk.hpp",
            .meaning = "What no policy beats on k servers",
            .text = "max(E S, E T of one server k times as fast)",
            .latex = R"(\max\left(E S, E T_{SRPT\text{-}1}\right))",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        {"k", "servers", "count", ">= 1"}},
            .result = "s",
            .validity = "M/G/k: here exponential jobs; the upper bound of SRPT beside it",
            .source = "I. Grosof, Z. Scully and M. Harchol-Balter, \"SRPT for multiserver "
                      "systems\", Performance Evaluation 127-128 (2018) 154-175, arXiv:1805.07686",
            .errata = "",
            .topics = "Q2",
            .evaluate =
                [](inputs x) {
                  return srpt_bounds(exponential_service(seconds{x[1]}), per_second{x[0]},
                                     whole(x[2]))
                      .lower.in(units::second);
                },
            .examples = {
                {{0.5, 1, 1}, 1.42537266387778574, 1e-12, "one server: quadrature of 40 digits"},
                {{3.6, 1, 4}, 1, 1e-12, "E S"}}}};

}  // namespace gpuplan::registry
