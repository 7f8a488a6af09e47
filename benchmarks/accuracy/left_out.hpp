#pragma once
/// \file
/// Constants fitted to runs, each family predicted by those fitted to the others; and the same of a
/// plain rule, which shows what the model is worth.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/least_squares.hpp"
#include "accuracy/speed_constants.hpp"
#include "accuracy/speed_table.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// More of a family's rows say no more: of a larger one each n-th is taken.
inline constexpr std::size_t most_fitted = 80;

/// The rows that constants are fitted to, of all publishers but one.
inline std::vector<std::size_t> fitted_rows(const std::vector<speed_run>& runs,
                                            std::string_view but = {}) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].fitted && is_measured(runs[i].gpu) && runs[i].publisher != but)
      families[std::string(title_of(runs[i].section).key) + runs[i].family].push_back(i);
  std::vector<std::size_t> rows;
  for (const auto& [name, family] : families) {
    const std::size_t step = (family.size() + most_fitted - 1) / most_fitted;
    for (std::size_t i = 0; i < family.size(); i += step) rows.push_back(family[i]);
  }
  return rows;
}

/// A family of n runs weighs sqrt(n), so that a large table does not decide alone.
inline std::vector<double> family_weights(const std::vector<speed_run>& runs) {
  std::map<std::string, double> size;
  for (const speed_run& run : runs) size[run.family] += 1;
  std::vector<double> weights;
  for (const speed_run& run : runs) weights.push_back(1 / std::sqrt(size[run.family]));
  return weights;
}

inline std::vector<speed_run> picked(const std::vector<speed_run>& runs,
                                     const std::vector<std::size_t>& rows) {
  std::vector<speed_run> some;
  for (const std::size_t i : rows) some.push_back(runs[i]);
  return some;
}

inline std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

inline std::vector<prior> priors_of(const std::vector<fitted_constant>& constants) {
  std::vector<prior> priors;
  for (const fitted_constant& one : constants) priors.push_back(one.before);
  return priors;
}

}  // namespace detail

/// The setting with these values of fitted_constants().
inline speed_setting setting_of(const std::vector<fitted_constant>& constants,
                                const std::vector<double>& values) {
  speed_setting setting = library_setting();
  for (std::size_t k = 0; k < constants.size(); ++k) constants[k].at(setting) = values[k];
  return setting;
}

inline std::vector<double> values_of(const std::vector<fitted_constant>& constants,
                                     speed_setting setting) {
  std::vector<double> values;
  for (const fitted_constant& one : constants) values.push_back(one.at(setting));
  return values;
}

/// The constants that fit these runs, looked for from those that the library has.
inline speed_setting fitted_setting(const std::vector<speed_run>& runs) {
  const std::vector<fitted_constant> constants = fitted_constants();
  const auto residuals = [&](const std::vector<double>& values) {
    return detail::logarithms(ratios_of(runs, setting_of(constants, values)));
  };
  return setting_of(constants, fitted({.priors = detail::priors_of(constants),
                                       .weights = detail::family_weights(runs),
                                       .residuals = residuals,
                                       .start = values_of(constants, library_setting())}));
}

/// Devices that share an efficiency.
enum class gpu_generation { ampere, hopper, blackwell, other };

/// By the name of the catalog.
inline gpu_generation generation_of(std::string_view gpu) {
  const auto starts = [&](std::string_view with) { return gpu.starts_with(with); };
  if (starts("A100")) return gpu_generation::ampere;
  if (starts("H100") || starts("H200") || starts("H800") || starts("GH200"))
    return gpu_generation::hopper;
  if (starts("B200") || starts("B300") || starts("GB200") || starts("GB300"))
    return gpu_generation::blackwell;
  return gpu_generation::other;
}

/// A step at one efficiency: 6 N operations a token, N parameters that it visits, or 8 N where all
/// is computed again, over the peak of all GPUs; an efficiency for each generation of GPUs in 16, 8
/// and 4 bits.
struct plain_rule {
  static constexpr std::size_t classes = 12;
  std::array<double, classes> efficiency{};

  [[nodiscard]] static std::size_t class_of(const speed_run& run) {
    const precision width = run.asked.recipe.precision;
    const std::size_t bits = width == precision::mixed_nvfp4 ? 2 : width == precision::mixed_fp8;
    return 3 * static_cast<std::size_t>(generation_of(run.gpu)) + bits;
  }
  /// Predicted over measured, at an efficiency of one.
  [[nodiscard]] static double ideal_ratio(const speed_run& run) {
    const recipe& how = run.asked.recipe;
    const tokens trained =
        static_cast<double>(how.global_batch_size) * how.sequence_length * units::token;
    const double again = how.recompute == recompute::full ? 8.0 / 6 : 1;
    const auto rate = run.pool.gpu().peak[formats_of(how.precision).product];
    const auto peak = static_cast<double>(run.asked.parallelism.gpus()) * rate;
    return again * coarse_training_flop(active_parameters(run.asked.model), trained) / peak /
           run.measured;
  }
  [[nodiscard]] double ratio(const speed_run& run) const {
    return ideal_ratio(run) / efficiency[class_of(run)];
  }
};

