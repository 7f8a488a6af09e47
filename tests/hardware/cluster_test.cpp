#include <gpuplan/hardware/cluster.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box{.gpu = {.memory = 80 * GiB,
                           .memory_bandwidth = 2 * TB / second,
                           .peak = {.bf16 = 312 * TFLOP / second}},
                   .gpus = 8,
                   .scale_up = {3 * us, 230 * GB / second},
                   .fabric = {14 * us, 23 * GB / second}};

static_assert(cluster{.node = box, .nodes = 128}.gpus() == 1024);
static_assert(cluster{.node = box, .nodes = 128}.gpu().memory == 80 * GiB);
static_assert(cluster_of(box, 1024).nodes == 128 && cluster_of(box, 1024).missing_gpus == 0);
static_assert(cluster_of(box, 1).nodes == 1 && cluster_of(box, 1).missing_gpus == 7);
static_assert(cluster_of(box, 17).gpus() == 17, "the last node is smaller");
static_assert(cluster_of(box, 2147483647).gpus() == 2147483647);
static_assert((require_valid(cluster_of(box, 17)), true));

template <class... Args>
concept makes_cluster = requires(Args... args) {
  cluster_of(args...);
};
static_assert(makes_cluster<node, int>);
static_assert(!makes_cluster<accelerator, int>, "GPUs alone are no node");

TEST_CASE("a cluster out of range is refused", "[hardware][errors]") {
  CHECK_THROWS_AS(cluster_of(box, 0), invalid_input);
  CHECK_THROWS_AS(require_valid(cluster{.node = box, .nodes = 0}), invalid_input);
  CHECK_THROWS_AS(require_valid(cluster{.node = box, .missing_gpus = 8}), invalid_input);
  CHECK_THROWS_AS(require_valid(cluster{.node = box, .missing_gpus = -1}), invalid_input);
  CHECK_THROWS_AS(require_valid(cluster{}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
