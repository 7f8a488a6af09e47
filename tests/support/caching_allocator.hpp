#pragma once
/// \file
/// PyTorch's caching allocator by its documented rules, for replays: one stream, no expandable
/// segments, the default configuration.

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include <gpuplan/memory/reserved.hpp>

namespace gpuplan::testing {

/// Source: PyTorch, c10/cuda/CUDACachingAllocator.cpp (2.x): round_size, get_free_block,
/// should_split, try_merge_blocks, release_cached_blocks.
class caching_allocator {
 public:
  /// Where a block is.
  struct place {
    int segment = 0;
    std::int64_t offset = 0;
    auto operator<=>(const place&) const = default;
  };

  explicit caching_allocator(std::int64_t capacity = std::numeric_limits<std::int64_t>::max())
      : capacity_(capacity) {}

  /// The smallest cached block that is large enough, or a new segment, split where it is worth it.
  place allocate(std::int64_t wanted) {
    const std::int64_t size = (std::max<std::int64_t>(wanted, 1) + 511) / 512 * 512;
    const bool small = size <= MiB;
    cached& pool = cached_[small];
    auto found = pool.lower_bound({size, {}});
    if (found == pool.end()) found = pool.insert(new_segment(size, small)).first;
    const place at = found->where;
    pool.erase(found);

    block& taken = blocks_[at];
    const std::int64_t rest = taken.size - size;
    if (small ? rest >= 512 : rest > MiB) {
      const place next{at.segment, at.offset + size};
      blocks_[next] = {rest, small, false};
      pool.insert({rest, next});
      taken.size = size;
    }
    taken.used = true;
    allocated_ += taken.size;
    most_allocated_ = std::max(most_allocated_, allocated_);
    return at;
  }

  /// Caches the block, joined with free neighbours of its segment.
  void free(place at) {
    auto it = blocks_.find(at);
    it->second.used = false;
    allocated_ -= it->second.size;
    cached& pool = cached_[it->second.small];
    if (it != blocks_.begin())
      if (const auto before = std::prev(it); joins(before, it)) {
        pool.erase({before->second.size, before->first});
        before->second.size += it->second.size;
        blocks_.erase(it);
        it = before;
      }
    if (const auto after = std::next(it); after != blocks_.end() && joins(it, after)) {
      pool.erase({after->second.size, after->first});
      it->second.size += after->second.size;
      blocks_.erase(after);
    }
    pool.insert({it->second.size, it->first});
  }

  [[nodiscard]] std::int64_t most_allocated() const { return most_allocated_; }
  [[nodiscard]] std::int64_t most_reserved() const { return most_reserved_; }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }

 private:
  static constexpr std::int64_t MiB = 1 << 20;
  struct block {
    std::int64_t size = 0;
    bool small = false;
    bool used = false;
  };
  struct cached_block {
    std::int64_t size = 0;
    place where{};
    auto operator<=>(const cached_block&) const = default;
  };
  using cached = std::set<cached_block>;
  using iterator = std::map<place, block>::iterator;

  static bool joins(iterator a, iterator b) {
    return a->first.segment == b->first.segment && !a->second.used && !b->second.used;
  }

  cached_block new_segment(std::int64_t size, bool small) {
    const auto segment = static_cast<std::int64_t>(
        segment_of(static_cast<double>(size) * units::byte).in(units::byte));
    if (reserved_ > capacity_ - segment) release_cached();
    if (reserved_ > capacity_ - segment) out_of_memory_ = true;
    reserved_ += segment;
    most_reserved_ = std::max(most_reserved_, reserved_);
    const place at{segments_++, 0};
    blocks_[at] = {segment, small, false};
    sizes_[at.segment] = segment;
    return {segment, at};
  }

  /// Returns every segment that no tensor is in.
  void release_cached() {
    for (auto it = blocks_.begin(); it != blocks_.end();) {
      const auto& [at, one] = *it;
      if (one.used || one.size != sizes_[at.segment]) {
        ++it;
        continue;
      }
      cached_[one.small].erase({one.size, at});
      reserved_ -= one.size;
      it = blocks_.erase(it);
    }
  }

  std::int64_t capacity_;
  std::map<place, block> blocks_;
  std::map<int, std::int64_t> sizes_;
  std::array<cached, 2> cached_;  // large, small
  int segments_ = 0;
  std::int64_t allocated_ = 0, reserved_ = 0, most_allocated_ = 0, most_reserved_ = 0;
  bool out_of_memory_ = false;
};

}  // namespace gpuplan::testing
