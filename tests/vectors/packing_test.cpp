// Families of items on which first fit decreasing is as bad as it can be, in exact numbers of bins.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/packing_bounds.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {

namespace {

/// k (k - 1) items of each of D types: type i has (1 - (i + 1) e / (2 D)) / k of resource i and e
/// of the others, e = 1 / (4 k^2 D^2).
template <std::size_t D>
std::vector<packing_item<D>> family(int k) {
  const double e = 1 / (4.0 * k * k * static_cast<double>(D * D));
  std::vector<packing_item<D>> items;
  for (std::size_t type = 0; type < D; ++type) {
    packing_item<D> item;
    item.fill(e);
    item[type] = (1 - static_cast<double>(type + 1) * e / (2.0 * static_cast<double>(D))) / k;
    items.insert(items.end(), static_cast<std::size_t>(k * (k - 1)), item);
  }
  return items;
}

template <std::size_t D>
void check_family(const nlohmann::json& row) {
  const int k = row.at("k");
  const std::vector<packing_item<D>> items = family<D>(k);
  const std::size_t per_type = row.at("items_per_type");
  CHECK(items.size() == D * per_type);
  const int fewest = row.at("opt_upper_bound");
  const std::pair<const char*, packing_order> measures[]{{"max", packing_order::largest_component},
                                                         {"sum", packing_order::component_sum},
                                                         {"prod", packing_order::product}};
  for (const auto& [name, order] : measures) {
    INFO(name);
    const nlohmann::json& expected = row.at("ffd_bins").at(name);
    const nlohmann::json& ratio = row.at("ratio").at(name);
    const int bins = pack<D>(items, packing_rule::first_fit, order).bins;
    CHECK(bins == expected.get<int>());
    CHECK_THAT(1.0 * bins / fewest, WithinRel(ratio.get<double>(), 1e-12));
  }
  // The packing with so few bins exists: k - 1 items of each type in a bin.
  std::vector<packing_item<D>> shared(static_cast<std::size_t>(fewest));
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t r = 0; r < D; ++r)
      shared[i % static_cast<std::size_t>(fewest)][r] += items[i][r];
  for (const auto& bin : shared)
    for (const double part : bin) CHECK(part <= 1 + packing_tolerance);
  CHECK(volume_bound<D>(items) <= fewest);
}

TEST_CASE("first fit decreasing is as bad as in packing.json", "[placement][vectors]") {
  int read = 0;
  for (const nlohmann::json& row : load_vectors("packing")) {
    INFO(row.dump());
    switch (row.at("d").get<int>()) {
      case 1: break;  // the tight case in one resource: tests/placement/packing_test.cpp
      case 2: check_family<2>(row); break;
      case 3: check_family<3>(row); break;
      case 4: check_family<4>(row); break;
      case 5: check_family<5>(row); break;
      case 6: check_family<6>(row); break;
      default: FAIL("packing.json: d must be 1 .. 6");
    }
    ++read;
  }
  CHECK(read > 0);
}

}  // namespace
}  // namespace gpuplan::testing
