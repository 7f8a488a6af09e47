#include <gpuplan/placement/packing.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <gpuplan/placement/packing_bounds.hpp>
#include <gpuplan/placement/packing_exact.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using line = std::vector<packing_item<1>>;
using plane = std::vector<packing_item<2>>;

static_assert(first_fit_decreasing_bound(9) == 11.0 / 9 * 9 + 6.0 / 9);
static_assert(first_fit_bound(10) == 17 && first_fit_bound(9) == 15);
static_assert(next_fit_bound(5) == 9 && next_fit_bound(0) == 0);
static_assert(vector_packing_bound(2).least == 2 && vector_packing_bound(2).first_fit == 2.7);

int bins_of(const line& items, packing_rule rule, packing_order order = packing_order::as_given) {
  return pack<1>(items, rule, order).bins;
}

TEST_CASE("the rules differ as the textbook says", "[placement][reference]") {
  const line items{{0.6}, {0.7}, {0.3}, {0.4}, {0.2}};
  CHECK(pack<1>(items, packing_rule::first_fit).bin_of == std::vector{0, 1, 0, 2, 1});
  CHECK(pack<1>(items, packing_rule::best_fit).bin_of == std::vector{0, 1, 1, 0, 2});
  CHECK(pack<1>(items, packing_rule::worst_fit).bin_of == std::vector{0, 1, 0, 2, 2});
  CHECK(pack<1>(items, packing_rule::next_fit).bin_of == std::vector{0, 1, 1, 2, 2});
  CHECK(bins_of({}, packing_rule::first_fit) == 0);
}

TEST_CASE("eleven bins where nine would do: the bound of first fit decreasing is tight",
          "[placement][reference]") {
  // Dosa 2007: with e = 1/100, 6 of 1/2 + e, 6 of 1/4 + 2e, 6 of 1/4 + e, 12 of 1/4 - 2e.
  line items;
  items.insert(items.end(), 6, {0.51});
  items.insert(items.end(), 6, {0.27});
  items.insert(items.end(), 6, {0.26});
  items.insert(items.end(), 12, {0.23});
  CHECK(bins_of(items, packing_rule::first_fit, packing_order::largest_component) == 11);
  const exact_packing best = fewest_bins<1>(items);
  CHECK(best.found.bins == 9);
  CHECK(best.optimal());
  CHECK(11 <= first_fit_decreasing_bound(9));
  CHECK(12 > first_fit_decreasing_bound(9));
}

TEST_CASE("lower bounds by hand", "[placement][reference]") {
  const line halves(5, {0.51});
  CHECK(volume_bound<1>(halves) == 3);
  CHECK(martello_toth_bound(halves) == 5);  // no two of them share a bin
  const line thirds(6, {1.0 / 3});
  CHECK(martello_toth_bound(thirds) == 2);
  const line mixed{{0.7}, {0.7}, {0.35}, {0.35}};  // 0.35 finds no room beside 0.7
  CHECK(martello_toth_bound(mixed) == 3);
  const plane flat{{0.9, 0.1}, {0.1, 0.9}, {0.5, 0.6}};
  CHECK(volume_bound<2>(flat) == 2);
  CHECK(volume_bound<1>(line{{0.0}}) == 1);
  CHECK(volume_bound<1>(line{}) == 0);
}

TEST_CASE("gangs that divide the node: first fit decreasing is optimal", "[placement][property]") {
  CHECK(divisible_sizes(std::vector{1, 2, 4, 8}, 8));
  CHECK(divisible_sizes(std::vector{1, 1, 2}, 6));
  CHECK_FALSE(divisible_sizes(std::vector{2, 3}, 6));
  CHECK_FALSE(divisible_sizes(std::vector{3}, 8));
  CHECK_THROWS_AS(divisible_sizes(std::vector{9}, 8), invalid_input);
  CHECK_THROWS_AS(divisible_sizes(std::vector{0}, 8), invalid_input);
  testing::check_property("as many nodes as the sum asks for", [] {
    line items;
    int sum = 0;
    const int count = *rc::gen::inRange(1, 60);
    for (int i = 0; i < count; ++i) {
      const int gpus = *rc::gen::element(1, 2, 4, 8);
      items.push_back({gpus / 8.0});
      sum += gpus;
    }
    RC_ASSERT(bins_of(items, packing_rule::first_fit, packing_order::largest_component) ==
              (sum + 7) / 8);
  });
}

// Every way to share few items among bins, without bounds: bin numbers as a growing string.
template <std::size_t D>
int by_exhaustion(const std::vector<packing_item<D>>& items) {
  std::vector<packing_item<D>> used;
  int best = static_cast<int>(items.size());
  const auto visit = [&](const auto& self, std::size_t at) -> void {
    if (at == items.size()) {
      best = std::min(best, static_cast<int>(used.size()));
      return;
    }
    for (std::size_t bin = 0; bin <= used.size(); ++bin) {
      if (bin == used.size()) used.emplace_back();
      bool fits = true;
      for (std::size_t r = 0; r < D; ++r) fits = fits && used[bin][r] + items[at][r] <= 1 + 1e-9;
      const packing_item<D> before = used[bin];
      if (fits) {
        for (std::size_t r = 0; r < D; ++r) used[bin][r] += items[at][r];
        self(self, at + 1);
        used[bin] = before;
      }
      if (used.back() == packing_item<D>{}) {
        used.pop_back();
        break;
      }
    }
  };
  visit(visit, 0);
  return best;
}

