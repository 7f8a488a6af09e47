#pragma once
/// \file
/// Classes of jobs at several servers, the more urgent first.

#include <cstddef>
#include <span>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// Jobs of the classes before `end`, all at servers of one kind.
constexpr workload jobs_before(std::span<const per_second> arrival_rates, const workload& pool,
                               std::size_t end) {
  workload jobs = pool;
  jobs.arrival_rate = per_second{0};
  for (const per_second rate : arrival_rates.first(end)) {
    require(rate >= per_second{0}, "priority: every arrival rate must be >= 0 /s");
    jobs.arrival_rate += rate;
  }
  return jobs;
}

}  // namespace detail

/// Priority without preemption, M/M/c, service as long in each class: the mean wait of class k.
///
///     W_k = C S / c / ((1 - s_(k-1)) (1 - s_k)),   s_k = sum_(j<=k) lambda_j S / c
///
///     lambda  arrival_rates, the most urgent first   1/s, >= 0
///     S, c    pool.mean_service, pool.servers        s, > 0; count, >= 1
///     C       erlang_c of all classes;  k = rank     count from 0
///
/// Exact.
///
/// Source: A. Cobham, "Priority assignment in waiting line problems", Operations Research 2 (1954)
/// 70-76.
///
/// \throws invalid_input if pool or a rate is invalid, or rank >= the number of classes
constexpr seconds pool_priority_wait(std::span<const per_second> arrival_rates,
                                     const workload& pool, std::size_t rank) {
  require(rank < arrival_rates.size(), "pool_priority_wait: rank must be < the number of classes");
  const workload all = detail::jobs_before(arrival_rates, pool, arrival_rates.size());
  require_valid(all);
  const double before = detail::jobs_before(arrival_rates, pool, rank).utilization();
  const double through = detail::jobs_before(arrival_rates, pool, rank + 1).utilization();
  if (!(through < 1)) return detail::for_ever;
  const double busy = erlang_c(pool.servers, all.offered_load());
  return busy * (pool.mean_service / pool.servers) / ((1 - before) * (1 - through));
}

/// Priority with preemption, M/M/c, service as long in each class: the mean time a job of class k
/// takes.
///
///     T_k = (L(1..k) - L(1..k-1)) / lambda_k
///
///     lambda, S, c, k  as in pool_priority_wait
///     L                wait().jobs() of M/M/c with these classes alone
///
/// Exact.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 3.4.
///
/// \throws invalid_input as pool_priority_wait, or if the rate of class k is 0
constexpr seconds pool_preemptive_priority_response(std::span<const per_second> arrival_rates,
                                                    const workload& pool, std::size_t rank) {
  require(rank < arrival_rates.size(),
          "pool_preemptive_priority_response: rank must be < the number of classes");
  require(arrival_rates[rank] > per_second{0},
          "pool_preemptive_priority_response: arrival rate must be > 0 /s");
  const waiting through = wait(detail::jobs_before(arrival_rates, pool, rank + 1));
  if (!through.stable()) return detail::for_ever;
  const waiting before = wait(detail::jobs_before(arrival_rates, pool, rank));
  return (through.queue_length() - before.queue_length()) / arrival_rates[rank] + pool.mean_service;
}

}  // namespace gpuplan
