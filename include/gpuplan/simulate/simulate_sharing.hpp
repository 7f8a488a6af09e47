#pragma once
/// \file
/// A pool of GPUs whose jobs grow, shrink or share GPUs, simulated event by event.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/detail/sharing_pool.hpp>
#include <gpuplan/simulate/detail/sharing_rules.hpp>
#include <gpuplan/simulate/sharing_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>

namespace gpuplan {

/// What becomes of jobs in a pool of equal GPUs under Optimus, Sia or AntMan, from an empty pool on
/// to the end of the last job.
///
/// The duration of a job is that on the GPUs of the trace; sharing_policy says how fast it is on
/// others.  Its wait is the time in which it does nothing: before it starts, while it has no GPU,
/// and in a restart.  There are no nodes: any GPUs will do.  Jobs that ask for more GPUs than there
/// are are counted, and left out, so that the same jobs run as under simulate().
///
///     jobs    in the order of their submission
///     gpus    of the pool                         count, >= 1; under Optimus to 2^20, under Sia
///                                                 to 4096
///     policy  the rule, and what it is told of the jobs
///     each    empty, or for what became of each job
///
/// mean_busy_gpus and utilization of the answer count the work of the trace, not the GPUs held.
///
/// n jobs take O(n A) where A are there at once; Optimus adds O(gpus log A) each time that GPUs are
/// dealt, Sia O(A gpus log gpus).
///
/// Source: as marginal_gain_allocation, sia_allocation and opportunistic_step_time.  Against the
/// papers: one kind of GPU; all jobs follow one law of speed; what Optimus and Sia learn is known,
/// and Sia's goodput is the speed alone; AntMan's guaranteed jobs keep their speed, and memory is
/// enough.
///
/// \throws invalid_input if a job or the policy is invalid, jobs are not in order, gpus are out of
///         range, or `each` is neither empty nor one for each job
inline simulated_waiting simulate_sharing(std::span<const trace_job> jobs, std::int64_t gpus,
                                          const sharing_policy& policy,
                                          std::span<simulated_job> each = {}) {
  require_valid(policy);
  require(gpus >= 1, "simulate_sharing: gpus must be >= 1");
  require(policy.rule != sharing_rule::marginal_gain || gpus <= std::int64_t{1} << 20,
          "simulate_sharing: gpus must be <= 2^20 for elastic jobs");
  require(policy.rule != sharing_rule::goodput || gpus <= 4096,
          "simulate_sharing: gpus must be <= 4096 for the configurations of Sia");
  require(each.empty() || each.size() == jobs.size(),
          "simulate_sharing: each must be empty, or one for each job");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    require_valid(jobs[i]);
    require(i == 0 || jobs[i].submit >= jobs[i - 1].submit,
            "simulate_sharing: jobs must be in the order of their submission");
  }
  std::vector<simulated_job> own(each.empty() ? jobs.size() : 0);
  if (each.empty()) each = own;

  std::int64_t longest_queue = 0;
  switch (policy.rule) {
    case sharing_rule::marginal_gain:
      longest_queue =
          detail::sharing_pool<detail::marginal_gain_rule>{jobs, gpus, policy, each}.run();
      break;
    case sharing_rule::goodput:
      longest_queue = detail::sharing_pool<detail::goodput_rule>{jobs, gpus, policy, each}.run();
      break;
    case sharing_rule::opportunistic:
      longest_queue =
          detail::sharing_pool<detail::opportunistic_rule>{
              jobs, gpus, {.rule = policy.rule, .idle = policy.idle}, each}
              .run();
  }
  simulated_waiting sum = summary_of(jobs, each, gpus);
  sum.longest_queue = longest_queue;
  return sum;
}

}  // namespace gpuplan
