#pragma once
/// \file
/// Inverse questions: how few servers meet a target, and how many jobs can they take?

#include <cmath>
#include <concepts>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

// Each is kept with some number of servers and, once kept, with any more.

/// With no waiting room: at most this share of the jobs is lost.
struct loss_limit {
  double probability{};  ///< > 0 and < 1
};
/// At most this share of the jobs waits at all.
struct wait_probability_limit {
  double probability{};  ///< > 0 and < 1
};
/// The mean wait, over all jobs.
struct mean_wait_limit {
  seconds mean{};  ///< > 0
};
/// The mean time from arrival to end.
struct mean_response_limit {
  seconds mean{};  ///< > the mean service
};
/// A percentile: at most this share of the jobs waits longer than a time.
struct wait_tail_limit {
  seconds time{};        ///< t; >= 0
  double probability{};  ///< 1 - q; > 0 and < 1
};

namespace detail {

/// What a promise looks at: a queue, and the share that it would lose without waiting room.
struct promised_queue {
  workload jobs{};
  double loss{};

  [[nodiscard]] constexpr double spare() const {  // servers, not busy on average
    return jobs.servers - jobs.offered_load();
  }
  [[nodiscard]] constexpr double probability() const {
    return erlang_c_of(loss, jobs.servers, jobs.offered_load());
  }
  [[nodiscard]] constexpr seconds mean_wait() const {
    return probability() / (jobs.servers / jobs.mean_service - jobs.arrival_rate);
  }
};

constexpr void require_valid(const loss_limit& limit) {
  require(limit.probability > 0 && limit.probability < 1,
          "loss_limit.probability must be > 0 and < 1");
}
constexpr void require_valid(const wait_probability_limit& limit) {
  require(limit.probability > 0 && limit.probability < 1,
          "wait_probability_limit.probability must be > 0 and < 1");
}
constexpr void require_valid(const mean_wait_limit& limit) {
  require(limit.mean > seconds{0}, "mean_wait_limit.mean must be > 0 s");
}
constexpr void require_valid(const mean_response_limit& limit, seconds service) {
  require(limit.mean > service, "mean_response_limit.mean must be > the mean service");
}
constexpr void require_valid(const wait_tail_limit& limit) {
  require(limit.time >= seconds{0}, "wait_tail_limit.time must be >= 0 s");
  require(limit.probability > 0 && limit.probability < 1,
          "wait_tail_limit.probability must be > 0 and < 1");
}

constexpr bool keeps(const promised_queue& q, const loss_limit& limit) {
  return q.loss <= limit.probability;
}
constexpr bool keeps(const promised_queue& q, const wait_probability_limit& limit) {
  return q.spare() > 0 && q.probability() <= limit.probability;
}
constexpr bool keeps(const promised_queue& q, const mean_wait_limit& limit) {
  return q.spare() > 0 && q.mean_wait() <= limit.mean;
}
constexpr bool keeps(const promised_queue& q, const mean_response_limit& limit) {
  return q.spare() > 0 && q.mean_wait() + q.jobs.mean_service <= limit.mean;
}
inline bool keeps(const promised_queue& q, const wait_tail_limit& limit) {
  if (!(q.spare() > 0)) return false;
  const double c = q.probability();
  return c <= limit.probability ||
         c * std::exp(-(c * limit.time / q.mean_wait())) <= limit.probability;
}

template <class Limit>
constexpr void require_valid(const Limit& limit, seconds service) {
  (void)service;
  require_valid(limit);
}

}  // namespace detail

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
