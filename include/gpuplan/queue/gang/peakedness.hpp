#pragma once
/// \file
/// How many GPUs the jobs of a trace would hold if none ever ran out: how much arrivals drift and
/// come in bursts, and how often jobs wait for that.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/detail/incomplete_gamma.hpp>
#include <gpuplan/queue/poisson.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/running_gangs.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// Mean and variance over time of what is busy from one instant to another.
struct busy_moments {
  seconds from{};
  seconds until{};
  seconds area{};     // of busy GPUs
  seconds squares{};  // of their squares

  void add(double busy, seconds begin, seconds end) {
    const seconds time = smaller(end, until) - larger(begin, from);
    if (!(time > seconds{0})) return;
    area += busy * time;
    squares += busy * busy * time;
  }
  [[nodiscard]] double mean() const { return until > from ? area / (until - from) : 0; }
  /// 0 where rounding leaves less, as of one that is always as busy.
  [[nodiscard]] double variance() const {
    return until > from ? (std::max)(0.0, squares / (until - from) - mean() * mean()) : 0;
  }
};

}  // namespace detail

/// A pool that never runs out of GPUs, while the jobs of a trace come.
struct endless_pool {
  double mean = 0;                     ///< m, GPUs busy, from the first submission to the last end
  double variance = 0;                 ///< of them
  double steady_mean = 0;              ///< of the last nine tenths of the time in which jobs came
  double steady_variance = 0;          ///< of the same
  double largest = 0;                  ///< the most at once
  std::vector<std::int64_t> needed{};  ///< by each job and those that run then, GPUs; ascending

  /// Z = variance / mean: 1 for single GPUs at random, E b^2 S / E b S for gangs at random, more
  /// where the rate of arrivals drifts.
  [[nodiscard]] constexpr double peakedness() const { return mean == 0 ? 1 : variance / mean; }

  /// The same without the pool's filling and draining, which is no drift: a job of a week that ends
  /// a trace of a month would make it vary as if arrivals had stopped.
  [[nodiscard]] constexpr double steady_peakedness() const {
    return steady_mean == 0 ? 1 : steady_variance / steady_mean;
  }

  /// The share of the jobs that find no room in a pool of so many GPUs, were all to start at once:
  /// a lower bound on those that wait, first come first served; exact for that trace.
  ///
  /// \throws invalid_input if gpus < 0
  [[nodiscard]] double without_room(std::int64_t gpus) const {
    require(gpus >= 0, "without_room: gpus must be >= 0");
    if (needed.empty()) return 0;
    const auto first = std::upper_bound(needed.begin(), needed.end(), gpus);
    return static_cast<double>(needed.end() - first) / static_cast<double>(needed.size());
  }
};

/// One pass over a trace: O(n log n).
///
///     N(t) = sum of the gpus of the jobs with submit <= t < submit + duration
///
/// Source: A. E. Eckberg, "Generalized peakedness of teletraffic processes", 10th International
/// Teletraffic Congress (1983) 4.4b.3, for the peakedness; that without_room is a bound follows job
/// by job: who starts later holds GPUs later.
///
/// \throws invalid_input if a job is invalid, or they are not in the order of submission
inline endless_pool endless_pool_of(std::span<const trace_job> jobs) {
  constexpr std::int64_t endless = std::int64_t{1} << 62;
  running_gangs running{endless};
  endless_pool pool;
  if (jobs.empty()) return pool;
  pool.needed.reserve(jobs.size());
  const seconds first = jobs.front().submit;
  const seconds last = jobs.back().submit;
  seconds last_end = last;
  for (const trace_job& job : jobs) last_end = larger(last_end, job.submit + job.duration);
  detail::busy_moments all{.from = first, .until = last_end};
  detail::busy_moments steady{.from = first + 0.1 * (last - first), .until = last};
  seconds now = first;
  const auto pass_ends_until = [&](seconds until) {
    while (true) {
      const bool ends = !running.empty() && running.next_end() <= until;
      const seconds next = ends ? running.next_end() : until;
      const double busy = static_cast<double>(endless - running.free());
      all.add(busy, now, next);
      steady.add(busy, now, next);
      now = next;
      if (!ends) return;
      running.release_until(now);
    }
  };
  for (const trace_job& job : jobs) {
    require_valid(job);
    require(job.submit >= now, "endless_pool_of: jobs must be in the order of submission");
    pass_ends_until(job.submit);
    running.start(job.gpus, job.submit + job.duration);
    pool.needed.push_back(endless - running.free());
  }
  pass_ends_until(last_end);
  std::sort(pool.needed.begin(), pool.needed.end());
  pool.largest = static_cast<double>(pool.needed.back());
  pool.mean = all.mean();
  pool.variance = all.variance();
  pool.steady_mean = steady.mean();
  pool.steady_variance = steady.variance();
  return pool;
}

namespace detail {

/// P(N >= c) of a Poisson number N of mean a <= c; for c between whole numbers the incomplete gamma
/// function P(c, a).
inline double poisson_from(double c, double a) {
  if (a == 0) return 0;
  if (c < 16) return gamma_p(c, a);
  return poisson(a, c) * (1 + poisson_above(a, c));
}

}  // namespace detail

/// How often jobs wait, first come first served, where so many find no room in an endless pool.
///
///     P = erlang_c(c, a),   P(N >= c) = L for a Poisson number N of mean a;   1 for a >= c
///
///     L  share that finds no room: without_room of the trace's endless_pool    1, 0 to 1
///     c  GPUs over the peakedness of jobs at random                            1, 1e-3 to 1e6
///
/// Exact for M/M/c, and tends to Halfin and Whitt's 1 / (1 + b Phi(b) / phi(b)), Phi(-b) = L, as
/// pools grow.  For arrivals that drift it takes from the trace itself how often demand passes the
/// pool.
///
/// Error, geometric mean of the factor, replays of nine real traces: 44 with P > 0.1, 1.21, the
/// worst 1.72; 11 with P from 0.01 to 0.1, 1.12.  Erlang C at the peakedness of the trace: 1.45 and
/// 2.3; L itself: 1.49 and 1.17.
///
/// Holds: a factor of 1.2 on replays of real traces, whose arrivals drift.
///
/// Source: S. Halfin and W. Whitt, "Heavy-traffic limits for queues with many exponential servers",
/// Operations Research 29 (1981) 567-588; A. A. Fredericks, "Congestion in blocking systems - a
/// simple approximation technique", Bell System Technical Journal 59 (1980) 805-827, for servers
/// over Z; to turn it around is ours.
///
/// \throws invalid_input if L is not from 0 to 1 or servers is not > 0
inline double replay_wait_probability(double without_room, double servers) {
  require(without_room >= 0 && without_room <= 1,
          "replay_wait_probability: without_room must be from 0 to 1");
  require(servers > 0 && servers < 1e15, "replay_wait_probability: servers must be > 0 and finite");
  if (without_room == 0) return 0;
  if (without_room >= detail::poisson_from(servers, servers)) return 1;
  double low = 0;
  double high = servers;
  while (high - low > 1e-15 * high && high > 1e-300) {  // below it there are no more digits
    const double middle = (low + high) / 2;
    (detail::poisson_from(servers, middle) < without_room ? low : high) = middle;
  }
  return continuous_erlang_c(servers, low);
}

}  // namespace gpuplan
