#pragma once
/// \file
/// Every file that has times of steps, read as runs.

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/run_row.hpp"
#include "accuracy/speed_row.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/steps_row.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// Runs of equal fields whose times differ by more than this are scored against their mean.
inline constexpr double twin_tolerance = 0.05;

using entries_by_id = std::map<std::string, const nlohmann::json*>;

inline const nlohmann::json& entry_named(const entries_by_id& entries, const std::string& id) {
  const auto found = entries.find(id);
  if (found == entries.end()) throw unmapped{no_entry + id};
  return *found->second;
}

/// What a check says its step took: alone, or in the geometric mean with its twins.
inline seconds measured_seconds(const nlohmann::json& check, const entries_by_id& entries) {
  const std::string quantity = text_of(check, "quantity");
  const seconds own = printed_seconds(entry_named(entries, text_of(check, "id")), quantity,
                                      number_of(check, "value"));
  double logarithms = 0;
  int twins = 0;
  bool apart = false;
  for (const nlohmann::json& name : field(check, "twin")) {
    const nlohmann::json& twin = entry_named(entries, name.get<std::string>());
    const auto value = number(field(twin, "measured"), quantity);
    if (!value) continue;
    const double ratio = printed_seconds(twin, quantity, *value) / own;
    logarithms += std::log(ratio);
    ++twins;
    apart = apart || std::abs(ratio - 1) > twin_tolerance;
  }
  return apart ? std::exp(logarithms / (1 + twins)) * own : own;
}

/// Whether an entry prints a time, or a throughput.
inline bool prints_time(const nlohmann::json& entry) {
  for (const char* quantity : {"iteration_s", "step_time_s", "tokens_per_s_per_gpu", "tokens_per_s",
                               "samples_per_s_per_gpu", "samples_per_s"})
    if (has(field(entry, "measured"), quantity)) return true;
  return false;
}

/// Adds what `read` makes of each row, or the reason that it gives.
template <class Rows, class Read>
void add_runs(speed_runs& all, speed_section section, const Rows& rows, const Read& read) {
  speed_refusals refused{.section = section, .rows = {}};
  for (const nlohmann::json& row : rows) try {
      all.runs.push_back(read(row));
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      refused.rows.push_back({text_of(row, "id"), fault.what()});
    }
  if (!refused.rows.empty()) all.refused.push_back(std::move(refused));
}

/// An entry that no check names.
inline speed_run unchecked_run(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const bool whole_recipe = field(run, "flags").is_object();
  if (!whole_recipe && !flag(field(run, "evaluable"), "speed"))
    throw unmapped{text_of(field(run, "evaluable"), "reason", "the source says too little")};
  speed_run one = speed_run_of(entry);
  one.measured = printed_seconds(entry);
  return one;
}

/// One run of each configuration, in the middle of its twins' times.
inline std::vector<speed_run> without_twins(const std::vector<speed_run>& runs) {
  std::map<std::string, std::vector<double>> times;
  for (const speed_run& run : runs) times[run.twins].push_back(run.measured.in(units::second));
  std::set<std::string> seen;
  std::vector<speed_run> single;
  for (const speed_run& run : runs) {
    if (!run.twins.empty() && !seen.insert(run.twins).second) continue;
    single.push_back(run);
    if (!run.twins.empty()) single.back().measured = median_of(times[run.twins]) * units::second;
  }
  return single;
}

}  // namespace detail

/// Checks of speed, each against the entry that it names, and the entries with a time that no check
/// names.
inline speed_runs read_published_runs_of_time(const nlohmann::json& checks,
                                              const nlohmann::json& entries) {
  detail::entries_by_id named;
  for (const nlohmann::json& entry : entries) named[text_of(entry, "id")] = &entry;

  speed_runs all;
  std::set<std::string> checked;
  for (const nlohmann::json& check : checks) {
    if (text_of(check, "cls") != "speed") continue;
    const std::string id = text_of(check, "id");
    checked.insert(id);
    if (!flag(field(check, "evaluable"), "speed")) {
      ++all.not_evaluable;
      continue;
    }
    try {
      speed_run run = speed_run_of(detail::entry_named(named, id));
      run.measured = detail::measured_seconds(check, named);
      all.runs.push_back(std::move(run));
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      all.unmapped.push_back({id, fault.what()});
    }
  }
  std::vector<nlohmann::json> dense;
  std::vector<nlohmann::json> experts;
  for (const nlohmann::json& entry : entries)
    if (!checked.contains(text_of(entry, "id")) && detail::prints_time(entry))
      (detail::has_experts(entry) ? experts : dense).push_back(entry);
  detail::add_runs(all, speed_section::published_dense, dense, detail::unchecked_run);
  detail::add_runs(all, speed_section::published_experts, experts, detail::unchecked_run);
  return all;
}

/// All files with times of steps.
struct speed_files {
  const nlohmann::json& checks;
  const nlohmann::json& published;
  const nlohmann::json& runs;
  const nlohmann::json& a100;
  const nlohmann::json& b200;
  const nlohmann::json& memory;
};

inline speed_runs read_speed_runs(const speed_files& files) {
  speed_runs all = read_published_runs_of_time(files.checks, files.published);
  std::vector<nlohmann::json> dense;
  std::vector<nlohmann::json> experts;
  for (const nlohmann::json& row : field(files.runs, "rows"))
    if (text_of(row, "kind") == "step_time") (flag(row, "moe") ? experts : dense).push_back(row);
  std::vector<nlohmann::json> timed;
  for (const nlohmann::json& row : field(files.memory, "cases"))
    if (has(row, "iteration_time_s_median") && !has(field(row, "resolved"), "exclude"))
      timed.push_back(row);
  detail::add_runs(all, speed_section::runs_dense, dense, run_of);
  detail::add_runs(all, speed_section::runs_experts, experts, run_of);
  detail::add_runs(all, speed_section::steps_a100, field(files.a100, "rows"), run_of_a100);
  detail::add_runs(all, speed_section::steps_b200, field(files.b200, "rows"), run_of_b200);
  detail::add_runs(all, speed_section::tiny, timed, run_of_test);
  all.runs = detail::without_twins(all.runs);
  return all;
}

}  // namespace gpuplan::accuracy
