#pragma once
/// \file
/// The inverse questions: how few servers keep a promise, and how many jobs can they take?

#include <concepts>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/staffing_limits.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The jobs, without the servers.
struct job_stream {
  per_second arrival_rate{};  ///< lambda; > 0
  seconds mean_service{};     ///< S; > 0
};

/// The servers, without the jobs.
struct server_pool {
  int servers = 1;         ///< c; >= 1
  seconds mean_service{};  ///< S; > 0
};

/// What can be promised of a queue.
template <class Limit>
concept wait_limit = requires(const detail::promised_queue& q, const Limit& limit) {
  { detail::keeps(q, limit) } -> std::same_as<bool>;
};

/// The fewest servers of M/M/c (of M/M/c/c for a loss) that keep a promise.
///
///     min { c : the measure of c servers is within the limit }
///
///     jobs   arrival rate and mean service                                1/s, s, > 0
///     limit  loss, wait probability, mean wait, mean response, or tail of the wait
///
/// Exact: the recursion of erlang_b goes on from c to c + 1, so that all c cost as much as the
/// last. Constexpr, but for the tail.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.3.
///
/// \throws invalid_input if jobs or limit are invalid, or no number up to 2^30 keeps the promise
template <wait_limit Limit>
constexpr int fewest_servers(const job_stream& jobs, const Limit& limit) {
  require(jobs.arrival_rate > per_second{0}, "job_stream.arrival_rate must be > 0 /s");
  require(jobs.mean_service > seconds{0}, "job_stream.mean_service must be > 0 s");
  detail::require_valid(limit, jobs.mean_service);

  detail::promised_queue q{{jobs.arrival_rate, jobs.mean_service, 0}, 1};
  const double load = q.jobs.offered_load();
  detail::tiny_number loss;
  do {
    require(q.jobs.servers < 1 << 30, "fewest_servers: servers must be <= 2^30");
    loss = detail::erlang_b_from(q.jobs.servers, loss, q.jobs.servers + 1, load);
    ++q.jobs.servers;
    q.loss = loss.value();
  } while (!detail::keeps(q, limit));
  return q.jobs.servers;
}

/// The largest arrival rate at which M/M/c (M/M/c/c for a loss) keeps a promise.
///
///     max { lambda : the measure at lambda is within the limit }
///
///     pool   servers, and mean service of the jobs                        count, >= 1; s, > 0
///     limit  as in fewest_servers
///
/// By bisection, down to neighbouring doubles.  Constexpr, but for the tail.
///
/// Source: as fewest_servers.
///
/// \throws invalid_input if pool or limit are invalid
template <wait_limit Limit>
constexpr per_second largest_arrival_rate(const server_pool& pool, const Limit& limit) {
  require(pool.servers >= 1, "server_pool.servers must be >= 1");
  require(pool.mean_service > seconds{0}, "server_pool.mean_service must be > 0 s");
  detail::require_valid(limit, pool.mean_service);

  const auto keeps_at = [&](double load) {
    const workload jobs{load / pool.mean_service, pool.mean_service, pool.servers};
    return detail::keeps({jobs, erlang_b(pool.servers, load)}, limit);
  };
  double low = 0;
  double high = pool.servers;
  while (keeps_at(high)) {  // of losses alone: there load may exceed the servers
    low = high;
    high *= 2;
  }
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
    (keeps_at(middle) ? low : high) = middle;
  return low / pool.mean_service;
}

}  // namespace gpuplan
