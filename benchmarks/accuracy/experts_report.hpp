#pragma once
/// \file
/// The error table of mixtures of experts, for people and for programs.

#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <gpuplan/report/table.hpp>

#include "accuracy/experts_table.hpp"
#include "accuracy/report_json.hpp"
#include "accuracy/speed_text.hpp"

namespace gpuplan::accuracy {

inline std::string by_model(const expert_run& one) {
  return one.model;
}
inline std::string by_gpu(const expert_run& one) {
  return one.run.gpu;
}
inline std::string by_source(const expert_run& one) {
  return one.run.source;
}

/// Median, 90th percentile, worst and signed median of a prediction.
inline std::vector<std::string> cells_of(const expert_errors& of) {
  return {percent(of.size.median()), percent(of.size.p90()), percent(of.size.worst()),
          signed_percent(median_of(of.sides))};
}

inline std::string text_of(const expert_runs& experts) {
  std::vector<column> columns{{"by"}, {""}};
  for (const char* title : {"runs", "median", "p90", "worst", "signed median", "overlapped", "p90",
                            "worst", "signed median"})
    columns.push_back({title, column_side::right});
  table printed{columns};
  const auto add = [&](const char* by, const std::string& name, const expert_group& line) {
    std::vector<std::string> cells{by, name, std::to_string(line.plain.size.count())};
    for (const expert_errors* of : {&line.plain, &line.overlapped})
      for (std::string& cell : cells_of(*of)) cells.push_back(std::move(cell));
    printed.row(cells);
  };
  const auto add_all = [&](const char* by, const auto& name_of) {
    for (const auto& [name, line] : grouped(experts.runs, name_of)) add(by, name, line);
    printed.line();
  };
  add_all("model", by_model);
  add_all("GPU", by_gpu);
  add_all("source", by_source);
  add("all", "", all_of(experts.runs));
  return "Seconds of a step of published mixtures of experts, |predicted / measured - 1|; in no "
         "fit\n\noverlapped: messages to experts hidden, one copy of a token for each node; few "
         "sources say which it is\n\n" +
         printed.text() +
         fmt::format("\nEntries that no description fits: {}\n", experts.unmapped.size()) +
         text_of(experts.unmapped);
}

inline std::string rows_of(const expert_runs& experts) {
  table printed{{{"run"},
                 {"measured", column_side::right},
                 {"predicted", column_side::right},
                 {"error", column_side::right},
                 {"overlapped", column_side::right},
                 {"error", column_side::right}}};
  const auto in_seconds = [](seconds t) { return fmt::format("{:.3f} s", t.in(units::second)); };
  for (const expert_run& one : experts.runs)
    printed.row({one.run.id, in_seconds(one.run.measured), in_seconds(one.plain),
                 signed_percent(one.plain / one.run.measured - 1), in_seconds(one.overlapped),
                 signed_percent(one.overlapped / one.run.measured - 1)});
  return printed.text();
}

inline nlohmann::json json_of(const expert_errors& of) {
  nlohmann::json all = json_of(of.size);
  all["signed_median"] = median_of(of.sides);
  return all;
}

inline nlohmann::json json_of(const expert_group& line) {
  return {{"plain", json_of(line.plain)}, {"overlapped", json_of(line.overlapped)}};
}

inline nlohmann::json json_of(const expert_runs& experts) {
  const auto lines = [&](const auto& name_of) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, line] : grouped(experts.runs, name_of)) all[name] = json_of(line);
    return all;
  };
  nlohmann::json runs = nlohmann::json::array();
  for (const expert_run& one : experts.runs)
    runs.push_back({{"id", one.run.id},
                    {"measured_s", one.run.measured.in(units::second)},
                    {"predicted_s", one.plain.in(units::second)},
                    {"overlapped_s", one.overlapped.in(units::second)}});
  return {{"all", json_of(all_of(experts.runs))},
          {"by_model", lines(by_model)},
          {"by_gpu", lines(by_gpu)},
          {"by_source", lines(by_source)},
          {"runs", runs},
          {"unmapped", json_of(experts.unmapped)}};
}

}  // namespace gpuplan::accuracy
