#pragma once
/// \file
/// Nodes of a launch, and the processes that its launcher starts on each.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Nodes of a launch, and processes on each: one for a GPU.  0: not said.
struct launch_ranks {
  int nodes = 0;
  int per_node = 0;

  [[nodiscard]] constexpr bool said() const { return nodes > 0; }
};

/// The fewest nodes that so many processes fill alike, as launchers need it: 12 processes on nodes
/// of 8 GPUs are 2 x 6.
///
/// \throws invalid_input if either is < 1
constexpr launch_ranks launch_ranks_of(std::int64_t processes, int gpus_per_node) {
  require(processes >= 1, "launch_ranks_of: processes must be >= 1");
  require(gpus_per_node >= 1, "launch_ranks_of: gpus_per_node must be >= 1");
  int per_node = static_cast<int>(std::min<std::int64_t>(processes, gpus_per_node));
  while (processes % per_node != 0) --per_node;
  return {static_cast<int>(processes / per_node), per_node};
}

/// "torchrun --nnodes 8 --nproc-per-node 8"; where several nodes meet is not decided.
///
/// Source: PyTorch, "torchrun (Elastic Launch)" (2.8, 2025).
inline std::string torchrun_of(const launch_ranks& ranks) {
  return "torchrun --nnodes " + std::to_string(ranks.nodes) + " --nproc-per-node " +
         std::to_string(ranks.per_node);
}

}  // namespace gpuplan
