#pragma once
/// \file
/// Rows of queue/: arrivals and service of any law, in the order of arrival.

#include <array>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/gimc.hpp>
#include <gpuplan/queue/mgk.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/queue_formulas.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     lambda  jobs that arrive                       1/s, >= 0
///     S       mean service                           s, 1e-9 to 1e12
///     c_a^2   variation of times between arrivals    1, >= 0
///     c_s^2   variation of service                   1, >= 0
///     c       servers                                count, 1 to 1e6
inline constexpr std::array queue_general_rows{
    /// Squared coefficient of variation of a law of service: of bounded Pareto jobs.
    ///
    ///     E S^2 / (E S)^2 - 1
    ///
    ///     alpha  power of the tail    1, > 0
    ///     L      least size           s, > 0
    ///     H      largest size         s, > L
    ///
    /// Holds: any law.
    row{.call = "queue/service.hpp: squared_variation(alpha, L, H) in 1",
        .latex = R"(\frac{E S^2}{(E S)^2} - 1)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return squared_variation(bounded_pareto_service{x[0], seconds{x[1]}, seconds{x[2]}});
            },
        .examples = {{{1.5, 1, 1000}, 9.8847997927618, 1e-12, "its moments in closed form"}}},
    row{.call = "queue/ggc.hpp: kingman_bound(lambda, S, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + \rho^2 c_s^2}{2 \lambda (1 - \rho)})",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return kingman_bound({per_second{x[0]}, seconds{x[1]}, 1}, {x[2], x[3]})
                  .in(units::second);
            },
        .examples = {{{0.5, 1, 1, 1}, 2.5, 1e-14, "1.25 / 0.5, by hand"}}},
    row{.call = "queue/ggc.hpp: heavy_traffic_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + c_s^2}{2 (c / S - \lambda)})",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return heavy_traffic_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{3, 1, 4, 2, 1}, 1.5, 1e-14, "3/2 over one spare server"}}},
    row{.call = "queue/ggc.hpp: allen_cunneen_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + c_s^2}{2} W_{M/M/c})",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return allen_cunneen_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{1, 1, 2, 1, 0.5}, 0.25, 1e-14, "3/4 of 1/3"}}},
    row{.call = "queue/gimc.hpp: renewal_wait(lambda, S, c, c_a^2) in s",
        .latex = R"(\frac{P}{c \mu u}, \quad 1 - u = A(c \mu u), \quad A(s) = E e^{-s T})",
        .topics = "Q8",
        .evaluate = [](inputs x) { return renewal_wait(jobs_of(x), x[3]).mean.in(units::second); },
        .examples = {{{0.5, 1, 1, 4}, 2.162277660168, 1e-12, "H2/M/1: the root of a quadratic"},
                     {{5.6, 1, 8, 4}, 0.412736415513, 1e-11, "as a quasi-birth-death process"},
                     {{5.6, 1, 8, 0.5}, 0.06314175022904, 1e-12, "E2/M/8, the same"}}},
    row{.call = "queue/ggc.hpp: kraemer_langenbach_belz_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + c_s^2}{2} W_{M/M/c} \, g)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return kraemer_langenbach_belz_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{0.5, 1, 1, 0.5, 1}, 0.67112948761077733, 1e-14, "3/4 e^(-1/9), by hand"}}},
    row{.call = "queue/ggc.hpp: whitt_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\phi \frac{c_a^2 + c_s^2}{2} W_{M/M/c})",
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
    ///     c_a^2  variation of times between arrivals    1, 0 to 1
    row{.call = "queue/ggc.hpp: kimura_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + c_s^2}{\frac{1 - c_a^2}{W_{DM}} + \frac{1 - c_s^2}{W_{MD}} + )"
                 R"(\frac{2 (c_a^2 + c_s^2 - 1)}{W_M}})",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return kimura_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{1, 1, 2, 1, 0.5}, 0.25662311179853344, 1e-13, "by hand; exact 0.25564"}}},
    row{.call = "queue/ggc.hpp: whitt_wait_probability(lambda, S, c, c_a^2, c_s^2) in 1",
        .latex = R"(p_1 = r^2 p_4 + (1 - r^2) p_5)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return whitt_wait_probability(jobs_of(x), {x[3], x[4]});
            },
        .examples = {{{2, 1, 3, 1, 5}, 4.0 / 9, 1e-12, "random arrivals: Erlang C"},
                     {{3.92, 1, 4, 4, 1}, 0.9789625969197, 0.01, "PH/PH/4, exact"}}},
    row{.call = "queue/ggc.hpp: scaled_renewal_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(\frac{c_a^2 + c_s^2}{2} W_M \, x^e y)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return scaled_renewal_wait(jobs_of(x), {x[3], x[4]}).in(units::second);
            },
        .examples = {{{0.5, 1, 1, 4, 1}, 2.162277660168, 1e-12, "H2/M/1, exact"},
                     {{0.75, 1, 1, 1, 3}, 6, 1e-13, "M/G/1, exact"}}},
    row{.call = "queue/ggc.hpp: general_wait(lambda, S, c, c_a^2, c_s^2) in s",
        .latex = R"(W_q \approx \frac{c_a^2 + c_s^2}{2} W_M)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return general_wait(jobs_of(x), {x[3], x[4]}).wait.mean.in(units::second);
            },
        .examples =
            {{{0.75, 1, 1, 1, 3}, 6, 1e-13, "M/G/1: twice M/M/1"},
             {{1, 1, 2, 1, 0.5}, 0.2556390977444, 0.005, "PH/PH/2 as a quasi-birth-death process"},
             {{3.6, 1, 4, 0.5, 1}, 1.408358842327, 1e-12, "the same"}}},
    ///     tail  power of P(S > x) ~ x^-tail    1, > 0
    row{.call = "queue/mgk.hpp: mean_wait_is_finite(lambda, S, c, tail) in 1",
        .latex = R"(E S^{1 + 1/s} < \infty, \quad s = c - \lfloor a \rfloor)",
        .topics = "Q8",
        .evaluate = [](inputs x) { return mean_wait_is_finite(jobs_of(x), x[3]) ? 1.0 : 0.0; },
        .examples = {{{2.5, 1, 5, 1.4}, 1, 0, "3 to spare: 1 + 1/3"},
                     {{0.75, 1, 1, 1.4}, 0, 0, "1 to spare: 2"}}}};
inline constexpr auto queue_general_formulas =
    with_words(queue_general_rows, words::queue_general_formulas);

}  // namespace gpuplan::registry
