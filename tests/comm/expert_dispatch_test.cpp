#include <gpuplan/comm/expert_dispatch.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(other_nodes_of_token(8, 2, 1) == 0, "all experts are here");
static_assert(other_nodes_of_token(8, 8, 4) == 3, "all experts are visited");
static_assert(other_nodes_of_token(8, 1, 4) == 0.75, "one expert: elsewhere three times of four");

TEST_CASE("nodes of a token, counted over all choices of its experts", "[comm][cross-check]") {
  // Every set of experts as the bits of a number; of 8 experts, two, four or eight to a node.
  const int per_token = GENERATE(1, 2, 3, 5);
  const int nodes = GENERATE(1, 2, 4);
  const int in_node = 8 / nodes;
  double sets = 0;
  double visited = 0;
  for (int set = 0; set < 256; ++set) {
    if (__builtin_popcount(static_cast<unsigned>(set)) != per_token) continue;
    sets += 1;
    for (int node = 1; node < nodes; ++node)
      if (set >> (node * in_node) & ((1 << in_node) - 1)) visited += 1;
  }
  CHECK_THAT(other_nodes_of_token(8, per_token, nodes), WithinRel(visited / sets, 1e-12));
}

TEST_CASE("a token visits fewer nodes than experts elsewhere", "[comm][property]") {
  for (const int per_token : {1, 2, 8, 16})
    for (const double nodes : {1.0, 2.0, 4.0, 32.0}) {
      const double here = other_nodes_of_token(256, per_token, nodes);
      CHECK(here <= per_token * (nodes - 1) / nodes + 1e-12);
      CHECK(here <= nodes - 1);
    }
}

TEST_CASE("expert_dispatch refuses what its documentation refuses", "[comm][errors]") {
  CHECK_THROWS_AS(other_nodes_of_token(0, 1, 1), invalid_input);
  CHECK_THROWS_AS(other_nodes_of_token(8, 0, 1), invalid_input);
  CHECK_THROWS_AS(other_nodes_of_token(8, 9, 1), invalid_input);
  CHECK_THROWS_AS(other_nodes_of_token(8, 2, std::numeric_limits<double>::quiet_NaN()),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
