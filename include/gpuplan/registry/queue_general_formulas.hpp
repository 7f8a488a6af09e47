#pragma once
/// \file
/// Rows of queue/: arrivals and service of any law, in the order of arrival.

#include <array>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/mgk.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/queue_formulas.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::array queue_general_formulas{
    formula{
        .name = "squared_variation",
        .header = "queue/service.hpp",
        .meaning = "Squared coefficient of variation of a law of service: of bounded Pareto jobs",
        .text = "E S^2 / (E S)^2 - 1",
        .latex = R"(\frac{E S^2}{(E S)^2} - 1)",
        .symbols = {{"alpha", "power of the tail", "1", "> 0"},
                    {"L", "least size", "s", "> 0"},
                    {"H", "largest size", "s", "> L"}},
        .result = "1",
        .validity = "any law",
        .source = gross,
        .errata = "",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return squared_variation(bounded_pareto_service{x[0], seconds{x[1]}, seconds{x[2]}});
            },
        .examples = {{{1.5, 1, 1000}, 9.8847997927618, 1e-12, "its moments in closed form"}}},
    formula{.name = "kingman_bound",
            .header = "queue/ggc.hpp",
            .meaning = "Bound of the mean wait at one server",
            .text = "(c_a^2 + rho^2 c_s^2) / (2 lambda (1 - rho))",
            .latex = R"(\frac{c_a^2 + \rho^2 c_s^2}{2 \lambda (1 - \rho)})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "s",
            .validity = "G/G/1",
            .source = "J. F. C. Kingman, \"Some inequalities for the queue GI/G/1\", Biometrika 49 "
                      "(1962) 315-324",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return kingman_bound({per_second{x[0]}, seconds{x[1]}, 1}, {x[2], x[3]})
                      .in(units::second);
                },
            .examples = {{{0.5, 1, 1, 1}, 2.5, 1e-14, "1.25 / 0.5, by hand"}}},
    formula{.name = "heavy_traffic_wait",
            .header = "queue/ggc.hpp",
            .meaning = "Mean wait as the load tends to the servers",
            .text = "(c_a^2 + c_s^2) / (2 (c/S - lambda))",
            .latex = R"(\frac{c_a^2 + c_s^2}{2 (c \mu - \lambda)})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "s",
            .validity = "G/G/c, rho near 1; twice too long and more at moderate load",
            .source = "J. Koellerstroem, \"Heavy traffic theory for queues with several servers\", "
                      "J. Appl. Prob. 11 (1974) 544-552",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return heavy_traffic_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
                },
            .examples = {{{3, 1, 4, 2, 1}, 1.5, 1e-14, "3/2 over one spare server"}}},
    formula{.name = "allen_cunneen_wait",
            .header = "queue/ggc.hpp",
            .meaning = "Mean wait of G/G/c by Allen and Cunneen",
            .text = "(c_a^2 + c_s^2)/2 W_M",
            .latex = R"(\frac{c_a^2 + c_s^2}{2} W_{M/M/c})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "s",
            .validity = "G/G/c; M/G/c of heavy tails: hundreds of percent too long",
            .source = "A. O. Allen, \"Probability, Statistics, and Queueing Theory\", 2nd ed. "
                      "(1990), section 5.3.5",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return allen_cunneen_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
                },
            .examples = {{{1, 1, 2, 1, 0.5}, 0.25, 1e-14, "3/4 of 1/3"}}},
    formula{
        .name = "kraemer_langenbach_belz_wait",
        .header = "queue/ggc.hpp",
        .meaning = "Mean wait of G/G/c by Kraemer and Langenbach-Belz",
        .text = "(c_a^2 + c_s^2)/2 W_M g",
        .latex = R"(\frac{c_a^2 + c_s^2}{2} W_{M/M/c} \, g)",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"},
                    server_count,
                    {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                    {"c_s^2", "variation of service", "1", ">= 0"}},
        .result = "s",
        .validity = "G/G/c",
        .source =
            "W. Kraemer and M. Langenbach-Belz, 8th International Teletraffic Congress (1976) 235",
        .errata = "",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return kraemer_langenbach_belz_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{0.5, 1, 1, 0.5, 1}, 0.67112948761077733, 1e-14, "3/4 e^(-1/9), by hand"}}},
    formula{.name = "whitt_wait",
            .header = "queue/ggc.hpp",
            .meaning = "Mean wait of G/G/c by Whitt",
            .text = "phi (c_a^2 + c_s^2)/2 W_M",
            .latex = R"(\phi \frac{c_a^2 + c_s^2}{2} W_{M/M/c})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "s",
            .validity = "G/G/c",
            .source = "W. Whitt, \"Approximations for the GI/G/m queue\", Production and "
                      "Operations Management 2 (1993) 114-161",
            .errata = "Equation 5 as some copy it has a misprint.",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return whitt_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
                },
            .examples = {{{0.5, 1, 1, 0, 1},
                          0.31753141963722201,
                          1e-14,
                          "phi_3 and phi_4 of one server, by hand"}}},
    formula{
        .name = "kimura_wait",
        .header = "queue/ggc.hpp",
        .meaning = "Mean wait of G/G/c by Kimura",
        .text = "(c_a^2 + c_s^2) / ((1 - c_a^2)/W_D + (1 - c_s^2)/W_S + 2 (c_a^2 + c_s^2 - 1)/W_M)",
        .latex = R"(\frac{c_a^2 + c_s^2}{\frac{1 - c_a^2}{W_D} + \frac{1 - c_s^2}{W_S} + )"
                 R"(\frac{2 (c_a^2 + c_s^2 - 1)}{W_M}})",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"S", "mean service", "s", "1e-9 to 1e12"},
                    server_count,
                    {"c_a^2", "variation of times between arrivals", "1", "0 to 1"},
                    {"c_s^2", "variation of service", "1", ">= 0"}},
        .result = "s",
        .validity = "G/G/c, arrivals no burstier than random",
        .source = "T. Kimura, \"A two-moment approximation for the mean waiting time in the GI/G/s "
                  "queue\", Management Science 32 (1986) 751-763",
        .errata = "",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return kimura_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{1, 1, 2, 1, 0.5}, 0.25662311179853344, 1e-13, "by hand; exact 0.25564"}}},
    formula{.name = "whitt_wait_probability",
            .header = "queue/ggc.hpp",
            .meaning = "Probability that a job of G/G/c waits, by Whitt",
            .text = "rho^2 p_4 + (1 - rho^2) p_5 for bursty arrivals",
            .latex = R"(\rho^2 \pi_4 + (1 - \rho^2) \pi_5)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "1",
            .validity = "two moments; within 16%",
            .source =
                "W. Whitt, \"Approximations for the GI/G/m queue\", Production and Operations "
                "Management 2 (1993) 114-161",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return whitt_wait_probability(jobs_of(x), {x[3], x[4]});
                },
            .examples = {{{2, 1, 3, 1, 5}, 4.0 / 9, 1e-12, "random arrivals: Erlang C"},
                         {{3.92, 1, 4, 4, 1}, 0.9789625969197, 0.01, "PH/PH/4, exact"}}},
    formula{.name = "general_wait",
            .header = "queue/ggc.hpp",
            .meaning = "Mean wait of G/G/c by the formula that is best for the case",
            .text = "M/M/c, M/G/1, M/D/c exact; M/G/c by Kimura; else by Whitt",
            .latex = R"(W_q \approx \phi \frac{c_a^2 + c_s^2}{2} W_{M/M/c})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"c_a^2", "variation of times between arrivals", "1", ">= 0"},
                        {"c_s^2", "variation of service", "1", ">= 0"}},
            .result = "s",
            .validity = "two moments; flagged where the tail is heavy",
            .source = "W. Whitt, \"Approximations for the GI/G/m queue\", Production and "
                      "Operations Management 2 (1993) 114-161",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return general_wait(jobs_of(x), {x[3], x[4]}).wait.mean.in(units::second);
                },
            .examples = {{{0.75, 1, 1, 1, 3}, 6, 1e-13, "M/G/1: twice M/M/1"},
                         {{1, 1, 2, 1, 0.5},
                          0.2556390977444,
                          0.005,
                          "PH/PH/2 as a quasi-birth-death process"},
                         {{3.6, 1, 4, 0.5, 1}, 1.408358842327, 0.005, "the same"}}},
    formula{.name = "mean_wait_is_finite",
            .header = "queue/mgk.hpp",
            .meaning = "Is the mean wait finite where the variance of service is not? 1 yes, 0 no",
            .text = "tail > 1 + 1/s, s = c - floor(a)",
            .latex = R"(E S^{1 + 1/s} < \infty, \quad s = c - \lfloor a \rfloor)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"S", "mean service", "s", "1e-9 to 1e12"},
                        server_count,
                        {"tail", "power of P(S > x) ~ x^-tail", "1", "> 0"}},
            .result = "1",
            .validity = "M/G/c",
            .source = "A. Scheller-Wolf, \"Necessary and sufficient conditions for delay moments "
                      "in FIFO multiserver queues\", Operations Research 51 (2003) 748-758",
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return mean_wait_is_finite(jobs_of(x), x[3]) ? 1.0 : 0.0; },
            .examples = {{{2.5, 1, 5, 1.4}, 1, 0, "3 to spare: 1 + 1/3"},
                         {{0.75, 1, 1, 1.4}, 0, 0, "1 to spare: 2"}}}};

}  // namespace gpuplan::registry
