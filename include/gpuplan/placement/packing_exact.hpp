#pragma once
/// \file
/// Exact bin packing by branch and bound, for small cases, with the steps it took.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/packing_bounds.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The best packing found, and whether it is proved to be the best there is.
struct exact_packing {
  packing found{};
  int lower_bound = 0;     ///< no packing has fewer bins
  std::int64_t steps = 0;  ///< placements of an item that were tried
  [[nodiscard]] bool optimal() const { return found.bins == lower_bound; }
};

namespace detail {

template <std::size_t D>
class packing_search {
 public:
  packing_search(std::span<const packing_item<D>> items, exact_packing& best, std::int64_t limit)
      : items_(items), best_(best), limit_(limit), order_(items.size()), bin_of_(items.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return size_of_item(items_[a], packing_order::largest_component) >
             size_of_item(items_[b], packing_order::largest_component);
    });
    rest_.resize(items.size() + 1);
    least_.resize(items.size() + 1);
    least_.back().fill(1);
    for (std::size_t i = items.size(); i-- > 0;)
      for (std::size_t r = 0; r < D; ++r) {
        rest_[i][r] = rest_[i + 1][r] + items_[order_[i]][r];
        least_[i][r] = std::min(least_[i + 1][r], items_[order_[i]][r]);
      }
  }

  /// Whether every way was tried, or a packing as good as the bound was found.
  bool run() { return place(0); }

 private:
  /// Bins that are needed at least: what is left goes into what is free where it can be used, the
  /// remainder into new ones.
  int needed(std::size_t from) const {
    packing_item<D> over = rest_[from];
    for (const packing_item<D>& free : free_) {
      if (bin_score(free, least_[from], packing_rule::first_fit) < 0) continue;
      for (std::size_t r = 0; r < D; ++r) over[r] -= free[r];
    }
    double more = 0;
    for (std::size_t r = 0; r < D; ++r)
      more = std::max(more, std::ceil(over[r] - packing_tolerance * (1 + rest_[from][r])));
    return static_cast<int>(free_.size()) + static_cast<int>(more);
  }

  bool place(std::size_t at) {
    if (best_.found.bins == best_.lower_bound) return true;
    if (at == order_.size()) {
      best_.found = {.bin_of = bin_of_, .bins = static_cast<int>(free_.size())};
      return true;
    }
    if (needed(at) >= best_.found.bins) return true;
    const packing_item<D>& item = items_[order_[at]];
    const std::size_t open = free_.size();
    const bool again = at > 0 && items_[order_[at - 1]] == item;  // like items: in order of bins
    for (auto bin = static_cast<std::size_t>(again ? bin_of_[order_[at - 1]] : 0); bin <= open;
         ++bin) {
      if (bin == open && static_cast<int>(open) + 1 >= best_.found.bins) break;
      if (bin < open && bin_score(free_[bin], item, packing_rule::first_fit) < 0) continue;
      const auto tried = free_.begin() + static_cast<std::ptrdiff_t>(bin);
      if (bin < open && std::find(free_.begin(), tried, *tried) != tried) continue;  // just alike
      if (++best_.steps > limit_) return false;
      if (bin == open) {
        free_.emplace_back();
        free_.back().fill(1);
      }
      const packing_item<D> before = free_[bin];
      for (std::size_t r = 0; r < D; ++r) free_[bin][r] -= item[r];
      bin_of_[order_[at]] = static_cast<int>(bin);
      const bool complete = place(at + 1);
      free_[bin] = before;
      if (bin == open) free_.pop_back();
      if (!complete) return false;
    }
    return true;
  }

  std::span<const packing_item<D>> items_;
  exact_packing& best_;
  std::int64_t limit_;
  std::vector<std::size_t> order_;
  std::vector<int> bin_of_;
  std::vector<packing_item<D>> rest_{};   // of each resource, of the items from here on
  std::vector<packing_item<D>> least_{};  // the smallest part among them
  std::vector<packing_item<D>> free_{};
};

}  // namespace detail

/// The fewest bins: starts from the best of the simple rules, tries items from the largest on, and
/// leaves a branch as soon as what is open and what is left cannot beat the best found. It stops
/// after `most_steps` placements; then `optimal()` may be false, and the answer is a packing with
/// a lower bound beside it.
///
/// \throws invalid_input if a part of an item is not 0 .. 1, most_steps is not >= 0, or there are
///         more than 2000 items
template <std::size_t D>
exact_packing fewest_bins(std::span<const packing_item<D>> items,
                          std::int64_t most_steps = 1000000) {
  require(most_steps >= 0, "fewest_bins: most_steps must be >= 0");
  require(items.size() <= 2000, "fewest_bins: items must be <= 2000");
  exact_packing best{.lower_bound = volume_bound<D>(items)};
  if constexpr (D == 1) best.lower_bound = martello_toth_bound(items);
  best.found = pack<D>(items, packing_rule::first_fit, packing_order::largest_component);
  for (const packing_rule rule : {packing_rule::best_fit, packing_rule::dot_product,
                                  packing_rule::norm, packing_rule::first_fit})
    for (const packing_order order : {packing_order::largest_component,
                                      packing_order::component_sum, packing_order::as_given}) {
      packing other = pack<D>(items, rule, order);
      if (other.bins < best.found.bins) best.found = std::move(other);
    }
  if (detail::packing_search<D>{items, best, most_steps}.run()) best.lower_bound = best.found.bins;
  return best;
}

}  // namespace gpuplan
