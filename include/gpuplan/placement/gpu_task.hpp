#pragma once
/// \file
/// What a job asks of one node: GPUs or a share of one, cores, memory, and allowed GPU types.

#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Shares of a GPU, and of a core, are counted in thousandths, so that sums are exact.
inline constexpr int whole_gpu = 1000;

/// The part of a job that runs on one node. A job on several nodes is several of these.
struct gpu_task {
  int gpus = 1;                      ///< GPUs on one node, 0 .. 16; 0 asks for cores alone
  int gpu_thousandths = whole_gpu;   ///< of each of them, 1 .. 1000; below 1000 it is shared
  std::int64_t core_thousandths{};   ///< of all cores of the node, >= 0
  bytes memory{};                    ///< of the host, >= 0
  std::uint64_t accepted_types = 0;  ///< bit t set: GPUs of type t will do; 0: any will

  /// Thousandths of a GPU, over all GPUs that it asks for.
  [[nodiscard]] constexpr int total_gpu_thousandths() const {
    return gpus == 0 ? 0 : gpus * gpu_thousandths;
  }
  /// Whether a GPU of this type will do.
  [[nodiscard]] constexpr bool accepts(int type) const {
    return accepted_types == 0 || ((accepted_types >> type) & 1U) != 0;
  }

  friend constexpr bool operator==(const gpu_task&, const gpu_task&) = default;
};

/// \throws invalid_input if a field is out of its range
constexpr void require_valid(const gpu_task& task) {
  require(task.gpus >= 0 && task.gpus <= 16, "gpu_task: gpus must be 0 .. 16");
  require(task.gpus == 0 || (task.gpu_thousandths >= 1 && task.gpu_thousandths <= whole_gpu),
          "gpu_task: gpu_thousandths must be 1 .. 1000");
  require(task.core_thousandths >= 0, "gpu_task: core_thousandths must be >= 0");
  require(task.memory >= bytes{0}, "gpu_task: memory must be >= 0 B");
}

}  // namespace gpuplan
