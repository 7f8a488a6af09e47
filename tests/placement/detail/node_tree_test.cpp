#include <gpuplan/placement/detail/node_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

TEST_CASE("the best few are the first of all in order", "[placement][property]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    random_numbers random{seed};
    std::vector<node_box> leaves;
    const auto draw = [&](std::size_t position) {
      gpu_node host = empty_node(8, 0, bytes{0});
      for (int& free : host.free_gpu) free = free > 0 ? 500 * static_cast<int>(random.below(3)) : 0;
      return box_of(host, position, 0, {1, 8000});
    };
    for (std::uint64_t node = random.below(200); node > 0; --node)
      leaves.push_back(draw(leaves.size()));
    node_tree tree{leaves};
    const auto score = [](const node_box& box) {
      return box.most_gpu < 2500 ? node_tree::impossible : 1.0 * box.most_gpu;
    };
    for (int round = 0; round < 20; ++round) {
      std::vector<std::size_t> expected;
      for (const node_box& leaf : leaves)
        if (score(leaf) != node_tree::impossible) expected.push_back(leaf.first);
      std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
        return score(leaves[a]) > score(leaves[b]);
      });
      const std::size_t count = random.below(round % 2 == 0 ? 5 : 250);
      if (expected.size() > count) expected.resize(count);
      REQUIRE(tree.best_few(count, score) == expected);
      if (count > 0) {
        REQUIRE(tree.best(score) == (expected.empty() ? node_tree::nowhere : expected.front()));
        REQUIRE(tree.best_position() == (expected.empty() ? node_tree::nowhere : expected.front()));
        std::vector<std::uint32_t> looks;
        for (std::uint64_t look = leaves.empty() ? 0 : random.below(4); look > 0; --look)
          looks.push_back(static_cast<std::uint32_t>(random.below(leaves.size())));
        const std::size_t visits = tree.visits_of_search();
        REQUIRE(tree.best(score, looks) == tree.best(score));
        if (!expected.empty()) {
          looks = {static_cast<std::uint32_t>(expected.front())};
          tree.best(score, looks);
          REQUIRE(tree.visits_of_search() <= visits + 1);
        }
      }
      for (std::uint64_t n = leaves.empty() ? 0 : random.below(50); n > 0; --n) {
        const std::size_t node = random.below(leaves.size());
        leaves[node] = draw(node);
        tree.change(leaves[node]);
      }
    }
  }
}

}  // namespace
}  // namespace gpuplan::detail
