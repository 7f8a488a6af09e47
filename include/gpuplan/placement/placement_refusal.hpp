#pragma once
/// \file
/// Why no node of a pool can host a task.

#include <cstddef>
#include <cstdint>
#include <span>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan {

/// Why a task found no node.
enum class placement_refusal : std::uint8_t {
  none,    ///< it was placed
  never,   ///< no node could host it, were all of them empty
  type,    ///< likewise, as no node has GPUs of a type that it accepts
  cores,   ///< nodes have GPUs for it, but no cores
  memory,  ///< nodes have GPUs and cores for it, but no memory
  gpus     ///< no node has GPUs for it: too few, of other types, or too small pieces
};
inline constexpr std::size_t placement_refusals = 6;

/// Whether waiting cannot help: no node could host the task, were all of them empty.
constexpr bool is_final(placement_refusal why) {
  return why == placement_refusal::never || why == placement_refusal::type;
}

/// The refusal as a plain phrase: "no node is large enough", ...
constexpr const char* name_of(placement_refusal why) {
  switch (why) {
    case placement_refusal::none: return "placed";
    case placement_refusal::never: return "no node is large enough";
    case placement_refusal::type: return "no node has GPUs of its type";
    case placement_refusal::cores: return "no cores are left beside free GPUs";
    case placement_refusal::memory: return "no memory is left beside free GPUs";
    case placement_refusal::gpus: return "no node has free GPUs for it";
  }
  return "";
}

/// Why no node can host the task now. One look at each node; a `placer` answers faster.
/// \throws invalid_input if the task is invalid
inline placement_refusal refusal_of(std::span<const gpu_node> nodes, const gpu_task& task) {
  require_valid(task);
  const bool typed = task.gpus > 0 && task.accepted_types != 0;
  placement_refusal why = typed ? placement_refusal::type : placement_refusal::never;
  for (const gpu_node& host : nodes) {
    if (why == placement_refusal::type && task.accepts(host.type)) why = placement_refusal::never;
    const bool could = task.core_thousandths <= host.core_thousandths &&
                       task.memory <= host.memory &&
                       (task.gpus == 0 || (task.gpus <= host.gpus && task.accepts(host.type)));
    if (!could) continue;
    if (is_final(why)) why = placement_refusal::gpus;
    if (task.gpus > 0 && host.gpus_with(task.gpu_thousandths) < task.gpus) continue;
    if (task.core_thousandths <= host.free_core_thousandths) return placement_refusal::memory;
    why = placement_refusal::cores;
  }
  return why;
}

}  // namespace gpuplan
