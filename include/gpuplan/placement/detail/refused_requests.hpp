#pragma once
/// \file
/// Requests that no node can host, and with them all that ask for more.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Whether each node that can host `more` can host `less` too.
constexpr bool asks_no_less(const gpu_task& more, const gpu_task& less) {
  if (less.core_thousandths > more.core_thousandths || less.memory > more.memory) return false;
  if (less.gpus == 0) return true;
  if (less.gpus > more.gpus || less.gpu_thousandths > more.gpu_thousandths) return false;
  return less.accepted_types == 0 ||
         (more.accepted_types != 0 && (more.accepted_types & ~less.accepted_types) == 0);
}

/// In a full pool most requests are in vain, and few are alike; but most ask for no less than one
/// that was refused before, and then no node need be looked at. A refusal holds until a node that
/// gets something back can host the request.
class refused_requests {
 public:
  /// Requests that are kept at most: a look at all of them takes less time than a search.
  static constexpr std::size_t most = 128;

  /// Whether it is known that no node can host the task. What was of use comes nearer to the front,
  /// and so is found sooner and kept longer.
  [[nodiscard]] bool rule_out(const gpu_task& task) {
    for (std::size_t at = 0; at < kept_.size(); ++at)
      if (asks_no_less(task, kept_[at])) {
        std::swap(kept_[at / 2], kept_[at]);
        return true;
      }
    return false;
  }

  /// No node can host the task; what asks for no less than it goes.
  void add(const gpu_task& task) {
    std::erase_if(kept_, [&](const gpu_task& each) { return asks_no_less(each, task); });
    if (kept_.size() == most) kept_.pop_back();
    kept_.push_back(task);
    std::swap(kept_[kept_.size() / 2], kept_.back());
  }

  /// The node has got something back.
  void note_release(const gpu_node& host) {
    std::erase_if(kept_, [&](const gpu_task& each) { return can_host(host, each); });
  }

  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  std::vector<gpu_task> kept_{};
};

}  // namespace gpuplan::detail
