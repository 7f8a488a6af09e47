#pragma once
/// \file
/// The error table for people.

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/table.hpp>

#include "accuracy/constants.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/published_table.hpp"

namespace gpuplan::accuracy {

inline std::string percent(double part) {
  return fmt::format("{:.1f}%", 100 * part);
}

/// "states 3%, peak 3%, p90 12%", as far as asked.
inline std::string text_of(const goal& asked) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& most) {
    if (most) text += fmt::format("{}{} {:g}%", text.empty() ? "" : ", ", name, 100 * *most);
  };
  add("states", asked.states_median);
  add("peak", asked.peak_median);
  add("p90", asked.peak_p90);
  add("each", asked.each);
  return text;
}

inline const char* verdict(bool met) {
  return met ? "met" : "missed";
}

/// Titles of the name's columns, then errors, then goals where lines have any.
inline std::string text_of(const std::vector<group>& lines,
                           const std::vector<std::string>& titles) {
  std::vector<column> columns;
  for (const std::string& title : titles) columns.push_back({title});
  for (const char* title :
       {"count", "states median", "p90", "worst", "peak median", "p90", "worst"})
    columns.push_back({title, column_side::right});
  columns.push_back({lines.empty() || text_of(lines[0].asked).empty() ? "" : "at most"});
  columns.push_back({""});
  table printed{columns};
  for (const group& line : lines) {
    std::vector<std::string> cells = line.name;
    cells.push_back(std::to_string(line.states.count()));
    for (const errors* of : {&line.states, &line.peak})
      for (const double value : {of->median(), of->p90(), of->worst()})
        cells.push_back(percent(value));
    if (const std::string goals = text_of(line.asked); !goals.empty()) {
      cells.push_back(goals);
      cells.emplace_back(verdict(line.met()));
    }
    printed.row(cells);
  }
  return printed.text();
}

inline std::string text_of(const std::vector<refusal>& refused) {
  std::string text;
  for (const refusal& row : refused) text += fmt::format("  {}: {}\n", row.id, row.reason);
  return text;
}

inline std::string text_of(const measured_runs& measured) {
  std::string text =
      "Memory of real runs, |predicted / measured - 1|; a configuration counts once, by the median "
      "of its runs\n\nBy family, GPU, world size and container\n";
  text += text_of(by_platform(measured.runs), {"family", "GPU", "GPUs", "container"});
  text += "\nBy family, container and size class, with goals\n";
  text += text_of(by_class(measured.runs), {"family", "container", "size"});
  text += fmt::format("\nEach run with a hidden size of {} or more\n", wide);
  text += text_of(wide_singly(measured.runs), {"run"});
  text += "\nRows left out, as the file says\n";
  for (const auto& [reason, rows] : measured.excluded)
    text += fmt::format("  {:4}  {}\n", rows, reason);
  text += fmt::format("\nRows that no description fits: {}\n", measured.unmapped.size());
  return text + text_of(measured.unmapped);
}

inline std::string text_of(const published_runs& published) {
  const std::vector<published_group> families = by_family(published.runs);
  table printed{{{"visible to"},
                 {"family"},
                 {"values", column_side::right},
                 {"median", column_side::right},
                 {"p90", column_side::right},
                 {"worst", column_side::right}}};
  for (const published_group& line : families)
    printed.row({line.visibility, line.family, std::to_string(line.memory.count()),
                 percent(line.memory.median()), percent(line.memory.p90()),
                 percent(line.memory.worst())});

  table medians{{{"visible to"},
                 {"families", column_side::right},
                 {"median of medians", column_side::right},
                 {"at most", column_side::right},
                 {""}}};
  const auto median_of = [&](const std::string& name, const errors& of) {
    medians.row({name, std::to_string(of.count()), percent(of.median()), percent(published_goal),
                 verdict(of.median() <= published_goal)});
  };
  for (const std::string& visibility : visibilities(families))
    median_of(visibility, family_medians(families, visibility));
  median_of("all", family_medians(families));

  std::string text = "Memory that papers and project pages print, |predicted / printed - 1|\n\n";
  text += printed.text() + "\n" + medians.text();
  text += fmt::format("\nValues whose source says too little: {}\n", published.not_evaluable);
  text += fmt::format("Values that no description fits: {}\n", published.unmapped.size());
  return text + text_of(published.unmapped);
}

inline std::string text_of_constants() {
  table printed{{{"constant"}, {"value", column_side::right}, {"unit"}, {"seen by"}, {"source"}}};
  for (const constant& one : memory_constants)
    printed.row({std::string(one.name), fmt::format("{:g}", one.value), std::string(one.unit),
                 std::string(one.seen_by), std::string(one.source)});
  return fmt::format("The memory model has {} constants, none fitted to a run\n\n{}",
                     memory_constants.size(), printed.text());
}

/// Every run, for those who look for what is wrong.
inline std::string rows_of(const measured_runs& measured, const published_runs& published) {
  table runs{
      {{"run"}, {"configuration"}, {"states", column_side::right}, {"peak", column_side::right}}};
  const auto signed_error = [](double ratio) { return fmt::format("{:+.1f}%", 100 * (ratio - 1)); };
  for (const measured_run& run : measured.runs)
    runs.row({run.id, run.configuration, signed_error(run.predicted.resident() / run.states),
              signed_error(run.predicted.allocator_peak() / run.peak)});
  table printed{{{"value"}, {"printed", column_side::right}, {"error", column_side::right}}};
  for (const published_run& run : published.runs)
    printed.row({run.id, fmt::format("{:.2f} GB", run.measured.in(units::GB)),
                 signed_error(run.predicted / run.measured)});
  return runs.text() + "\n" + printed.text();
}

}  // namespace gpuplan::accuracy
