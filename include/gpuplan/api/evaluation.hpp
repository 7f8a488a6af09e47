#pragma once
/// \file
/// A job evaluated: its estimate, how far off that can be, and what its profile moves.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gpuplan/api/calibration_effect.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/host_memory.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/api/job_errors.hpp>
#include <gpuplan/api/job_writer.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/mixed_pool.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// The answer to a job.
struct evaluation {
  job asked{};
  estimate what{};                        ///< of the kind of GPU that all wait for
  estimate_errors errors{};               ///< of that
  std::optional<mixed_estimate> mixed{};  ///< of a pool of several kinds: how long they wait
  std::optional<calibration_effect> calibration{};  ///< of a job with a profile

  /// What was asked of the kind of GPU that all wait for.
  [[nodiscard]] const cluster_request& slowest() const {
    return mixed && mixed->part > 0 ? asked.others[mixed->part - 1].asked : asked.asked;
  }
  /// That kind of GPU.
  [[nodiscard]] const accelerator& gpu() const {
    return mixed && mixed->part > 0 ? asked.others[mixed->part - 1].pool.gpu() : asked.pool.gpu();
  }
};

namespace detail {

/// Of a pool of several kinds: what all wait for, and how long.
inline report_json json_of_mixed(const evaluation& answer) {
  const mixed_estimate& mixed = *answer.mixed;
  const bool fits = mixed.fits();
  const auto time = [&](seconds t) { return fits ? json_number(t) : report_json(nullptr); };
  return json_object{5}
      .add("part", mixed.part)
      .add("gpu", answer.slowest().gpu)
      .add("mean_step_time_s", time(mixed.step.mean))
      .add("idle_share", fits ? json_number(mixed.step.idle()) : report_json(nullptr))
      .add("proportional_step_time_s", time(mixed.proportional))
      .take();
}

}  // namespace detail

/// Evaluates the layout of a job; of a pool of several kinds of GPU, that of the kind that all wait
/// for.
/// \throws invalid_input if a part of the job is invalid
inline evaluation evaluate(job asked) {
  evaluation answer{.asked = std::move(asked)};
  const job& one = answer.asked;
  if (one.others.empty()) {
    answer.what =
        gpuplan::evaluate(one.model, one.pool, one.recipe, one.parallelism, one.workspace);
    answer.errors = errors_of(answer.what, one);
  } else {
    std::vector<cluster> parts{one.pool};
    for (const pool_part& part : one.others) parts.push_back(part.pool);
    answer.mixed = evaluate_mixed(one.model, parts, one.recipe, one.parallelism, one.workspace);
    answer.what = answer.mixed->slowest;
    answer.errors = gpuplan::errors_of(answer.what, answer.gpu());
  }
  answer.calibration = effect_of(one, one.recipe, one.parallelism);
  return answer;
}

/// The answer as a line of `gpuplan evaluate` has it: the estimate, `mixed` of several kinds of
/// GPU, `calibration` of a profile, and `inputs`, itself a request.
///
///     line   the number of the request, which the answer repeats
///     level  share of runs that the bands hold, 0 to 1
inline report_json json_of(const evaluation& answer, std::int64_t line = 1,
                           double level = usual_level) {
  report_json estimated = gpuplan::json_of(answer.what, answer.gpu(), answer.errors, level);
  add_host_memory(estimated, answer.what, answer.asked);
  json_object all{20};
  all.add("schema_version", report_schema_version).add("line", line).add(std::move(estimated));
  if (answer.mixed) all.add("mixed", detail::json_of_mixed(answer));
  if (answer.calibration) all.add("calibration", json_of(answer.calibration));
  return all.add("inputs", json_of(answer.asked)).take();
}

}  // namespace gpuplan::api
