#pragma once
/// \file
/// Rows of scaling/: what more devices and larger batches buy.

#include <array>
#include <span>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/scaling/adaptive_batch.hpp>
#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/scaling/asynchronous.hpp>
#include <gpuplan/scaling/batch_size.hpp>
#include <gpuplan/scaling/critical_batch.hpp>
#include <gpuplan/scaling/data_parallel.hpp>
#include <gpuplan/scaling/efficiency.hpp>
#include <gpuplan/scaling/goodput.hpp>
#include <gpuplan/scaling/gustafson.hpp>
#include <gpuplan/scaling/isoefficiency.hpp>
#include <gpuplan/scaling/karp_flatt.hpp>
#include <gpuplan/scaling/learning_rate.hpp>
#include <gpuplan/scaling/noise_scale.hpp>
#include <gpuplan/scaling/pollux.hpp>
#include <gpuplan/scaling/straggler.hpp>
#include <gpuplan/scaling/trust_ratio.hpp>
#include <gpuplan/scaling/usl.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view amdahl =
    "G. M. Amdahl, \"Validity of the single processor approach to achieving large scale computing "
    "capabilities\", AFIPS Spring Joint Computer Conference (1967) 483-485";
inline constexpr std::string_view gustafson =
    "J. L. Gustafson, \"Reevaluating Amdahl's law\", Communications of the ACM 31 (1988) 532-533";
inline constexpr std::string_view hockney_curve =
    "R. W. Hockney, \"Characterizing Computers and Optimizing the FACR(l) Poisson-Solver on "
    "Parallel Unicomputers\", IEEE Trans. Computers C-32 (1983) 933-941";
inline constexpr std::string_view mccandlish =
    "S. McCandlish et al., \"An Empirical Model of Large-Batch Training\" (2018), arXiv:1812.06162";
inline constexpr std::string_view pollux_paper =
    "A. Qiao et al., \"Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep "
    "Learning\", OSDI (2021), arXiv:2008.12260";
inline constexpr std::string_view order_statistics =
    "H. A. David and H. N. Nagaraja, \"Order Statistics\", 3rd ed., Wiley (2003)";

inline constexpr symbol parallel_part{"p", "parallel part of the time on one device", "1",
                                      "0 to 1"};
inline constexpr symbol serial_part{"s", "serial part of the time on n devices", "1", "0 to 1"};
inline constexpr symbol device_count{"n", "devices", "count", ">= 1"};
inline constexpr symbol plateau_rate{"R", "samples a second of a batch without end", "1/s", "> 0"};
inline constexpr symbol half_batch{"B_h", "batch at half of that", "1", ">= 0"};
inline constexpr symbol batch_symbol{"B", "batch", "count", "> 0"};

/// The curve of a row that is asked R, B_h.
constexpr batch_curve curve_of(inputs x) {
  return {.plateau = per_second{x[0]}, .half_batch = x[1]};
}

