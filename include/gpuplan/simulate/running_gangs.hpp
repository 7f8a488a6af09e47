#pragma once
/// \file
/// The running jobs of a simulated pool, ordered by their end, and the free GPUs.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// When a gang could start if nobody came before it, and what is free beside it from then on.
struct gang_reservation {
  seconds start{};
  std::int64_t spare = 0;  ///< GPUs
};

/// Gangs that run, in a heap of four children a node: at most as many as there are GPUs.
class running_gangs {
 public:
  explicit running_gangs(std::int64_t gpus) : free_(gpus) {}

  [[nodiscard]] std::int64_t free() const { return free_; }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// When the first ends; there must be one.
  [[nodiscard]] seconds next_end() const { return heap_.front().end; }

  void start(std::int64_t gpus, seconds end) {
    free_ -= gpus;
    std::size_t hole = heap_.size();
    heap_.push_back({end, gpus});
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!(end < heap_[parent].end)) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = {end, gpus};
  }

  /// Frees the GPUs of those that have ended at a time.
  void release_until(seconds now) {
    while (!heap_.empty() && heap_.front().end <= now) {
      free_ += heap_.front().gpus;
      const gang last = heap_.back();
      heap_.pop_back();
      if (!heap_.empty()) sink(last);
    }
  }

  /// When so many GPUs will be free; they must not be more than the pool has.  O(k log k) where k
  /// jobs end before.
  [[nodiscard]] gang_reservation reserve(std::int64_t gpus, seconds now) {
    gang_reservation found{now, free_ - gpus};
    frontier_.clear();
    if (!heap_.empty()) push_frontier(0);
    while (!frontier_.empty() && (found.spare < 0 || heap_[frontier_.front()].end <= found.start)) {
      const std::size_t first = frontier_.front();
      pop_frontier();
      found.start = larger(found.start, heap_[first].end);
      found.spare += heap_[first].gpus;
      for (std::size_t child = 4 * first + 1; child < heap_.size() && child <= 4 * first + 4;
           ++child)
        push_frontier(child);
    }
    return found;
  }

 private:
  struct gang {
    seconds end{};
    std::int64_t gpus = 0;
  };

  void sink(const gang& moved) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      std::size_t least = child;
      const std::size_t last = child + 4 < size ? child + 4 : size;
      for (std::size_t other = child + 1; other < last; ++other)
        if (heap_[other].end < heap_[least].end) least = other;
      if (!(heap_[least].end < moved.end)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = moved;
  }

  // Nodes of the heap whose parents have been counted, themselves a heap of two children a node.
  [[nodiscard]] bool later(std::size_t a, std::size_t b) const {
    return heap_[b].end < heap_[a].end;
  }
  void push_frontier(std::size_t at) {
    frontier_.push_back(at);
    for (std::size_t i = frontier_.size() - 1; i > 0;) {
      const std::size_t parent = (i - 1) / 2;
      if (!later(frontier_[parent], frontier_[i])) break;
      std::swap(frontier_[parent], frontier_[i]);
      i = parent;
    }
  }
  void pop_frontier() {
    frontier_.front() = frontier_.back();
    frontier_.pop_back();
    for (std::size_t i = 0;;) {
      std::size_t least = i;
      for (std::size_t child = 2 * i + 1; child <= 2 * i + 2 && child < frontier_.size(); ++child)
        if (later(frontier_[least], frontier_[child])) least = child;
      if (least == i) break;
      std::swap(frontier_[least], frontier_[i]);
      i = least;
    }
  }

  std::int64_t free_;
  std::vector<gang> heap_;
  std::vector<std::size_t> frontier_;
};

}  // namespace gpuplan
