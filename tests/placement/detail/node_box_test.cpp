#include <gpuplan/placement/detail/node_box.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

static_assert(sizeof(node_box) == 128, "two lines of a cache");

gpu_node drawn_node(random_numbers& random) {
  gpu_node host = empty_node(static_cast<int>(random.below(17)),
                             static_cast<std::int64_t>(random.below(128001)), bytes{1e9});
  host.free_core_thousandths = static_cast<std::int64_t>(
      random.below(static_cast<std::uint64_t>(host.core_thousandths) + 1));
  for (std::size_t gpu = 0; gpu < static_cast<std::size_t>(host.gpus); ++gpu)
    host.free_gpu[gpu] = static_cast<int>(random.below(1001));
  return host;
}

// What is free of both is kept in fewer bits than it is made of: it may be off to one side alone.
TEST_CASE("a box bounds what its nodes have free", "[placement]") {
  random_numbers random{1};
  for (int turn = 0; turn < 20000; ++turn) {
    const placement_scale scale{
        .core_thousandths = 1000.0 * (1 + static_cast<double>(random.below(128))),
        .gpu_thousandths = 1000.0 * (1 + static_cast<double>(random.below(16)))};
    const gpu_node hosts[] = {drawn_node(random), drawn_node(random)};
    const node_box both = joined(box_of(hosts[0], 0, 0, scale), box_of(hosts[1], 1, 1, scale));
    for (const gpu_node& host : hosts) {
      const node_box box = box_of(host, 0, 0, scale);
      const placement_vector free =
          parts_of(host.free_core_thousandths, host.free_gpu_thousandths(), scale);
      const double parts = free.cores + free.gpus;
      REQUIRE(static_cast<double>(box.least_parts) <= parts);
      REQUIRE(static_cast<double>(box.most_parts) >= parts);
      REQUIRE(static_cast<double>(box.most_parts - box.least_parts) <= 1e-6 * parts);
      REQUIRE(both.least_parts <= box.least_parts);
      REQUIRE(both.most_parts >= box.most_parts);
      for (std::size_t k = 0; k < box.pieces.size(); ++k) REQUIRE(both.pieces[k] >= box.pieces[k]);
      for (std::size_t k = 0; k < box.least_fills.size(); ++k) {
        REQUIRE(both.least_fills[k] <= box.least_fills[k]);
        REQUIRE(box.least_fills[k] == box.pieces[k] / node_box::fill_step);
      }
      REQUIRE(both.least_whole <= host.whole_free_gpus());
      REQUIRE(both.all_gpus >= host.gpus);
    }
  }
}

}  // namespace
}  // namespace gpuplan::detail
