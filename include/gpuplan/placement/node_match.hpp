#pragma once
/// \file
/// One task alone: which nodes can host it, and which one gets it.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/placer_policy.hpp>

namespace gpuplan {

/// Positions of the nodes that can host the task now and pass a test of the caller's:
/// `allowed(position, node)`, such as data being local, or a rack being in service.
///
/// \throws invalid_input if the task is invalid
template <class Allowed>
std::vector<std::size_t> filter_nodes(std::span<const gpu_node> nodes, const gpu_task& task,
                                      const Allowed& allowed) {
  require_valid(task);
  std::vector<std::size_t> passed;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (can_host(nodes[n], task) && allowed(n, nodes[n])) passed.push_back(n);
  return passed;
}

/// Positions of the nodes that can host the task now.
/// \throws invalid_input if the task is invalid
inline std::vector<std::size_t> filter_nodes(std::span<const gpu_node> nodes,
                                             const gpu_task& task) {
  return filter_nodes(nodes, task, [](std::size_t, const gpu_node&) { return true; });
}

/// Of these nodes the one that suits the task best under a policy, the first of equal ones; empty
/// where none can host it. For many tasks a `placer` remembers scores; this one asks once.
///
/// \throws invalid_input if the task is invalid, a position is beyond the nodes, or the policy
///         needs a mix and has none
inline std::optional<task_placement> match_node(placement_policy policy,
                                                std::span<const gpu_node> nodes,
                                                std::span<const std::size_t> among,
                                                const gpu_task& task, const placement_scale& scale,
                                                const task_mix& mix = {}) {
  require_valid(task);
  require(!needs_mix(policy) || !mix.empty(),
          "match_node: mix must not be empty where the policy looks at fragmentation");
  std::optional<task_placement> best;
  double most = 0;
  for (const std::size_t n : among) {
    require(n < nodes.size(), "match_node: positions must be < nodes");
    const placement_candidate found = candidate_of(policy, nodes[n], task, scale, mix);
    if (!found.feasible() || (best && !(found.score > most))) continue;
    best = task_placement{.node = n, .gpus = found.gpus};
    most = found.score;
  }
  return best;
}

}  // namespace gpuplan
