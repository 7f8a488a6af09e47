#pragma once
/// \file
/// What a search has found so far: counts, and the best plans.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>

namespace gpuplan::detail {

/// By how much a layout misses: how full it leaves device or host, then what it needs of the
/// device.
struct miss_size {
  double fullness = 0;
  bytes needed{};

  friend bool operator<(const miss_size& a, const miss_size& b) {
    return std::tie(a.fullness, a.needed) < std::tie(b.fullness, b.needed);
  }
};

/// Counts of what was looked at, and a heap of the best plans, the worst of them on top.
class search_found {
 public:
  explicit search_found(const space& vary) : vary_{vary} {}

  [[nodiscard]] bool none_fits() const { return all_.fitting == 0; }

  /// Whether nothing that reaches `least` at best can be among the plans kept.
  [[nodiscard]] bool hopeless(double least) const { return is_full() && least > worst_kept_; }

  void dominate(std::int64_t count) {
    all_.candidates += count;
    all_.dominated += count;
  }
  void refuse(reject_reason reason, std::int64_t count) {
    all_.candidates += count;
    all_.rejected[static_cast<std::size_t>(reason)] += count;
  }
  void count_fitting() {
    ++all_.candidates;
    ++all_.fitting;
  }

  /// Whether a layout that misses by so much is the closest yet.
  [[nodiscard]] bool is_closest(const miss_size& size) const {
    return none_fits() && (all_.misses.empty() || size < closest_);
  }
  void keep_miss(const plan& tried, const miss_size& size) {
    all_.misses.assign(1, tried);
    closest_ = size;
  }

  void keep(const plan& tried) {
    const better_plan better{vary_.by};
    auto& plans = all_.plans;
    all_.misses.clear();
    if (is_full()) {
      if (!better(tried, plans.front())) return;
      std::pop_heap(plans.begin(), plans.end(), better);
      plans.pop_back();
    }
    plans.push_back(tried);
    std::push_heap(plans.begin(), plans.end(), better);
    worst_kept_ = std::get<0>(rank_of(plans.front(), vary_.by));
  }

  /// All of it, the best plan first; nothing is left here.
  [[nodiscard]] search_result sorted() {
    std::sort(all_.plans.begin(), all_.plans.end(), better_plan{vary_.by});
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool is_full() const {
    return all_.plans.size() >= static_cast<std::size_t>(vary_.keep);
  }

  const space& vary_;
  search_result all_;
  miss_size closest_;      ///< of the miss kept
  double worst_kept_ = 0;  ///< objective of the worst plan kept
};

}  // namespace gpuplan::detail
