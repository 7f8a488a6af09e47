#pragma once
/// \file
/// What a job would have waited that is put into a trace.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/simulate.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// When the job comes, and how much of the trace is simulated around it.
struct insertion_plan {
  int times = 20;               ///< evenly over the trace, each in a run of its own; >= 1
  double warm_up = 0.1;         ///< share of the time of the trace before the first; 0 to 1, not 1
  std::int64_t before = 10000;  ///< jobs of the trace that come before the job, at most; >= 0
  std::int64_t after = 10000;   ///< and after it; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const insertion_plan& plan) {
  require(plan.times >= 1, "insertion_plan.times must be >= 1");
  require(plan.warm_up >= 0 && plan.warm_up < 1, "insertion_plan.warm_up must be >= 0 and < 1");
  require(plan.before >= 0, "insertion_plan.before must be >= 0");
  require(plan.after >= 0, "insertion_plan.after must be >= 0");
}

/// What one more job waits in a trace that is replayed, at several times.
///
///     t_i = t_0 + (u + (1 - u) (i + 1/2) / n) T,   i = 0 ... n - 1
///
///     t_0, T  first submission, and the time from it to the last     s
///     n, u    times and warm_up of the plan                          count, 1 to 1e6; 1, 0 to 1
///
/// Each time the job is alone among the jobs of the trace, those of the plan's `before` and `after`
/// at most, from an empty pool on; the submission of `job` does not count.  As exact as simulate();
/// there is no chance in it.
///
/// Source: by definition.
///
/// \throws invalid_input if there is no job, job asks for more GPUs than there are, or as simulate
inline std::vector<seconds> inserted_waits(std::span<const trace_job> jobs, const trace_job& job,
                                           std::int64_t gpus, const pool_policy& policy = {},
                                           const insertion_plan& plan = {}) {
  require_valid(plan);
  require(!jobs.empty(), "inserted_waits: jobs must be >= 1");
  require(job.gpus <= gpus, "inserted_waits: gpus of the job must be <= those of the pool");
  const seconds first = jobs.front().submit;
  const seconds span = jobs.back().submit - first;
  const auto later = [](seconds t, const trace_job& one) { return t < one.submit; };
  std::vector<seconds> waits;
  for (int i = 0; i < plan.times; ++i) {
    const double part = plan.warm_up + (1 - plan.warm_up) * (i + 0.5) / plan.times;
    trace_job own = job;
    own.submit = first + part * span;
    const auto middle = std::upper_bound(jobs.begin(), jobs.end(), own.submit, later);
    const auto count = [](auto from, auto to, std::int64_t most) {
      return static_cast<std::ptrdiff_t>((std::min)(most, std::int64_t{to - from}));
    };
    const std::ptrdiff_t before = count(jobs.begin(), middle, plan.before);
    const std::ptrdiff_t after = count(middle, jobs.end(), plan.after);
    std::vector<trace_job> around(middle - before, middle);
    around.push_back(own);
    around.insert(around.end(), middle, middle + after);
    std::vector<simulated_job> each(around.size());
    simulate(around, gpus, policy, each);
    waits.push_back(each[static_cast<std::size_t>(before)].wait);
  }
  return waits;
}

}  // namespace gpuplan
