#pragma once
/// \file
/// What an allocation must obey, each rule as the amount by which it is broken, and by whom: by
/// definition.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/placement/resources.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The rules.
enum class placement_rule : std::uint8_t {
  capacity,   ///< no node gives more than it has
  integrity,  ///< a gang has all of its GPUs or none
  locality,   ///< enough of a job's data lies where it runs
  topology,   ///< a gang spans no more levels than it allows
  service     ///< a job ends by its deadline
};

/// "capacity", "integrity", ...
constexpr const char* name_of(placement_rule rule) {
  switch (rule) {
    case placement_rule::capacity: return "capacity";
    case placement_rule::integrity: return "integrity";
    case placement_rule::locality: return "locality";
    case placement_rule::topology: return "topology";
    case placement_rule::service: return "service";
  }
  return "";
}

/// How far apart the GPUs of a gang are.
enum class topology_span : std::uint8_t { gpu, nvlink_domain, one_node, rack, whole_cluster };

/// Nobody.
inline constexpr std::size_t no_one = std::numeric_limits<std::size_t>::max();

/// By how much a rule is broken, and by which job or node; amount 0: it holds.
struct violation {
  placement_rule rule{};
  double amount = 0;         ///< > 0 where broken; its meaning is said by the function
  std::size_t job = no_one;  ///< of the list given
  std::size_t node = no_one;
  [[nodiscard]] constexpr bool holds() const { return amount == 0; }
};

/// Where a job's GPUs lie.
struct job_location {
  int gpus_asked = 1;                                   ///< >= 0
  int gpus_given = 0;                                   ///< >= 0
  double local_data = 1;                                ///< part of its data on its nodes, 0 .. 1
  double least_local_data = 0;                          ///< alpha, 0 .. 1
  topology_span span = topology_span::gpu;              ///< the widest level that its GPUs cross
  topology_span widest = topology_span::whole_cluster;  ///< beta: that it allows
  seconds end{};                                        ///< expected
  seconds deadline = seconds{std::numeric_limits<double>::infinity()};
};

/// Capacity: for the worst node and kind, what is asked over what there is, less 1; asking for what
/// a node has none of counts as infinitely much.
/// \throws invalid_input if an amount is out of range or there are not as many of both
constexpr violation capacity_violation(std::span<const resources> asked,
                                       std::span<const resources> capacity) {
  require(asked.size() == capacity.size(),
          "capacity_violation: both must have the same number of nodes");
  violation worst{.rule = placement_rule::capacity};
  const auto over = [](auto some, auto all, auto none) {
    if (!(some > all)) return 0.0;
    return all > none ? some / all - 1 : std::numeric_limits<double>::infinity();
  };
  for (std::size_t i = 0; i < asked.size(); ++i) {
    require_valid(asked[i]);
    require_valid(capacity[i]);
    const double amount =
        std::max({over(asked[i].compute, capacity[i].compute, flop_per_second{0}),
                  over(asked[i].memory, capacity[i].memory, bytes{0}),
                  over(asked[i].cores, capacity[i].cores, 0.0),
                  over(asked[i].network, capacity[i].network, bytes_per_second{0})});
    if (amount > worst.amount) worst = {placement_rule::capacity, amount, no_one, i};
  }
  return worst;
}

namespace detail {

/// The job that breaks a rule most.
template <class Amount>
constexpr violation worst_job(placement_rule rule, std::span<const job_location> jobs,
                              const Amount& amount_of) {
  violation worst{.rule = rule};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const double amount = amount_of(jobs[j]);
    if (amount > worst.amount) worst = {rule, amount, j, no_one};
  }
  return worst;
}

}  // namespace detail

/// Gang integrity: GPUs that a job lacks, or has too many, where it has any.
/// \throws invalid_input if a number of GPUs is not >= 0
constexpr violation integrity_violation(std::span<const job_location> jobs) {
  return detail::worst_job(placement_rule::integrity, jobs, [](const job_location& job) {
    require(job.gpus_asked >= 0 && job.gpus_given >= 0, "integrity_violation: gpus must be >= 0");
    if (job.gpus_given == 0) return 0.0;
    const double off = static_cast<double>(job.gpus_given) - job.gpus_asked;
    return off < 0 ? -off : off;
  });
}

/// Data locality: alpha less the part of the data that is local.
/// \throws invalid_input if a part is not 0 .. 1
constexpr violation locality_violation(std::span<const job_location> jobs) {
  return detail::worst_job(placement_rule::locality, jobs, [](const job_location& job) {
    require(job.local_data >= 0 && job.local_data <= 1 && job.least_local_data >= 0 &&
                job.least_local_data <= 1,
            "locality_violation: parts of the data must be 0 .. 1");
    return std::max(0.0, job.least_local_data - job.local_data);
  });
}

/// Topology: levels by which a gang spans more than it allows.
constexpr violation topology_violation(std::span<const job_location> jobs) {
  return detail::worst_job(placement_rule::topology, jobs, [](const job_location& job) {
    return std::max(0.0, static_cast<double>(job.span) - static_cast<double>(job.widest));
  });
}

/// Service: seconds by which a job ends after its deadline.
/// \throws invalid_input if an end or a deadline is not a number
constexpr violation service_violation(std::span<const job_location> jobs) {
  return detail::worst_job(placement_rule::service, jobs, [](const job_location& job) {
    require(job.end == job.end && job.deadline == job.deadline,
            "service_violation: end and deadline must be numbers");
    return job.end > job.deadline ? (job.end - job.deadline).in_base_units() : 0.0;
  });
}

}  // namespace gpuplan
