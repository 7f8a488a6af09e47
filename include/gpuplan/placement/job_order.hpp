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

#include <gpuplan/ceiling.hpp>
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
  smallest_work,   ///< of the least GPUs x time
  urgency          ///< of the largest aged priority, of these the least slack, then most GPUs
};

inline constexpr std::array job_rankings{
    job_ranking::arrival,        job_ranking::priority,       job_ranking::least_slack,
    job_ranking::largest_first,  job_ranking::smallest_first, job_ranking::shortest_first,
    job_ranking::least_attained, job_ranking::smallest_work,  job_ranking::urgency};

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
    case job_ranking::urgency: return "urgency";
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

/// The class that a job has come to by waiting: one more for each period of ageing. Without ageing,
/// which is an infinite period, it is the job's priority: a static order.
///
///     p + floor(max(0, now - a) / A)
///
///     p    priority          1, any
///     now  time now          s, any
///     a    submitted         s, any
///     A    ageing            s, > 0
///
/// Holds: with a finite period every job is first at some time, whatever comes after it.
///
/// Source: A. Silberschatz, P. B. Galvin and G. Gagne, "Operating System Concepts", 10th ed.,
/// Wiley, 2018, section 5.3.4 (ageing).
///
/// \throws invalid_input if ageing is not > 0 s
inline double aged_priority(const waiting_job& job, seconds now, seconds ageing) {
  require(ageing > seconds{0}, "aged_priority: ageing must be > 0 s");
  const seconds waited = (std::max)(seconds{0}, now - job.submit);
  return job.priority + rounded_down(waited / ageing);
}

/// Positions of the jobs in the order of a ranking. O(n log n). `ageing` is that of the urgency.
///
/// \throws invalid_input if now is not finite, ageing not > 0 s, or a job is out of range
inline std::vector<std::size_t> order_jobs(std::span<const waiting_job> jobs, job_ranking ranking,
                                           seconds now,
                                           seconds ageing = seconds{
                                               std::numeric_limits<double>::infinity()}) {
  require(now > seconds{-1e300} && now < seconds{1e300}, "order_jobs: now must be finite");
  std::vector<std::array<double, 3>> keys(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const waiting_job& job = jobs[i];
    require(job.gpus >= 0, "waiting_job: gpus must be >= 0");
    require(job.expected >= seconds{0} && job.expected < seconds{1e300},
            "waiting_job: expected must be >= 0 s and finite");
    require(job.attained >= seconds{0}, "waiting_job: attained must be >= 0 s");
    require(job.submit == job.submit && job.deadline == job.deadline,
            "waiting_job: submit and deadline must be numbers");
    double& key = keys[i][0];
    switch (ranking) {
      case job_ranking::arrival: break;
      case job_ranking::priority: key = -1.0 * job.priority; break;
      case job_ranking::least_slack: key = slack_of(job, now).in_base_units(); break;
      case job_ranking::largest_first: key = -1.0 * job.gpus; break;
      case job_ranking::smallest_first: key = job.gpus; break;
      case job_ranking::shortest_first: key = job.expected.in_base_units(); break;
      case job_ranking::least_attained: key = job.attained.in_base_units(); break;
      case job_ranking::smallest_work: key = (job.gpus * job.expected).in_base_units(); break;
      case job_ranking::urgency:
        keys[i] = {-aged_priority(job, now, ageing), slack_of(job, now).in_base_units(),
                   -1.0 * job.gpus};
        break;
    }
  }
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (keys[a] != keys[b]) return keys[a] < keys[b];
    return jobs[a].submit < jobs[b].submit;
  });
  return order;
}

}  // namespace gpuplan
