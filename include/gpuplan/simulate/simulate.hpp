#pragma once
/// \file
/// A pool of GPUs simulated, event by event: what no formula holds for, and what formulas are held
/// against.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/detail/backfill.hpp>
#include <gpuplan/simulate/detail/in_order.hpp>
#include <gpuplan/simulate/detail/preemptive.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>

namespace gpuplan {

/// What jobs wait in a pool of equal GPUs under a policy, from an empty pool on to the end of the
/// last job.
///
/// A job holds all of its GPUs at once and runs just as long as the trace says, which a policy that
/// looks at durations knows.  There are no nodes: any free GPUs will do.  At one time, jobs end
/// before others arrive, and all that arrive are there before one starts; equals go in the order of
/// the trace.  Jobs that ask for more GPUs than there are are counted, and left out.
///
///     jobs    in the order of their submission
///     gpus    of the pool                       count, >= 1
///     policy  who is first, and who may go before
///     each    empty, or for what became of each job
///
/// n jobs take O(n log r) where r run and K sizes of gangs are few; backfilling adds O(K log n) a
/// job, conservative backfill what run_conservative says, preemption O(A) an event of A jobs that
/// are there.  Memory is O(n).
///
/// Source: D. G. Feitelson and A. M. Weil, "Utilization and predictability in scheduling the IBM
/// SP2 with backfilling", IPPS/SPDP (1998) 542-546, for EASY and conservative backfill; J. Gu et
/// al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI (2019), for least
/// attained service.
///
/// \throws invalid_input if a job or the policy is invalid, jobs are not in order or more than
///         4e9, gpus < 1, or `each` is neither empty nor one for each job
inline simulated_waiting simulate(std::span<const trace_job> jobs, std::int64_t gpus,
                                  const pool_policy& policy = {},
                                  std::span<simulated_job> each = {}) {
  require_valid(policy);
  require(gpus >= 1, "simulate: gpus must be >= 1");
  require(each.empty() || each.size() == jobs.size(),
          "simulate: each must be empty, or one for each job");
  require(jobs.size() < detail::no_job, "simulate: jobs must be <= 4e9");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    require_valid(jobs[i]);
    require(i == 0 || jobs[i].submit >= jobs[i - 1].submit,
            "simulate: jobs must be in the order of their submission");
  }
  std::vector<simulated_job> own(each.empty() ? jobs.size() : 0);
  if (each.empty()) each = own;

  std::int64_t longest_queue = 0;
  if (policy.preempts())
    longest_queue = detail::preemptive_pool{jobs, gpus, policy, each}.run();
  else if (policy.backfill == backfilling::conservative)
    longest_queue = detail::run_conservative(jobs, gpus, policy, each);
  else if (policy.backfill == backfilling::none && policy.order == job_order::arrival)
    longest_queue = detail::run_first_come(jobs, gpus, each);
  else
    longest_queue = detail::backfilled_pool{jobs, gpus, policy, each}.run();

  simulated_waiting sum = summary_of(jobs, each, gpus);
  sum.longest_queue = longest_queue;
  return sum;
}

}  // namespace gpuplan
