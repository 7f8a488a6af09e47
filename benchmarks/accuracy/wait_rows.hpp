#pragma once
/// \file
/// Mean waits of gangs in order of arrival: what another simulator found, against the formula.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/markov.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"

namespace gpuplan::accuracy {

/// One system of queues.
struct wait_row {
  seconds simulated{};
  seconds predicted{};
};

namespace detail {

inline std::vector<gang_class> gang_classes_of(const nlohmann::json& row) {
  std::vector<gang_class> classes;
  for (const nlohmann::json& of : field(row, "classes"))
    classes.push_back({.gpus = whole_of(of, "gpus"),
                       .share = number_of(of, "p"),
                       .mean_duration = units::second / number_of(of, "mu")});
  return classes;
}

}  // namespace detail

/// Section msj_des of erlang.json, first come first served.
inline std::vector<wait_row> read_wait_rows(const nlohmann::json& file) {
  std::map<std::string, saturation> known;  // rows that differ in load alone share it
  std::vector<wait_row> all;
  for (const nlohmann::json& row : field(field(file, "sections"), "msj_des")) {
    if (text_of(row, "policy") != "fcfs") continue;
    const std::vector<gang_class> classes = detail::gang_classes_of(row);
    const int gpus = whole_of(row, "c");
    const std::string system = std::to_string(gpus) + field(row, "classes").dump();
    auto limit = known.find(system);
    if (limit == known.end()) limit = known.emplace(system, exact_saturation(classes, gpus)).first;
    const gang_waiting wait =
        gang_wait({number_of(row, "lambda") / units::second, classes, gpus}, limit->second);
    all.push_back({number_of(row, "Wq") * units::second, wait.wait.mean});
  }
  return all;
}

}  // namespace gpuplan::accuracy
