#pragma once
/// \file
/// Rows of plan/: what a run takes beside its steps: failures, power, carbon, deadlines.

#include <array>

#include <gpuplan/plan/budget.hpp>
#include <gpuplan/plan/carbon.hpp>
#include <gpuplan/plan/checkpoint_interval.hpp>
#include <gpuplan/plan/checkpoint_size.hpp>
#include <gpuplan/plan/failures.hpp>
#include <gpuplan/plan/power_cap.hpp>
#include <gpuplan/plan/rental.hpp>
#include <gpuplan/plan/run_with_failures.hpp>
#include <gpuplan/plan/training_task.hpp>
#include <gpuplan/plan/training_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     T_max  deadline                             s, > 0
///     delta  one checkpoint                       s, > 0
///     M      mean time between failures           s, > 0
///     tau    computing between two checkpoints    s, > 0
///     R      from a failure to computing again    s, >= 0
inline constexpr std::array run_rows{
    row{.call = "plan/training_time.hpp: training_time(F, n, X) in s",
        .latex = R"(\frac{F}{n X})",
        .errata = "9.8e12 FLOP on a V100 at 125 TFLOP/s take 78 ms, not 79 s.",
        .topics = "C8 P8",
        .evaluate =
            [](inputs x) {
              return training_time(flop{x[0]}, x[1], flop_per_second{x[2]}).in(units::second);
            },
        .examples = {{{3.14e23, 1, 28e12},
                      355 * 365.25 * 86400,
                      2e-3,
                      "355 V100-years of T. Brown et al. (2020) and C. Li (2020)"}}},
    /// What a claimed time asks of each device, of its peak.
    ///
    ///     F / (n T P)
    ///
    ///     F  operations      FLOP, >= 0
    ///     n  devices         count, > 0
    ///     T  time            s, > 0
    ///     P  peak of each    FLOP/s, > 0
    ///
    /// Holds: above 1 the claim is impossible.
    row{.call = "plan/training_time.hpp: achieved_rate_of(F, n, T, P) in 1",
        .latex = R"(\frac{F}{n T P})",
        .errata = "2.5 s for a step of GPT-3 on 1024 A100 are 4.1 times their peak.",
        .topics = "C7 P8",
        .evaluate =
            [](inputs x) {
              return achieved_rate_of(flop{x[0]}, x[1], seconds{x[2]}, flop_per_second{x[3]})
                  .utilization();
            },
        .examples = {{{6 * 175e9 * 3145728, 1024, 2.5, 312e12},
                      4.135384615384615,
                      1e-12,
                      "a chapter's example, recomputed"}}},
    /// What is wrong with an offer: 0 nothing, 2 late, 3 dear, 4 both.
    ///
    ///     T > deadline
    ///     cost > budget
    ///
    ///     T      time of the run    s, > 0
    ///     C      its cost           dollar, >= 0
    ///     C_max  budget             dollar, > 0
    ///
    /// Holds: 1 where nothing fits.
    row{.call = "plan/budget.hpp: fault_of(T, C, T_max, C_max) in 1",
        .latex = R"(T > T_{\max};\; C > C_{\max})",
        .topics = "R10",
        .evaluate =
            [](inputs x) {
              run_offer offer{.gpus = 1};
              offer.run.time = seconds{x[0]};
              offer.run.gpu_cost = dollars{x[1]};
              return static_cast<double>(fault_of(offer, {seconds{x[2]}, dollars{x[3]}}));
            },
        .examples = {{{100, 50, 90, 60}, 2, 0, "100 s of 90"},
                     {{100, 50, 90, 40}, 4, 0, "and 50 dollars of 40"}}},
    /// Cost of the cheaper of two offers that keep a deadline.
    ///
    ///     min cost, T <= deadline
    ///
    ///     T_1  time of the first     s, > 0
    ///     C_1  cost of the first     dollar, >= 0
    ///     T_2  time of the second    s, > 0
    ///     C_2  cost of the second    dollar, >= 0
    ///
    /// Holds: ties go to the faster, then to the fewer GPUs.
    row{.call = "plan/budget.hpp: best_offer(T_1, C_1, T_2, C_2, T_max) in dollar",
        .latex = R"(\min \{ C_i : T_i \le T_{\max} \})",
        .errata = "Costs of 8 V100, A100 and H100 in a chapter are all 1.25 times the product.",
        .topics = "R10",
        .evaluate =
            [](inputs x) {
              std::array offers{run_offer{.gpus = 1}, run_offer{.gpus = 1}};
              offers[0].run.time = seconds{x[0]};
              offers[0].run.gpu_cost = dollars{x[1]};
              offers[1].run.time = seconds{x[2]};
              offers[1].run.gpu_cost = dollars{x[3]};
              return best_offer(offers, {.deadline = seconds{x[4]}})
                  .taken.run.cost()
                  .in(units::dollar);
            },
        .examples = {{{100, 50, 80, 70, 90}, 70, 0, "the cheaper one is late"},
                     {{100, 50, 80, 70, 110}, 50, 0, "both are in time"}}},
    row{.call = "plan/carbon.hpp: operational_carbon(E, i) in g",
        .latex = R"(E\, i)",
        .errata = "An article prints watts as energy: 100 W for ten minutes are 16.7 Wh.",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              return operational_carbon(joules{x[0]}, grams_per_joule{x[1]}).in(units::gram);
            },
        .examples = {{{3.6e9, 400 / 3.6e6}, 400e3, 1e-12, "1000 kWh at 400 g/kWh"}}},
    row{.call = "plan/carbon.hpp: embodied_carbon(C_d, t, L, u) in g",
        .latex = R"(\frac{C_d\, t}{L u})",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              return embodied_carbon(grams{x[0]}, seconds{x[1]}, seconds{x[2]}, x[3])
                  .in(units::gram);
            },
        .examples = {{{150e3, 1e6, 2e7, 0.5}, 15e3, 1e-12, "a tenth of 150 kg"}}},
    row{.call = "plan/checkpoint_interval.hpp: checkpoint_time(m, W) in s",
        .latex = R"(m / W)",
        .topics = "P9",
        .evaluate =
            [](inputs x) {
              return checkpoint_time(bytes{x[0]}, bytes_per_second{x[1]}).in(units::second);
            },
        .examples = {{{13.8e12, 273e9},
                      50.5,
                      1e-2,
                      "D. Narayanan et al. (2021), section 5.10: 13.8 TB at 273 GB/s"}}},
    row{.call = "plan/checkpoint_interval.hpp: young_interval(delta, M) in s",
        .latex = R"(\sqrt{2 \delta M})",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return young_interval(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{50, 10000}, 1000, 1e-12, "sqrt(10^6)"}}},
    row{.call = "plan/checkpoint_interval.hpp: daly_interval(delta, M) in s",
        .latex = R"(\sqrt{2 \delta M} \left( 1 + \frac{x}{3} + \frac{x^2}{9} \right) - \delta)",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return daly_interval(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{50, 10000}, 966.9444444444445, 1e-12, "x = 1/20, by hand"}}},
    /// Failures a second of a job that any of two kinds of part stops.
    ///
    ///     n_1 / M_1 + n_2 / M_2
    ///
    ///     n_1  parts of the first kind                            count, >= 0
    ///     M_1  mean time between failures of one of the first     s, > 0
    ///     n_2  of the second                                      count, >= 0
    ///     M_2  mean time between failures of one of the second    s, > 0
    ///
    /// Holds: independent failures, as likely at any age.
    row{.call = "plan/failures.hpp: failure_rate(n_1, M_1, n_2, M_2) in 1/s",
        .latex = R"(\sum_i n_i / M_i)",
        .errata = "It grows with the parts as a straight line, not exponentially.",
        .topics = "P9",
        .evaluate =
            [](inputs x) {
              const std::array parts{failing_parts{x[0], seconds{x[1]}},
                                     failing_parts{x[2], seconds{x[3]}}};
              return failure_rate(parts).in(1 / units::second);
            },
        .examples = {{{8, 1e6, 2, 5e5}, 1.2e-5, 1e-12, "8e-6 + 4e-6"}}},
    row{.call = "plan/failures.hpp: job_mtbf(M, n) in s",
        .latex = R"(M / n)",
        .topics = "P9",
        .evaluate = [](inputs x) { return job_mtbf(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{1e6, 100}, 1e4, 0, "1e6/100"}}},
    row{.call = "plan/failures.hpp: observed_mtbf(T, n, k) in s",
        .latex = R"(T n / k)",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return observed_mtbf(seconds{x[0]}, x[1], x[2]).in(units::second); },
        .examples = {{{54 * 86400.0, 16384, 419},
                      3.09 * 3600 * 16384,
                      2e-3,
                      "A. Dubey et al., \"The Llama 3 Herd of Models\" (2024), section 3.3.4: "
                      "419 in 54 days on 16 384 GPUs, every 3.09 h"}}},
    row{.call = "plan/failures.hpp: survival(t, M) in 1",
        .latex = R"(e^{-t/M})",
        .topics = "P9",
        .evaluate = [](inputs x) { return survival(seconds{x[0]}, seconds{x[1]}); },
        .examples = {{{1, 1}, 0.36787944117144233, 1e-12, "1/e"}}},
    row{.call = "plan/failures.hpp: mtbf_of_survival(p, t) in s",
        .latex = R"(-t / \ln p)",
        .errata = "\"99.9 % reliable\" says nothing without a time.",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return mtbf_of_survival(x[0], seconds{x[1]}).in(units::second); },
        .examples = {{{0.999, 86400}, 999.5 * 86400, 1e-4, "a day: 999.5 days"}}},
    row{.call = "plan/power_cap.hpp: gpus_under_power(P, p, u) in count",
        .latex = R"(\lfloor P / (u p) \rfloor)",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(gpus_under_power(watts{x[0]}, watts{x[1]}, x[2]));
            },
        .examples = {{{1e6, 1300, 1.25}, 615, 0, "615.4 rounded down"}}},
    ///     P_0  at idle          W, >= 0
    ///     P_1  at full clock    W, > P_0
    row{.call = "plan/power_cap.hpp: coarse_capped_clock(P, P_0, P_1) in 1",
        .latex = R"(\sqrt[3]{\frac{P - P_0}{P_1 - P_0}})",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              return coarse_capped_clock(watts{x[0]}, {watts{x[1]}, watts{x[2]}});
            },
        .examples = {{{175, 100, 700}, 0.5, 1e-12, "an eighth of the dynamic power"}}},
    row{.call = "plan/power_cap.hpp: capped_step(t_c, t_o, f) in s",
        .latex = R"(t_c / f + t_o)",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              return capped_step(seconds{x[0]}, seconds{x[1]}, x[2]).in(units::second);
            },
        .examples = {{{0.8, 0.2, 0.5}, 1.8, 1e-12, "1.6 + 0.2"}}},
    row{.call = "plan/training_task.hpp: tokens_of_samples(n, E, q, s) in token",
        .latex = R"(E\, n\, q\, s)",
        .topics = "P8",
        .evaluate =
            [](inputs x) {
              return tokens_of_samples(x[0], x[1], whole(x[2]), whole(x[3])).in(units::token);
            },
        .examples = {{{52002, 3, 1, 512}, 79875072, 0, "Alpaca, at its most tokens a sequence"},
                     {{61135, 1, 2, 1024}, 125204480, 0, "pairs of UltraFeedback, by hand"}}},
    ///     14 N, with N = L (12 h^2 + 13 h) + 2 h + V h
    ///
    ///     L  layers                            count, >= 1
    ///     h  hidden size                       count, >= 1
    ///     a  attention heads; they divide h    count, >= 1
    ///     V  vocabulary                        count, >= 1
    ///
    /// Holds: each part once, 16-bit weights beside their master copies.
    row{.call = "plan/checkpoint_size.hpp: checkpoint_size(L, h, a, V) in B",
        .latex = R"(14 N,\; N = L (12 h^2 + 13 h) + 2 h + V h)",
        .topics = "P9",
        .evaluate =
            [](inputs x) {
              return checkpoint_size(
                         gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(4 * x[1]), whole(x[3])}),
                         {})
                  .in(units::byte);
            },
        .examples =
            {{{128, 25600, 160, 51200}, 13.8e12, 0.03, "section 5.10 of the source: 13.8 TB"},
             {{1, 1, 1, 1}, 392, 0, "14 (12 + 13 + 2 + 1)"}}},
    /// Expected time of a run with failures.
    ///
    ///     T_s / tau M e^(R/M) (e^((tau + delta)/M) - 1)
    ///
    ///     T_s    time without failures and checkpoints    s, >= 0
    ///     delta  one checkpoint                           s, >= 0
    ///
    /// Holds: whole intervals; failures independent of what runs.
    row{.call = "plan/run_with_failures.hpp: run_with_failures(T_s, tau, delta, R, M) in s",
        .latex = R"(\frac{T_s}{\tau} M e^{R/M} \left(e^{(\tau + \delta)/M} - 1\right))",
        .errata = "A model without the work lost since the last checkpoint, tau/(2 M), prefers "
                  "intervals without end.",
        .topics = "P9",
        .evaluate =
            [](inputs x) {
              return run_with_failures(seconds{x[0]},
                                       {seconds{x[1]}, seconds{x[2]}, seconds{x[3]}, seconds{x[4]}})
                  .total()
                  .in(units::second);
            },
        .examples = {{{10, 1, 0, 0, 1}, 17.182818284590452, 1e-12, "10 (e - 1)"},
                     {{10, 1, 0, 1, 1}, 46.70774270471605, 1e-12, "10 e (e - 1)"}}},
    /// Time between checkpoints where none is given.
    row{.call = "plan/run_with_failures.hpp: best_checkpoint_policy(delta, R, M) in s",
        .latex = R"(\mathrm{daly\_interval}(\delta, M))",
        .topics = "P9",
        .evaluate =
            [](inputs x) {
              return best_checkpoint_policy(seconds{x[0]}, seconds{x[1]}, seconds{x[2]})
                  .interval.in(units::second);
            },
        .examples = {{{300, 600, 86400}, 117 * 60, 5e-3, "figure 3 of the source: 117 min"}}},
    /// Cost of a run, failures included.
    ///
    ///     C T / T_s
    ///
    ///     C      cost without failures                    dollar, >= 0
    ///     T_s    time without failures and checkpoints    s, >= 0
    ///     delta  one checkpoint                           s, >= 0
    ///
    /// Holds: GPUs are kept and paid while they restart; T of run_with_failures.
    row{.call = "plan/run_with_failures.hpp: with_failures(C, T_s, tau, delta, R, M) in dollar",
        .latex = R"(C \frac{T}{T_s})",
        .topics = "P9 R10",
        .evaluate =
            [](inputs x) {
              const run_estimate run{.time = seconds{x[1]}, .gpu_cost = dollars{x[0]}};
              const checkpoint_policy how{seconds{x[2]}, seconds{x[3]}, seconds{x[4]},
                                          seconds{x[5]}};
              return with_failures(run, run_with_failures(run.time, how)).cost().in(units::dollar);
            },
        .examples = {{{100, 10, 1, 0, 0, 1}, 171.82818284590452, 1e-12, "100 (e - 1)"}}},
    /// Expected cost of a job on spot instances of eight GPUs.
    ///
    ///     c n T, with M = M_r / ceil(n / 8)
    ///
    ///     c    price of one GPU                             dollar/s, >= 0
    ///     M_r  mean time until an instance is taken back    s, > 0
    ///     n    GPUs                                         count, >= 1
    ///     T_s  time without interruptions                   s, > 0
    ///
    /// Holds: instances are taken back one by one, and another is there at once; T of
    /// run_with_failures at daly_interval, or at T_s if that is less.
    row{.call = "plan/rental.hpp: rental_run(c, M_r, n, T_s, delta, R) in dollar",
        .latex = R"(c\, n\, T,\; M = M_r / \lceil n / 8 \rceil)",
        .topics = "R10",
        .evaluate =
            [](inputs x) {
              const rental spot{.kind = price_kind::spot,
                                .rate = dollars_per_second{x[0]},
                                .until_reclaimed = seconds{x[1]}};
              return rental_run(spot, {.gpus = whole(x[2]),
                                       .work = seconds{x[3]},
                                       .write = seconds{x[4]},
                                       .restart = seconds{x[5]}})
                  .cost.in(units::dollar);
            },
        .examples =
            {{{0.25, 2, 16, 10, 2, 0}, 763.4214769275067, 1e-12, "0.25 x 16 x 10 (e^3 - 1)"}}},
    row{.call = "plan/rental.hpp: reserved_break_even(c_r, c_d) in 1",
        .latex = R"(\frac{c_r}{c_d})",
        .topics = "R10",
        .evaluate =
            [](inputs x) {
              return reserved_break_even(dollars_per_second{x[0]}, dollars_per_second{x[1]});
            },
        .examples = {{{2, 4}, 0.5, 0, "half the price, half the time"}}}};
inline constexpr auto run_formulas = with_words(run_rows, words::run_formulas);

}  // namespace gpuplan::registry
