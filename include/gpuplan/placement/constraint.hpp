#pragma once
/// \file
/// What an allocation must obey, each rule as the amount by which it is broken, and by whom: by
/// definition.

#include <algorithm>
#include <array>
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
  locality,   ///< enough of a job's nodes hold its data
  topology,   ///< a job lies on no more nodes than it allows
  service,    ///< a job ends by its deadline
  span        ///< a gang spans no more levels than it allows
};
/// The five rules of the source; the span is a finer form of the topology.
inline constexpr std::array placement_rules{placement_rule::capacity, placement_rule::integrity,
                                            placement_rule::locality, placement_rule::topology,
                                            placement_rule::service};

/// "capacity", "integrity", ...
constexpr const char* name_of(placement_rule rule) {
  switch (rule) {
    case placement_rule::capacity: return "capacity";
    case placement_rule::integrity: return "integrity";
    case placement_rule::locality: return "locality";
    case placement_rule::topology: return "topology";
    case placement_rule::service: return "service";
    case placement_rule::span: return "span";
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
  int gpus_asked = 1;           ///< >= 0
  int gpus_given = 0;           ///< >= 0
  int nodes = 0;                ///< on which it has a part, >= 0
  int data_nodes = 0;           ///< of these, those that hold its data, 0 .. nodes
  double least_data_nodes = 0;  ///< alpha: least part of its nodes that must hold it, 0 .. 1
  int most_nodes = every_node;  ///< beta: most nodes that it may lie on, >= 1
  topology_span span = topology_span::gpu;              ///< the widest level that its GPUs cross
  topology_span widest = topology_span::whole_cluster;  ///< that it allows
  seconds end{};                                        ///< expected
  seconds deadline = seconds{std::numeric_limits<double>::infinity()};

  /// No limit on its nodes.
  static constexpr int every_node = std::numeric_limits<int>::max();
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

/// GPUs that a job lacks, or has too many, where it has any.
///
///     |sum_i x_i n_i - n|
///
///     x_i  1 where the job has a part on node i, else 0
///     n_i  GPUs that it has there    count
///     n    GPUs that it asks for     count
///
/// A job that waits has none, and breaks nothing.
///
/// \throws invalid_input if a number of GPUs is not >= 0
constexpr double integrity_excess(const job_location& job) {
  require(job.gpus_asked >= 0 && job.gpus_given >= 0, "integrity_excess: gpus must be >= 0");
  if (job.gpus_given == 0) return 0;
  const double off = static_cast<double>(job.gpus_given) - job.gpus_asked;
  return off < 0 ? -off : off;
}

/// Nodes with its data that a job lacks.
///
///     max(0, alpha sum_(all i) x_i - sum_(i in S) x_i)
///
///     x_i    1 where the job has a part on node i, else 0
///     S      nodes that hold its data
///     alpha  least part of its nodes that must hold it    1, 0 .. 1
///
/// \throws invalid_input if alpha is not 0 .. 1, or a number of nodes is out of range
constexpr double locality_excess(const job_location& job) {
  require(job.least_data_nodes >= 0 && job.least_data_nodes <= 1,
          "locality_excess: least_data_nodes must be 0 .. 1");
  require(job.data_nodes >= 0 && job.nodes >= job.data_nodes,
          "locality_excess: data_nodes must be 0 .. nodes");
  const double lacking = job.least_data_nodes * job.nodes - job.data_nodes;
  return lacking > 1e-9 ? lacking : 0;  // 0.8 x 5 is 4, whatever its rounding
}

/// Nodes by which a job lies on more than it allows.
///
///     max(0, sum_i x_i - beta)
///
///     x_i   1 where the job has a part on node i, else 0
///     beta  most nodes that it allows    count, >= 1
///
/// \throws invalid_input if most_nodes is not >= 1, or nodes is not >= 0
constexpr double topology_excess(const job_location& job) {
  require(job.most_nodes >= 1, "topology_excess: most_nodes must be >= 1");
  require(job.nodes >= 0, "topology_excess: nodes must be >= 0");
  return job.nodes > job.most_nodes ? static_cast<double>(job.nodes) - job.most_nodes : 0;
}

/// Seconds by which a job ends after its deadline.
///
///     max(0, end - deadline)
///
/// \throws invalid_input if an end or a deadline is not a number
constexpr double service_excess(const job_location& job) {
  require(job.end == job.end && job.deadline == job.deadline,
          "service_excess: end and deadline must be numbers");
  return job.end > job.deadline ? (job.end - job.deadline).in_base_units() : 0;
}

/// Levels by which a gang spans more than it allows.
constexpr double span_excess(const job_location& job) {
  return std::max(0.0, static_cast<double>(job.span) - static_cast<double>(job.widest));
}

/// By how much a job breaks a rule about jobs: 0 where it holds, or where the rule is about nodes.
/// \throws invalid_input as the function of that rule
constexpr double excess_of(placement_rule rule, const job_location& job) {
  switch (rule) {
    case placement_rule::capacity: return 0;
    case placement_rule::integrity: return integrity_excess(job);
    case placement_rule::locality: return locality_excess(job);
    case placement_rule::topology: return topology_excess(job);
    case placement_rule::service: return service_excess(job);
    case placement_rule::span: return span_excess(job);
  }
  return 0;
}

/// The job that breaks a rule most, and how many break it.
struct rule_check {
  violation worst{};
  std::int64_t broken = 0;  ///< jobs, or nodes
};

/// A rule about jobs, checked on each.
/// \throws invalid_input as the function of that rule
constexpr rule_check check_rule(placement_rule rule, std::span<const job_location> jobs) {
  rule_check found{.worst = {.rule = rule}};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const double amount = excess_of(rule, jobs[j]);
    if (amount > 0) ++found.broken;
    if (amount > found.worst.amount) found.worst = {rule, amount, j, no_one};
  }
  return found;
}

}  // namespace gpuplan
