#include <gpuplan/comm/group_link.hpp>

#include <algorithm>
#include <cstdint>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box{.gpu = {},
                   .gpus = 8,
                   .scale_up = {3 * us, 230 * GB / second},
                   .fabric = {14 * us, 25 * GB / second}};

static_assert(group_link(box, 1, 8).bandwidth == 230 * GB / second, "inside the node");
static_assert(group_link(box, 8, 4).bandwidth == 25 * GB / second, "one member in each node");
static_assert(group_link(box, 4, 4).bandwidth == 50 * GB / second, "two members, two ports");
static_assert(group_link(box, 1, 16).bandwidth == 200 * GB / second, "eight ports");
static_assert(group_link(box, 1, 1).bandwidth == 230 * GB / second);

constexpr node fast_fabric = [] {
  node other = box;
  other.fabric.bandwidth = 100 * GB / second;
  return other;
}();
static_assert(group_link(fast_fabric, 1, 16).bandwidth == 230 * GB / second,
              "the links of the node feed the ports");
static_assert(group_link(fast_fabric, 8, 2).bandwidth == 100 * GB / second);

static_assert(link_across_nodes(node{.scale_up = {.bandwidth = 3 * units::GB / units::second},
                                     .fabric = {.bandwidth = 1 * units::GB / units::second}},
                                2)
                      .bandwidth == 2 * units::GB / units::second,
              "two ports");
static_assert(link_across_nodes(node{.scale_up = {.bandwidth = 3 * units::GB / units::second},
                                     .fabric = {.bandwidth = 1 * units::GB / units::second}},
                                4)
                      .bandwidth == 3 * units::GB / units::second,
              "no more than inside a node");

// Links alone, of a node or not, are enough.
constexpr node_links links{
    .gpus = 4, .scale_up = {2 * us, 230 * GB / second}, .fabric = {9 * us, 25 * GB / second}};
static_assert(group_link(links, 1, 4).latency == 2 * us);
static_assert(group_link(links, 1, 8).bandwidth == 100 * GB / second, "four ports");
static_assert(link_across_nodes(links, 2).latency == 9 * us);

// Groups of neighbours: those that do not fill nodes lie in two.
static_assert(contiguous_group_link(box.links(), 4, 64).bandwidth == 230 * GB / second);
static_assert(contiguous_group_link(box.links(), 6, 6).bandwidth == 230 * GB / second, "one node");
static_assert(contiguous_group_link(box.links(), 6, 96).bandwidth == 50 * GB / second,
              "parts of 2 and 4");
static_assert(contiguous_group_link(box.links(), 3, 96).bandwidth == 25 * GB / second,
              "parts of 1 and 2");
static_assert(contiguous_group_link(box.links(), 6, 96).latency == 14 * us);
static_assert(contiguous_group_link(box.links(), 16, 64).bandwidth == 200 * GB / second,
              "two nodes each");

TEST_CASE("the slowest of neighbouring groups is found by looking at each", "[comm]") {
  for (std::int64_t gpus = 1; gpus <= 12; ++gpus)
    for (std::int64_t ranks = 1; ranks <= 30; ++ranks) {
      INFO(ranks << " ranks, " << gpus << " GPUs a node");
      std::int64_t fewest = ranks;  // members of a group in one of its nodes
      for (std::int64_t group = 0; group < gpus; ++group)
        for (std::int64_t node = 0; node < ranks; ++node) {
          const std::int64_t from = (std::max)(group * ranks, node * gpus);
          const std::int64_t to = (std::min)((group + 1) * ranks, (node + 1) * gpus);
          if (to > from) fewest = (std::min)(fewest, to - from);
        }
      const node_links nodes{.gpus = static_cast<int>(gpus),
                             .scale_up = {2 * us, 1000 * GB / second},
                             .fabric = {9 * us, 10 * GB / second}};
      CHECK(contiguous_group_link(nodes, ranks, ranks * gpus).bandwidth ==
            (fewest == ranks ? 1000 * GB / second
                             : static_cast<double>(fewest) * (10 * GB / second)));
    }
}

TEST_CASE("group_link refuses an empty group", "[comm][errors]") {
  CHECK_THROWS_AS(group_link(box, 0, 8), invalid_input);
  CHECK_THROWS_AS(group_link(box, 1, 0), invalid_input);
  CHECK_THROWS_AS(contiguous_group_link(box.links(), 0, 8), invalid_input);
}

}  // namespace
}  // namespace gpuplan
