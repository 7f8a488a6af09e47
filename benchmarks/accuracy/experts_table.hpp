#pragma once
/// \file
/// The error table of published mixtures of experts, which are in no fit.

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accuracy/experts_row.hpp"
#include "accuracy/fields.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

struct expert_runs {
  std::vector<expert_run> runs;
  std::vector<refusal> unmapped;
};

/// Every entry with experts: scored, or refused with the reason.
inline expert_runs read_expert_runs(const nlohmann::json& entries) {
  expert_runs all;
  for (const nlohmann::json& entry : entries) {
    if (whole(field(entry, "model"), "n_experts").value_or(0) == 0) continue;
    try {
      all.runs.push_back(detail::expert_run_of(entry));
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      all.unmapped.push_back({text_of(entry, "id"), fault.what()});
    }
  }
  return all;
}

/// Errors of one prediction of some runs.
struct expert_errors {
  errors size{};              ///< |predicted / measured - 1|
  std::vector<double> sides;  ///< predicted / measured - 1

  void add(double ratio) {
    size.add(relative_error(ratio, 1));
    sides.push_back(ratio - 1);
  }
};

/// One line of the table: both predictions of the same runs.
struct expert_group {
  expert_errors plain{};
  expert_errors overlapped{};

  void add(const expert_run& one) {
    plain.add(one.plain / one.run.measured);
    overlapped.add(one.overlapped / one.run.measured);
  }
};

/// Runs of equal name in one line.
inline std::map<std::string, expert_group> grouped(
    const std::vector<expert_run>& runs,
    const std::function<std::string(const expert_run&)>& name_of) {
  std::map<std::string, expert_group> lines;
  for (const expert_run& one : runs) lines[name_of(one)].add(one);
  return lines;
}

/// All runs in one line.
inline expert_group all_of(const std::vector<expert_run>& runs) {
  expert_group all;
  for (const expert_run& one : runs) all.add(one);
  return all;
}

}  // namespace gpuplan::accuracy
