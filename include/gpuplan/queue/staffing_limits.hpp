#pragma once
/// \file
/// What can be promised of a queue, and when a promise is kept.

#include <cmath>

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

}  // namespace gpuplan
