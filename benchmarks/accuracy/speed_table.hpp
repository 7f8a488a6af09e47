#pragma once
/// \file
/// The error table of steps: seconds that papers, project pages and logs print, against
/// step_time_of the same runs.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/speed_constants.hpp"
#include "accuracy/speed_row.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// Rows that cannot be asked, and why.
struct speed_refusals {
  speed_section section{};
  std::vector<refusal> rows;
};

struct speed_runs {
  std::vector<speed_run> runs;
  int not_evaluable = 0;                ///< checks of speed whose entry says too little
  std::vector<refusal> unmapped;        ///< checks that no description fits
  std::vector<speed_refusals> refused;  ///< other rows

  [[nodiscard]] std::size_t count(speed_section of) const {
    std::size_t sum = 0;
    for (const speed_run& run : runs) sum += run.section == of;
    return sum;
  }
};

/// A reason why rows of a kind cannot be asked.
struct counted_refusal {
  std::string what;
  std::string why;
  int rows = 0;
};

inline std::vector<counted_refusal> counted(const std::vector<speed_refusals>& refused) {
  std::vector<counted_refusal> all;
  for (const speed_refusals& part : refused) {
    std::map<std::string, int> reasons;
    for (const refusal& row : part.rows) ++reasons[row.reason];
    for (const auto& [why, rows] : reasons)
      all.push_back({std::string(title_of(part.section).title), why, rows});
  }
  return all;
}

/// A family's errors under one setting of the constants.
struct family_errors {
  errors size{};  ///< |predicted / measured - 1|
  double signed_median = 0;
};

using errors_by_family = std::map<std::string, family_errors>;

/// Ratios of predicted to measured of a section, as errors.
inline errors_by_family errors_of(const std::vector<speed_run>& runs,
                                  const std::vector<double>& ratios,
                                  speed_section section = speed_section::published_dense) {
  errors_by_family all;
  std::map<std::string, std::vector<double>> of;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].section != section) continue;
    all[runs[i].family].size.add(relative_error(ratios[i], 1));
    of[runs[i].family].push_back(ratios[i] - 1);
  }
  for (auto& [name, line] : all) line.signed_median = median_of(of[name]);
  return all;
}

inline std::vector<double> ratios_of(const std::vector<speed_run>& runs,
                                     const speed_setting& with) {
  std::vector<double> ratios;
  for (const speed_run& run : runs) ratios.push_back(predicted(run, with).total() / run.measured);
  return ratios;
}

/// What the model has to reach: each at most, trends at least.
struct speed_goals {
  double median = 0.07;  ///< mean over families of their medians
  double p90 = 0.18;     ///< and of their 90th percentiles
  double megatron_median = 0.05;
  double megatron_p90 = 0.12;
  double korthikanti_mean = 0.035;
  double korthikanti_worst = 0.065;
  double left_out = 0.12;  ///< median over families of the medians left out
  double trend = 0.95;
};

inline constexpr speed_goals speed_goal;

/// What the model has to reach of a section: each at most.
struct section_goal {
  speed_section section{};
  double median = 0;
  double p90 = 0;
  double left_out = 0;  ///< median with the publisher's runs left out of the fit
};

/// A section of fewer rows says nothing of the model.
inline constexpr std::size_t least_rows_of_section = 8;

/// Left out, one node of A100 takes with it all that says how host-bound steps of 2021 behave.
inline constexpr std::array section_goals{
    section_goal{speed_section::published_dense, 0.07, 0.25, 0.12},
    section_goal{speed_section::published_experts, 0.12, 0.27, 0.14},
    section_goal{speed_section::runs_dense, 0.13, 0.36, 0.16},
    section_goal{speed_section::runs_experts, 0.18, 0.40, 0.20},
    section_goal{speed_section::steps_a100, 0.07, 0.25, 0.40},
    section_goal{speed_section::steps_b200, 0.08, 0.15, 0.10}};

