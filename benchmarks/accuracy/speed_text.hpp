#pragma once
/// \file
/// The error table of speed for people.

#include <string>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/report/table.hpp>

#include "accuracy/left_out.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/speed_table.hpp"

namespace gpuplan::accuracy {

/// Errors with a sign, in percent.
inline std::string signed_percent(double part) {
  return fmt::format("{:+.1f}%", 100 * part);
}

inline std::string families_text(const speed_runs& speed, const speed_report& report) {
  const errors_by_family seen = errors_of(speed.runs, report.ratios);
  const errors_by_family left_out = errors_of(speed.runs, report.left_out);
  const errors_by_family plain = errors_of(speed.runs, report.plain);
  const errors_by_family plain_left_out = errors_of(speed.runs, report.plain_left_out);
  std::vector<column> columns{{"family"}};
  for (const char* title : {"runs", "median", "p90", "worst", "signed median", "left out", "p90",
                            "plain rule", "p90", "left out"})
    columns.push_back({title, column_side::right});
  table printed{columns};
  for (const auto& [name, line] : seen)
    printed.row({name, std::to_string(line.size.count()), percent(line.size.median()),
                 percent(line.size.p90()), percent(line.size.worst()),
                 signed_percent(line.signed_median), percent(left_out.at(name).size.median()),
                 percent(left_out.at(name).size.p90()), percent(plain.at(name).size.median()),
                 percent(plain.at(name).size.p90()),
                 percent(plain_left_out.at(name).size.median())});
  const speed_headline mean = headline_of(seen);
  const speed_headline mean_left_out = headline_of(left_out);
  const speed_headline mean_plain = headline_of(plain);
  printed.line();
  printed.row({"mean of families", std::to_string(speed.runs.size()), percent(mean.median),
               percent(mean.p90), "", "", percent(mean_left_out.median), percent(mean_left_out.p90),
               percent(mean_plain.median), percent(mean_plain.p90),
               percent(headline_of(plain_left_out).median)});
  printed.row({"median of families", "", percent(median_of_medians(seen)), "", "", "",
               percent(median_of_medians(left_out)), "", percent(median_of_medians(plain)), "",
               percent(median_of_medians(plain_left_out))});
  return printed.text();
}

inline std::string text_of(const std::vector<speed_target>& targets) {
  table printed{{{"goal"},
                 {"runs", column_side::right},
                 {"reached", column_side::right},
                 {"asked", column_side::right},
                 {""}}};
  for (const speed_target& one : targets)
    printed.row({one.name, std::to_string(one.count), percent(one.reached),
                 "at most " + percent(one.most), verdict(one.met())});
  return printed.text();
}

inline std::string text_of(const std::vector<speed_sweep>& sweeps) {
  table printed{{{"sweep"},
                 {"runs", column_side::right},
                 {"times differ by", column_side::right},
                 {"of times", column_side::right},
                 {"of throughput", column_side::right},
                 {"asked", column_side::right},
                 {""}}};
  for (const speed_sweep& one : sweeps)
    printed.row({one.name, std::to_string(one.count), percent(one.spread),
                 fmt::format("{:+.2f}", one.of_time), fmt::format("{:+.2f}", one.of_throughput),
                 fmt::format("{:g}", speed_goal.trend), verdict(one.met())});
  return printed.text();
}

inline std::string speed_constants_text(const speed_report& report) {
  table fits{{{"constant"},
              {"of"},
              {"value", column_side::right},
              {"fitted now", column_side::right},
              {"prior", column_side::right},
              {"unit"},
              {"source"}}};
  speed_setting library = library_setting();
  speed_setting refitted = report.refitted;
  const std::vector<fitted_constant> constants = fitted_constants();
  for (const fitted_constant& one : constants)
    fits.row({std::string(one.name), std::string(one.owner), fmt::format("{:.4g}", one.at(library)),
              fmt::format("{:.4g}", one.at(refitted)),
              fmt::format("{:.3g} +- {:.2g}", one.before.mean, one.before.deviation),
              std::string(one.unit), std::string(one.source)});
  table others{{{"constant"}, {"of"}, {"value", column_side::right}, {"unit"}, {"source"}}};
  for (const constant& one : speed_constants)
    others.row({std::string(one.name), std::string(one.seen_by), fmt::format("{:.3g}", one.value),
                std::string(one.unit), std::string(one.source)});
  return fmt::format(
      "The step-time model has {} fitted constants, at most three to a device and a "
      "width of formats or to a generation of software, beside two for all, and {} others; none "
      "belongs to a run, a model or a number of GPUs\n\n{}\n{}",
      constants.size(), speed_constants.size(), fits.text(), others.text());
}

inline std::string text_of(const speed_runs& speed, const speed_report& report) {
  std::string text =
      "Seconds of a step that papers and project pages print, |predicted / measured - 1|\n\n"
      "left out: with constants fitted to the other families; plain rule: 6 N operations a token "
      "(8 N with\nfull recomputation) at one efficiency for each generation of GPUs and width of "
      "formats\n\n";
  text += families_text(speed, report);
  text += '\n';
  text += text_of(targets_of(speed, report));
  text += "\nRank correlation of measured and predicted within sweeps of one field\n\n";
  text += text_of(sweeps_of(speed.runs, report.ratios));
  text += fmt::format("\nChecks whose source says too little: {}\n", speed.not_evaluable);
  text += fmt::format("Checks that no description fits: {}\n", speed.unmapped.size());
  return text + text_of(speed.unmapped);
}

/// Every run with its terms, in percent of the predicted step.
inline std::string rows_of(const speed_runs& speed, const speed_report& report) {
  std::vector<column> columns{{"run"}};
  for (const char* title : {"measured", "predicted", "error", "left out"})
    columns.push_back({title, column_side::right});
  for (const step_term term : step_terms)
    columns.push_back({std::string(name_of(term)), column_side::right});
  table printed{columns};
  const speed_setting library = library_setting();
  for (std::size_t i = 0; i < speed.runs.size(); ++i) {
    const speed_run& run = speed.runs[i];
    const step_time step = predicted(run, library);
    std::vector<std::string> cells{run.id, fmt::format("{:.3f} s", run.measured.in(units::second)),
                                   fmt::format("{:.3f} s", step.total().in(units::second)),
                                   signed_percent(report.ratios[i] - 1),
                                   signed_percent(report.left_out[i] - 1)};
    for (const step_term term : step_terms)
      cells.push_back(fmt::format("{:.1f}", 100 * (step[term] / step.total())));
    printed.row(cells);
  }
  return printed.text();
}

}  // namespace gpuplan::accuracy
