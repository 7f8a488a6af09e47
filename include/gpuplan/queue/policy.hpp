#pragma once
/// \file
/// One server that orders its jobs by size, by what is left, or by what they have had: M/G/1 under
/// SJF, preemptive SJF, SRPT and least attained service.

#include <array>
#include <string_view>

#include <gpuplan/queue/detail/service_integrals.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// What a job of size x meets of others: 1 - lambda E[S; S < x], the same up to x, and so on.
template <service_law Law>
struct size_view {
  const Law& law;
  per_second arrival_rate;

  /// The share of the server left by jobs shorter than x.
  [[nodiscard]] double left_by_shorter(seconds x) const {
    return 1 - arrival_rate * moment_below<1>(law, x);
  }
  /// The share of the server left by jobs no longer than x.
  [[nodiscard]] double left_by_no_longer(seconds x) const {
    return 1 - arrival_rate * law.template moment_up_to<1>(x);
  }
  /// Work over both shares, as a wait behind equal sizes in the order of arrival.
  [[nodiscard]] seconds wait_for(square_seconds work, seconds x) const {
    const double shorter = left_by_shorter(x);
    const double no_longer = left_by_no_longer(x);
    return no_longer > 0 ? arrival_rate * work / (2 * shorter * no_longer) : for_ever;
  }
};

template <service_law Law>
size_view<Law> view_of(const Law& law, per_second arrival_rate, seconds size) {
  (void)utilization_of(law, arrival_rate);
  require(size >= seconds{0}, "job: size must be >= 0 s");
  return {law, arrival_rate};
}

}  // namespace detail

/// Shortest job first, without preemption: the time that a job of size x takes.
///
///     T(x) = x + lambda E S^2 / (2 (1 - rho(x))^2),   rho(x) = lambda E[S; S <= x]
///
///     lambda  arrival_rate   1/s, >= 0
///     S       of law
///     x       size           s, >= 0
///
/// Exact.  Where sizes have whole shares, (1 - rho(x))^2 is (1 - rho(x-)) (1 - rho(x)): equal sizes
/// in the order of arrival.
///
/// Source: T. E. Phipps, "Machine repair as a priority waiting-line problem", Operations Research 4
/// (1956) 76-85; A. Wierman and M. Harchol-Balter, SIGMETRICS (2003) 238-249.
///
/// \throws invalid_input if the law is invalid, arrival_rate < 0 or size < 0 s
template <service_law Law>
seconds sjf_response(const Law& law, per_second arrival_rate, seconds size) {
  const auto jobs = detail::view_of(law, arrival_rate, size);
  if (!(arrival_rate * mean_service(law) < 1)) return detail::for_ever;  // one that runs stays
  return size + jobs.wait_for(law.template moment<2>(), size);
}

/// Preemptive shortest job first: a shorter job interrupts a longer one, however little is left.
///
///     T(x) = lambda E[S^2; S <= x] / (2 (1 - rho(x))^2) + x / (1 - rho(x))
///
///     lambda, S, x, rho(x)  as in sjf_response, and so for equal sizes
///
/// Exact.  Short jobs have a finite mean even in overload.
///
/// Source: A. Wierman and M. Harchol-Balter, "Classifying scheduling policies with respect to
/// unfairness in an M/GI/1", SIGMETRICS (2003) 238-249.
///
/// \throws invalid_input as sjf_response
template <service_law Law>
seconds preemptive_sjf_response(const Law& law, per_second arrival_rate, seconds size) {
  const auto jobs = detail::view_of(law, arrival_rate, size);
  const seconds wait = jobs.wait_for(law.template moment_up_to<2>(size), size);
  if (!(wait < detail::for_ever)) return wait;
  return wait + size / jobs.left_by_shorter(size);
}

/// Shortest remaining processing time: the policy with the least mean response of all.
///
///     T(x) = lambda (E[S^2; S <= x] + x^2 P(S > x)) / (2 (1 - rho(x))^2)
///            + integral from 0 to x of dt / (1 - rho(t))
///
///     lambda, S, x, rho(x)  as in sjf_response, and so for equal sizes
///
/// Exact.  Short jobs have a finite mean even in overload.
///
/// Source: L. E. Schrage and L. W. Miller, "The queue M/G/1 with the shortest remaining processing
/// time discipline", Operations Research 14 (1966) 670-684.
///
/// \throws invalid_input as sjf_response
template <service_law Law>
seconds srpt_response(const Law& law, per_second arrival_rate, seconds size) {
  const auto jobs = detail::view_of(law, arrival_rate, size);
  const seconds wait = jobs.wait_for(truncated_moment<2>(law, size), size);
  if (!(wait < detail::for_ever)) return wait;
  return wait +
         detail::integral_up_to(law, size, [&](seconds t) { return 1 / jobs.left_by_shorter(t); });
}

