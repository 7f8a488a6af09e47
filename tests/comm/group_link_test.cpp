#include <gpuplan/comm/group_link.hpp>

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

TEST_CASE("group_link refuses an empty group", "[comm][errors]") {
  CHECK_THROWS_AS(group_link(box, 0, 8), invalid_input);
  CHECK_THROWS_AS(group_link(box, 1, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
