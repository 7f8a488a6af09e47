#include <gpuplan/launch/launch_ranks.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(!launch_ranks{}.said());
static_assert(launch_ranks_of(64, 8).nodes == 8);
static_assert(launch_ranks_of(64, 8).per_node == 8);
static_assert(launch_ranks_of(4, 8).nodes == 1);
static_assert(launch_ranks_of(12, 8).per_node == 6, "nodes have as many processes each");
static_assert(launch_ranks_of(12, 8).left_idle == 2);
static_assert(launch_ranks_of(64, 8).left_idle == 0);
static_assert(launch_ranks_of(4, 8).left_idle == 0, "a part of one node leaves none unfilled");
static_assert(launch_ranks_of(100, 8).per_node == 5);
static_assert(launch_ranks_of(100, 8, 2).per_node == 4, "tensor ranks stay on one node");
static_assert(launch_ranks_of(100, 8, 25).per_node == 5, "a group beyond a node crosses nodes");

TEST_CASE("the launcher's line says nodes and processes", "[launch]") {
  CHECK(torchrun_of({2, 8, 0}) == "torchrun --nnodes 2 --nproc-per-node 8");
}

TEST_CASE("nodes that are not full are said", "[launch]") {
  CHECK(unfilled_nodes(launch_ranks_of(100, 8)) ==
        "100 GPUs do not fill nodes of 8: 20 nodes start 5 processes each");
  CHECK(unfilled_nodes(launch_ranks_of(13, 8)) ==
        "13 GPUs do not fill nodes of 8: 13 nodes start 1 process each");
  CHECK(unfilled_nodes(launch_ranks_of(64, 8)).empty());
}

TEST_CASE("every process has its node", "[launch][property]") {
  testing::check_property("nodes x processes", [] {
    const int processes = *rc::gen::inRange(1, 10000);
    const int node = *rc::gen::inRange(1, 73);
    const int group = *rc::gen::inRange(1, 9);
    const launch_ranks ranks = launch_ranks_of(processes, node, group);
    RC_ASSERT(ranks.nodes * ranks.per_node == processes);
    RC_ASSERT(ranks.per_node <= node);
    if (group <= node && processes % group == 0) RC_ASSERT(ranks.per_node % group == 0);
  });
}

TEST_CASE("ranks of nothing are refused", "[launch]") {
  CHECK_THROWS_WITH(launch_ranks_of(0, 8), "launch_ranks_of: processes must be >= 1");
  CHECK_THROWS_WITH(launch_ranks_of(8, 0), "launch_ranks_of: gpus_per_node must be >= 1");
  CHECK_THROWS_WITH(launch_ranks_of(8, 8, 0), "launch_ranks_of: group must be >= 1");
}

}  // namespace
}  // namespace gpuplan
