#pragma once
/// \file
/// A job as JSON, itself a request.

#include <utility>

#include <gpuplan/api/cluster_reader.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/report/json.hpp>

namespace gpuplan::api {

/// What a job was made of, names and defaults resolved: a request that read_job reads to the same
/// job.
inline report_json json_of(const job& asked) {
  report_json pool = json_of(asked.asked);
  if (!asked.others.empty()) {
    pool = report_json::array({std::move(pool)});
    for (const pool_part& part : asked.others) pool.push_back(json_of(part.asked));
  }
  return json_object{5}
      .add("model", asked.model_echo)
      .add("cluster", std::move(pool))
      .add("recipe", gpuplan::json_of(asked.recipe))
      .add("parallelism", gpuplan::json_of(asked.parallelism))
      .add("workspace", gpuplan::json_of(asked.workspace))
      .take();
}

}  // namespace gpuplan::api
