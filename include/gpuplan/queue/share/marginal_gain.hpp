#pragma once
/// \file
/// Elastic jobs on a pool: the next GPU goes to the job that gains most, as in Optimus.

#include <cstddef>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job that can use any number of units of GPUs.
struct elastic_job {
  double steps_left{};                    ///< >= 0
  std::span<const seconds> step_times{};  ///< with 1, 2, ... units; > 0
  int gpus_per_unit = 1;                  ///< >= 1

  /// Time until it is done, with so many units.
  [[nodiscard]] constexpr seconds time_left(int units) const {
    return steps_left * step_times[static_cast<std::size_t>(units - 1)];
  }
};

/// Gives GPUs to jobs: one unit to each in their order, then one after the other to the job whose
/// time left falls most by it, for each GPU that it takes.  Returns the GPUs left.
///
///     argmax over jobs of (Q T(n) - Q T(n + 1)) / g
///
///     Q, T, g  steps_left, step_times, gpus_per_unit of a job;  n its units so far
///     units    what each job gets                                  count
///
/// Ends when no unit fits or none shortens a job.  Best where each further unit of a job gains less
/// than the one before; where T falls in jumps it may stop before one.  A job that needs more GPUs
/// than are left waits, and those behind it may start.
///
/// Source: Y. Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning
/// Clusters", EuroSys (2018), algorithm 1, with one resource.
///
/// \throws invalid_input if a job is invalid, gpus < 0, or units.size() != jobs.size()
constexpr int marginal_gain_allocation(std::span<const elastic_job> jobs, int gpus,
                                       std::span<int> units) {
  require(gpus >= 0, "marginal_gain_allocation: gpus must be >= 0");
  require(units.size() == jobs.size(),
          "marginal_gain_allocation: there must be a unit for each job");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const elastic_job& job = jobs[i];
    require(job.steps_left >= 0, "elastic_job.steps_left must be >= 0");
    require(job.gpus_per_unit >= 1, "elastic_job.gpus_per_unit must be >= 1");
    for (const seconds step : job.step_times)
      require(step > seconds{0}, "elastic_job.step_times must be > 0 s");
    units[i] = !job.step_times.empty() && job.gpus_per_unit <= gpus ? 1 : 0;
    gpus -= units[i] * job.gpus_per_unit;
  }
  while (true) {
    std::size_t best = jobs.size();
    seconds most{0};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const elastic_job& job = jobs[i];
      const bool may_grow = units[i] > 0 && job.gpus_per_unit <= gpus &&
                            static_cast<std::size_t>(units[i]) < job.step_times.size();
      if (!may_grow) continue;
      const seconds gain =
          (job.time_left(units[i]) - job.time_left(units[i] + 1)) / job.gpus_per_unit;
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    if (best == jobs.size()) return gpus;
    ++units[best];
    gpus -= jobs[best].gpus_per_unit;
  }
}

}  // namespace gpuplan
