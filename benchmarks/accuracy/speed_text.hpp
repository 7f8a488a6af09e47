#pragma once
/// \file
/// The error table of speed for people.

#include <string>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/report/table.hpp>

#include "accuracy/ablation.hpp"
#include "accuracy/left_out.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/speed_table.hpp"

namespace gpuplan::accuracy {

/// Errors with a sign, in percent.
inline std::string signed_percent(double part) {
  return fmt::format("{:+.1f}%", 100 * part);
}

/// Rows whose error is no less than that of half, and of nine in ten, of a section's.
struct section_errors {
  errors seen{};
  errors left_out{};
  errors plain{};
  errors plain_left_out{};
  std::vector<double> sides{};  ///< predicted / measured - 1
};

/// Of all rows of a section but those of functional runs, which are no target.
inline section_errors errors_of(const speed_runs& speed, const speed_report& report,
                                speed_section section) {
  section_errors all;
  for (std::size_t i = 0; i < speed.runs.size(); ++i) {
    const speed_run& run = speed.runs[i];
    if (run.section != section || (!run.fitted && section != speed_section::tiny)) continue;
    all.seen.add(relative_error(report.ratios[i], 1));
    all.left_out.add(relative_error(report.left_out[i], 1));
    all.plain.add(relative_error(report.plain[i], 1));
    all.plain_left_out.add(relative_error(report.plain_left_out[i], 1));
    all.sides.push_back(report.ratios[i] - 1);
  }
  return all;
}

inline std::string families_text(const speed_runs& speed, const speed_report& report,
                                 const section_title& section) {
  const auto of = [&](const std::vector<double>& ratios) {
    return errors_of(speed.runs, ratios, section.value);
  };
  const errors_by_family left_out = of(report.left_out);
  const errors_by_family plain = of(report.plain);
  const errors_by_family plain_left_out = of(report.plain_left_out);
  std::vector<column> columns{{std::string(section.title)}};
  for (const char* title : {"runs", "median", "p90", "worst", "signed median", "left out", "p90",
                            "plain rule", "p90", "left out"})
    columns.push_back({title, column_side::right});
  table printed{columns};
  for (const auto& [name, line] : of(report.ratios))
    printed.row({name, std::to_string(line.size.count()), percent(line.size.median()),
                 percent(line.size.p90()), percent(line.size.worst()),
                 signed_percent(line.signed_median), percent(left_out.at(name).size.median()),
                 percent(left_out.at(name).size.p90()), percent(plain.at(name).size.median()),
                 percent(plain.at(name).size.p90()),
                 percent(plain_left_out.at(name).size.median())});
  const section_errors all = errors_of(speed, report, section.value);
  printed.line();
  printed.row({"all but tier B", std::to_string(all.seen.count()), percent(all.seen.median()),
               percent(all.seen.p90()), percent(all.seen.worst()),
               signed_percent(median_of(all.sides)), percent(all.left_out.median()),
               percent(all.left_out.p90()), percent(all.plain.median()), percent(all.plain.p90()),
               percent(all.plain_left_out.median())});
  return printed.text();
}

/// Steps without a law, against all of them.
inline std::string ablation_text(const std::vector<law_left_out>& laws) {
  std::vector<column> columns{{"without"}};
  for (const section_title& section : section_titles)
    if (section.value != speed_section::tiny)
      columns.push_back({std::string(section.key), column_side::right});
  table printed{columns};
  for (const law_left_out& law : laws) {
    std::vector<std::string> cells{law.name};
    for (const errors& of : law.sections)
      cells.push_back(percent(of.median()) + " / " + percent(of.p90()));
    printed.row(cells);
  }
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
      "The step-time model has {} constants that are fitted to steps, each of a generation of "
      "software, and {} others that no table of operators has; none belongs to a run, a model, a "
      "device or a number of GPUs\n\n{}\n{}",
      constants.size(), speed_constants.size(), fits.text(), others.text());
}

/// Reasons, and how many rows each has.
inline std::string refusals_text(const std::vector<speed_refusals>& refused) {
  table printed{{{"rows that cannot be asked"}, {"why"}, {"rows", column_side::right}}};
  for (const auto& [what, why, rows] : counted(refused))
    printed.row({what, why, std::to_string(rows)});
  return printed.text();
}

inline std::string text_of(const speed_runs& speed, const speed_report& report) {
  std::string text =
      "Seconds of a step, |predicted / measured - 1|\n\n"
      "left out: with constants fitted to other publishers' runs; plain rule: 6 N operations a "
      "token (8 N with\nfull recomputation), N parameters that it visits, at one efficiency for "
      "each generation of GPUs and width of\nformats\n\n";
  for (const section_title& section : section_titles)
    text += families_text(speed, report, section) + '\n';
  text += text_of(targets_of(speed, report));
  text +=
      "\nMedian and p90 of steps without a law: its term taken out of each step, no constant "
      "fitted again\n\n";
  text += ablation_text(ablation_of(speed));
  text += "\nRank correlation of measured and predicted within sweeps of one field\n\n";
  text += text_of(sweeps_of(speed.runs, report.ratios));
  text += fmt::format("\nChecks whose source says too little: {}\n", speed.not_evaluable);
  text += fmt::format("Checks that no description fits: {}\n", speed.unmapped.size());
  return text + text_of(speed.unmapped) + "\n" + refusals_text(speed.refused);
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
