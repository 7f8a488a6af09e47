#pragma once
/// \file
/// Packs items of one or several resources into equal bins by simple rules.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// What an item takes of each of D resources, in parts of a bin: 0 .. 1.
template <std::size_t D>
using packing_item = std::array<double, D>;

/// Sums of sizes may pass a full bin by this much, which is rounding.
inline constexpr double packing_tolerance = 1e-9;

/// The order in which items are taken. By the largest component of one resource, "first fit
/// decreasing" of the textbooks.
enum class packing_order : std::uint8_t { as_given, largest_component, component_sum, product };

/// Which open bin, of those with room, an item goes to; a new one is opened where none has room.
enum class packing_rule : std::uint8_t {
  next_fit,     ///< the bin opened last, or none
  first_fit,    ///< the bin opened first
  best_fit,     ///< the fullest, by the sum over resources
  worst_fit,    ///< the emptiest
  dot_product,  ///< the largest product of what is asked and what is free
  norm          ///< the least length of what would be free after it
};

/// Which bin each item went to.
struct packing {
  std::vector<int> bin_of{};  ///< 0 .. bins - 1, by item
  int bins = 0;
};

/// \throws invalid_input if a component of an item is not 0 .. 1
template <std::size_t D>
constexpr void require_valid(std::span<const packing_item<D>> items) {
  for (const packing_item<D>& item : items)
    for (const double part : item)
      require(part >= 0 && part <= 1, "packing: every part of an item must be 0 .. 1");
}

namespace detail {

template <std::size_t D>
double size_of_item(const packing_item<D>& item, packing_order order) {
  double size = order == packing_order::product ? 1 : 0;
  for (const double part : item) {
    if (order == packing_order::largest_component) size = std::max(size, part);
    if (order == packing_order::component_sum) size += part;
    if (order == packing_order::product) size *= part;
  }
  return size;
}

/// How well a bin with so much free suits the item: the largest wins. Minus infinity: no room.
template <std::size_t D>
double bin_score(const packing_item<D>& free, const packing_item<D>& item, packing_rule rule) {
  double left = 0;
  double product = 0;
  double squares = 0;
  for (std::size_t r = 0; r < D; ++r) {
    const double after = free[r] - item[r];
    if (after < -packing_tolerance) return -std::numeric_limits<double>::infinity();
    left += after;
    product += free[r] * item[r];
    squares += after * after;
  }
  switch (rule) {
    case packing_rule::next_fit:
    case packing_rule::first_fit: return 0;
    case packing_rule::best_fit: return -left;
    case packing_rule::worst_fit: return left;
    case packing_rule::dot_product: return product;
    case packing_rule::norm: return -squares;
  }
  return 0;
}

}  // namespace detail

/// The packing that a rule makes, item by item; equal items keep their order, of equal bins the one
/// opened first is taken. O(n m) for n items in m bins, after a sort.
///
/// In one resource first fit opens at most floor(1.7 OPT) bins and first fit decreasing at most
/// 11/9 OPT + 6/9; in several no constant bounds the ratio: see packing_bounds.hpp.
///
/// Source: D. S. Johnson, "Near-optimal bin packing algorithms", PhD thesis, MIT (1973); in several
/// resources R. Panigrahy, K. Talwar, L. Uyeda and U. Wieder, "Heuristics for Vector Bin Packing",
/// Microsoft Research (2011).
///
/// \throws invalid_input if a part of an item is not 0 .. 1
template <std::size_t D>
packing pack(std::span<const packing_item<D>> items, packing_rule rule,
             packing_order order = packing_order::as_given) {
  require_valid<D>(items);
  std::vector<std::size_t> turn(items.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  if (order != packing_order::as_given) {
    std::vector<double> size(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) size[i] = detail::size_of_item(items[i], order);
    std::stable_sort(turn.begin(), turn.end(),
                     [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  }

  packing result{.bin_of = std::vector<int>(items.size()), .bins = 0};
  std::vector<packing_item<D>> free;
  for (const std::size_t i : turn) {
    double most = -std::numeric_limits<double>::infinity();
    std::size_t chosen = free.size();
    const std::size_t first = rule == packing_rule::next_fit && !free.empty() ? free.size() - 1 : 0;
    for (std::size_t bin = first; bin < free.size(); ++bin) {
      const double score = detail::bin_score(free[bin], items[i], rule);
      if (!(score > most)) continue;
      most = score;
      chosen = bin;
      if (rule == packing_rule::first_fit) break;
    }
    if (chosen == free.size()) {
      free.emplace_back();
      free.back().fill(1);
    }
    for (std::size_t r = 0; r < D; ++r) free[chosen][r] -= items[i][r];
    result.bin_of[i] = static_cast<int>(chosen);
  }
  result.bins = static_cast<int>(free.size());
  return result;
}

}  // namespace gpuplan