/// Whether every bin holds an item, and no bin more than it can.
template <std::size_t D>
bool holds_each(const packing& found, const std::vector<packing_item<D>>& items) {
  std::vector<packing_item<D>> used(static_cast<std::size_t>(found.bins));
  std::vector<int> count(used.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto bin = static_cast<std::size_t>(found.bin_of.at(i));
    ++count.at(bin);
    for (std::size_t r = 0; r < D; ++r) used[bin][r] += items[i][r];
  }
  const auto within = [](const packing_item<D>& bin) {
    return std::all_of(bin.begin(), bin.end(), [](double part) { return part <= 1 + 1e-6; });
  };
  return std::all_of(used.begin(), used.end(), within) &&
         std::find(count.begin(), count.end(), 0) == count.end();
}

TEST_CASE("bound <= exact <= rule, and no bin is overfull", "[placement][property]") {
  testing::check_property("two resources", [] {
    plane items;
    const int count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i)
      items.push_back({*rc::gen::inRange(1, 21) / 20.0, *rc::gen::inRange(1, 21) / 20.0});
    const exact_packing best = fewest_bins<2>(items);
    RC_ASSERT(best.optimal());
    RC_ASSERT(best.found.bins == by_exhaustion<2>(items));
    RC_ASSERT(holds_each<2>(best.found, items));
    RC_ASSERT(volume_bound<2>(items) <= best.found.bins);
    const packing simple = fewest_bins<2>(items, 0).found;  // is kept unless fewer are found
    RC_ASSERT(best.found.bins < simple.bins || best.found.bin_of == simple.bin_of);
    for (const packing_rule rule :
         {packing_rule::next_fit, packing_rule::first_fit, packing_rule::best_fit,
          packing_rule::worst_fit, packing_rule::dot_product, packing_rule::norm})
      for (const packing_order order : {packing_order::as_given, packing_order::largest_component,
                                        packing_order::component_sum, packing_order::product}) {
        const packing found = pack<2>(items, rule, order);
        RC_ASSERT(found.bins >= best.found.bins);
        RC_ASSERT(holds_each<2>(found, items));
      }
  });
  testing::check_property("one resource, with the bounds of the rules", [] {
    line items;
    const int count = *rc::gen::inRange(1, 9);
    for (int i = 0; i < count; ++i) items.push_back({*rc::gen::inRange(1, 101) / 100.0});
    const exact_packing best = fewest_bins<1>(items);
    RC_ASSERT(best.optimal());
    RC_ASSERT(best.found.bins == by_exhaustion<1>(items));
    RC_ASSERT(holds_each<1>(best.found, items));
    RC_ASSERT(volume_bound<1>(items) <= martello_toth_bound(items));
    RC_ASSERT(martello_toth_bound(items) <= best.found.bins);
    const int opt = best.found.bins;
    RC_ASSERT(bins_of(items, packing_rule::first_fit, packing_order::largest_component) <=
              first_fit_decreasing_bound(opt));
    RC_ASSERT(bins_of(items, packing_rule::first_fit) <= first_fit_bound(opt));
    RC_ASSERT(bins_of(items, packing_rule::best_fit) <= first_fit_bound(opt));
    RC_ASSERT(bins_of(items, packing_rule::next_fit) <= next_fit_bound(opt));
  });
}

TEST_CASE("the search finds what no simple rule finds", "[placement][reference]") {
  // Found among random items: two full bins, where every rule in every order opens three.
  const line twentieths{{0.25}, {0.2}, {0.5}, {0.3}, {0.3}, {0.45}};  // 5+6+9 and 4+10+6
  CHECK(fewest_bins<1>(twentieths, 0).found.bins == 3);
  const packing two = fewest_bins<1>(twentieths).found;
  CHECK(two.bins == 2);
  CHECK(holds_each<1>(two, twentieths));
  const std::vector<packing_item<2>> pairs{{0.1, 0.4}, {0.1, 0.3}, {0.2, 0.4},
                                           {0.3, 0.2}, {0.5, 0.5}, {0.4, 0.2}};
  CHECK_FALSE(fewest_bins<2>(pairs, 0).optimal());
  CHECK(fewest_bins<2>(pairs).found.bins == by_exhaustion<2>(pairs));
  CHECK(holds_each<2>(fewest_bins<2>(pairs).found, pairs));
  CHECK(by_exhaustion<2>(pairs) == 2);
}

TEST_CASE("a search that is cut off says so", "[placement]") {
  line items;
  for (int i = 0; i < 40; ++i) items.push_back({0.15 + 0.0111 * (i * 7 % 31)});
  const exact_packing cut = fewest_bins<1>(items, 0);
  CHECK(cut.steps <= 1);
  CHECK(cut.lower_bound <= cut.found.bins);
}

TEST_CASE("items beyond a bin are refused", "[placement][errors]") {
  const line nan{{std::numeric_limits<double>::quiet_NaN()}};
  for (const line& bad : {line{{1.1}}, line{{-0.1}}, nan}) {
    CHECK_THROWS_AS(bins_of(bad, packing_rule::first_fit), invalid_input);
    CHECK_THROWS_AS(volume_bound<1>(bad), invalid_input);
    CHECK_THROWS_AS(fewest_bins<1>(bad), invalid_input);
  }
  CHECK_THROWS_AS(fewest_bins<1>(line{}, -1), invalid_input);
  CHECK_THROWS_AS(first_fit_bound(-1), invalid_input);
  CHECK_THROWS_AS(next_fit_bound(-1), invalid_input);
  CHECK_THROWS_AS(first_fit_decreasing_bound(-1), invalid_input);
  CHECK_THROWS_AS(vector_packing_bound(0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
