#pragma once
/// \file
/// Nodes of a launch, and the processes that its launcher starts on each.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Nodes of a launch, and processes on each: one for a GPU.  0 nodes: not said.
struct launch_ranks {
  int nodes = 0;
  int per_node = 0;
  int left_idle = 0;  ///< GPUs of each node without a process, where the processes fill no nodes

  [[nodiscard]] constexpr bool said() const { return nodes > 0; }
};

/// The fewest nodes that so many processes fill alike, as launchers need it: 12 processes on nodes
/// of 8 GPUs are 2 x 6.
///
///     group  processes that stay on one node, where they divide the processes and fit one: the
///            tensor ranks
///
/// \throws invalid_input if any is < 1
constexpr launch_ranks launch_ranks_of(std::int64_t processes, int gpus_per_node, int group = 1) {
  require(processes >= 1, "launch_ranks_of: processes must be >= 1");
  require(gpus_per_node >= 1, "launch_ranks_of: gpus_per_node must be >= 1");
  require(group >= 1, "launch_ranks_of: group must be >= 1");
  if (group > gpus_per_node || processes % group != 0) group = 1;
  int per_node = static_cast<int>(std::min<std::int64_t>(processes, gpus_per_node));
  while (processes % per_node != 0 || per_node % group != 0) --per_node;
  const auto nodes = static_cast<int>(processes / per_node);
  return {nodes, per_node, nodes > 1 ? gpus_per_node - per_node : 0};
}

/// "100 GPUs do not fill nodes of 8: 20 nodes start 5 processes each"; empty where they do.
inline std::string unfilled_nodes(const launch_ranks& ranks) {
  if (ranks.left_idle == 0) return {};
  return std::to_string(std::int64_t{ranks.nodes} * ranks.per_node) +
         " GPUs do not fill nodes of " + std::to_string(ranks.per_node + ranks.left_idle) + ": " +
         std::to_string(ranks.nodes) + " nodes start " + std::to_string(ranks.per_node) +
         (ranks.per_node == 1 ? " process each" : " processes each");
}

/// "torchrun --nnodes 8 --nproc-per-node 8"; where several nodes meet is not decided.
///
/// Source: PyTorch, "torchrun (Elastic Launch)" (2.8, 2025).
inline std::string torchrun_of(const launch_ranks& ranks) {
  return "torchrun --nnodes " + std::to_string(ranks.nodes) + " --nproc-per-node " +
         std::to_string(ranks.per_node);
}

}  // namespace gpuplan
