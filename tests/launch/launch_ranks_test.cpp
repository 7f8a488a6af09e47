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

TEST_CASE("the launcher's line says nodes and processes", "[launch]") {
  CHECK(torchrun_of({2, 8}) == "torchrun --nnodes 2 --nproc-per-node 8");
}

TEST_CASE("every process has its node", "[launch][property]") {
  testing::check_property("nodes x processes", [] {
    const int processes = *rc::gen::inRange(1, 10000);
    const int node = *rc::gen::inRange(1, 73);
    const launch_ranks ranks = launch_ranks_of(processes, node);
    RC_ASSERT(ranks.nodes * ranks.per_node == processes);
    RC_ASSERT(ranks.per_node <= node);
  });
}

TEST_CASE("ranks of nothing are refused", "[launch]") {
  CHECK_THROWS_WITH(launch_ranks_of(0, 8), "launch_ranks_of: processes must be >= 1");
  CHECK_THROWS_WITH(launch_ranks_of(8, 0), "launch_ranks_of: gpus_per_node must be >= 1");
}

}  // namespace
}  // namespace gpuplan
