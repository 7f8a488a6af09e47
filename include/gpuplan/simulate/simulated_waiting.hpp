#pragma once
/// \file
/// Waiting times in a simulated pool: of each job, and their summary.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

inline constexpr seconds never{std::numeric_limits<double>::infinity()};

}  // namespace detail

/// Where an answer comes from.
enum class answer_origin { formula, simulation };

/// What became of a job.  All is infinite where it asks for more GPUs than there are.
struct simulated_job {
  seconds start{};  ///< the first, where it was stopped in between
  seconds end{};
  seconds wait{};  ///< all the time that it did not run, from its submission on
};

/// What became of all jobs.  Those that can never start are counted, and are in no mean.
struct simulated_waiting {
  std::int64_t jobs = 0;             ///< that ran
  std::int64_t waited = 0;           ///< of those
  std::int64_t impossible = 0;       ///< jobs that asked for more GPUs than there are
  std::int64_t largest_request = 0;  ///< GPUs
  std::int64_t longest_queue = 0;    ///< jobs that waited at once
  seconds mean_wait{};
  seconds mean_response{};  ///< from submission to end
  seconds median_wait{};
  seconds wait_90{};  ///< that 90 % of the jobs did not pass
  seconds wait_95{};
  seconds wait_99{};
  seconds longest_wait{};
  seconds makespan{};         ///< from the first submission to the last end
  double mean_busy_gpus = 0;  ///< over the makespan
  double utilization = 0;     ///< of the GPUs, over the makespan
  answer_origin origin = answer_origin::simulation;

  /// The share of the jobs that waited.
  [[nodiscard]] constexpr double probability() const {
    return jobs == 0 ? 0 : static_cast<double>(waited) / static_cast<double>(jobs);
  }
  /// Did every job run?
  [[nodiscard]] constexpr bool complete() const { return impossible == 0; }
};

/// The value that a share q of the values do not pass: the ceil(q n)-th smallest, for q = 0 the
/// smallest.  Reorders the values; O(n).
///
/// \throws invalid_input if there are no values, or q is not from 0 to 1
inline seconds order_statistic(std::span<seconds> values, double q) {
  require(!values.empty(), "order_statistic: values must be >= 1");
  require(q >= 0 && q <= 1, "order_statistic: q must be from 0 to 1");
  const double rank = rounded_up(q * static_cast<double>(values.size()));
  const std::size_t index = rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
  const auto found = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), found, values.end());
  return *found;
}

/// Sums up what became of jobs in a pool.  longest_queue is not known from that: it stays 0.
///
/// \throws invalid_input if not each of the jobs has one record, or gpus < 1
inline simulated_waiting summary_of(std::span<const trace_job> jobs,
                                    std::span<const simulated_job> each, std::int64_t gpus) {
  require(jobs.size() == each.size(), "summary_of: each must have one entry for each job");
  require(gpus >= 1, "summary_of: gpus must be >= 1");
  simulated_waiting sum;
  std::vector<seconds> waits;
  waits.reserve(jobs.size());
  seconds busy{};
  seconds end{};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    sum.largest_request = (std::max)(sum.largest_request, jobs[i].gpus);
    if (jobs[i].gpus > gpus) {
      ++sum.impossible;
      continue;
    }
    end = waits.empty() ? each[i].end : larger(end, each[i].end);
    waits.push_back(each[i].wait);
    sum.waited += each[i].wait > seconds{0};
    sum.mean_wait += each[i].wait;
    sum.mean_response += each[i].end - jobs[i].submit;
    busy += static_cast<double>(jobs[i].gpus) * jobs[i].duration;
  }
  if (waits.empty()) return sum;

  sum.jobs = static_cast<std::int64_t>(waits.size());
  const auto count = static_cast<double>(sum.jobs);
  sum.mean_wait /= count;
  sum.mean_response /= count;
  sum.median_wait = order_statistic(waits, 0.5);
  sum.wait_90 = order_statistic(waits, 0.9);
  sum.wait_95 = order_statistic(waits, 0.95);
  sum.wait_99 = order_statistic(waits, 0.99);
  sum.longest_wait = *std::max_element(waits.begin(), waits.end());
  sum.makespan = end - jobs.front().submit;
  if (sum.makespan > seconds{0}) sum.mean_busy_gpus = busy / sum.makespan;
  sum.utilization = sum.mean_busy_gpus / static_cast<double>(gpus);
  return sum;
}

}  // namespace gpuplan
