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
#include <gpuplan/plan/training_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view reliability =
    "R. E. Barlow and F. Proschan, \"Mathematical Theory of Reliability\", Wiley (1965)";
inline constexpr std::string_view daly =
    "J. T. Daly, \"A higher order estimate of the optimum checkpoint interval for restart dumps\", "
    "Future Generation Computer Systems 22 (2006) 303-312";

inline constexpr symbol write_time{"delta", "one checkpoint", "s", "> 0"};
inline constexpr symbol between_failures{"M", "mean time between failures", "s", "> 0"};
inline constexpr symbol work_time{"T_s", "time without failures and checkpoints", "s", ">= 0"};
inline constexpr symbol interval_time{"tau", "computing between two checkpoints", "s", "> 0"};
inline constexpr symbol restart_time{"R", "from a failure to computing again", "s", ">= 0"};
inline constexpr symbol work_done{"F", "operations", "FLOP", ">= 0"};
inline constexpr symbol devices_used{"n", "devices", "count", "> 0"};

inline constexpr std::array run_formulas{
    formula{.name = "training_time",
            .header = "plan/training_time.hpp",
            .meaning = "Time of so many operations at the rate that each device sustains",
            .text = "F / (n X)",
            .latex = R"(\frac{F}{n X})",
            .symbols = {work_done, devices_used, {"X", "sustained by each", "FLOP/s", "> 0"}},
            .result = "s",
            .validity = "X as F counts: computed-again operations in both or in none",
            .source = narayanan,
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
    formula{.name = "achieved_rate_of",
            .header = "plan/training_time.hpp",
            .meaning = "What a claimed time asks of each device, of its peak",
            .text = "F / (n T P)",
            .latex = R"(\frac{F}{n T P})",
            .symbols = {work_done,
                        devices_used,
                        {"T", "time", "s", "> 0"},
                        {"P", "peak of each", "FLOP/s", "> 0"}},
            .result = "1",
            .validity = "above 1 the claim is impossible",
            .source = "A. Chowdhery et al., \"PaLM: Scaling Language Modeling with Pathways\" "
                      "(2022), appendix B, arXiv:2204.02311",
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
    formula{.name = "fault_of",
            .header = "plan/budget.hpp",
            .meaning = "What is wrong with an offer: 0 nothing, 2 late, 3 dear, 4 both",
            .text = "T > deadline; cost > budget",
            .latex = R"(T > T_{\max};\; C > C_{\max})",
            .symbols = {{"T", "time of the run", "s", "> 0"},
                        {"C", "its cost", "dollar", ">= 0"},
                        {"T_max", "deadline", "s", "> 0"},
                        {"C_max", "budget", "dollar", "> 0"}},
            .result = "1",
            .validity = "1 where nothing fits",
            .source = definition,
            .errata = "",
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
    formula{.name = "best_offer",
            .header = "plan/budget.hpp",
            .meaning = "Cost of the cheaper of two offers that keep a deadline",
            .text = "min cost, T <= deadline",
            .latex = R"(\min \{ C_i : T_i \le T_{\max} \})",
            .symbols = {{"T_1", "time of the first", "s", "> 0"},
                        {"C_1", "cost of the first", "dollar", ">= 0"},
                        {"T_2", "time of the second", "s", "> 0"},
                        {"C_2", "cost of the second", "dollar", ">= 0"},
                        {"T_max", "deadline", "s", "> 0"}},
            .result = "dollar",
            .validity = "ties go to the faster, then to the fewer GPUs",
            .source = definition,
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
    formula{.name = "operational_carbon",
            .header = "plan/carbon.hpp",
            .meaning = "Emissions of the electricity of a run",
            .text = "E i",
            .latex = R"(E\, i)",
            .symbols = {{"E", "energy of the site", "J", ">= 0"},
                        {"i", "intensity of the grid", "g/J", ">= 0"}},
            .result = "g",
            .validity = "the grid's mean hour",
            .source = "A. Lacoste et al., \"Quantifying the Carbon Emissions of Machine Learning\" "
                      "(2019), arXiv:1910.09700",
            .errata = "An article prints watts as energy: 100 W for ten minutes are 16.7 Wh.",
            .topics = "R11",
            .evaluate =
                [](inputs x) {
                  return operational_carbon(joules{x[0]}, grams_per_joule{x[1]}).in(units::gram);
                },
            .examples = {{{3.6e9, 400 / 3.6e6}, 400e3, 1e-12, "1000 kWh at 400 g/kWh"}}},
    formula{.name = "embodied_carbon",
            .header = "plan/carbon.hpp",
            .meaning = "A run's share of the emissions of making its devices",
            .text = "C_d t / (L u)",
            .latex = R"(\frac{C_d\, t}{L u})",
            .symbols = {{"C_d", "of a device", "g", ">= 0"},
                        {"t", "devices times hours", "s", ">= 0"},
                        {"L", "lifetime of a device", "s", "> 0"},
                        {"u", "share of it at work", "1", "> 0, <= 1"}},
            .result = "g",
            .validity = "spread evenly over the lifetime",
            .source = "A. S. Luccioni, S. Viguier and A.-L. Ligozat, \"Estimating the Carbon "
                      "Footprint of BLOOM, a 176B Parameter Language Model\", JMLR 24 (2023), "
                      "arXiv:2211.02001",
            .errata = "",
            .topics = "R11",
            .evaluate =
                [](inputs x) {
                  return embodied_carbon(grams{x[0]}, seconds{x[1]}, seconds{x[2]}, x[3])
                      .in(units::gram);
                },
            .examples = {{{150e3, 1e6, 2e7, 0.5}, 15e3, 1e-12, "a tenth of 150 kg"}}},
    formula{.name = "checkpoint_time",
            .header = "plan/checkpoint_interval.hpp",
            .meaning = "Time that a checkpoint stops training",
            .text = "m / W",
            .latex = R"(m / W)",
            .symbols = {{"m", "bytes written, each part once", "B", ">= 0"},
                        {"W", "of all writers together", "B/s", "> 0"}},
            .result = "s",
            .validity = "nothing is written behind training",
            .source = definition,
            .errata = "",
            .topics = "P9",
            .evaluate =
                [](inputs x) {
                  return checkpoint_time(bytes{x[0]}, bytes_per_second{x[1]}).in(units::second);
                },
            .examples = {{{13.8e12, 273e9},
                          50.5,
                          1e-2,
                          "D. Narayanan et al. (2021), section 5.10: 13.8 TB at 273 GB/s"}}},
    formula{
        .name = "young_interval",
        .header = "plan/checkpoint_interval.hpp",
        .meaning = "The best time between checkpoints, to first order",
        .text = "sqrt(2 delta M)",
        .latex = R"(\sqrt{2 \delta M})",
        .symbols = {write_time, between_failures},
        .result = "s",
        .validity = "delta much smaller than M",
        .source = "J. W. Young, \"A first order approximation to the optimum checkpoint "
                  "interval\", Communications of the ACM 17 (1974) 530-531",
        .errata = "",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return young_interval(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{50, 10000}, 1000, 1e-12, "sqrt(10^6)"}}},
    formula{
        .name = "daly_interval",
        .header = "plan/checkpoint_interval.hpp",
        .meaning = "The best time between checkpoints, to higher order",
        .text = "sqrt(2 delta M) (1 + x/3 + x^2/9) - delta, x = sqrt(delta / (2 M))",
        .latex = R"(\sqrt{2 \delta M} \left( 1 + \frac{x}{3} + \frac{x^2}{9} \right) - \delta)",
        .symbols = {write_time, between_failures},
        .result = "s",
        .validity = "delta < 2 M; above it M",
        .source = daly,
        .errata = "",
        .topics = "P9",
        .evaluate =
            [](inputs x) { return daly_interval(seconds{x[0]}, seconds{x[1]}).in(units::second); },
        .examples = {{{50, 10000}, 966.9444444444445, 1e-12, "x = 1/20, by hand"}}},
    formula{.name = "failure_rate",
            .header = "plan/failures.hpp",
            .meaning = "Failures a second of a job that any of two kinds of part stops",
            .text = "n_1 / M_1 + n_2 / M_2",
            .latex = R"(\sum_i n_i / M_i)",
            .symbols = {{"n_1", "parts of the first kind", "count", ">= 0"},
                        {"M_1", "mean time between failures of one of the first", "s", "> 0"},
                        {"n_2", "of the second", "count", ">= 0"},
                        {"M_2", "mean time between failures of one of the second", "s", "> 0"}},
            .result = "1/s",
            .validity = "independent failures, as likely at any age",
            .source = reliability,
            .errata = "It grows with the parts as a straight line, not exponentially.",
            .topics = "P9",
            .evaluate =
                [](inputs x) {
                  const std::array parts{failing_parts{x[0], seconds{x[1]}},
                                         failing_parts{x[2], seconds{x[3]}}};
                  return failure_rate(parts).in(1 / units::second);
                },
            .examples = {{{8, 1e6, 2, 5e5}, 1.2e-5, 1e-12, "8e-6 + 4e-6"}}},
    formula{.name = "job_mtbf",
            .header = "plan/failures.hpp",
            .meaning = "Mean time between failures of a job on n equal nodes",
            .text = "M / n",
            .latex = R"(M / n)",
            .symbols = {between_failures, {"n", "nodes", "count", "> 0"}},
            .result = "s",
            .validity = "any node stops the job",
            .source = reliability,
            .errata = "",
            .topics = "P9",
            .evaluate = [](inputs x) { return job_mtbf(seconds{x[0]}, x[1]).in(units::second); },
            .examples = {{{1e6, 100}, 1e4, 0, "1e6/100"}}},
    formula{.name = "observed_mtbf",
            .header = "plan/failures.hpp",
            .meaning = "Mean time between failures of one GPU, from a log",
            .text = "T n / k",
            .latex = R"(T n / k)",
            .symbols = {{"T", "time that all ran", "s", "> 0"},
                        {"n", "nodes or GPUs", "count", "> 0"},
                        {"k", "failures", "count", "> 0"}},
            .result = "s",
            .validity = "standard error 1/sqrt(k)",
            .source = reliability,
            .errata = "",
            .topics = "P9",
            .evaluate =
                [](inputs x) { return observed_mtbf(seconds{x[0]}, x[1], x[2]).in(units::second); },
            .examples = {{{54 * 86400.0, 16384, 419},
                          3.09 * 3600 * 16384,
                          2e-3,
                          "A. Dubey et al., \"The Llama 3 Herd of Models\" (2024), section 3.3.4: "
                          "419 in 54 days on 16 384 GPUs, every 3.09 h"}}},
    formula{.name = "survival",
            .header = "plan/failures.hpp",
            .meaning = "Probability that a time passes without failure",
            .text = "exp(-t / M)",
            .latex = R"(e^{-t/M})",
            .symbols = {{"t", "time", "s", ">= 0"}, between_failures},
            .result = "1",
            .validity = "failures as likely at any age",
            .source = reliability,
            .errata = "",
            .topics = "P9",
            .evaluate = [](inputs x) { return survival(seconds{x[0]}, seconds{x[1]}); },
            .examples = {{{1, 1}, 0.36787944117144233, 1e-12, "1/e"}}},
    formula{.name = "mtbf_of_survival",
            .header = "plan/failures.hpp",
            .meaning = "Mean time between failures of what survives a time with a probability",
            .text = "-t / ln p",
            .latex = R"(-t / \ln p)",
            .symbols = {{"p", "probability", "1", "> 0, < 1"}, {"t", "time", "s", "> 0"}},
            .result = "s",
            .validity = "failures as likely at any age",
            .source = reliability,
            .errata = "\"99.9 % reliable\" says nothing without a time.",
            .topics = "P9",
            .evaluate =
                [](inputs x) { return mtbf_of_survival(x[0], seconds{x[1]}).in(units::second); },
            .examples = {{{0.999, 86400}, 999.5 * 86400, 1e-4, "a day: 999.5 days"}}},
    formula{.name = "gpus_under_power",
            .header = "plan/power_cap.hpp",
            .meaning = "GPUs that a site can feed",
            .text = "floor(P / (u p))",
            .latex = R"(\lfloor P / (u p) \rfloor)",
            .symbols = {{"P", "power of the site", "W", ">= 0"},
                        {"p", "of one GPU, with its share of the host", "W", "> 0"},
                        {"u", "power usage effectiveness", "1", ">= 1"}},
            .result = "count",
            .validity = "all at full power",
            .source = "ISO/IEC 30134-2:2016",
            .errata = "",
            .topics = "R11",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(gpus_under_power(watts{x[0]}, watts{x[1]}, x[2]));
                },
            .examples = {{{1e6, 1300, 1.25}, 615, 0, "615.4 rounded down"}}},
    formula{.name = "coarse_capped_clock",
            .header = "plan/power_cap.hpp",
            .meaning = "Coarse: what a power cap leaves of the clock",
            .text = "((P - P_0) / (P_1 - P_0))^(1/3)",
            .latex = R"(\sqrt[3]{\frac{P - P_0}{P_1 - P_0}})",
            .symbols = {{"P", "cap", "W", "> P_0"},
                        {"P_0", "at idle", "W", ">= 0"},
                        {"P_1", "at full clock", "W", "> P_0"}},
            .result = "1",
            .validity = "voltage falls with the clock; at most 1",
            .source =
                "T. Mudge, \"Power: A First-Class Architectural Design Constraint\", Computer "
                "34 (2001) 52-58",
            .errata = "",
            .topics = "R11",
            .evaluate =
                [](inputs x) {
                  return coarse_capped_clock(watts{x[0]}, {watts{x[1]}, watts{x[2]}});
                },
            .examples = {{{175, 100, 700}, 0.5, 1e-12, "an eighth of the dynamic power"}}},
    formula{.name = "capped_step",
            .header = "plan/power_cap.hpp",
            .meaning = "A step at a lower clock",
            .text = "t_c / f + t_o",
            .latex = R"(t_c / f + t_o)",
            .symbols = {{"t_c", "what follows the clock", "s", ">= 0"},
                        {"t_o", "what does not", "s", ">= 0"},
                        {"f", "clock over its full value", "1", "> 0, <= 1"}},
            .result = "s",
            .validity = "memory and network keep their clocks",
            .source = definition,
            .errata = "",
            .topics = "R11",
            .evaluate =
                [](inputs x) {
                  return capped_step(seconds{x[0]}, seconds{x[1]}, x[2]).in(units::second);
                },
            .examples = {{{0.8, 0.2, 0.5}, 1.8, 1e-12, "1.6 + 0.2"}}},
    formula{.name = "checkpoint_size",
            .header = "plan/checkpoint_size.hpp",
            .meaning =
                "Bytes of a checkpoint from which training goes on: of a GPT in BF16, with Adam",
            .text = "14 N, with N = L (12 h^2 + 13 h) + 2 h + V h",
            .latex = R"(14 N,\; N = L (12 h^2 + 13 h) + 2 h + V h)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "attention heads; they divide h", "count", ">= 1"},
                        {"V", "vocabulary", "count", ">= 1"}},
            .result = "B",
            .validity = "each part once, 16-bit weights beside their master copies",
            .source = narayanan,
            .errata = "",
            .topics = "P9",
            .evaluate =
                [](inputs x) {
                  return checkpoint_size(gpt({whole(x[0]), whole(x[1]), whole(x[2]),
                                              whole(4 * x[1]), whole(x[3])}),
                                         {})
                      .in(units::byte);
                },
            .examples =
                {{{128, 25600, 160, 51200}, 13.8e12, 0.03, "section 5.10 of the source: 13.8 TB"},
                 {{1, 1, 1, 1}, 392, 0, "14 (12 + 13 + 2 + 1)"}}},
    formula{.name = "run_with_failures",
            .header = "plan/run_with_failures.hpp",
            .meaning = "Expected time of a run with failures",
            .text = "T_s / tau M e^(R/M) (e^((tau + delta)/M) - 1)",
            .latex = R"(\frac{T_s}{\tau} M e^{R/M} \left(e^{(\tau + \delta)/M} - 1\right))",
            .symbols = {work_time,
                        interval_time,
                        {"delta", "one checkpoint", "s", ">= 0"},
                        restart_time,
                        between_failures},
            .result = "s",
            .validity = "whole intervals; failures independent of what runs",
            .source = daly,
            .errata = "A model without the work lost since the last checkpoint, tau/(2 M), prefers "
                      "intervals without end.",
            .topics = "P9",
            .evaluate =
                [](inputs x) {
                  return run_with_failures(seconds{x[0]}, {seconds{x[1]}, seconds{x[2]},
                                                           seconds{x[3]}, seconds{x[4]}})
                      .total()
                      .in(units::second);
                },
            .examples = {{{10, 1, 0, 0, 1}, 17.182818284590452, 1e-12, "10 (e - 1)"},
                         {{10, 1, 0, 1, 1}, 46.70774270471605, 1e-12, "10 e (e - 1)"}}},
    formula{.name = "best_checkpoint_policy",
            .header = "plan/run_with_failures.hpp",
            .meaning = "Time between checkpoints where none is given",
            .text = "daly_interval(delta, M)",
            .latex = R"(\tau_{Daly}(\delta, M))",
            .symbols = {write_time, restart_time, between_failures},
            .result = "s",
            .validity = "as daly_interval; the restart plays no part",
            .source = daly,
            .errata = "",
            .topics = "P9",
            .evaluate =
                [](inputs x) {
                  return best_checkpoint_policy(seconds{x[0]}, seconds{x[1]}, seconds{x[2]})
                      .interval.in(units::second);
                },
            .examples = {{{300, 600, 86400}, 117 * 60, 5e-3, "figure 3 of the source: 117 min"}}},
    formula{.name = "with_failures",
            .header = "plan/run_with_failures.hpp",
            .meaning = "Cost of a run, failures included",
            .text = "C T / T_s",
            .latex = R"(C \frac{T}{T_s})",
            .symbols = {{"C", "cost without failures", "dollar", ">= 0"},
                        work_time,
                        interval_time,
                        {"delta", "one checkpoint", "s", ">= 0"},
                        restart_time,
                        between_failures},
            .result = "dollar",
            .validity = "GPUs are kept and paid while they restart; T of run_with_failures",
            .source = definition,
            .errata = "",
            .topics = "P9 R10",
            .evaluate =
                [](inputs x) {
                  const run_estimate run{.time = seconds{x[1]}, .gpu_cost = dollars{x[0]}};
                  const checkpoint_policy how{seconds{x[2]}, seconds{x[3]}, seconds{x[4]},
                                              seconds{x[5]}};
                  return with_failures(run, run_with_failures(run.time, how))
                      .cost()
                      .in(units::dollar);
                },
            .examples = {{{100, 10, 1, 0, 0, 1}, 171.82818284590452, 1e-12, "100 (e - 1)"}}},
    formula{.name = "rental_run",
            .header = "plan/rental.hpp",
            .meaning = "Expected cost of a job on spot instances of eight GPUs",
            .text = "c n T, with M = M_r / ceil(n / 8)",
            .latex = R"(c\, n\, T,\; M = M_r / \lceil n / 8 \rceil)",
            .symbols = {{"c", "price of one GPU", "dollar/s", ">= 0"},
                        {"M_r", "mean time until an instance is taken back", "s", "> 0"},
                        {"n", "GPUs", "count", ">= 1"},
                        {"T_s", "time without interruptions", "s", "> 0"},
                        write_time,
                        restart_time},
            .result = "dollar",
            .validity = "instances are taken back one by one, and another is there at once; T of "
                        "run_with_failures at daly_interval, or at T_s if that is less",
            .source = daly,
            .errata = "",
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
    formula{.name = "reserved_break_even",
            .header = "plan/rental.hpp",
            .meaning =
                "Share of its term that a reserved GPU must be used to cost no more than on demand",
            .text = "c_r / c_d",
            .latex = R"(\frac{c_r}{c_d})",
            .symbols = {{"c_r", "reserved", "dollar/s", ">= 0"},
                        {"c_d", "on demand", "dollar/s", "> 0"}},
            .result = "1",
            .validity = "above 1 it never does",
            .source = definition,
            .errata = "",
            .topics = "R10",
            .evaluate =
                [](inputs x) {
                  return reserved_break_even(dollars_per_second{x[0]}, dollars_per_second{x[1]});
                },
            .examples = {{{2, 4}, 0.5, 0, "half the price, half the time"}}}};

}  // namespace gpuplan::registry
