#pragma once
/// \file
/// M/M/c/K: a queue with limited room; jobs that find it full are lost.

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The steady state of a queue that turns jobs away when it is full.
struct limited_waiting {
  double blocked = 0;  ///< share of the jobs that find it full, and leave
  waiting accepted{};  ///< of the others; their rate is the throughput
};

namespace detail {

/// Sums over the m states in which jobs wait, weighed beside the state in which the last server has
/// just become busy; from whichever end weighs more, so that no power overflows.
struct waiting_states {
  double first = 1;   ///< weight of no job waiting
  double not_full{};  ///< of all states with every server busy, but the full one
  double full = 1;    ///< of the last state
  double jobs{};      ///< sum of weight times jobs waiting
};

constexpr waiting_states states_of(double load, int servers, int room) {
  waiting_states s;
  if (load <= servers) {
    for (int k = 1; k <= room; ++k) {
      s.not_full += s.full;
      s.full *= load / servers;
      s.jobs += k * s.full;
    }
    return s;
  }
  for (int k = room; k > 0; --k) {
    s.jobs += k * s.first;
    s.first = s.first * servers / load;
    s.not_full += s.first;
  }
  return s;
}

}  // namespace detail

/// M/M/c/K: c servers, and K places in all, those at the servers included.
///
///     p_k     = p_0 rho^k                       for k jobs waiting, 0 <= k <= K - c
///     p_0     = B / (1 - B) sum of p_below      all servers busy, none waiting
///     blocked = p_(K-c)
///     L_q     = sum k p_k
///     W_q     = L_q / (lambda (1 - blocked))
///
///     lambda, S, c  of jobs; rho may be 1 or more
///     K             places    count, >= c, <= 1e6
///     B             erlang_b(c, lambda S)
///     p_below       states with a free server
///
/// O(c + K).  With K = c it is Erlang's loss system; as K grows with rho < 1 it tends to wait().
///
/// Holds: M/M/c/K; any load.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 2.5.
///
/// \throws invalid_input if jobs are invalid or places < servers
constexpr limited_waiting limited_wait(const workload& jobs, int places) {
  require_valid(jobs);
  require(places >= jobs.servers, "limited_wait: places must be >= servers");
  const double load = jobs.offered_load();
  const double b = erlang_b(jobs.servers, load);
  const detail::waiting_states s = detail::states_of(load, jobs.servers, places - jobs.servers);

  const double served = (1 - b) * s.first + b * s.not_full;  // all states but the full one
  const double all = served + b * s.full;
  const per_second rate = jobs.arrival_rate * (served / all);
  const bool none = b * s.jobs == 0;  // also of an empty waiting room, or no jobs at all
  return {.blocked = b * s.full / all,
          .accepted = {.probability = b * s.not_full / served,
                       .mean = none ? seconds{0} : b * s.jobs / all / rate,
                       .arrival_rate = rate,
                       .mean_service = jobs.mean_service}};
}

}  // namespace gpuplan
