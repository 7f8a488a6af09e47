#pragma once
/// \file
/// M/G/k: several servers, durations of any distribution: what is exact, and what is bounded.

#include <gpuplan/ceiling.hpp>
#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/detail/service_integrals.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Fair share of c servers, each job on one at most: the time that a job of size x takes.
///
///     T(x) = x (1 + C / (c - a))
///
///     c, a  jobs.servers, jobs.offered_load(), of any law with that mean
///     C     erlang_c(c, a)
///     x     size of the job    s, >= 0
///
/// Exact, whatever the law.  With one server x / (1 - rho).
///
/// Holds: M/G/c, any law, a job on one server at most.
///
/// Source: J. W. Cohen, "The multiple phase service network with generalized processor sharing",
/// Acta Informatica 12 (1979) 245-284.
///
/// \throws invalid_input if jobs are invalid or size < 0 s
inline seconds shared_pool_response(const workload& jobs, seconds size) {
  require_valid(jobs);
  require(size >= seconds{0}, "shared_pool_response: size must be >= 0 s");
  const double load = jobs.offered_load();
  if (!(load < jobs.servers)) return detail::for_ever;
  return size * (1 + continuous_erlang_c(jobs.servers, load) / (jobs.servers - load));
}

/// Between what no policy beats, and what SRPT does not exceed.
struct response_bounds {
  seconds lower{};
  seconds upper{};
};

/// Bounds of the mean response of k servers under shortest remaining processing time.
///
///     lower  max(E S, E T of one server k times as fast)
///     upper  E[lambda (m_2(S) + S^2 P(> S)) / (2 k^2 (1 - rho(S))^2)] + E[S / (1 - rho(S))]
///            + integral of P(S > t) dt / (1 - rho(t)),   rho(x) = lambda E[S; S <= x] / k
///
///     lambda  arrival_rate; S of law; k servers    1/s, >= 0; s; count, >= 1
///
/// The lower bound holds for every policy, and for 16 and more servers at rho <= 0.9 simulated SRPT
/// is within 14% of it; the upper is 2.7 to 4.1 times the simulated value at rho 0.7 to 0.9, and
/// close at rho near 1.
///
/// Source: I. Grosof, Z. Scully and M. Harchol-Balter, "SRPT for multiserver systems", Performance
/// Evaluation 127-128 (2018) 154-175, arXiv:1805.07686.
///
/// \throws invalid_input if the law is invalid, arrival_rate < 0 or servers < 1
template <service_law Law>
response_bounds srpt_bounds(const Law& law, per_second arrival_rate, int servers) {
  require(servers >= 1, "srpt_bounds: servers must be >= 1");
  const per_second each = arrival_rate / servers;
  if (!(detail::utilization_of(law, each) < 1)) return {detail::for_ever, detail::for_ever};
  const detail::size_view<Law> jobs{law, each};
  const seconds wait = detail::expectation(
      law, [&](seconds x) { return jobs.wait_for(truncated_moment<2>(law, x), x) / servers; });
  const seconds residence = detail::integral_up_to(
      law, detail::longest(law), [&](seconds t) { return law.tail(t) / jobs.left_by_shorter(t); });
  const seconds alone =
      detail::expectation(law, [&](seconds x) { return x / jobs.left_by_no_longer(x); });
  return {.lower = larger(mean_service(law), wait + residence / servers),
          .upper = wait + alone + residence};
}

/// Can the mean wait of M/G/c be finite where the variance of service is not?
///
///     E W_q finite  <=>  E S^(1 + 1/s) finite,   s = c - floor(a) servers to spare
///
///     c, a  of jobs
///     tail  the power of P(S > x) ~ x^(-tail), > 0; infinite if it falls faster than any power
///
/// Holds: M/G/c.
///
/// Source: A. Scheller-Wolf, "Necessary and sufficient conditions for delay moments in FIFO
/// multiserver queues", Operations Research 51 (2003) 748-758.
///
/// \throws invalid_input if jobs are invalid or tail <= 0
inline bool mean_wait_is_finite(const workload& jobs, double tail) {
  require_valid(jobs);
  require(tail > 0, "mean_wait_is_finite: tail must be > 0");
  const double load = jobs.offered_load();
  if (!(load < jobs.servers)) return false;
  return tail > 1 + 1 / (jobs.servers - rounded_down(load));
}

}  // namespace gpuplan