inline std::vector<double> ratios_of(const std::vector<speed_run>& runs, const plain_rule& rule) {
  std::vector<double> ratios;
  for (const speed_run& run : runs) ratios.push_back(rule.ratio(run));
  return ratios;
}

inline plain_rule fitted_rule(const std::vector<speed_run>& runs) {
  const auto rule_of = [](const std::vector<double>& values) {
    plain_rule rule;
    std::copy(values.begin(), values.end(), rule.efficiency.begin());
    return rule;
  };
  const auto residuals = [&](const std::vector<double>& values) {
    return detail::logarithms(ratios_of(runs, rule_of(values)));
  };
  return rule_of(fitted({.priors = std::vector(plain_rule::classes, prior{0.4, 0.3, 0.01, 1}),
                         .weights = detail::family_weights(runs),
                         .residuals = residuals}));
}

/// Every run predicted by what `fit` makes of the runs of other publishers, as ratios to what was
/// measured.
template <class Fit>
std::vector<double> left_out_ratios(const std::vector<speed_run>& runs, const Fit& fit) {
  std::map<std::string, std::vector<std::size_t>> published;
  for (std::size_t i = 0; i < runs.size(); ++i) published[runs[i].publisher].push_back(i);

  std::vector<double> ratios(runs.size());
  for (const auto& [publisher, own] : published) {
    const auto made = fit(detail::picked(runs, detail::fitted_rows(runs, publisher)));
    const std::vector<double> all = ratios_of(detail::picked(runs, own), made);
    for (std::size_t i = 0; i < own.size(); ++i) ratios[own[i]] = all[i];
  }
  return ratios;
}

/// All columns of the table.
struct speed_report {
  std::vector<double> ratios;    ///< predicted over measured, with the library's constants
  speed_setting refitted{};      ///< what a fit to all runs gives: the library's, rounded
  std::vector<double> left_out;  ///< with constants fitted to other publishers' runs
  std::vector<double> plain;     ///< by the plain rule, fitted to all runs
  std::vector<double> plain_left_out;
};

inline speed_report report_of(const speed_runs& speed) {
  const std::vector<speed_run>& runs = speed.runs;
  const std::vector<speed_run> all = detail::picked(runs, detail::fitted_rows(runs));
  return {.ratios = ratios_of(runs, library_setting()),
          .refitted = fitted_setting(all),
          .left_out = left_out_ratios(runs, fitted_setting),
          .plain = ratios_of(runs, fitted_rule(all)),
          .plain_left_out = left_out_ratios(runs, fitted_rule)};
}

/// The median over families of their medians.
inline double median_of_medians(const errors_by_family& families) {
  errors medians;
  for (const auto& [name, line] : families) medians.add(line.size.median());
  return medians.median();
}

/// One goal, and what is reached.
struct speed_target {
  std::string name;
  std::size_t count = 0;  ///< runs
  double reached = 0;
  double most = 0;

  [[nodiscard]] bool met() const { return reached <= most; }
};

inline std::vector<speed_target> targets_of(const speed_runs& speed, const speed_report& report) {
  const std::vector<speed_run>& runs = speed.runs;
  const measured_part known = on_measured_devices(runs, report.ratios);
  const speed_headline mean = headline_of(errors_of(known.runs, known.ratios));
  const errors megatron = megatron_errors(runs, report.ratios);
  const errors korthikanti = korthikanti_errors(runs, report.ratios);
  const std::size_t all = speed.count(speed_section::published_dense);
  return {{"mean of family medians", all, mean.median, speed_goal.median},
          {"mean of family p90s", all, mean.p90, speed_goal.p90},
          {"Megatron-LM of its authors, median", megatron.count(), megatron.median(),
           speed_goal.megatron_median},
          {"Megatron-LM of its authors, p90", megatron.count(), megatron.p90(),
           speed_goal.megatron_p90},
          {"iterations of Korthikanti et al., mean", korthikanti.count(), korthikanti.mean(),
           speed_goal.korthikanti_mean},
          {"iterations of Korthikanti et al., worst", korthikanti.count(), korthikanti.worst(),
           speed_goal.korthikanti_worst},
          {"left out, median of family medians", all,
           median_of_medians(errors_of(runs, report.left_out)), speed_goal.left_out}};
}

}  // namespace gpuplan::accuracy
