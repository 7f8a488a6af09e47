#pragma once
/// \file
/// The order in which waiting jobs are considered.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job that waits, as an order looks at it.
struct waiting_job {
  seconds submit{};
  int gpus = 1;        ///< >= 0
  int priority = 0;    ///< larger first
  seconds expected{};  ///< run time from here on, >= 0 and finite
  seconds deadline = seconds{std::numeric_limits<double>::infinity()};
  seconds attained{};  ///< GPU time that it has had, >= 0
};

/// What comes first. Of equal ones the job submitted first, then that listed first.
enum class job_ranking : std::uint8_t {
  arrival,        ///< submitted first
  priority,       ///< of the largest priority
  least_slack,    ///< of the least time to spare before its deadline
  largest_first,  ///< that asks for most GPUs: the order of first fit decreasing
  smallest_first,
  shortest_first,  ///< of the shortest time to run
  least_attained,  ///< that has had least GPU time: Tiresias
  smallest_work    ///< of the least GPUs x time
};

inline constexpr std::array job_rankings{job_ranking::arrival,        job_ranking::priority,
                                         job_ranking::least_slack,    job_ranking::largest_first,
                                         job_ranking::smallest_first, job_ranking::shortest_first,
                                         job_ranking::least_attained, job_ranking::smallest_work};

/// "arrival", "least-slack", ...
constexpr const char* name_of(job_ranking ranking) {
  switch (ranking) {
    case job_ranking::arrival: return "arrival";
    case job_ranking::priority: return "priority";
    case job_ranking::least_slack: return "least-slack";
    case job_ranking::largest_first: return "largest-first";
    case job_ranking::smallest_first: return "smallest-first";
    case job_ranking::shortest_first: return "shortest-first";
    case job_ranking::least_attained: return "least-attained";
    case job_ranking::smallest_work: return "smallest-work";
  }
  return "";
}

/// Time to spare before a deadline.
///
///     d - now - t
///
///     d    deadline       s, any
///     now  time now       s, any
///     t    time to run    s, >= 0
///
/// Holds: below 0 where it cannot be met.
///
/// Source: definition.
constexpr seconds slack_of(const waiting_job& job, seconds now) {
  return job.deadline - now - job.expected;
}

/// Positions of the jobs in the order of a ranking. O(n log n).
///
/// \throws invalid_input if now is not finite, or a job is out of range
inline std::vector<std::size_t> order_jobs(std::span<const waiting_job> jobs, job_ranking ranking,
                                           seconds now) {
  require(now > seconds{-1e300} && now < seconds{1e300}, "order_jobs: now must be finite");
  std::vector<double> key(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const waiting_job& job = jobs[i];
    require(job.gpus >= 0, "waiting_job: gpus must be >= 0");
    require(job.expected >= seconds{0} && job.expected < seconds{1e300},
            "waiting_job: expected must be >= 0 s and finite");
    require(job.attained >= seconds{0}, "waiting_job: attained must be >= 0 s");
    require(job.submit == job.submit && job.deadline == job.deadline,
            "waiting_job: submit and deadline must be numbers");
    switch (ranking) {
      case job_ranking::arrival: break;
      case job_ranking::priority: key[i] = -1.0 * job.priority; break;
      case job_ranking::least_slack: key[i] = slack_of(job, now).in_base_units(); break;
      case job_ranking::largest_first: key[i] = -1.0 * job.gpus; break;
      case job_ranking::smallest_first: key[i] = job.gpus; break;
      case job_ranking::shortest_first: key[i] = job.expected.in_base_units(); break;
      case job_ranking::least_attained: key[i] = job.attained.in_base_units(); break;
      case job_ranking::smallest_work: key[i] = (job.gpus * job.expected).in_base_units(); break;
    }
  }
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (key[a] != key[b]) return key[a] < key[b];
    return jobs[a].submit < jobs[b].submit;
  });
  return order;
}

}  // namespace gpuplan
