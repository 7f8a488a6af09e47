#include <gpuplan/memory/host_offload.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr model_states all{2 * GB, 4 * GB, 8 * GB, 16 * GB};
static_assert(states_on_host(all, offloaded_states::none).total() == 0 * GB);
static_assert(states_on_host(all, offloaded_states::optimizer).total() == 24 * GB,
              "weights and gradients stay");
static_assert(states_on_host(all, offloaded_states::all).total() == all.total());

static_assert(activations_on_device(10 * GB, 1 * GB, 0) == 10 * GB);
static_assert(activations_on_device(10 * GB, 1 * GB, 1) == 2 * GB, "the layer at work, and one");
static_assert(activations_on_device(10 * GB, 1 * GB, 0.5) == 6 * GB);
static_assert(activations_on_device(1 * GB, 1 * GB, 1) == 1 * GB, "one layer has nowhere to go");

template <class... Args>
concept on_device_accepts = requires(Args... args) {
  activations_on_device(args...);
};
static_assert(on_device_accepts<bytes, bytes, double>);
static_assert(!on_device_accepts<bytes, double, double>, "a layer's activations need a unit");

TEST_CASE("host_offload refuses what its documentation refuses", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(states_on_host(all, offloaded_states{9}), invalid_input);
  CHECK_THROWS_AS(activations_on_device(1 * GB, 2 * GB, 1), invalid_input);
  CHECK_THROWS_AS(activations_on_device(1 * GB, -1 * GB, 1), invalid_input);
  CHECK_THROWS_AS(activations_on_device(1 * GB, 1 * GB, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
