#include <gpuplan/placement/search_work.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/node_match.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(greedy_work(8, 3) == 24 && genetic_work(10, 5, 8, 3) == 1200);
static_assert(knapsack_work(8, 64) == 512);

TEST_CASE("the counts are those of operations that were counted", "[placement]") {
  const std::vector<gpu_node> nodes(3, empty_node(8, 1000, bytes{1}));
  int looks = 0;
  for (int task = 0; task < 8; ++task)
    filter_nodes(nodes, {}, [&](std::size_t, const gpu_node&) {
      ++looks;
      return true;
    });
  CHECK(looks == greedy_work(8, 3));

  int assignments = 0;
  std::vector<int> node_of(5, 0);
  for (bool more = true; more;) {
    ++assignments;
    more = false;
    for (std::size_t task = 0; task < node_of.size() && !more; ++task) {
      more = ++node_of[task] < 3;
      if (!more) node_of[task] = 0;
    }
  }
  CHECK(assignments == exhaustive_work(5, 3));
  CHECK(exhaustive_work(1000, 1000) == std::numeric_limits<double>::infinity());
  CHECK(exhaustive_work(0, 3) == 1);
}

TEST_CASE("counts below zero are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan}) {
    CHECK_THROWS_AS(greedy_work(bad, 1), invalid_input);
    CHECK_THROWS_AS(exhaustive_work(1, bad), invalid_input);
    CHECK_THROWS_AS(genetic_work(bad, 1, 1, 1), invalid_input);
    CHECK_THROWS_AS(knapsack_work(1, bad), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