/// Least attained service, foreground-background: the jobs that have had least run, shared equally.
///
///     T(x) = lambda E min(S, x)^2 / (2 (1 - r)^2) + x / (1 - r),   r = lambda E min(S, x)
///
///     lambda, S, x  as in sjf_response
///
/// Exact; needs no knowledge of sizes.  What Tiresias does with one GPU a job and a continuum of
/// queues.  It follows service had, not progress of the training.
///
/// Source: L. E. Schrage, "The queue M/G/1 with feedback to lower priority queues", Management
/// Science 13 (1967) 466-474; L. Kleinrock, "Queueing Systems, Volume II" (1976), section 4.6.
///
/// \throws invalid_input as sjf_response
template <service_law Law>
seconds least_attained_response(const Law& law, per_second arrival_rate, seconds size) {
  (void)detail::view_of(law, arrival_rate, size);
  const double left = 1 - arrival_rate * truncated_moment<1>(law, size);
  if (!(left > 0)) return detail::for_ever;
  return (arrival_rate * truncated_moment<2>(law, size) / (2 * left) + size) / left;
}

// Means over all jobs.  Infinite from rho = 1 on.

/// Mean of sjf_response over all jobs.
///
///     E T = E T(S)
///
/// Source: as sjf_response.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
seconds sjf_response(const Law& law, per_second arrival_rate) {
  if (!(detail::utilization_of(law, arrival_rate) < 1)) return detail::for_ever;
  return detail::expectation(law, [&](seconds x) { return sjf_response(law, arrival_rate, x); });
}

/// Mean of preemptive_sjf_response over all jobs.
///
///     E T = E T(S)
///
/// Source: as preemptive_sjf_response.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
seconds preemptive_sjf_response(const Law& law, per_second arrival_rate) {
  if (!(detail::utilization_of(law, arrival_rate) < 1)) return detail::for_ever;
  return detail::expectation(
      law, [&](seconds x) { return preemptive_sjf_response(law, arrival_rate, x); });
}

/// Mean of srpt_response over all jobs, with the second term exchanged for one integral.
///
///     E T = E[first term of T(S)] + integral of P(S > t) dt / (1 - rho(t))
///
/// Source: as srpt_response.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
seconds srpt_response(const Law& law, per_second arrival_rate) {
  if (!(detail::utilization_of(law, arrival_rate) < 1)) return detail::for_ever;
  const detail::size_view<Law> jobs{law, arrival_rate};
  const seconds wait = detail::expectation(
      law, [&](seconds x) { return jobs.wait_for(truncated_moment<2>(law, x), x); });
  return wait + detail::integral_up_to(law, detail::longest(law), [&](seconds t) {
           return law.tail(t) / jobs.left_by_shorter(t);
         });
}

/// Mean of least_attained_response over all jobs.
///
///     E T = E T(S)
///
/// Source: as least_attained_response.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
seconds least_attained_response(const Law& law, per_second arrival_rate) {
  if (!(detail::utilization_of(law, arrival_rate) < 1)) return detail::for_ever;
  return detail::expectation(
      law, [&](seconds x) { return least_attained_response(law, arrival_rate, x); });
}

/// Whose turn it is.
enum class queue_policy {
  first_come_first_served,
  processor_sharing,
  shortest_job_first,
  preemptive_shortest_job_first,
  shortest_remaining_time,
  least_attained_service
};

inline constexpr std::array queue_policies{
    queue_policy::first_come_first_served, queue_policy::processor_sharing,
    queue_policy::shortest_job_first,      queue_policy::preemptive_shortest_job_first,
    queue_policy::shortest_remaining_time, queue_policy::least_attained_service};

/// "first come first served", "processor sharing", ...
constexpr std::string_view name_of(queue_policy policy) {
  switch (policy) {
    case queue_policy::first_come_first_served: return "first come first served";
    case queue_policy::processor_sharing: return "processor sharing";
    case queue_policy::shortest_job_first: return "shortest job first";
    case queue_policy::preemptive_shortest_job_first: return "preemptive shortest job first";
    case queue_policy::shortest_remaining_time: return "shortest remaining time first";
    case queue_policy::least_attained_service: return "least attained service";
  }
  return "";
}

/// Does the policy have to know how long a job will take?
constexpr bool knows_sizes(queue_policy policy) {
  return policy == queue_policy::shortest_job_first ||
         policy == queue_policy::preemptive_shortest_job_first ||
         policy == queue_policy::shortest_remaining_time;
}

/// Mean time of a job at one server under a policy, M/G/1.
///
///     fcfs_wait().response(), processor_sharing_response(), sjf_response(),
///         preemptive_sjf_response(), srpt_response() or least_attained_response()
///
///     lambda  arrival_rate   1/s, >= 0
///     S       of law
///
/// Source: as the functions of the policies.
///
/// \throws invalid_input if the law is invalid or arrival_rate < 0
template <service_law Law>
seconds mean_response(queue_policy policy, const Law& law, per_second arrival_rate) {
  switch (policy) {
    case queue_policy::first_come_first_served: return fcfs_wait(law, arrival_rate).response();
    case queue_policy::processor_sharing:
      return processor_sharing_response(mean_service(law),
                                        detail::utilization_of(law, arrival_rate));
    case queue_policy::shortest_job_first: return sjf_response(law, arrival_rate);
    case queue_policy::preemptive_shortest_job_first:
      return preemptive_sjf_response(law, arrival_rate);
    case queue_policy::shortest_remaining_time: return srpt_response(law, arrival_rate);
    case queue_policy::least_attained_service: return least_attained_response(law, arrival_rate);
  }
  require(false, "mean_response: policy must be one of queue_policies");
  return {};
}

}  // namespace gpuplan
