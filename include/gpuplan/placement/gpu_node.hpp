#pragma once
/// \file
/// A node for placement: free parts of each GPU, of the cores and of the memory.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Which GPUs of a node: bit g set for GPU g.
using gpu_set = std::uint16_t;

/// A node with up to 16 GPUs of one type.
struct gpu_node {
  static constexpr int most_gpus = 16;

  int gpus = 0;                           ///< 0 .. 16
  int type = 0;                           ///< of its GPUs, 0 .. 63
  std::int64_t core_thousandths{};        ///< all of its cores, >= 0
  bytes memory{};                         ///< of the host, >= 0
  std::array<int, most_gpus> free_gpu{};  ///< thousandths of each GPU that are free
  std::int64_t free_core_thousandths{};   ///< 0 .. core_thousandths
  bytes free_memory{};                    ///< 0 .. memory

  [[nodiscard]] constexpr int free_gpu_thousandths() const {
    int sum = 0;
    for (int gpu = 0; gpu < gpus; ++gpu) sum += free_gpu[static_cast<std::size_t>(gpu)];
    return sum;
  }
  /// GPUs with at least this many thousandths free.
  [[nodiscard]] constexpr int gpus_with(int thousandths) const {
    int count = 0;
    for (int gpu = 0; gpu < gpus; ++gpu)
      if (free_gpu[static_cast<std::size_t>(gpu)] >= thousandths) ++count;
    return count;
  }
  [[nodiscard]] constexpr int whole_free_gpus() const { return gpus_with(whole_gpu); }

  friend constexpr bool operator==(const gpu_node&, const gpu_node&) = default;
};

/// A node of which nothing is taken.
/// \throws invalid_input if gpus is not 0 .. 16, the type not 0 .. 63, or a size is < 0
constexpr gpu_node empty_node(int gpus, std::int64_t core_thousandths, bytes memory, int type = 0) {
  require(gpus >= 0 && gpus <= gpu_node::most_gpus, "gpu_node: gpus must be 0 .. 16");
  require(type >= 0 && type < 64, "gpu_node: type must be 0 .. 63");
  require(core_thousandths >= 0, "gpu_node: core_thousandths must be >= 0");
  require(memory >= bytes{0}, "gpu_node: memory must be >= 0 B");
  gpu_node host{.gpus = gpus,
                .type = type,
                .core_thousandths = core_thousandths,
                .memory = memory,
                .free_gpu = {},
                .free_core_thousandths = core_thousandths,
                .free_memory = memory};
  for (int gpu = 0; gpu < gpus; ++gpu) host.free_gpu[static_cast<std::size_t>(gpu)] = whole_gpu;
  return host;
}

/// Whether the task can run on the node now: type, cores, memory, and GPUs with enough free of
/// each.
constexpr bool can_host(const gpu_node& host, const gpu_task& task) {
  return task.core_thousandths <= host.free_core_thousandths && task.memory <= host.free_memory &&
         (task.gpus == 0 ||
          (task.accepts(host.type) && host.gpus_with(task.gpu_thousandths) >= task.gpus));
}

/// The node after the task has taken what it asks for, on these GPUs.
/// \throws invalid_input if the set is not as large as the task asks, or something is not free
constexpr gpu_node with_task(gpu_node host, const gpu_task& task, gpu_set on) {
  require(std::popcount(on) == task.gpus, "with_task: the set must have as many GPUs as the task");
  require(task.core_thousandths <= host.free_core_thousandths,
          "with_task: cores must be <= those that are free");
  require(task.memory <= host.free_memory, "with_task: memory must be <= what is free");
  for (int gpu = 0; gpu < gpu_node::most_gpus; ++gpu) {
    if (((on >> gpu) & 1) == 0) continue;
    int& free = host.free_gpu[static_cast<std::size_t>(gpu)];
    require(gpu < host.gpus && free >= task.gpu_thousandths,
            "with_task: each GPU must have what the task asks for free");
    free -= task.gpu_thousandths;
  }
  host.free_core_thousandths -= task.core_thousandths;
  host.free_memory -= task.memory;
  return host;
}

/// The node after the task has given back what it took.
/// \throws invalid_input if more would be free than the node has
constexpr gpu_node without_task(gpu_node host, const gpu_task& task, gpu_set on) {
  require(std::popcount(on) == task.gpus,
          "without_task: the set must have as many GPUs as the task");
  for (int gpu = 0; gpu < gpu_node::most_gpus; ++gpu) {
    if (((on >> gpu) & 1) == 0) continue;
    int& free = host.free_gpu[static_cast<std::size_t>(gpu)];
    require(gpu < host.gpus && free + task.gpu_thousandths <= whole_gpu,
            "without_task: a GPU must not have more free than it has");
    free += task.gpu_thousandths;
  }
  host.free_core_thousandths += task.core_thousandths;
  host.free_memory += task.memory;
  require(host.free_core_thousandths <= host.core_thousandths && host.free_memory <= host.memory,
          "without_task: a node must not have more free than it has");
  return host;
}

/// Among the GPUs with enough free: those with the least, or with the most, of equal ones the
/// first.
enum class gpu_choice : std::uint8_t { least_free, most_free };

/// The GPUs that the task would take of a node that can host it; the empty set where it asks for
/// none, or where the node cannot.
constexpr gpu_set choose_gpus(const gpu_node& host, const gpu_task& task, gpu_choice choice) {
  gpu_set chosen = 0;
  for (int taken = 0; taken < task.gpus; ++taken) {
    int best = -1;
    for (int gpu = 0; gpu < host.gpus; ++gpu) {
      const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
      if (((chosen >> gpu) & 1) != 0 || free < task.gpu_thousandths) continue;
      if (best >= 0) {
        const int held = host.free_gpu[static_cast<std::size_t>(best)];
        if (choice == gpu_choice::least_free ? free >= held : free <= held) continue;
      }
      best = gpu;
    }
    if (best < 0) return 0;
    chosen = static_cast<gpu_set>(chosen | (1U << best));
  }
  return chosen;
}

}  // namespace gpuplan
