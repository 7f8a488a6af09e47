#pragma once
/// \file
/// Cores that nodes can give away while their GPUs stay as useful, by position.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Finds the first node with enough to spare without a look at each: a binary tree over the nodes
/// in their order keeps what one below a branch has at most.
class spare_cores {
 public:
  struct entry {
    std::int64_t cores = -1;  ///< thousandths that may be spare; -1: none, not even 0
    bytes memory{-1};         ///< free
  };

  /// By position.
  explicit spare_cores(std::span<const entry> nodes)
      : width_{std::bit_ceil(nodes.size())}, most_(2 * width_) {
    std::copy(nodes.begin(), nodes.end(), most_.begin() + static_cast<std::ptrdiff_t>(width_));
    for (std::size_t at = width_ - 1; at > 0; --at) most_[at] = most_below(at);
  }

  void change(std::size_t position, const entry& node) {
    std::size_t at = width_ + position;
    most_[at] = node;
    for (at /= 2; at > 0; at /= 2) {
      const entry most = most_below(at);
      if (most.cores == most_[at].cores && most.memory == most_[at].memory) return;
      most_[at] = most;
    }
  }

  /// The first position with at least so much that passes a test; empty if none does.
  template <class Test>
  [[nodiscard]] std::optional<std::size_t> first(const entry& asked, const Test& test,
                                                 std::size_t at = 1) const {
    if (most_[at].cores < asked.cores || most_[at].memory < asked.memory) return {};
    if (at >= width_) return test(at - width_) ? std::optional{at - width_} : std::nullopt;
    if (const auto left = first(asked, test, 2 * at)) return left;
    return first(asked, test, 2 * at + 1);
  }

 private:
  [[nodiscard]] entry most_below(std::size_t at) const {
    const entry& left = most_[2 * at];
    const entry& right = most_[2 * at + 1];
    return {.cores = (std::max)(left.cores, right.cores),
            .memory = (std::max)(left.memory, right.memory)};
  }

  std::size_t width_;        // places for nodes, a power of two
  std::vector<entry> most_;  // 1 is the root, below i are 2 i and 2 i + 1
};

}  // namespace gpuplan::detail
