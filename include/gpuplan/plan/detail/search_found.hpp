#pragma once
/// \file
/// The state of a search: counts, and the best plans so far.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>

namespace gpuplan::detail {

/// Counts of what was looked at, and a heap of the best plans, the worst of them on top.
class search_found {
 public:
  explicit search_found(const space& vary)
      : vary_{vary},
        most_{vary.by == objective::memory ? std::numeric_limits<double>::infinity()
                                           : vary.within.in_base_units()} {}

  /// Whether nothing that reaches `least` at best can be among the plans kept.
  [[nodiscard]] bool hopeless(double least) const {
    return least > most_ || (is_full() && least > worst_kept_);
  }

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

  /// What a layout that does not fit must miss by less than, to be the closest yet: none is where
  /// others fit.
  [[nodiscard]] memory_miss closest_miss() const {
    if (all_.fitting > 0) return {};
    return all_.misses.empty() ? unlimited_miss : closest_;
  }
  void keep_miss(const plan& tried, const memory_miss& size) {
    all_.misses.assign(1, tried);
    closest_ = size;
  }

  void keep(const plan& tried) {
    const better_plan better{vary_.by};
    auto& plans = all_.plans;
    all_.misses.clear();
    if (const auto alike = one_alike(tried); alike != plans.end()) {
      if (!better(tried, *alike)) return;
      *alike = tried;
      std::make_heap(plans.begin(), plans.end(), better);
      worst_kept_ = std::get<0>(rank_of(plans.front(), vary_.by));
      return;
    }
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
  /// The plan of the same ranks, where one is kept of each.
  [[nodiscard]] std::vector<plan>::iterator one_alike(const plan& tried) {
    auto& plans = all_.plans;
    if (!vary_.one_of_each) return plans.end();
    return std::find_if(plans.begin(), plans.end(), [&](const plan& other) {
      return other.parallelism().has_ranks_of(tried.parallelism());
    });
  }

  [[nodiscard]] bool is_full() const {
    return all_.plans.size() >= static_cast<std::size_t>(vary_.keep);
  }

  const space& vary_;
  double most_;  ///< objective of a plan that may be kept
  search_result all_;
  memory_miss closest_;    ///< of the miss kept
  double worst_kept_ = 0;  ///< objective of the worst plan kept
};

}  // namespace gpuplan::detail
