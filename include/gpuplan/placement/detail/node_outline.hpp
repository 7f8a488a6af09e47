#pragma once
/// \file
/// What a bound of one node's score reads of it, in few bytes.

#include <cstddef>
#include <cstdint>

#include <gpuplan/placement/detail/mix_table.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// What is free of a node, whatever the order of its GPUs.
struct node_outline {
  std::int64_t cores = 0;  ///< thousandths
  bytes memory{};
  mix_table::free_pieces pieces{};
  placement_vector parts{};   ///< of the largest node
  std::int32_t type = 0;      ///< of its GPUs
  std::uint32_t amounts = 0;  ///< how many of the amounts of cores that the mix asks for are there

  /// Whether it can host the task now.
  [[nodiscard]] bool can_host(const gpu_task& task) const {
    return task.core_thousandths <= cores && task.memory <= memory &&
           (task.gpus == 0 ||
            (task.accepts(type) &&
             pieces[static_cast<std::size_t>(task.gpus) - 1] >= task.gpu_thousandths));
  }
};

}  // namespace gpuplan::detail
