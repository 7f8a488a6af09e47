#pragma once
/// \file
/// Which GPUs of a node a task takes.

#include <cstddef>
#include <cstdint>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan {

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
