#pragma once
/// \file
/// Where tasks of a kind went, or nearly went: where to look first for the next.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// The latest few positions for tasks that ask for as many GPUs, or for about as much of one. The
/// sooner a search finds a good node, the more of the others it can rule out.
class recent_hosts {
 public:
  static constexpr std::size_t few = 8;

  struct hosts {
    std::array<std::uint32_t, few> latest{};
    std::size_t count = 0;  ///< noted so far
    [[nodiscard]] std::span<const std::uint32_t> positions() const {
      return {latest.data(), count < few ? count : few};
    }
  };

  [[nodiscard]] const hosts& of(const gpu_task& task) const { return hosts_[kind_of(task)]; }

  void note(const gpu_task& task, std::size_t position) {
    hosts& its = hosts_[kind_of(task)];
    its.latest[its.count++ % few] = static_cast<std::uint32_t>(position);
  }

 private:
  static constexpr int step = 64;  // thousandths of a GPU between two kinds

  static std::size_t kind_of(const gpu_task& task) {
    const bool shares = task.gpus == 1 && task.gpu_thousandths < whole_gpu;
    return static_cast<std::size_t>(shares ? gpu_node::most_gpus + 1 + task.gpu_thousandths / step
                                           : task.gpus);
  }

  std::array<hosts, gpu_node::most_gpus + 1 + whole_gpu / step + 1> hosts_{};
};

}  // namespace gpuplan::detail
