#pragma once
/// \file
/// The policies of one server by name, so that they can be compared in a loop.

#include <array>
#include <string_view>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
    case queue_policy::shortest_remaining_time: return "shortest remaining time";
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
