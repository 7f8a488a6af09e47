#pragma once
/// \file
/// Erlang B and C: how often, and how long, a job waits for one of c identical servers.

#include <concepts>
#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs arriving at random at servers that each hold one job at a time.
struct workload {
  per_second arrival_rate{};  ///< lambda, Poisson; >= 0
  seconds mean_service{};     ///< S = 1 / mu, exponential; > 0
  int servers = 1;            ///< c; >= 1

  /// a = lambda S, in erlangs: the servers that would be busy if none ever ran out.
  [[nodiscard]] constexpr double offered_load() const { return arrival_rate * mean_service; }

  /// rho = a / c; at 1 or above the queue grows without bound.
  [[nodiscard]] constexpr double utilization() const { return offered_load() / servers; }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const workload& jobs) {
  require(jobs.servers >= 1, "workload.servers must be >= 1");
  require(jobs.arrival_rate >= per_second{0}, "workload.arrival_rate must be >= 0 /s");
  require(jobs.mean_service > seconds{0}, "workload.mean_service must be > 0 s");
}

/// The steady state of a queue.  An overloaded queue is an answer, not an error: every job waits,
/// for an infinite time.
struct waiting {
  double probability = 0;     ///< that an arriving job waits at all (Erlang C)
  seconds mean{};             ///< W_q, over all jobs, those that do not wait included
  per_second arrival_rate{};  ///< lambda, of the jobs that are served
  seconds mean_service{};     ///< S

  /// W = W_q + S, from arrival to end.
  [[nodiscard]] constexpr seconds response() const { return mean + mean_service; }

  /// L_q = lambda W_q, jobs that wait (Little's law).
  [[nodiscard]] constexpr double queue_length() const {
    return mean == seconds{0} ? 0 : arrival_rate * mean;
  }

  /// L = lambda W, jobs that wait or run.
  [[nodiscard]] constexpr double jobs() const {
    return queue_length() + arrival_rate * mean_service;
  }

  [[nodiscard]] constexpr bool stable() const {
    return mean < seconds{std::numeric_limits<double>::infinity()};
  }
};

namespace detail {

/// x 2^(-256 shifts), for what is too small for a double.
struct tiny_number {
  double x = 1;
  int shifts = 0;

  [[nodiscard]] constexpr double value() const {
    double v = x;
    for (int i = 0; i < shifts && v > 0; ++i) v *= 0x1p-256;
    return v;
  }
};

/// Erlang B, from b at n servers on to c: every term is positive, nothing cancels or overflows.
constexpr tiny_number erlang_b_from(double n, tiny_number b, double c, double load) {
  if (load > 1e300) return n < c ? tiny_number{} : b;  // all are lost, as far as a double tells
  while (n < c) {
    n += 1;
    const double carried = load * b.x;
    b.x = carried / (b.shifts == 0 ? n + carried : n);  // past 2^-256 it no longer adds to n
    while (b.x < 0x1p-256 && b.x > 0) {
      b.x *= 0x1p256;
      ++b.shifts;
    }
  }
  return b;
}

/// Erlang C of Erlang B, for load < servers.
constexpr double erlang_c_of(double b, double servers, double load) {
  return servers * b / (servers - load + load * b);
}

}  // namespace detail

/// Erlang B: the fraction of jobs lost when c servers have no waiting room.
///
///     B(0, a) = 1        B(k, a) = a B(k-1, a) / (k + a B(k-1, a))
///
///     c  servers         count, 0 to 1e6
///     a  offered load    erlang, >= 0
///
/// Exact for any distribution of service times.  O(c), 5 ns a server.
///
/// Holds: Poisson arrivals; any distribution of service times.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), chapter 2.
///
/// \throws invalid_input if servers < 0 or load < 0
constexpr double erlang_b(int servers, double load) {
  require(servers >= 0, "erlang_b: servers must be >= 0");
  require(load >= 0, "erlang_b: load must be >= 0 erlang");
  return detail::erlang_b_from(0, {}, servers, load).value();
}

/// Half a server is for continuous_erlang_b.
double erlang_b(std::floating_point auto servers, double load) = delete;

/// Erlang C: the probability that a job waits when those that find c servers busy queue.
///
///     C = c B / (c - a + a B)
///
///     c  servers         count, 1 to 1e6
///     a  offered load    erlang, >= 0; at c or above every job waits
///     B  erlang_b(c, a)
///
/// Holds: M/M/c; 1 at and above a = c.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.3.
///
/// \throws invalid_input if servers < 1 or load < 0
constexpr double erlang_c(int servers, double load) {
  require(servers >= 1, "erlang_c: servers must be >= 1");
  require(load >= 0, "erlang_c: load must be >= 0 erlang");
  if (load >= servers) return 1;
  return detail::erlang_c_of(erlang_b(servers, load), servers, load);
}

/// Half a server is for continuous_erlang_c.
double erlang_c(std::floating_point auto servers, double load) = delete;

namespace detail {

/// M/M/c, by one or another way to Erlang C.
template <class ErlangC>
constexpr waiting wait_of(const workload& jobs, ErlangC erlang_c_of_jobs) {
  require_valid(jobs);
  const double load = jobs.offered_load();
  const per_second spare = jobs.servers / jobs.mean_service - jobs.arrival_rate;
  const bool stable = load < jobs.servers && spare > per_second{0};
  const double probability = stable ? erlang_c_of_jobs(jobs.servers, load) : 1;
  return {.probability = probability,
          .mean = stable ? probability / spare : seconds{std::numeric_limits<double>::infinity()},
          .arrival_rate = jobs.arrival_rate,
          .mean_service = jobs.mean_service};
}

}  // namespace detail

/// M/M/c: wait probability and mean wait in the steady state.
///
///     W_q = C / (c / S - lambda)
///     L_q = lambda W_q
///
///     lambda  jobs that arrive, jobs.arrival_rate    1/s, >= 0
///     S       mean service, jobs.mean_service        s, 1e-9 to 1e12
///     c       servers, jobs.servers                  count, 1 to 1e6
///     C       erlang_c(c, lambda S)
///
/// L_q, the jobs that wait, is queue_length() of the result.  With one server it is M/M/1:
/// W_q = rho S / (1 - rho).  A further factor 1/mu, which some guides print, would make it a time
/// squared; it does not compile here.
///
/// Holds: Poisson arrivals, exponential service; infinite where overloaded.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.3.
///
/// \throws invalid_input if servers < 1, arrival_rate < 0, or mean_service <= 0
constexpr waiting wait(const workload& jobs) {
  return detail::wait_of(jobs, [](int servers, double load) { return erlang_c(servers, load); });
}

}  // namespace gpuplan
