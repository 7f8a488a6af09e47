#pragma once
/// \file
/// The errors that bands are made of: ln(measured / predicted) of every run, with its class and its
/// source.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/accuracy/error_row.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/step_time.hpp>

#include "accuracy/left_out.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/memory_rows.hpp"
#include "accuracy/published_table.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/wait_rows.hpp"
#include "accuracy_collectives/measured_collectives.hpp"

namespace gpuplan::accuracy {

/// The error of one run.
struct residual {
  error_class of{};
  std::string source;
  double error = 0;  ///< ln(measured / predicted)
};

namespace detail {

/// The error class of a run's step.
inline error_class class_of(const speed_run& run) {
  const step_time step = predicted(run, library_setting());
  return {.of = prediction::step,
          .kind = trained_kind_of(run.asked.model, run.asked.recipe),
          .software = run.asked.recipe.framework,
          .launches = launch_part_of(step[step_term::launch] / step.total()),
          .many_gpus = run.pool.gpus() > gpus_of_small_jobs,
          .gpus = run.pool.gpus(),
          .device = is_measured(run.gpu) ? operator_origin::measured : operator_origin::derived};
}

/// "vTrain" of "vTrain, one node": parts of a source are left out together.
inline std::string source_of(const speed_run& run) {
  return run.publisher.substr(0, run.publisher.find(','));
}

/// A source that alone has as many runs of a software and a bound says all that is known of the
/// constants of such steps: they stay when its own runs are judged.
inline constexpr std::size_t least_runs_alone = 15;

inline std::set<std::string> sources_alone(const std::vector<speed_run>& runs,
                                           const std::vector<error_class>& classes) {
  std::map<std::pair<framework, bool>, std::map<std::string, std::size_t>> found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool host_bound = classes[i].launches != launch_part::little;
    if (runs[i].fitted) ++found[{classes[i].software, host_bound}][source_of(runs[i])];
  }
  std::set<std::string> alone;
  for (const auto& [part, sources] : found) {
    std::size_t with_enough = 0;
    for (const auto& [name, count] : sources) with_enough += count >= least_runs_alone;
    for (const auto& [name, count] : sources)
      if (with_enough == 1 && count >= least_runs_alone) alone.insert(name);
  }
  return alone;
}

inline void add_steps(const speed_runs& speed, const speed_report& report,
                      std::vector<residual>& all) {
  const std::vector<speed_run>& runs = speed.runs;
  std::vector<error_class> classes;
  for (const speed_run& run : runs) classes.push_back(class_of(run));
  const std::set<std::string> alone = sources_alone(runs, classes);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string source = source_of(runs[i]);
    const double ratio = alone.contains(source) ? report.ratios[i] : report.left_out[i];
    all.push_back({classes[i], source, -std::log(ratio)});
  }
}

/// What the allocator of Megatron-LM's tests held, one run for each configuration.
inline void add_tests(const measured_runs& measured, std::vector<residual>& all) {
  std::map<std::string, std::pair<error_class, std::vector<double>>> configurations;
  for (const measured_run& run : measured.runs) {
    auto& [of, errors] = configurations[run.configuration];
    of = {.of = prediction::allocated_memory, .kind = run.kind};
    errors.push_back(std::log(run.peak / run.predicted.allocator_peak()));
  }
  for (auto& [name, found] : configurations)
    all.push_back({found.first, "Megatron-LM, functional tests", median_of(found.second)});
}

inline void add_memory(const memory_rows& memory, std::vector<residual>& all) {
  for (const memory_row& row : memory.rows) {
    error_class of{.kind = row.kind, .software = row.software};
    const double error = std::log(row.measured / row.predicted);
    const auto add = [&](prediction seen) {
      of.of = seen;
      all.push_back({of, row.source, error});
    };
    switch (row.seen) {
      case memory_visibility::allocated: add(prediction::allocated_memory); break;
      case memory_visibility::reserved: add(prediction::reserved_memory); break;
      case memory_visibility::device: add(prediction::device_memory); break;
      case memory_visibility::not_said:  // which of them it was, nobody knows
        add(prediction::allocated_memory);
        add(prediction::reserved_memory);
        break;
    }
  }
}

inline void add_published(const published_runs& published, std::vector<residual>& all) {
  for (const published_run& run : published.runs) {
    error_class of{.kind = run.kind, .software = run.software};
    of.of = run.visibility == "device" ? prediction::device_memory : prediction::allocated_memory;
    all.push_back({of, run.family, std::log(run.measured / run.predicted)});
  }
}

inline void add_collectives(const measured_collectives& measured, std::vector<residual>& all) {
  for (const measured_sweep& sweep : measured.sweeps)
    for (const measured_time& time : sweep.times)
      all.push_back({{.of = prediction::collective},
                     sweep.source,
                     std::log(time.measured / time.predicted())});
}

inline void add_waits(const std::vector<wait_row>& waits, std::vector<residual>& all) {
  for (const wait_row& row : waits)
    all.push_back(
        {{.of = prediction::wait}, "simulated gangs", std::log(row.simulated / row.predicted)});
}

}  // namespace detail

/// All rows that have errors.
struct judged_rows {
  const speed_runs& speed;
  const speed_report& report;
  const measured_runs& tests;
  const published_runs& published;
  const memory_rows& memory;
  const measured_collectives& collectives;
  const std::vector<wait_row>& waits;
};

/// The errors of all rows; those of steps with the row's source left out of the fit of constants.
inline std::vector<residual> residuals_of(const judged_rows& rows) {
  std::vector<residual> all;
  detail::add_steps(rows.speed, rows.report, all);
  detail::add_tests(rows.tests, all);
  detail::add_published(rows.published, all);
  detail::add_memory(rows.memory, all);
  detail::add_collectives(rows.collectives, all);
  detail::add_waits(rows.waits, all);
  return all;
}

/// What the recipes of the timed runs had.
inline timed_recipes timed_recipes_of(const speed_runs& speed) {
  timed_recipes all;
  for (const speed_run& run : speed.runs) {
    const recipe& how = run.asked.recipe;
    all.formats[static_cast<std::size_t>(how.precision)] = true;
    all.longest_sequence = (std::max)(all.longest_sequence, std::int64_t{how.sequence_length});
    all.offloads = all.offloads || how.uses_host();
  }
  return all;
}

}  // namespace gpuplan::accuracy
