#pragma once
/// \file
/// The error table of measure.py, for people and for programs.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <gpuplan/report/table.hpp>

#include "accuracy/device_table.hpp"
#include "accuracy/report_json.hpp"
#include "accuracy/speed_text.hpp"

namespace gpuplan::accuracy {

inline constexpr const char* no_device_table =
    "not measured: no device was at hand; benchmarks/measured/measure.py writes "
    "tests/data/measured/*.json";

inline std::string text_of(const device_table& measured) {
  const device_setting setting = fitted_device_setting(measured);
  const device_errors found = errors_of(measured, setting);
  table printed{{{"what"},
                 {"rows", column_side::right},
                 {"median", column_side::right},
                 {"p90", column_side::right},
                 {"worst", column_side::right},
                 {"at most"},
                 {""}}};
  const auto add = [&](const char* what, const errors& of, double goal) {
    const bool asked = goal > 0 && !of.empty();
    printed.row({what, std::to_string(of.count()), percent(of.median()), percent(of.p90()),
                 percent(of.worst()), asked ? percent(goal) : "",
                 asked ? verdict(of.median() <= goal) : ""});
  };
  add("memory between steps, all rows", found.states, 0);
  add("peak memory, all rows", found.memory, 0);
  add("peak memory, rows beside the fitted", found.memory_rest, device_memory_goal);
  add("time of a step, the library's constants", found.time, 0);
  add("time of a step, rows beside the fitted", found.time_rest, device_time_goal);
  add("largest batch", found.batch, 0);
  std::string text = measured.title + "\n\n" + printed.text();
  text += fmt::format(
      "\nFitted to {} rows: products {:.3f} and attention {:.3f} of the library's rates, "
      "elementwise traffic {:.2f} of what is counted\n",
      fitted_device_rows, setting.products, setting.attention, setting.elementwise);
  text += fmt::format("Largest batches predicted to the sample: {} of {}\n", found.exact,
                      measured.largest.size());
  text += fmt::format("Jobs that did not run: {}\n", measured.left_out.size());
  text += text_of(measured.left_out);
  text += fmt::format("Rows that no description fits: {}\n", measured.unmapped.size());
  return text + text_of(measured.unmapped);
}

/// All tables, or that there is none.
inline std::string text_of(const std::vector<device_table>& tables) {
  std::string text = "Training jobs of one GPU in PyTorch, |predicted / measured - 1|\n\n";
  if (tables.empty()) text += std::string(no_device_table) + "\n";
  for (const device_table& measured : tables) text += text_of(measured) + "\n";
  return text;
}

/// Every row.
inline std::string rows_of(const std::vector<device_table>& tables) {
  table printed{{{"job"},
                 {"peak", column_side::right},
                 {"error", column_side::right},
                 {"step", column_side::right},
                 {"error", column_side::right},
                 {"fitted"}}};
  for (const device_table& measured : tables) {
    const device_setting setting = fitted_device_setting(measured);
    for (const device_run& run : measured.runs)
      printed.row({run.name, fmt::format("{:.2f} GB", run.peak.in(units::GB)),
                   signed_percent(run.predicted_peak() / run.peak - 1),
                   fmt::format("{:.4f} s", run.time.in(units::second)),
                   signed_percent(setting.time_of(run) / run.time - 1), run.fitted ? "yes" : ""});
    for (const device_run& run : measured.largest)
      printed.row({run.name, "batch " + std::to_string(run.largest_batch),
                   fmt::format("{:+}", run.predicted_batch() - run.largest_batch), "", "", ""});
  }
  return printed.text();
}

inline nlohmann::json json_of(const std::vector<device_table>& tables) {
  nlohmann::json all = nlohmann::json::array();
  for (const device_table& measured : tables) {
    const device_setting setting = fitted_device_setting(measured);
    const device_errors found = errors_of(measured, setting);
    nlohmann::json runs = nlohmann::json::array();
    for (const device_run& run : measured.runs)
      runs.push_back({{"name", run.name},
                      {"fitted", run.fitted},
                      {"peak_measured_bytes", run.peak.in(units::byte)},
                      {"peak_predicted_bytes", run.predicted_peak().in(units::byte)},
                      {"step_measured_s", run.time.in(units::second)},
                      {"step_predicted_s", setting.time_of(run).in(units::second)}});
    nlohmann::json largest = nlohmann::json::array();
    for (const device_run& run : measured.largest)
      largest.push_back(
          {{"name", run.name}, {"found", run.largest_batch}, {"predicted", run.predicted_batch()}});
    all.push_back({{"device", measured.title},
                   {"states", json_of(found.states)},
                   {"memory", json_of(found.memory_rest)},
                   {"time", json_of(found.time_rest)},
                   {"time_unfitted", json_of(found.time)},
                   {"largest_batch", json_of(found.batch)},
                   {"largest_batch_exact", found.exact},
                   {"constants",
                    {{"products", setting.products},
                     {"attention", setting.attention},
                     {"elementwise", setting.elementwise}}},
                   {"left_out", json_of(measured.left_out)},
                   {"unmapped", json_of(measured.unmapped)},
                   {"runs", runs},
                   {"largest", largest}});
  }
  return all;
}

}  // namespace gpuplan::accuracy
