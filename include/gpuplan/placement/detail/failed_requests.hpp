#pragma once
/// \file
/// What was asked for in vain.

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Requests that found no node since the pool last changed: like ones need not be tried.
class failed_requests {
 public:
  [[nodiscard]] bool has(const gpu_task& task) const { return seen_.contains(key_of(task)); }
  void add(const gpu_task& task) { seen_.insert(key_of(task)); }
  void clear() { seen_.clear(); }
  [[nodiscard]] std::size_t size() const { return seen_.size(); }

 private:
  using key = std::pair<std::array<std::uint64_t, 3>, double>;
  static key key_of(const gpu_task& task) {
    return {{static_cast<std::uint64_t>(task.total_gpu_thousandths()) * 32 +
                 static_cast<std::uint64_t>(task.gpus),
             static_cast<std::uint64_t>(task.core_thousandths), task.accepted_types},
            task.memory.in_base_units()};
  }
  std::set<key> seen_{};
};

}  // namespace gpuplan::detail
