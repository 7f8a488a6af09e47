#pragma once
/// \file
/// Recorded traces of jobs, which lie beside the source tree or elsewhere: not every checkout has
/// them.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/trace/job_trace.hpp>

#include "support/data.hpp"

namespace gpuplan::testing {

/// Where the traces are: the environment's GPUPLAN_TRACES, else shared/data/traces beside the
/// source tree.
inline std::filesystem::path traces_folder() {
  const char* chosen = std::getenv("GPUPLAN_TRACES");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen}
                                              : data_folder() / "../../../shared/data/traces";
}

/// Whether there are traces; a test without them says so and passes.
///
///     if (!have_traces()) { WARN(no_traces); return; }
inline bool have_traces() {
  return std::filesystem::exists(traces_folder() / "philly_2017.csv");
}
inline constexpr const char* no_traces =
    "skipped: no traces; GPUPLAN_TRACES may name a folder with philly_2017.csv";

/// The jobs of one entry of trace_truth.json: its file, its virtual cluster, its days.
/// \throws std::runtime_error naming the path if it cannot be read
inline std::vector<trace_job> trace_of(const nlohmann::json& truth) {
  const std::string file = truth.at("file");
  const std::string text = read_text(traces_folder() / std::filesystem::path{file}.filename());
  const nlohmann::json& filter = truth.at("filter");
  trace_options options;
  std::string cluster;
  if (!filter.at("vc").is_null()) {
    cluster = std::to_string(filter.at("vc").get<int>());
    options.only = {.column = "vc", .value = cluster};
  }
  std::vector<trace_job> jobs = read_trace(text, options).jobs;
  if (!filter.at("submit_s_from").is_null())
    std::erase_if(jobs, [&](const trace_job& job) {
      return job.submit < seconds{filter.at("submit_s_from").get<double>()} ||
             job.submit >= seconds{filter.at("submit_s_to").get<double>()};
    });
  return jobs;
}

}  // namespace gpuplan::testing
