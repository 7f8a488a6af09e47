#include <gpuplan/hardware/node.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr accelerator gpu{
    .memory = 80 * GiB,
    .memory_bandwidth = 2 * TB / second,
    .peak = {.bf16 = 312 * TFLOP / second},
    .scale_up = {.joined = wiring::switched,
                 .all_peers = {.latency = 3 * us, .advertised = per_direction(300 * GB / second)}},
    .host = {.advertised = per_direction(32 * GB / second)}};
constexpr interconnect fabric{.latency = 14 * us, .bandwidth = 25 * GB / second};

static_assert(node_of(gpu, 8, fabric).scale_up.bandwidth == 300 * GB / second);
static_assert(node_of(gpu, 8, fabric).fabric.bandwidth == fabric.bandwidth);
static_assert((require_valid(node_of(gpu, 8, fabric)), true));

constexpr accelerator unlinked = [] {
  accelerator other = gpu;
  other.scale_up = {};
  return other;
}();
static_assert(node_of(unlinked, 8, fabric).scale_up.bandwidth == 32 * GB / second,
              "without links of their own GPUs talk through the host");

TEST_CASE("a node out of range is refused", "[hardware][errors]") {
  CHECK_THROWS_AS(node_of(gpu, 0, fabric), invalid_input);
  CHECK_THROWS_AS(require_valid(node{.gpu = gpu, .gpus = 8, .scale_up = fabric}), invalid_input);
  node none = node_of(gpu, 8, fabric);
  none.gpus = 0;
  CHECK_THROWS_AS(require_valid(none), invalid_input);
}

}  // namespace
}  // namespace gpuplan
