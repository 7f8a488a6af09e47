#pragma once
/// \file
/// Finish-time fairness: how much later a job ends on the shared cluster than with a share of its
/// own.

#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What is known of a job at some moment.
struct job_progress {
  seconds elapsed{};        ///< since its arrival; >= 0
  double steps_left{};      ///< >= 0
  per_second speed{};       ///< steps a second that it gets; >= 0
  seconds elapsed_alone{};  ///< what the work so far would have taken on its own share; >= 0
  per_second alone{};       ///< steps a second on its own share, 1/N of the cluster; > 0
};

/// Finish-time fairness of a job.
///
///     rho = T_shared / T_alone = (t + Q / f) / (t_alone + Q / f_alone)
///
///     t, Q, f              elapsed, steps_left, speed         s, count, 1/s
///     t_alone, f_alone     elapsed_alone, alone               s, 1/s
///
/// 1 or less where sharing costs the job nothing; a fair scheduler keeps the largest rho small.
/// Infinite for a job that gets nothing and is not done.
///
/// Holds: 1/N of the cluster alone.
///
/// Source: K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI (2020).
///
/// \throws invalid_input if a field is invalid, or the job takes no time alone
constexpr double finish_time_fairness(const job_progress& job) {
  require(job.elapsed >= seconds{0}, "job_progress.elapsed must be >= 0 s");
  require(job.steps_left >= 0, "job_progress.steps_left must be >= 0");
  require(job.speed >= per_second{0}, "job_progress.speed must be >= 0 /s");
  require(job.elapsed_alone >= seconds{0}, "job_progress.elapsed_alone must be >= 0 s");
  require(job.alone > per_second{0}, "job_progress.alone must be > 0 /s");
  const seconds alone = job.elapsed_alone + job.steps_left / job.alone;
  require(alone > seconds{0}, "finish_time_fairness: a job alone must take > 0 s");
  if (job.steps_left > 0 && job.speed == per_second{0})
    return std::numeric_limits<double>::infinity();
  const seconds rest = job.steps_left > 0 ? job.steps_left / job.speed : seconds{0};
  return (job.elapsed + rest) / alone;
}

}  // namespace gpuplan