inline constexpr std::array scaling_formulas{
    formula{.name = "amdahl_speed_up",
            .header = "scaling/amdahl.hpp",
            .meaning = "Speed-up of fixed work of which a part is serial",
            .text = "1 / ((1 - p) + p / n)",
            .latex = R"(\frac{1}{(1 - p) + p/n})",
            .symbols = {parallel_part, device_count},
            .result = "1",
            .validity = "work stays the same and costs nothing to divide",
            .source = amdahl,
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return amdahl_speed_up(x[0], x[1]); },
            .examples = {{{0.95, 20}, 20 / 1.95, 1e-12, "1/(0.05 + 0.0475)"}}},
    formula{.name = "amdahl_limit",
            .header = "scaling/amdahl.hpp",
            .meaning = "What it tends to with ever more devices",
            .text = "1 / (1 - p)",
            .latex = R"(\frac{1}{1 - p})",
            .symbols = {parallel_part},
            .result = "1",
            .validity = "infinite for p = 1",
            .source = amdahl,
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return amdahl_limit(x[0]); },
            .examples = {{{0.75}, 4, 0, "1/0.25"}}},
    formula{.name = "amdahl_devices",
            .header = "scaling/amdahl.hpp",
            .meaning = "Devices that a speed-up takes",
            .text = "p / (1/S - (1 - p))",
            .latex = R"(\frac{p}{1/S - (1 - p)})",
            .symbols = {parallel_part, {"S", "speed-up", "1", ">= 1"}},
            .result = "count",
            .validity = "infinite at and above the limit",
            .source = amdahl,
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return amdahl_devices(x[0], x[1]); },
            .examples = {{{0.75, 2}, 3, 1e-12, "0.75/(0.5 - 0.25)"}}},
    formula{.name = "gustafson_speed_up",
            .header = "scaling/gustafson.hpp",
            .meaning = "Speed-up of work that grows so that its time stays",
            .text = "n - s (n - 1)",
            .latex = R"(n - s (n - 1))",
            .symbols = {serial_part, device_count},
            .result = "1",
            .validity = "the parallel part grows with the devices",
            .source = gustafson,
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return gustafson_speed_up(x[0], x[1]); },
            .examples = {{{0.004, 1024}, 1019.908, 1e-12, "the paper's 1020 for s = 0.4 %"}}},
    formula{.name = "amdahl_parallel_part",
            .header = "scaling/gustafson.hpp",
            .meaning = "Amdahl's parallel part of work whose serial part is Gustafson's",
            .text = "n (1 - s) / (s + n (1 - s))",
            .latex = R"(\frac{n (1 - s)}{s + n (1 - s)})",
            .symbols = {serial_part, device_count},
            .result = "1",
            .validity = "both laws then give one speed-up",
            .source = "Y. Shi, \"Reevaluating Amdahl's Law and Gustafson's Law\", Temple "
                      "University (1996)",
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return amdahl_parallel_part(x[0], x[1]); },
            .examples = {{{0.5, 3}, 0.75, 1e-12, "1.5/2"}}},
    formula{.name = "karp_flatt",
            .header = "scaling/karp_flatt.hpp",
            .meaning = "The serial part that Amdahl's law would need for a measured speed-up",
            .text = "(1/S - 1/n) / (1 - 1/n)",
            .latex = R"(\frac{1/S - 1/n}{1 - 1/n})",
            .symbols = {{"S", "measured speed-up", "1", "> 0"}, {"n", "devices", "count", "> 1"}},
            .result = "1",
            .validity = "growing with n it speaks for overhead",
            .source = "A. H. Karp and H. P. Flatt, \"Measuring parallel processor performance\", "
                      "Communications of the ACM 33 (1990) 539-543",
            .errata = "",
            .topics = "P1",
            .evaluate = [](inputs x) { return karp_flatt(x[0], x[1]); },
            .examples = {{{2, 4}, 1.0 / 3, 1e-12, "0.25/0.75"}}},
    formula{.name = "usl_speed_up",
            .header = "scaling/usl.hpp",
            .meaning = "Throughput of n devices over that of one, by the universal scalability law",
            .text = "n / (1 + a (n - 1) + b n (n - 1))",
            .latex = R"(\frac{n}{1 + \alpha (n - 1) + \beta n (n - 1)})",
            .symbols = {{"a", "contention", "1", "0 to 1"},
                        {"b", "coherency", "1", ">= 0"},
                        device_count},
            .result = "1",
            .validity = "with b = 0 it is Amdahl's law",
            .source = "N. J. Gunther, \"A General Theory of Computational Scalability Based on "
                      "Rational Functions\" (2008), arXiv:0808.1431",
            .errata = "",
            .topics = "P1",
            .evaluate =
                [](inputs x) {
                  return usl_speed_up({x[0], x[1]}, x[2]);
                },
            .examples = {{{0.1, 0.01, 10}, 10 / 2.8, 1e-12, "10/(1 + 0.9 + 0.9)"}}},
    formula{.name = "usl_peak",
            .header = "scaling/usl.hpp",
            .meaning = "Devices at which the throughput is largest",
            .text = "sqrt((1 - a) / b)",
            .latex = R"(\sqrt{\frac{1 - \alpha}{\beta}})",
            .symbols = {{"a", "contention", "1", "0 to 1"}, {"b", "coherency", "1", "> 0"}},
            .result = "count",
            .validity = "at least 1",
            .source = "N. J. Gunther (2008), arXiv:0808.1431",
            .errata = "",
            .topics = "P1",
            .evaluate =
                [](inputs x) {
                  return usl_peak({x[0], x[1]});
                },
            .examples = {{{0.19, 0.01}, 9, 1e-12, "sqrt(81)"}}},
    formula{.name = "strong_scaling_efficiency",
            .header = "scaling/efficiency.hpp",
            .meaning = "Efficiency of the same work on more devices",
            .text = "(T_0 / T) / (n / n_0)",
            .latex = R"(\frac{T_0 / T}{n / n_0})",
            .symbols = {{"n_0", "devices of the base run", "count", ">= 1"},
                        {"T_0", "its time", "s", "> 0"},
                        device_count,
                        {"T", "time on n", "s", "> 0"}},
            .result = "1",
            .validity = "the global batch stays",
            .source = definition,
            .errata = "",
            .topics = "P2",
            .evaluate =
                [](inputs x) {
                  return strong_scaling_efficiency(
                             {whole(x[0]), seconds{x[1]}, whole(x[2]), seconds{x[3]}})
                      .value();
                },
            .examples = {{{1, 600, 4, 300}, 0.5, 0, "10 min to 5 min on four"}}},
    formula{.name = "weak_scaling_efficiency",
            .header = "scaling/efficiency.hpp",
            .meaning = "Efficiency of work that grows with the devices",
            .text = "T_0 / T",
            .latex = R"(T_0 / T)",
            .symbols = {{"n_0", "devices of the base run", "count", ">= 1"},
                        {"T_0", "its time", "s", "> 0"},
                        device_count,
                        {"T", "time on n", "s", "> 0"}},
            .result = "1",
            .validity = "the batch of a device stays",
            .source = gustafson,
            .errata = "",
            .topics = "P2",
            .evaluate =
                [](inputs x) {
                  return weak_scaling_efficiency(
                             {whole(x[0]), seconds{x[1]}, whole(x[2]), seconds{x[3]}})
                      .value();
                },
            .examples = {{{1, 90, 16, 100}, 0.9, 1e-12, "90/100"}}},
    formula{.name = "throughput_efficiency",
            .header = "scaling/efficiency.hpp",
            .meaning = "Efficiency by throughput, whatever the batch",
            .text = "(B / T) / (B_0 / T_0) / (n / n_0)",
            .latex = R"(\frac{B / T}{B_0 / T_0} \cdot \frac{n_0}{n})",
            .symbols = {{"n_0", "devices of the base run", "count", ">= 1"},
                        {"B_0", "its batch", "count", "> 0"},
                        {"T_0", "its time", "s", "> 0"},
                        device_count,
                        {"B", "batch on n", "count", "> 0"},
                        {"T", "time on n", "s", "> 0"}},
            .result = "1",
            .validity = "one batch: strong scaling; one batch a device: weak",
            .source = definition,
            .errata = "A chapter has 13 % for 16 samples in 1.8 s on one device and 512 in 0.425 s "
                      "on 32: that is 135 times the throughput, 4.2 times as much as 32 devices "
                      "could give.",
            .topics = "P2",
            .evaluate =
                [](inputs x) {
                  return throughput_efficiency({whole(x[0]), x[1], seconds{x[2]}},
                                               {whole(x[3]), x[4], seconds{x[5]}})
                      .value();
                },
            .examples = {{{1, 16, 1.6, 4, 64, 3.2}, 0.5, 1e-12, "twice the rate on four"}}},
    formula{.name = "scaling_kind_of",
            .header = "scaling/efficiency.hpp",
            .meaning = "Whether two runs are one of strong (0) or weak (1) scaling, or neither (2)",
            .text = "B = B_0; B n_0 = B_0 n",
            .latex = R"(B = B_0;\; B n_0 = B_0 n)",
            .symbols = {{"n_0", "devices of the base run", "count", ">= 1"},
                        {"B_0", "its batch", "count", "> 0"},
                        device_count,
                        {"B", "batch on n", "count", "> 0"}},
            .result = "1",
            .validity = "strong where the devices are as many",
            .source = definition,
            .errata = "",
            .topics = "P2",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(scaling_kind_of({whole(x[0]), x[1], seconds{1}},
                                                             {whole(x[2]), x[3], seconds{1}}));
                },
            .examples = {{{1, 16, 32, 512}, 1, 0, "16 a device"},
                         {{1, 16, 32, 16}, 0, 0, "16 in all"}}},
    formula{
        .name = "isoefficiency",
        .header = "scaling/isoefficiency.hpp",
        .meaning = "The useful work at which an overhead leaves an efficiency",
        .text = "E / (1 - E) T_o",
        .latex = R"(\frac{E}{1 - E} T_o)",
        .symbols = {{"T_o", "overhead", "s", ">= 0"},
                    {"E", "efficiency to keep", "1", ">= 0, < 1"}},
        .result = "s",
        .validity = "work and overhead counted likewise",
        .source = "A. Y. Grama, A. Gupta and V. Kumar, \"Isoefficiency: measuring the "
                  "scalability of parallel algorithms and architectures\", IEEE Parallel & "
                  "Distributed Technology 1 (1993) 12-21",
        .errata = "",
        .topics = "P1 P2",
        .evaluate = [](inputs x) { return isoefficiency(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.1, 0.8}, 0.4, 1e-12, "0.4/(0.4 + 0.1)"}}},
    formula{.name = "data_parallel_epoch_time",
            .header = "scaling/data_parallel.hpp",
            .meaning = "Time of an epoch on n devices",
            .text = "T_1 / n + (N / B) (t_comm + t_wait)",
            .latex = R"(\frac{T_1}{n} + \frac{N}{B} (t_{comm} + t_{wait}))",
            .symbols = {{"T_1", "compute of the epoch on one device", "s", ">= 0"},
                        {"N/B", "updates of the epoch", "count", ">= 0"},
                        {"t_comm", "exposed communication of a step", "s", ">= 0"},
                        {"t_wait", "waiting of a step", "s", ">= 0"},
                        device_count},
            .result = "s",
            .validity = "work divides evenly",
            .source = "S. Shi, Q. Wang and X. Chu, \"Performance Modeling and Evaluation of "
                      "Distributed Deep Learning Frameworks on GPUs\", IEEE DASC (2018), "
                      "arXiv:1711.05979",
            .errata = "A textbook charges one all-reduce an epoch; there is one in every step.",
            .topics = "P3 N7",
            .evaluate =
                [](inputs x) {
                  return data_parallel_epoch_time(
                             {seconds{x[0]}, x[1], seconds{x[2]}, seconds{x[3]}}, whole(x[4]))
                      .total()
                      .in(units::second);
                },
            .examples = {{{800, 100, 0.2, 0.1, 8}, 130, 1e-12, "100 + 20 + 10"}}},
    formula{.name = "batch_utilization",
            .header = "scaling/batch_size.hpp",
            .meaning = "Throughput of a batch over that of a batch without end",
            .text = "B / (B + B_h)",
            .latex = R"(\frac{B}{B + B_{1/2}})",
            .symbols = {batch_symbol, half_batch},
            .result = "1",
            .validity = "a step costs a constant and a part for each sample",
            .source = hockney_curve,
            .errata = "",
            .topics = "B5",
            .evaluate = [](inputs x) { return batch_utilization(x[0], x[1]); },
            .examples = {{{96, 32}, 0.75, 0, "96/128"}}},
    formula{.name = "batch_throughput",
            .header = "scaling/batch_size.hpp",
            .meaning = "Samples a second of a device at a batch",
            .text = "R B / (B + B_h)",
            .latex = R"(R \frac{B}{B + B_{1/2}})",
            .symbols = {plateau_rate, half_batch, batch_symbol},
            .result = "1/s",
            .validity = "as batch_utilization",
            .source = hockney_curve,
            .errata = "",
            .topics = "B5",
            .evaluate =
                [](inputs x) { return batch_throughput(curve_of(x), x[2]).in(1 / units::second); },
            .examples = {{{1000, 32, 96}, 750, 1e-12, "three quarters"}}},
    formula{.name = "batch_time",
            .header = "scaling/batch_size.hpp",
            .meaning = "Time of a step of one batch",
            .text = "(B + B_h) / R",
            .latex = R"(\frac{B + B_{1/2}}{R})",
            .symbols = {plateau_rate, half_batch, batch_symbol},
            .result = "s",
            .validity = "as batch_utilization",
            .source = hockney_curve,
            .errata = "",
            .topics = "B5",
            .evaluate = [](inputs x) { return batch_time(curve_of(x), x[2]).in(units::second); },
            .examples = {{{1000, 32, 96}, 0.128, 1e-12, "128/1000"}}},
    formula{.name = "batch_of_utilization",
            .header = "scaling/batch_size.hpp",
            .meaning = "The smallest batch of a given utilization",
            .text = "B_h u / (1 - u)",
            .latex = R"(B_{1/2} \frac{u}{1 - u})",
            .symbols = {plateau_rate, half_batch, {"u", "utilization", "1", ">= 0, < 1"}},
            .result = "count",
            .validity = "as batch_utilization",
            .source = hockney_curve,
            .errata = "",
            .topics = "B5",
            .evaluate = [](inputs x) { return batch_of_utilization(curve_of(x), x[2]); },
            .examples = {{{1000, 32, 0.75}, 96, 1e-12, "three times the half batch"}}},
    formula{.name = "batch_curve_through",
            .header = "scaling/batch_size.hpp",
            .meaning = "The plateau of the curve through two measured batches",
            .text = "(B_2 - B_1) / (t_2 - t_1)",
            .latex = R"(\frac{B_2 - B_1}{t_2 - t_1})",
            .symbols = {{"B_1", "smaller batch", "count", "> 0"},
                        {"t_1", "step of the smaller", "s", "> 0"},
                        {"B_2", "larger batch", "count", "> B_1"},
                        {"t_2", "step of the larger", "s", "> t_1"}},
            .result = "1/s",
            .validity = "exact at both",
            .source = hockney_curve,
            .errata = "",
            .topics = "B5",
            .evaluate =
                [](inputs x) {
                  return batch_curve_through({x[0], seconds{x[1]}}, {x[2], seconds{x[3]}})
                      .plateau.in(1 / units::second);
                },
            .examples = {{{32, 0.064, 96, 0.128}, 1000, 1e-12, "64 samples in 64 ms"}}},
    formula{.name = "batch_schedule_length",
            .header = "scaling/adaptive_batch.hpp",
            .meaning = "Updates of a schedule of two batches",
            .text = "N_1 / B_1 + N_2 / B_2",
            .latex = R"(\sum_i N_i / B_i)",
            .symbols = {{"N_1", "samples of the first part", "count", ">= 0"},
                        {"B_1", "batch of the first part", "count", "> 0"},
                        {"N_2", "samples of the second", "count", ">= 0"},
                        {"B_2", "batch of the second", "count", "> 0"}},
            .result = "count",
            .validity = "whole epochs",
            .source = "A. Devarakonda, M. Naumov and M. Garland, \"AdaBatch: Adaptive Batch Sizes "
                      "for Training Deep Neural Networks\" (2017), arXiv:1712.02029",
            .errata = "",
            .topics = "B7",
            .evaluate =
                [](inputs x) {
                  const std::array phases{batch_phase{x[0], x[1]}, batch_phase{x[2], x[3]}};
                  return batch_schedule_length(phases, {.plateau = per_second{1}}).updates;
                },
            .examples = {{{1280, 128, 2560, 256}, 20, 1e-12, "10 + 10"}}},
    formula{.name = "training_at_batch",
            .header = "scaling/critical_batch.hpp",
            .meaning = "Steps to one loss at a batch",
            .text = "S_min (1 + B_crit / B)",
            .latex = R"(S_{\min} \left( 1 + \frac{B_{crit}}{B} \right))",
            .symbols = {{"S_min", "least steps", "1", "> 0"},
                        {"E_min", "least samples", "1", "> 0"},
                        batch_symbol},
            .result = "count",
            .validity = "B_crit = E_min / S_min; the learning rate tuned for each batch",
            .source = mccandlish,
            .errata = "",
            .topics = "B6",
            .evaluate =
                [](inputs x) {
                  return training_at_batch({x[0], x[1]}, x[2]).steps;
                },
            .examples = {{{1000, 1e6, 1000}, 2000, 1e-12, "twice the least at B_crit"}}},
    formula{.name = "training_tradeoff_through",
            .header = "scaling/critical_batch.hpp",
            .meaning = "Critical batch through two runs to one loss",
            .text = "E_min / S_min of both equations",
            .latex = R"(B_{crit} = E_{\min} / S_{\min})",
            .symbols = {{"S_1", "steps of the smaller batch", "count", "> S_2"},
                        {"E_1", "samples of the smaller batch", "count", "> 0"},
                        {"S_2", "steps of the larger batch", "count", "> 0"},
                        {"E_2", "samples of the larger batch", "count", "> E_1"}},
            .result = "count",
            .validity = "exact through both",
            .source = mccandlish,
            .errata = "",
            .topics = "B6",
            .evaluate =
                [](inputs x) {
                  return training_tradeoff_through({x[0], x[1]}, {x[2], x[3]}).critical_batch();
                },
            .examples = {{{3000, 1.5e6, 1500, 3e6},
                          1000,
                          1e-12,
                          "S_min 1000, E_min 1e6 at B = 500 and 2000"}}},
    formula{.name = "coarse_critical_batch",
            .header = "scaling/critical_batch.hpp",
            .meaning = "Coarse: critical batch of a language model at a loss",
            .text = "2.1e8 / L^(1/0.21)",
            .latex = R"(\frac{2.1 \cdot 10^8}{L^{1/0.21}})",
            .symbols = {{"L", "loss, nat a token", "1", "> 0"}},
            .result = "token",
            .validity = "decoders on WebText2 of up to 1.5e9 parameters",
            .source = "J. Kaplan et al., \"Scaling Laws for Neural Language Models\" (2020), "
                      "arXiv:2001.08361",
            .errata = "",
            .topics = "B6",
            .evaluate = [](inputs x) { return coarse_critical_batch(x[0]).in(units::token); },
            .examples = {{{1}, 2.1e8, 1e-12, "the source's B_*"}}},
    formula{.name = "gradient_noise_scale",
            .header = "scaling/noise_scale.hpp",
            .meaning = "The batch at which noise and gradient are as large",
            .text = "tr(Sigma) / |G|^2",
            .latex = R"(\frac{\mathrm{tr}(\Sigma)}{|G|^2})",
            .symbols = {{"|G|^2", "square of the mean gradient", "1", ">= 0"},
                        {"tr", "variance of one sample's", "1", ">= 0"}},
            .result = "count",
            .validity = "infinite for a mean of 0",
            .source = mccandlish,
            .errata = "A mini-batch gradient is unbiased, not biased as a chapter says: its "
                      "variance falls as 1/B.",
            .topics = "B6 B4",
            .evaluate =
                [](inputs x) {
                  return gradient_noise_scale({x[0], x[1]});
                },
            .examples = {{{0.5, 1000}, 2000, 1e-12, "1000/0.5"}}},
    formula{.name = "gradient_statistics_of",
            .header = "scaling/noise_scale.hpp",
            .meaning = "Variance of one sample's gradient, from two batch sizes",
            .text = "(g_1 - g_2) / (1/B_1 - 1/B_2)",
            .latex = R"(\frac{g_1 - g_2}{1/B_1 - 1/B_2})",
            .symbols = {{"B_1", "smaller batch", "count", "> 0"},
                        {"g_1", "square of the gradient of the smaller", "1", ">= 0"},
                        {"B_2", "larger batch", "count", "> B_1"},
                        {"g_2", "square of the gradient of the larger", "1", ">= 0"}},
            .result = "1",
            .validity = "means over many steps",
            .source = mccandlish,
            .errata = "",
            .topics = "B6",
            .evaluate =
                [](inputs x) {
                  return gradient_statistics_of({x[0], x[1]}, {x[2], x[3]}).variance;
                },
            .examples = {{{10, 100.5, 100, 10.5}, 1000, 1e-12, "|G|^2 = 0.5: 0.5 + 1000/B"}}},
    formula{.name = "step_progress",
            .header = "scaling/noise_scale.hpp",
            .meaning = "Progress of a step over that of a step without noise",
            .text = "1 / (1 + B_noise / B)",
            .latex = R"(\frac{1}{1 + B_{noise} / B})",
            .symbols = {batch_symbol, {"B_noise", "noise scale", "1", ">= 0"}},
            .result = "1",
            .validity = "the best learning rate for the batch",
            .source = mccandlish,
            .errata = "",
            .topics = "B6",
            .evaluate = [](inputs x) { return step_progress(x[0], x[1]); },
            .examples = {{{500, 1500}, 0.25, 1e-12, "1/(1 + 3)"}}},
    formula{.name = "statistical_efficiency",
            .header = "scaling/goodput.hpp",
            .meaning = "Progress per sample of a batch, over that of the base batch",
            .text = "(phi + M_0) / (phi + M)",
            .latex = R"(\frac{\phi + M_0}{\phi + M})",
            .symbols = {{"phi", "noise scale", "1", ">= 0"},
                        {"M_0", "base batch", "count", "> 0"},
                        {"M", "batch", "count", "> 0"}},
            .result = "1",
            .validity = "1 at the base batch",
            .source = pollux_paper,
            .errata = "",
            .topics = "B6",
            .evaluate = [](inputs x) { return statistical_efficiency(x[0], x[1], x[2]); },
            .examples = {{{100, 100, 300}, 0.5, 1e-12, "200/400"}}},
    formula{.name = "goodput_of",
            .header = "scaling/goodput.hpp",
            .meaning = "Throughput in samples of the base batch",
            .text = "M / t (phi + M_0) / (phi + M)",
            .latex = R"(\frac{M}{t} \cdot \frac{\phi + M_0}{\phi + M})",
            .symbols = {{"phi", "noise scale", "1", ">= 0"},
                        {"M_0", "base batch", "count", "> 0"},
                        {"M", "batch", "count", "> 0"},
                        {"t", "time of its step", "s", "> 0"}},
            .result = "1/s",
            .validity = "time to accuracy is as its inverse",
            .source = pollux_paper,
            .errata = "",
            .topics = "B6 Q5",
            .evaluate =
                [](inputs x) {
                  return goodput_of(x[0], x[1], x[2], seconds{x[3]}).rate().in(1 / units::second);
                },
            .examples = {{{100, 100, 300, 1.5}, 100, 1e-12, "200 a second, half as good"}}},
    formula{.name = "pollux_step_time",
            .header = "scaling/pollux.hpp",
            .meaning = "Time of a step of replicas within a node",
            .text = "((a_c + b_c m)^g + (a + b max(K - 2, 0))^g)^(1/g)",
            .latex = R"(\left( T_{grad}^\gamma + T_{sync}^\gamma \right)^{1/\gamma})",
            .symbols = {{"a_c", "of one micro-batch", "s", ">= 0"},
                        {"b_c", "of one sample", "s", ">= 0"},
                        {"m", "samples of a replica", "count", "> 0"},
                        {"a", "of a reduction", "s", ">= 0"},
                        {"b", "past the second replica", "s", ">= 0"},
                        {"K", "replicas", "count", ">= 2"},
                        {"g", "overlap", "1", ">= 1"}},
            .result = "s",
            .validity = "one node, no accumulation",
            .source = pollux_paper,
            .errata = "",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  const pollux_speed speed{.compute_constant = seconds{x[0]},
                                           .compute_per_sample = seconds{x[1]},
                                           .node_constant = seconds{x[3]},
                                           .node_per_replica = seconds{x[4]},
                                           .overlap = x[6]};
                  return pollux_step_time(speed,
                                          {.replicas = whole(x[5]), .batch_per_replica = x[2]})
                      .in(units::second);
                },
            .examples = {{{1, 0.1, 20, 2, 1, 4, 2}, 5, 1e-12, "sqrt(3^2 + 4^2)"}}},
    formula{.name = "pollux_goodput",
            .header = "scaling/pollux.hpp",
            .meaning = "Goodput of replicas within a node",
            .text = "K m / T (phi + M_0) / (phi + K m)",
            .latex = R"(\frac{K m}{T} \cdot \frac{\phi + M_0}{\phi + K m})",
            .symbols = {{"b_c", "of one sample", "s", "> 0"},
                        {"m", "samples of a replica", "count", "> 0"},
                        {"K", "replicas", "count", ">= 1"},
                        {"phi", "noise scale", "1", ">= 0"},
                        {"M_0", "base batch", "count", "> 0"}},
            .result = "1/s",
            .validity = "reductions that take no time",
            .source = pollux_paper,
            .errata = "",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  return pollux_goodput({.compute_per_sample = seconds{x[0]}},
                                        {.replicas = whole(x[2]), .batch_per_replica = x[1]}, x[3],
                                        x[4])
                      .rate()
                      .in(1 / units::second);
                },
            .examples = {{{0.01, 75, 4, 100, 100}, 200, 1e-12, "300 in 0.75 s, half as good"}}},
    formula{.name = "pollux_best_batch",
            .header = "scaling/pollux.hpp",
            .meaning = "The batch of most goodput of one replica among those that Pollux tries",
            .text = "argmax over 50 batches of G(M)",
            .latex = R"(\arg\max_M G(M))",
            .symbols = {{"M_0", "base batch, and the largest allowed", "count", "> 0"}},
            .result = "count",
            .validity = "one allowed batch: it comes out",
            .source = pollux_paper,
            .errata = "",
            .topics = "Q5",
            .evaluate =
                [](inputs x) {
                  const pollux_choice best = pollux_best_batch({.compute_per_sample = seconds{1}},
                                                               {.batch_per_replica = 1}, 100,
                                                               {.base = x[0],
                                                                .largest = x[0],
                                                                .least_per_replica = 1,
                                                                .most_per_replica = x[0]});
                  return best.placement.batch_per_replica;
                },
            .examples = {{{64}, 64, 1e-12, "nothing else to choose"}}},
    formula{.name = "expected_normal_maximum",
            .header = "scaling/straggler.hpp",
            .meaning = "Mean of the largest of n standard normal numbers",
            .text = "integral of x n phi(x) Phi(x)^(n-1)",
            .latex = R"(\int x\, n\, \varphi(x) \Phi(x)^{n-1} dx)",
            .symbols = {device_count},
            .result = "1",
            .validity = "independent numbers",
            .source = order_statistics,
            .errata = "",
            .topics = "P7",
            .evaluate = [](inputs x) { return expected_normal_maximum(x[0]); },
            .examples = {{{2}, 0.5641895835477563, 1e-12, "1/sqrt(pi)"},
                         {{3}, 0.8462843753216345, 1e-12, "3/(2 sqrt(pi))"}}},
    formula{
        .name = "straggler_delay",
        .header = "scaling/straggler.hpp",
        .meaning = "Mean delay of a step that waits for all of n devices",
        .text = "sigma m(n)",
        .latex = R"(\sigma\, m(n))",
        .symbols = {{"sigma", "standard deviation of one device's step", "s", ">= 0"},
                    device_count},
        .result = "s",
        .validity = "independent normal jitter",
        .source = order_statistics,
        .errata = "",
        .topics = "P7",
        .evaluate = [](inputs x) { return straggler_delay(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.01, 2}, 0.005641895835477563, 1e-12, "sigma/sqrt(pi)"}}},
    formula{.name = "slowest_over_mean",
            .header = "scaling/straggler.hpp",
            .meaning = "Time of the slowest of n devices that differ for good, over the mean",
            .text = "1 + s m(n)",
            .latex = R"(1 + s\, m(n))",
            .symbols = {{"s", "deviation of one device's time, of the mean", "1", ">= 0"},
                        device_count},
            .result = "1",
            .validity = "independent normal speeds",
            .source = order_statistics,
            .errata = "",
            .topics = "P7",
            .evaluate = [](inputs x) { return slowest_over_mean(x[0], x[1]); },
            .examples = {{{0.01, 2}, 1.005641895835477563, 1e-12, "1 + s/sqrt(pi)"},
                         {{0.02, 100}, 1.0501518, 1e-6, "Harter (1961): 2.50759 for 100"}}},
    formula{
        .name = "coarse_straggler_delay",
        .header = "scaling/straggler.hpp",
        .meaning = "Coarse: the same, from above",
        .text = "sigma sqrt(2 ln n)",
        .latex = R"(\sigma \sqrt{2 \ln n})",
        .symbols = {{"sigma", "standard deviation of one device's step", "s", ">= 0"},
                    device_count},
        .result = "s",
        .validity = "109 % too large for n = 2, 21 % for 100",
        .source = "S. Boucheron, G. Lugosi and P. Massart, \"Concentration Inequalities\", "
                  "Oxford (2013), section 2.5",
        .errata = "",
        .topics = "P7",
        .evaluate =
            [](inputs x) { return coarse_straggler_delay(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.01, 100}, 0.03034854259, 1e-9, "0.01 sqrt(9.21034037)"}}},
    formula{.name = "waiting_for_slowest",
            .header = "scaling/straggler.hpp",
            .meaning = "Share of their time that participants wait for the slowest",
            .text = "1 - mean / max",
            .latex = R"(1 - \frac{\bar t}{\max_k t_k})",
            .symbols = {{"t_1", "time of the first", "s", "> 0"},
                        {"t_2", "time of the second", "s", "> 0"}},
            .result = "1",
            .validity = "two participants",
            .source =
                "L. G. Valiant, \"A bridging model for parallel computation\", Communications "
                "of the ACM 33 (1990) 103-111",
            .errata = "",
            .topics = "P7",
            .evaluate =
                [](inputs x) {
                  const std::array times{seconds{x[0]}, seconds{x[1]}};
                  return waiting_for_slowest(times).idle();
                },
            .examples = {{{1, 3}, 1.0 / 3, 1e-12, "1 - 2/3"}}},
    formula{.name = "throughput_of_mixed",
            .header = "scaling/straggler.hpp",
            .meaning = "Throughput of two unequal devices with equal shares of a batch",
            .text = "n min_k r_k",
            .latex = R"(n \min_k r_k)",
            .symbols = {{"r_1", "samples a second of the first", "1/s", "> 0"},
                        {"r_2", "of the second", "1/s", "> 0"}},
            .result = "1/s",
            .validity = "no communication; proportional shares reach the sum",
            .source = definition,
            .errata = "",
            .topics = "P7",
            .evaluate =
                [](inputs x) {
                  const std::array speeds{per_second{x[0]}, per_second{x[1]}};
                  return throughput_of_mixed(speeds).equal_shares.in(1 / units::second);
                },
            .examples = {{{100, 300}, 200, 1e-12, "twice the slower"}}},
    formula{.name = "asynchronous_throughput",
            .header = "scaling/asynchronous.hpp",
            .meaning = "Updates a second of two workers that do not wait for one another",
            .text = "min(sum_k 1/t_k, 1/t_s)",
            .latex = R"(\min\left( \sum_k \frac{1}{t_k}, \frac{1}{t_s} \right))",
            .symbols = {{"t_1", "step of the first", "s", "> 0"},
                        {"t_2", "step of the second", "s", "> 0"},
                        {"t_s", "server's time for an update", "s", "> 0"}},
            .result = "1/s",
            .validity = "throughput alone: an update with old weights is worth less",
            .source = "J. Dean et al., \"Large Scale Distributed Deep Networks\", NIPS (2012)",
            .errata = "",
            .topics = "P10",
            .evaluate =
                [](inputs x) {
                  const std::array steps{seconds{x[0]}, seconds{x[1]}};
                  return asynchronous_throughput(steps, seconds{x[2]})
                      .updates()
                      .in(1 / units::second);
                },
            .examples = {{{0.5, 0.25, 0.1}, 6, 1e-12, "2 + 4"},
                         {{0.5, 0.25, 0.2}, 5, 1e-12, "the server binds"}}},
    formula{.name = "mean_staleness",
            .header = "scaling/asynchronous.hpp",
            .meaning = "Updates by others between a worker's reading and its own update",
            .text = "n - 1",
            .latex = R"(n - 1)",
            .symbols = {device_count},
            .result = "count",
            .validity = "whatever their speeds, weighed by their updates",
            .source = "W. Zhang et al., \"Staleness-aware Async-SGD for Distributed Deep "
                      "Learning\", IJCAI (2016), arXiv:1511.05950",
            .errata = "",
            .topics = "P10",
            .evaluate = [](inputs x) { return mean_staleness(whole(x[0])); },
            .examples = {{{8}, 7, 0, "8 - 1"}}},
    formula{.name = "linear_learning_rate",
            .header = "scaling/learning_rate.hpp",
            .meaning = "Learning rate that grows with the batch",
            .text = "r_0 B / B_0",
            .latex = R"(r_0 \frac{B}{B_0})",
            .symbols = {{"r_0", "rate of the base batch", "1", ">= 0"},
                        {"B_0", "base batch", "count", "> 0"},
                        batch_symbol},
            .result = "1",
            .validity = "SGD after a warm-up, up to about the critical batch",
            .source = goyal,
            .errata = "",
            .topics = "B4",
            .evaluate = [](inputs x) { return linear_learning_rate(x[0], x[1], x[2]); },
            .examples = {{{0.1, 256, 8192}, 3.2, 1e-12, "ResNet-50 of the source"}}},
    formula{.name = "square_root_learning_rate",
            .header = "scaling/learning_rate.hpp",
            .meaning = "Learning rate that grows with the root of the batch",
            .text = "r_0 sqrt(B / B_0)",
            .latex = R"(r_0 \sqrt{B / B_0})",
            .symbols = {{"r_0", "rate of the base batch", "1", ">= 0"},
                        {"B_0", "base batch", "count", "> 0"},
                        batch_symbol},
            .result = "1",
            .validity = "usual for adaptive methods",
            .source = "A. Krizhevsky, \"One weird trick for parallelizing convolutional neural "
                      "networks\" (2014), arXiv:1404.5997",
            .errata = "",
            .topics = "B4",
            .evaluate = [](inputs x) { return square_root_learning_rate(x[0], x[1], x[2]); },
            .examples = {{{1e-4, 256, 1024}, 2e-4, 1e-12, "twice for four times"}}},
    formula{.name = "learning_rate",
            .header = "scaling/learning_rate.hpp",
            .meaning = "Learning rate of a step: warm-up, then half a cosine",
            .text = "r_max k/w; r_min + (r_max - r_min) (1 + cos(pi (k - w)/(K - w)))/2",
            .latex = R"(r_{\min} + \frac{r_{\max} - r_{\min}}{2} )"
                     R"(\left( 1 + \cos \frac{\pi (k - w)}{K - w} \right))",
            .symbols = {{"r_max", "highest rate", "1", ">= r_min"},
                        {"r_min", "rate at the end", "1", ">= 0"},
                        {"w", "steps of the warm-up", "count", ">= 0"},
                        {"K", "steps of all", "count", "> w"},
                        {"k", "this step", "count", ">= 0"}},
            .result = "1",
            .validity = "r_min after the last step",
            .source = "I. Loshchilov and F. Hutter, \"SGDR: Stochastic Gradient Descent with Warm "
                      "Restarts\", ICLR (2017), arXiv:1608.03983",
            .errata = "",
            .topics = "B4",
            .evaluate =
                [](inputs x) {
                  return learning_rate(
                      {.peak = x[0], .least = x[1], .warm_up_steps = x[2], .steps = x[3]}, x[4]);
                },
            .examples = {{{1, 0.1, 100, 1100, 50}, 0.5, 1e-12, "half of the warm-up"},
                         {{1, 0.1, 100, 1100, 600}, 0.55, 1e-12, "half of the decay"}}},
    formula{.name = "lars_trust_ratio",
            .header = "scaling/trust_ratio.hpp",
            .meaning = "What LARS multiplies the learning rate of a layer by",
            .text = "eta |w| / (|g| + lambda |w|)",
            .latex = R"(\eta \frac{|w|}{|g| + \lambda |w|})",
            .symbols = {{"|w|", "norm of the weights", "1", ">= 0"},
                        {"|g|", "norm of the gradient", "1", ">= 0"},
                        {"lambda", "weight decay", "1", ">= 0"},
                        {"eta", "coefficient", "1", "> 0"}},
            .result = "1",
            .validity = "1 where a norm is 0",
            .source = "Y. You, I. Gitman and B. Ginsburg, \"Large Batch Training of Convolutional "
                      "Networks\" (2017), arXiv:1708.03888",
            .errata = "",
            .topics = "B4",
            .evaluate = [](inputs x) { return lars_trust_ratio(x[0], x[1], x[2], x[3]); },
            .examples = {{{10, 1, 0.1, 0.001}, 0.005, 1e-12, "0.001 x 10/2"}}},
    formula{.name = "lamb_trust_ratio",
            .header = "scaling/trust_ratio.hpp",
            .meaning = "What LAMB multiplies the learning rate of a layer by",
            .text = "|w| / |u|",
            .latex = R"(|w| / |u|)",
            .symbols = {{"|w|", "norm of the weights", "1", ">= 0"},
                        {"|u|", "norm of the update", "1", ">= 0"}},
            .result = "1",
            .validity = "1 where a norm is 0",
            .source = "Y. You et al., \"Large Batch Optimization for Deep Learning: Training BERT "
                      "in 76 minutes\", ICLR (2020), arXiv:1904.00962",
            .errata = "",
            .topics = "B4",
            .evaluate = [](inputs x) { return lamb_trust_ratio(x[0], x[1]); },
            .examples = {{{10, 4}, 2.5, 0, "10/4"}}}};

}  // namespace gpuplan::registry
