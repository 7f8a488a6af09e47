#pragma once
/// \file
/// A simulated pool with conservative backfill: each job is promised a start when it comes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include <gpuplan/queue/simulator_policy.hpp>
#include <gpuplan/queue/simulator_profile.hpp>
#include <gpuplan/queue/simulator_result.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// The most jobs that wait at once for their first start.
inline std::int64_t longest_queue_of(std::span<const trace_job> jobs,
                                     std::span<const simulated_job> each) {
  std::vector<seconds> starts;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (each[i].start > jobs[i].submit && each[i].start < never) starts.push_back(each[i].start);
  std::sort(starts.begin(), starts.end());
  std::int64_t waiting = 0;
  std::int64_t longest = 0;
  std::size_t started = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    waiting += each[i].start > jobs[i].submit && each[i].start < never;
    for (; started < starts.size() && starts[started] <= jobs[i].submit; ++started) --waiting;
    longest = (std::max)(longest, waiting);
  }
  return longest;
}

/// Fills `each`; the answer is the longest queue.  As jobs run just as long as is known, no promise
/// is ever improved: a job is placed once, in O(P / 128 + h) of P starts and ends ahead, at most
/// twice the reservations and the jobs that run, and h gaps that are too short for it.
inline std::int64_t run_conservative(std::span<const trace_job> jobs, std::int64_t gpus,
                                     const pool_policy& policy, std::span<simulated_job> each) {
  if (jobs.empty()) return 0;
  const auto later = [](seconds a, seconds b) { return a > b; };
  std::priority_queue<seconds, std::vector<seconds>, decltype(later)> promised(later);
  free_profile profile{gpus, jobs.front().submit};
  seconds now = jobs.front().submit;
  const auto go_to = [&](seconds time) {
    now = larger(now, time);
    while (!promised.empty() && promised.top() <= now) promised.pop();
  };

  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const trace_job& job = jobs[i];
    if (job.gpus > gpus) {
      each[i] = {never, never, never};
      continue;
    }
    go_to(job.submit);
    while (promised.size() >= static_cast<std::size_t>(policy.reservations)) go_to(promised.top());
    const seconds start = profile.take(job.gpus, now, job.duration);
    each[i] = {start, start + job.duration, start - job.submit};
    if (start > now) promised.push(start);
  }
  return longest_queue_of(jobs, each);
}

}  // namespace gpuplan::detail
