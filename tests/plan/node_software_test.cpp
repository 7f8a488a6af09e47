#include <gpuplan/plan/node_software.hpp>

#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node usual = node_of(catalog::h100_sxm5_80gb, 8, {5 * us, 50 * GB / second});

constexpr node slow_host(double layer, double step) {
  node box = usual;
  box.layer_host = layer;
  box.step_host = step;
  return box;
}

constexpr framework_profile known = profile_of(framework::fsdp);
constexpr framework_profile slow = profile_on(slow_host(2, 3), framework::fsdp);
static_assert(slow.dense_host == 2 * known.dense_host);
static_assert(slow.expert_host == 2 * known.expert_host);
static_assert(slow.step_host == 3 * known.step_host);
static_assert(slow.elementwise == known.elementwise && slow.jitter == known.jitter);
static_assert(profile_on(usual, framework::fsdp).step_host == known.step_host, "1 changes nothing");

constexpr recipe how{.global_batch_size = 8, .sequence_length = 2048};
constexpr parallelism cut{.data = 8};
constexpr seconds step_on(const node& box) {
  return evaluate(catalog::llama_3_8b, cluster_of(box, 8), how, cut).time.total();
}
static_assert(step_on(slow_host(1, 2)) - step_on(usual) >=
                  0.999 * profile_of(how.framework).step_host,
              "an estimate waits for the node's host once a step");
static_assert(step_on(slow_host(10, 1)) > step_on(usual), "and for its launches");

TEST_CASE("a host that takes no time, or less, is refused", "[plan]") {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(require_valid(slow_host(bad, 1)), invalid_input);
    CHECK_THROWS_AS(require_valid(slow_host(1, bad)), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
