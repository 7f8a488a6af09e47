#pragma once
/// \file
/// The error table for programs.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accuracy/constants.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/published_table.hpp"

namespace gpuplan::accuracy {

inline nlohmann::json json_of(const errors& of) {
  return {{"count", of.count()}, {"median", of.median()}, {"p90", of.p90()}, {"worst", of.worst()}};
}

inline nlohmann::json json_of(const goal& asked) {
  nlohmann::json goals = nlohmann::json::object();
  const auto add = [&](const char* name, const std::optional<double>& most) {
    if (most) goals[name] = *most;
  };
  add("states_median", asked.states_median);
  add("peak_median", asked.peak_median);
  add("peak_p90", asked.peak_p90);
  add("each", asked.each);
  return goals;
}

/// Lines whose names have these keys.
inline nlohmann::json json_of(const std::vector<group>& lines,
                              const std::vector<std::string>& keys) {
  nlohmann::json all = nlohmann::json::array();
  for (const group& line : lines) {
    nlohmann::json one{{"states", json_of(line.states)}, {"peak", json_of(line.peak)}};
    for (std::size_t i = 0; i < keys.size(); ++i) one[keys[i]] = line.name[i];
    one["configurations"] = line.states.count();
    if (nlohmann::json goals = json_of(line.asked); !goals.empty()) {
      one["goals"] = std::move(goals);
      one["met"] = line.met();
    }
    all.push_back(std::move(one));
  }
  return all;
}

inline nlohmann::json json_of(const std::vector<refusal>& refused) {
  nlohmann::json all = nlohmann::json::array();
  for (const refusal& row : refused) all.push_back({{"id", row.id}, {"reason", row.reason}});
  return all;
}

inline nlohmann::json json_of(const measured_runs& measured) {
  nlohmann::json runs = nlohmann::json::array();
  for (const measured_run& run : measured.runs)
    runs.push_back({{"id", run.id},
                    {"configuration", run.configuration},
                    {"states_predicted_bytes", run.predicted.resident().in(units::byte)},
                    {"states_measured_bytes", run.states.in(units::byte)},
                    {"peak_predicted_bytes", run.predicted.allocator_peak().in(units::byte)},
                    {"peak_measured_bytes", run.peak.in(units::byte)}});
  return {{"by_platform",
           json_of(by_platform(measured.runs), {"family", "gpu", "world_size", "container"})},
          {"by_class", json_of(by_class(measured.runs), {"family", "container", "size"})},
          {"wide", json_of(wide_singly(measured.runs), {"id"})},
          {"excluded_rows", measured.excluded},
          {"unmapped", json_of(measured.unmapped)},
          {"runs", runs}};
}

inline nlohmann::json json_of(const published_runs& published) {
  const std::vector<published_group> families = by_family(published.runs);
  nlohmann::json lines = nlohmann::json::array();
  for (const published_group& line : families)
    lines.push_back({{"visibility", line.visibility},
                     {"family", line.family},
                     {"memory", json_of(line.memory)}});
  nlohmann::json medians = nlohmann::json::object();
  const auto add = [&](const std::string& name, const errors& of) {
    medians[name] = {{"families", of.count()},
                     {"median", of.median()},
                     {"goal", published_goal},
                     {"met", of.median() <= published_goal}};
  };
  for (const std::string& visibility : visibilities(families))
    add(visibility, family_medians(families, visibility));
  add("all", family_medians(families));

  nlohmann::json runs = nlohmann::json::array();
  for (const published_run& run : published.runs)
    runs.push_back({{"id", run.id},
                    {"predicted_bytes", run.predicted.in(units::byte)},
                    {"printed_bytes", run.measured.in(units::byte)}});
  return {{"by_family", lines},
          {"median_of_family_medians", medians},
          {"not_evaluable", published.not_evaluable},
          {"unmapped", json_of(published.unmapped)},
          {"runs", runs}};
}

inline nlohmann::json json_of_constants() {
  nlohmann::json all = nlohmann::json::array();
  for (const constant& one : memory_constants)
    all.push_back({{"name", one.name},
                   {"value", one.value},
                   {"unit", one.unit},
                   {"seen_by", one.seen_by},
                   {"source", one.source}});
  return all;
}

}  // namespace gpuplan::accuracy