/// The means over families of eight rows or more, each counting once.
struct speed_headline {
  double median = 0;
  double p90 = 0;
};

inline speed_headline headline_of(const errors_by_family& families) {
  speed_headline sum;
  double n = 0;
  for (const auto& [name, line] : families) n += line.size.count() >= least_rows_of_section;
  for (const auto& [name, line] : families) {
    if (line.size.count() < least_rows_of_section) continue;
    sum.median += line.size.median() / n;
    sum.p90 += line.size.p90() / n;
  }
  return sum;
}

/// The part of some runs whose devices were measured, with their ratios.
struct measured_part {
  std::vector<speed_run> runs{};
  std::vector<double> ratios{};
};

inline measured_part on_measured_devices(const std::vector<speed_run>& runs,
                                         const std::vector<double>& ratios) {
  measured_part part;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!is_measured(runs[i].gpu)) continue;
    part.runs.push_back(runs[i]);
    part.ratios.push_back(ratios[i]);
  }
  return part;
}

/// Megatron-LM's own layouts in the papers of its authors and their recipes; what they compare
/// with, ZeRO-3 of another library, is none.
inline bool is_megatron(const speed_run& run) {
  return run.section == speed_section::published_dense &&
         is_one_of(run.family, {"narayanan2021", "korthikanti2022", "dgxc"}) &&
         run.asked.recipe.zero != zero_stage::parameters;
}

/// The errors of the runs of which `belongs` is true.
template <class Belongs>
errors errors_where(const std::vector<speed_run>& runs, const std::vector<double>& ratios,
                    const Belongs& belongs) {
  errors found;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (belongs(runs[i])) found.add(relative_error(ratios[i], 1));
  return found;
}

/// The iteration times of Korthikanti et al.
inline errors korthikanti_errors(const std::vector<speed_run>& runs,
                                 const std::vector<double>& ratios) {
  return errors_where(runs, ratios,
                      [](const speed_run& run) { return run.family == "korthikanti2022"; });
}

inline errors megatron_errors(const std::vector<speed_run>& runs,
                              const std::vector<double>& ratios) {
  return errors_where(runs, ratios, is_megatron);
}

/// Runs that differ in one field.
struct speed_sweep {
  std::string name;
  std::size_t count = 0;
  double spread = 0;         ///< largest over least measured time, less one
  double of_time = 0;        ///< rank correlation of measured and predicted times
  double of_throughput = 0;  ///< of tokens a second

  /// Where work grows with the field, times say less than rates.
  [[nodiscard]] bool met() const { return of_throughput >= speed_goal.trend; }
};

inline constexpr std::size_t least_points_of_sweep = 4;

inline std::vector<speed_sweep> sweeps_of(const std::vector<speed_run>& runs,
                                          const std::vector<double>& ratios) {
  struct points {
    std::vector<double> measured, predicted, measured_rate, predicted_rate;
  };
  std::map<std::string, points> found;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const std::string& name : runs[i].sweeps) {
      const recipe& how = runs[i].asked.recipe;
      const double tokens = static_cast<double>(how.global_batch_size) * how.sequence_length;
      const double time = runs[i].measured.in(units::second);
      points& of = found[name];
      of.measured.push_back(time);
      of.predicted.push_back(ratios[i] * time);
      of.measured_rate.push_back(tokens / time);
      of.predicted_rate.push_back(tokens / (ratios[i] * time));
    }
  std::vector<speed_sweep> all;
  for (const auto& [name, of] : found) {
    if (of.measured.size() < least_points_of_sweep) continue;
    const auto [least, most] = std::minmax_element(of.measured.begin(), of.measured.end());
    all.push_back({.name = name,
                   .count = of.measured.size(),
                   .spread = *most / *least - 1,
                   .of_time = rank_correlation(of.measured, of.predicted),
                   .of_throughput = rank_correlation(of.measured_rate, of.predicted_rate)});
  }
  return all;
}

}  // namespace gpuplan::accuracy
