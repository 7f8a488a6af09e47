#pragma once
/// \file
/// M/G/1: one server, durations of any distribution, first come first served or shared.

#include <limits>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

inline constexpr seconds for_ever{std::numeric_limits<double>::infinity()};

/// rho = lambda E S of valid arguments.
template <service_law Law>
constexpr double utilization_of(const Law& law, per_second arrival_rate) {
  require_valid(law);
  require(arrival_rate >= per_second{0}, "jobs: arrival_rate must be >= 0 /s");
  return arrival_rate * mean_service(law);
}

}  // namespace detail

/// First come, first served: the wait of M/G/1 (Pollaczek and Khinchine).
///
///     W_q = lambda E S^2 / (2 (1 - rho))
///
///     lambda  jobs that arrive: arrival_rate    1/s, >= 0
///     S       mean service: of law              s, 1e-9 to 1e12
///     rho     lambda E S
///
/// Exact; also for last come first served without preemption, and any order blind to size.
///
/// Source: F. Pollaczek, Math. Z. 32 (1930) 64-100; A. Khinchine (1932); in D. Gross et al.,
/// "Fundamentals of Queueing Theory", 4th ed. (2008), section 5.1.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
constexpr waiting fcfs_wait(const Law& law, per_second arrival_rate) {
  const double rho = detail::utilization_of(law, arrival_rate);
  return {.probability = rho < 1 ? rho : 1,
          .mean = rho < 1 ? arrival_rate * law.template moment<2>() / (2 * (1 - rho))
                          : detail::for_ever,
          .arrival_rate = arrival_rate,
          .mean_service = mean_service(law)};
}

/// First come, first served: the variance of the wait of M/G/1.
///
///     lambda E S^3 / (3 (1 - rho)) + W_q^2
///
///     lambda, S, rho, W_q  as in fcfs_wait
///
/// Source: L. Takacs, "A single-server queue with Poisson input", Operations Research 10 (1962)
/// 388-394.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
constexpr square_seconds fcfs_wait_variance(const Law& law, per_second arrival_rate) {
  const waiting w = fcfs_wait(law, arrival_rate);
  if (!w.stable()) return square_seconds{std::numeric_limits<double>::infinity()};
  const double rho = arrival_rate * w.mean_service;
  return arrival_rate * law.template moment<3>() / (3 * (1 - rho)) + w.mean * w.mean;
}

/// Processor sharing, fair share: the time that a job of size x takes, all jobs at once, each at an
/// equal rate.
///
///     T(x) = x / (1 - rho)
///
///     x    size of the job                  s, >= 0
///     rho  utilization, whatever the law    1, >= 0
///
/// Exact; also for last come first served with preemption.
///
/// Holds: M/G/1, any law.
///
/// Source: L. Kleinrock, "Queueing Systems, Volume II: Computer Applications" (1976), section 4.4.
///
/// \throws invalid_input if size < 0 s or utilization < 0
constexpr seconds processor_sharing_response(seconds size, double utilization) {
  require(size >= seconds{0}, "processor_sharing_response: size must be >= 0 s");
  require(utilization >= 0, "processor_sharing_response: utilization must be >= 0");
  return utilization < 1 ? size / (1 - utilization) : detail::for_ever;
}

}  // namespace gpuplan
