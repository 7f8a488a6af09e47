#pragma once
/// \file
/// Jobs on a node of GPUs whose runs tests invent.

#include <vector>

#include <gpuplan/calibrate/step_fit.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>

namespace gpuplan::testing {

inline cluster sixteen_h100() {
  return cluster_of(
      node_of(catalog::h100_sxm5_80gb, 8, {5 * units::us, 50 * units::GB / units::second}), 16);
}

/// Jobs that tell factors apart: long sequences, wide tensor groups, many small micro-batches, one
/// large batch.
inline std::vector<step_job> varied_jobs() {
  std::vector<step_job> jobs;
  const auto add = [&](int data, int tensor, int pipeline, int batch, int sequence) {
    jobs.push_back({.model = catalog::llama_3_8b,
                    .pool = sixteen_h100(),
                    .recipe = {.global_batch_size = batch, .sequence_length = sequence},
                    .parallelism = {.data = data, .tensor = tensor, .pipeline = pipeline}});
  };
  add(16, 1, 1, 16, 2048);
  add(2, 8, 1, 64, 2048);
  add(4, 4, 1, 16, 32768);
  add(4, 1, 4, 64, 4096);
  add(8, 2, 1, 128, 1024);
  add(1, 16, 1, 16, 2048);
  add(2, 2, 4, 16, 8192);
  add(16, 1, 1, 256, 1024);
  return jobs;
}

/// A run of a job on a cluster whose parts take so much longer than the model says, and a part more.
inline timed_run run_of(const step_job& job, const factor_values& times, double more = 1) {
  return {.name = "run", .job = job, .step = more * step_time_of(job, times)};
}

}  // namespace gpuplan::testing
