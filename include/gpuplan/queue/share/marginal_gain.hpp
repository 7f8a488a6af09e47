#pragma once
/// \file
/// Elastic jobs on a pool: the next GPU goes to the job that gains most, as in Optimus.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

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
  /// What one unit more takes off that, for each of its GPUs; 0 where there is no more.
  [[nodiscard]] constexpr seconds gain(int units) const {
    if (static_cast<std::size_t>(units) >= step_times.size()) return seconds{0};
    return (time_left(units) - time_left(units + 1)) / gpus_per_unit;
  }
};

namespace detail {

/// A unit that a job could have; of equal gains the first job goes before.
struct unit_offer {
  seconds gain{};
  std::size_t job = 0;

  friend constexpr bool operator<(const unit_offer& a, const unit_offer& b) {
    return a.gain == b.gain ? a.job > b.job : a.gain < b.gain;
  }
};

}  // namespace detail

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
/// than are left waits, and those behind it may start.  J jobs and G GPUs take O((J + G) log J).
///
/// Source: Y. Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning
/// Clusters", EuroSys (2018), algorithm 1, with one resource.
///
/// \throws invalid_input if a job is invalid, gpus < 0, or units.size() != jobs.size()
inline int marginal_gain_allocation(std::span<const elastic_job> jobs, int gpus,
                                    std::span<int> units) {
  require(gpus >= 0, "marginal_gain_allocation: gpus must be >= 0");
  require(units.size() == jobs.size(),
          "marginal_gain_allocation: there must be a unit for each job");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    require(jobs[i].steps_left >= 0, "elastic_job.steps_left must be >= 0");
    require(jobs[i].gpus_per_unit >= 1, "elastic_job.gpus_per_unit must be >= 1");
    const std::span<const seconds> steps = jobs[i].step_times;
    if (i > 0 && steps.data() == jobs[i - 1].step_times.data() &&
        steps.size() == jobs[i - 1].step_times.size())
      continue;  // a table that jobs share is looked at once
    for (const seconds step : steps)
      require(step > seconds{0}, "elastic_job.step_times must be > 0 s");
  }

  std::vector<detail::unit_offer> offers;  // a heap, the best in front
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    units[i] = !jobs[i].step_times.empty() && jobs[i].gpus_per_unit <= gpus ? 1 : 0;
    gpus -= units[i] * jobs[i].gpus_per_unit;
    if (units[i] > 0) offers.push_back({jobs[i].gain(1), i});
  }
  std::make_heap(offers.begin(), offers.end());
  while (!offers.empty() && offers.front().gain > seconds{0}) {
    std::pop_heap(offers.begin(), offers.end());
    detail::unit_offer& best = offers.back();
    const elastic_job& job = jobs[best.job];
    if (job.gpus_per_unit > gpus) {
      offers.pop_back();
      continue;
    }
    gpus -= job.gpus_per_unit;
    best.gain = job.gain(++units[best.job]);
    std::push_heap(offers.begin(), offers.end());
  }
  return gpus;
}

}  // namespace gpuplan
