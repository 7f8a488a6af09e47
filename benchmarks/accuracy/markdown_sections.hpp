#pragma once
/// \file
/// The sections of the page that the error table is printed as.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "accuracy/ablation.hpp"
#include "accuracy/device_report.hpp"
#include "accuracy/error_coverage.hpp"
#include "accuracy/error_residuals.hpp"
#include "accuracy/left_out.hpp"
#include "accuracy/markdown_table.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/memory_rows.hpp"
#include "accuracy/published_table.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/safe_plans.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/speed_text.hpp"
#include "accuracy_collectives/measured_collectives.hpp"

namespace gpuplan::accuracy {

/// Everything that the page is made of.
struct accuracy_results {
  measured_runs measured;
  published_runs published;
  speed_runs speed;
  speed_report report;
  measured_collectives collectives;
  memory_rows memory{};
  std::vector<wait_row> waits{};
  std::vector<device_table> devices{};
};

/// The errors that bands are made of.
inline std::vector<residual> residuals_of(const accuracy_results& all) {
  return residuals_of(judged_rows{.speed = all.speed,
                                  .report = all.report,
                                  .tests = all.measured,
                                  .published = all.published,
                                  .memory = all.memory,
                                  .collectives = all.collectives,
                                  .waits = all.waits});
}

namespace detail {

inline const std::vector<std::string> figure_titles{"rows", "median", "90 % within", "worst"};

inline std::string gigabytes(bytes size) {
  return fmt::format("{:.2f} GB", size.in(units::GB));
}
inline std::string in_seconds(seconds t) {
  return fmt::format("{:.3f} s", t.in(units::second));
}

/// How many runs a range of nine in ten held, of tables made without them.
inline std::string ranges_that_hold(const accuracy_results& all) {
  const std::vector<residual> residuals = residuals_of(all);
  const coverage_by_kind third = coverage_without_third(residuals);
  const coverage_by_kind source = coverage_without_source(residuals);
  markdown_table printed{
      {"of what"}, {"rows", "a third left out", "half width", "the source left out", "half width"}};
  const auto width = [](const coverage& of) {
    return of.half_widths.empty() ? std::string() : percent(of.half_widths.median());
  };
  for (const auto& [kind, of] : third) {
    const auto other = source.find(kind);
    const bool known = other != source.end();
    printed.row({kind, std::to_string(of.runs), percent(of.share()), width(of),
                 known ? percent(other->second.share()) : "", known ? width(other->second) : ""});
  }
  printed.row({"all", std::to_string(sum_of(third).runs), percent(sum_of(third).share()), "",
               percent(sum_of(source).share()), ""});
  return printed.text();
}

/// The best plans with the usual risk, and what they cost.
inline std::string plans_that_fit() {
  const std::vector<safe_plan> plans = safe_plans();
  markdown_table printed{
      {"model", "GPU"},
      {"GPUs", "of the memory", "sure to fit", "as predicted: of the memory", "slower"}};
  for (const safe_plan& one : plans) {
    if (one.fullness == 0) {
      printed.row({std::string(one.model), std::string(one.gpu), std::to_string(one.gpus),
                   "nothing fits", "", "", ""});
      continue;
    }
    printed.row({std::string(one.model), std::string(one.gpu), std::to_string(one.gpus),
                 percent(one.fullness), percent(one.fits_probability), percent(one.bold_fullness),
                 percent(one.slower)});
  }
  const errors slower = slower_by(plans);
  return printed.text() + "\n" +
         wrapped(fmt::format("Slower than the best as predicted: {} in the median, 90 % within {}, "
                             "at worst {}.",
                             percent(slower.median()), percent(slower.p90()),
                             percent(slower.worst())));
}

inline std::string memory_of_runs(const measured_runs& measured) {
  markdown_table printed{
      {"family", "container", "hidden size"},
      {"rows", "states, median", "worst", "peak, median", "90 % within", "worst"}};
  for (const group& line : by_class(measured.runs))
    printed.row(joined(line.name, {std::to_string(line.peak.count()), percent(line.states.median()),
                                   percent(line.states.worst()), percent(line.peak.median()),
                                   percent(line.peak.p90()), percent(line.peak.worst())}));
  std::vector<compared_row> rows;
  for (const measured_run& run : measured.runs)
    rows.push_back({run.id, gigabytes(run.peak), gigabytes(run.predicted.allocator_peak()),
                    run.predicted.allocator_peak() / run.peak});
  return printed.text() + "\n" + worst_rows(rows);
}

inline std::string jobs_of_devices(const std::vector<device_table>& tables) {
  if (tables.empty()) return wrapped(no_device_table);
  std::string text;
  for (const device_table& measured : tables) {
    const device_errors found = errors_of(measured, fitted_device_setting(measured));
    markdown_table printed{{measured.title}, figure_titles};
    printed.row(joined({"peak memory, rows beside the fitted"}, figures_of(found.memory_rest)));
    printed.row(joined({"time of a step, rows beside the fitted"}, figures_of(found.time_rest)));
    printed.row(joined({"largest batch"}, figures_of(found.batch)));
    std::vector<compared_row> rows;
    for (const device_run& run : measured.runs)
      rows.push_back({run.name, gigabytes(run.peak), gigabytes(run.predicted_peak()),
                      run.predicted_peak() / run.peak});
    text += (text.empty() ? "" : "\n") + printed.text() + "\n" + worst_rows(rows);
  }
  return text;
}

/// Runs of today's software, by what their sources read.
inline std::string memory_of_software(const memory_rows& memory) {
  markdown_table printed{{"runs", "visible to"}, figure_titles};
  for (const memory_errors& line : errors_of(memory))
    printed.row(
        joined({line.family, std::string(visibility_names[static_cast<std::size_t>(line.seen)])},
               figures_of(line.found)));
  std::vector<compared_row> rows;
  for (const memory_row& row : memory.rows)
    rows.push_back(
        {row.id, gigabytes(row.measured), gigabytes(row.predicted), row.predicted / row.measured});
  return printed.text() + "\n" + worst_rows(rows);
}

inline std::string memory_of_papers(const published_runs& published) {
  std::map<std::string, std::set<std::string>> sources;
  std::vector<compared_row> rows;
  for (const published_run& run : published.runs) {
    sources[run.family].insert(run.source);
    rows.push_back(
        {run.id, gigabytes(run.measured), gigabytes(run.predicted), run.predicted / run.measured});
  }
  markdown_table printed{{"source", "visible to"}, figure_titles};
  for (const published_group& line : by_family(published.runs))
    printed.row(joined({cited(sources[line.family]), line.visibility}, figures_of(line.memory)));
  return printed.text() + "\n" + worst_rows(rows);
}

inline std::string time_of_steps(const speed_runs& speed, const speed_report& report,
                                 const section_title& section) {
  std::vector<compared_row> rows;
  for (std::size_t i = 0; i < speed.runs.size(); ++i) {
    const speed_run& run = speed.runs[i];
    if (run.section != section.value) continue;
    rows.push_back({run.id, in_seconds(run.measured), in_seconds(report.ratios[i] * run.measured),
                    report.ratios[i]});
  }
  const auto of = [&](const std::vector<double>& ratios) {
    return errors_of(speed.runs, ratios, section.value);
  };
  const errors_by_family left_out = of(report.left_out);
  const errors_by_family plain = of(report.plain);
  markdown_table printed{{"source"},
                         joined(figure_titles, {"signed median", "left out, median", "90 % within",
                                                "plain rule, median"})};
  for (const auto& [name, line] : of(report.ratios))
    printed.row(
        joined(joined({name}, figures_of(line.size)),
               {signed_percent(line.signed_median), percent(left_out.at(name).size.median()),
                percent(left_out.at(name).size.p90()), percent(plain.at(name).size.median())}));
  const section_errors all = errors_of(speed, report, section.value);
  printed.row(joined(joined({"all but tier B"}, figures_of(all.seen)),
                     {signed_percent(median_of(all.sides)), percent(all.left_out.median()),
                      percent(all.left_out.p90()), percent(all.plain.median())}));
  return printed.text() + "\n" + worst_rows(rows);
}

inline std::string laws_of_steps(const speed_runs& speed) {
  std::vector<std::string> titles;
  for (const section_title& section : section_titles)
    if (section.value != speed_section::tiny) titles.emplace_back(section.title);
  markdown_table printed{{"without"}, titles};
  for (const law_left_out& law : ablation_of(speed)) {
    std::vector<std::string> cells{law.name};
    for (const errors& of : law.sections)
      cells.push_back(percent(of.median()) + " / " + percent(of.p90()));
    printed.row(cells);
  }
  return printed.text();
}

inline std::string constants_of_steps(const speed_report& report) {
  markdown_table printed{{"constant", "of", "unit"}, {"value", "fitted to all rows"}};
  speed_setting library = library_setting();
  speed_setting refitted = report.refitted;
  for (const fitted_constant& one : fitted_constants())
    printed.row({std::string(one.name), std::string(one.owner), std::string(one.unit),
                 fmt::format("{:.3g}", one.at(library)), fmt::format("{:.3g}", one.at(refitted))});
  return printed.text();
}

/// Every measured message of every sweep.
inline errors errors_of(const measured_collectives& collectives) {
  errors all;
  for (const measured_sweep& sweep : collectives.sweeps)
    for (const measured_time& t : sweep.times)
      all.add(relative_error(t.predicted() / t.measured, 1));
  return all;
}

inline std::string time_of_collectives(const measured_collectives& collectives) {
  markdown_table printed{{"hardware", "collective"}, joined({"ranks"}, figure_titles)};
  std::vector<compared_row> rows;
  for (const measured_sweep& sweep : collectives.sweeps) {
    const std::string name(name_of(sweep.what));
    printed.row(
        joined({sweep.hardware, name, std::to_string(sweep.ranks)}, figures_of(sweep.of_all())));
    for (const measured_time& t : sweep.times)
      rows.push_back(
          {fmt::format("{} of {:.0f} B, {}", name, t.message.in(units::byte), sweep.hardware),
           fmt::format("{:.1f} us", t.measured.in(units::us)),
           fmt::format("{:.1f} us", t.predicted().in(units::us)), t.predicted() / t.measured});
  }
  return printed.text() + "\n" + worst_rows(rows);
}

/// Rows of no line above, and why.
inline std::string left_out_rows(const accuracy_results& all) {
  markdown_table printed{{"what", "why"}, {"rows"}};
  for (const auto& [reason, rows] : all.measured.excluded)
    printed.row({"runs of Megatron-LM", reason, std::to_string(rows)});
  const char* too_little = "the source says too little";
  printed.row(
      {"memory that papers print", too_little, std::to_string(all.published.not_evaluable)});
  printed.row({"steps, checks", too_little, std::to_string(all.speed.not_evaluable)});
  for (const left_out_sweep& sweep : all.collectives.left_out)
    printed.row({"collectives, " + sweep.hardware, sweep.reason, std::to_string(sweep.count)});
  for (const auto& [what, why, rows] : counted(all.speed.refused))
    printed.row({"steps, " + what, why, std::to_string(rows)});
  return printed.text();
}

/// The sweeps whose order comes out wrong.
inline std::string missed_trends(const std::vector<speed_sweep>& sweeps) {
  std::string text;
  for (const speed_sweep& one : sweeps)
    if (!one.met())
      text += wrapped(fmt::format(
          "- what changes between the {} runs of `{}`: their times differ by {}, the rank "
          "correlation with ours is {:.2f}",
          one.count, one.name, percent(one.spread), one.of_throughput));
  return text;
}

}  // namespace detail

}  // namespace gpuplan::accuracy
