#pragma once
/// \file
/// Rows of compute/: shares of what hardware could have done, and what lower precision brings.

#include <array>

#include <gpuplan/compute/precision_speed_up.hpp>
#include <gpuplan/compute/utilization.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// The step of a row that is asked T_c, T_m, T_o, r, b.
constexpr precision_step precision_step_of(inputs x) {
  return {.arithmetic = seconds{x[0]},
          .memory = seconds{x[1]},
          .other = seconds{x[2]},
          .rates = x[3],
          .value_bytes = x[4]};
}

inline constexpr std::array utilization_rows{
    row{.call = "compute/precision_speed_up.hpp: step_in_lower_precision(T_c, T_m, T_o, r, b) in s",
        .latex = R"(\frac{T_c}{r} + \frac{T_m}{b} + T_o)",
        .topics = "C6",
        .evaluate =
            [](inputs x) {
              return step_in_lower_precision(precision_step_of(x)).in(units::second);
            },
        .examples = {{{0.8, 0.2, 0.1, 8, 2}, 0.3, 1e-12, "0.1 + 0.1 + 0.1"}}},
    row{.call = "compute/precision_speed_up.hpp: precision_speed_up(T_c, T_m, T_o, r, b) in 1",
        .latex = R"(\frac{T_c + T_m + T_o}{T_c / r + T_m / b + T_o})",
        .errata = "A chapter prints 2 to 3 times, and a pass that is 2.4 times faster as 2 weeks "
                  "that become 1.2.",
        .topics = "C6",
        .evaluate = [](inputs x) { return precision_speed_up(precision_step_of(x)); },
        .examples = {{{0.8, 0.2, 0.1, 8, 2}, 11.0 / 3, 1e-12, "1.1 / 0.3"},
                     {{0.65, 0.2, 0.15, 8, 2}, 3.018867924528302, 1e-12, "1 / 0.33125"}}},
    row{.call = "compute/utilization.hpp: bandwidth_utilization(m, W, T) in 1",
        .latex = R"(\frac{m}{W T})",
        .topics = "C7",
        .evaluate =
            [](inputs x) {
              return bandwidth_utilization(bytes{x[0]}, bytes_per_second{x[1]}, seconds{x[2]});
            },
        .examples = {{{1.5e12, 2e12, 1}, 0.75, 0, "1.5 TB of 2 TB in a second"}}},
    ///     (F_1 + F_2) / (P_1 + P_2)
    ///
    ///     F_1  rate of the first job       FLOP/s, >= 0
    ///     P_1  peak of the first's GPUs    FLOP/s, > 0
    ///     F_2  rate of the second job      FLOP/s, >= 0
    ///     P_2  peak of the second's GPUs   FLOP/s, > 0
    ///
    /// Holds: two jobs.
    row{.call = "compute/utilization.hpp: flop_utilization(F_1, P_1, F_2, P_2) in 1",
        .latex = R"(\frac{F_1 + F_2}{P_1 + P_2})",
        .topics = "C7",
        .evaluate =
            [](inputs x) {
              const std::array jobs{job_rate{flop_per_second{x[0]}, flop_per_second{x[1]}},
                                    job_rate{flop_per_second{x[2]}, flop_per_second{x[3]}}};
              return flop_utilization(jobs);
            },
        .examples = {{{4e14, 8e14, 1e14, 1e15}, 5.0 / 18, 1e-15, "(4 + 1)/(8 + 10), not 0.3"}}},
    ///     (a_1 + a_2) / (2 T)
    ///
    ///     a_1  active time of one GPU      s, >= 0
    ///     a_2  active time of another      s, >= 0
    ///     T    the window                  s, > 0
    ///
    /// Holds: two GPUs.
    row{.call = "compute/utilization.hpp: gpu_utilization(a_1, a_2, T) in 1",
        .latex = R"(\frac{a_1 + a_2}{2 T})",
        .topics = "C7",
        .evaluate =
            [](inputs x) {
              const std::array active{seconds{x[0]}, seconds{x[1]}};
              return gpu_utilization(active, seconds{x[2]});
            },
        .examples = {{{3600, 1800, 3600}, 0.75, 0, "an hour and half an hour of two"}}},
    row{.call = "compute/utilization.hpp: job_throughput(N, T) in 1/s",
        .latex = R"(N / T)",
        .topics = "C7",
        .evaluate =
            [](inputs x) { return job_throughput(x[0], seconds{x[1]}).in(1.0 / units::second); },
        .examples = {{{72, 3600}, 0.02, 1e-15, "72 an hour"}}}};
inline constexpr auto utilization_formulas =
    with_words(utilization_rows, words::utilization_formulas);

}  // namespace gpuplan::registry
