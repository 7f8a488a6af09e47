#pragma once
/// \file
/// A simulated pool, first come first served: who does not fit holds up all behind.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <gpuplan/queue/simulator_result.hpp>
#include <gpuplan/queue/simulator_running.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Fills `each`; the answer is the longest queue.  Jobs start in their order, so that each is
/// placed as it comes: O(log r) of r that run.
inline std::int64_t run_first_come(std::span<const trace_job> jobs, std::int64_t gpus,
                                   std::span<simulated_job> each) {
  running_gangs running{gpus};
  seconds now = jobs.empty() ? seconds{} : jobs.front().submit;
  std::int64_t waiting = 0;  // started after the job that comes
  std::int64_t longest = 0;
  std::size_t next = 0;  // the first of them, or one before them
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const trace_job& job = jobs[i];
    if (job.gpus > gpus) {
      each[i] = {never, never, never};
      continue;
    }
    now = larger(now, job.submit);
    running.release_until(now);
    while (running.free() < job.gpus) {
      now = running.next_end();
      running.release_until(now);
    }
    running.start(job.gpus, now + job.duration);
    each[i] = {now, now + job.duration, now - job.submit};

    if (!(now > job.submit)) {
      waiting = 0;
      next = i + 1;
      continue;
    }
    ++waiting;
    for (; !(each[next].start > job.submit) || jobs[next].gpus > gpus; ++next)
      if (jobs[next].gpus <= gpus) --waiting;
    longest = (std::max)(longest, waiting);
  }
  return longest;
}

}  // namespace gpuplan::detail
