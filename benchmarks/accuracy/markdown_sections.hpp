#pragma once
/// \file
/// The sections of the page that the error table is printed as.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "accuracy/device_report.hpp"
#include "accuracy/experts_report.hpp"
#include "accuracy/left_out.hpp"
#include "accuracy/markdown_table.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/published_table.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy_collectives/measured_collectives.hpp"

namespace gpuplan::accuracy {

/// Everything that the page is made of.
struct accuracy_results {
  measured_runs measured;
  published_runs published;
  speed_runs speed;
  speed_report report;
  expert_runs experts;
  measured_collectives collectives;
  std::vector<device_table> devices{};
};

namespace detail {

inline const std::vector<std::string> figure_titles{"rows", "median", "90 % within", "worst"};

inline std::string gigabytes(bytes size) {
  return fmt::format("{:.2f} GB", size.in(units::GB));
}
inline std::string in_seconds(seconds t) {
  return fmt::format("{:.3f} s", t.in(units::second));
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

inline std::string time_of_steps(const speed_runs& speed, const speed_report& report) {
  std::map<std::string, std::set<std::string>> sources;
  std::vector<compared_row> rows;
  for (std::size_t i = 0; i < speed.runs.size(); ++i) {
    const speed_run& run = speed.runs[i];
    sources[run.family].insert(run.source);
    rows.push_back({run.id, in_seconds(run.measured), in_seconds(report.ratios[i] * run.measured),
                    report.ratios[i]});
  }
  const errors_by_family seen = errors_of(speed.runs, report.ratios);
  const errors_by_family left_out = errors_of(speed.runs, report.left_out);
  const errors_by_family plain = errors_of(speed.runs, report.plain);
  markdown_table printed{{"source"},
                         joined(figure_titles, {"left out, median", "plain rule, median"})};
  for (const auto& [name, line] : seen)
    printed.row(
        joined(joined({cited(sources[name])}, figures_of(line.size)),
               {percent(left_out.at(name).size.median()), percent(plain.at(name).size.median())}));
  const speed_headline mean = headline_of(seen);
  printed.row({"mean of the families", std::to_string(speed.runs.size()), percent(mean.median),
               percent(mean.p90), "", percent(headline_of(left_out).median),
               percent(headline_of(plain).median)});
  return printed.text() + "\n" + worst_rows(rows);
}

inline std::string time_of_experts(const expert_runs& experts) {
  markdown_table printed{{"source"},
                         joined(figure_titles, {"signed median", "overlapped, median", "worst"})};
  const auto add = [&](const std::string& name, const expert_group& line) {
    printed.row(
        joined(joined({name}, figures_of(line.plain.size)),
               {signed_percent(median_of(line.plain.sides)), percent(line.overlapped.size.median()),
                percent(line.overlapped.size.worst())}));
  };
  for (const auto& [name, line] : grouped(experts.runs, by_source)) add(name, line);
  add("all", all_of(experts.runs));
  std::vector<compared_row> rows;
  for (const expert_run& one : experts.runs)
    rows.push_back({one.run.id, in_seconds(one.run.measured), in_seconds(one.plain),
                    one.plain / one.run.measured});
  return printed.text() + "\n" + worst_rows(rows);
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
  printed.row({"steps of dense models", too_little, std::to_string(all.speed.not_evaluable)});
  for (const left_out_sweep& sweep : all.collectives.left_out)
    printed.row({"collectives, " + sweep.hardware, sweep.reason, std::to_string(sweep.count)});
  std::map<std::string, int> refused;
  for (const refusal& one : all.experts.unmapped) ++refused[one.reason];
  for (const auto& [reason, rows] : refused)
    printed.row({"steps of mixtures of experts", reason, std::to_string(rows)});
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
