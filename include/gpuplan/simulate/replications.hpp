#pragma once
/// \file
/// The steady state of a pool by simulation: independent runs, and confidence intervals.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/confidence.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/simulate/simulate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How long to look, and how often.
struct replication_plan {
  std::int64_t jobs = 100000;    ///< of a run, that count; >= 1
  std::int64_t warm_up = 10000;  ///< before them, from an empty pool on; >= 0
  int replications = 10;         ///< >= 2
  std::uint64_t seed = 1;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const replication_plan& plan) {
  require(plan.jobs >= 1, "replication_plan.jobs must be >= 1");
  require(plan.warm_up >= 0, "replication_plan.warm_up must be >= 0");
  require(plan.replications >= 2, "replication_plan.replications must be >= 2");
}

/// Means over the runs, with their intervals of 95 %.
struct replicated_waiting {
  confidence probability{};  ///< that a job waits
  basic_confidence<seconds> mean_wait{};
  basic_confidence<seconds> mean_response{};
  basic_confidence<seconds> median_wait{};
  basic_confidence<seconds> wait_90{};
  basic_confidence<seconds> wait_95{};
  basic_confidence<seconds> wait_99{};
  std::int64_t impossible = 0;       ///< jobs of all runs that asked for more GPUs than there are
  std::int64_t largest_request = 0;  ///< GPUs
  answer_origin origin = answer_origin::simulation;
};

namespace detail {

/// Of one result of each run.
template <class Result>
auto confidence_over(std::span<const simulated_waiting> runs, Result result) {
  std::vector<decltype(result(runs.front()))> samples;
  for (const simulated_waiting& run : runs) samples.push_back(result(run));
  return confidence_interval<typename decltype(samples)::value_type>(samples);
}

}  // namespace detail

/// What jobs of a source, coming at random, wait in a pool.
///
///     lambda  arrival_rate, of a Poisson process   1/s, > 0
///     gpus    of the pool                          count, >= 1
///     plan    runs, each with its own stream of random numbers
///
/// M/M/c is replicate(drawn_jobs{exponential_service(S)}, lambda, c); a trace without its bursts is
/// replicate(resampled_jobs{trace}, lambda, c).  A pool that is never empty again needs a warm-up
/// of many times the jobs that it holds; where it is overloaded the answer is that of a run of this
/// length, and no more.  Memory is that of one run.
///
/// Source: A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), section 9.5.2
/// (replication and deletion).
///
/// \throws invalid_input if an argument is invalid
template <job_source Source>
replicated_waiting replicate(const Source& source, per_second arrival_rate, std::int64_t gpus,
                             const pool_policy& policy = {}, const replication_plan& plan = {}) {
  require_valid(plan);
  std::vector<trace_job> jobs(static_cast<std::size_t>(plan.warm_up + plan.jobs));
  std::vector<simulated_job> each(jobs.size());
  const std::span<const trace_job> all = jobs;
  const auto warm_up = static_cast<std::size_t>(plan.warm_up);

  std::vector<simulated_waiting> runs;
  random_numbers random{plan.seed};
  replicated_waiting answer;
  for (int run = 0; run < plan.replications; ++run) {
    random_numbers stream = random;
    fill_with_poisson_jobs(std::span<trace_job>{jobs}, source, arrival_rate, stream);
    simulate(all, gpus, policy, each);
    runs.push_back(summary_of(all.subspan(warm_up),
                              std::span<const simulated_job>{each}.subspan(warm_up), gpus));
    answer.impossible += runs.back().impossible;
    answer.largest_request = (std::max)(answer.largest_request, runs.back().largest_request);
    random.jump();
  }
  const auto over = [&](auto result) {
    return detail::confidence_over(std::span<const simulated_waiting>{runs}, result);
  };
  using run_of = const simulated_waiting&;
  answer.probability = over([](run_of run) { return run.probability(); });
  answer.mean_wait = over([](run_of run) { return run.mean_wait; });
  answer.mean_response = over([](run_of run) { return run.mean_response; });
  answer.median_wait = over([](run_of run) { return run.median_wait; });
  answer.wait_90 = over([](run_of run) { return run.wait_90; });
  answer.wait_95 = over([](run_of run) { return run.wait_95; });
  answer.wait_99 = over([](run_of run) { return run.wait_99; });
  return answer;
}

}  // namespace gpuplan
