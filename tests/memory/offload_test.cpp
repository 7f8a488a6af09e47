#include <gpuplan/memory/offload.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bytes_per_second pcie = 25 * GB / second;

constexpr offload states = offload_optimizer(1e9, parameter_bytes{});
static_assert(states.device_saved == 12 * GB && states.host_needed == 12 * GB);
static_assert(states.traffic.to_host == 2 * GB && states.traffic.to_device == 2 * GB,
              "J. Ren et al. (2021): 16-bit gradients down, 16-bit weights up");
static_assert(states.transfer_time(1 * GB / second) == 4 * second);
static_assert(states.duplex_transfer_time(1 * GB / second) == 2 * second);

static_assert(offload_activations(10 * GB, 0.5).device_saved == 5 * GB);
static_assert(offload_activations(10 * GB).transfer_time(10 * GB / second) == 2 * second);

constexpr offload weights = offload_parameters(1e9, parameter_bytes{}, 0.5 * GB);
static_assert(weights.device_saved == 1.5 * GB);
static_assert(weights.traffic.to_device == 4 * GB, "forward and again backward");

static_assert(exposed_transfer(3 * second, 2 * second) == 1 * second);
static_assert(exposed_transfer(1 * second, 2 * second) == 0 * second);

template <class... Args>
concept hidden_accepts = requires(Args... args) {
  exposed_transfer(args...);
};
static_assert(!hidden_accepts<bytes, seconds>, "a transfer's time, not its bytes");

TEST_CASE("offload refuses what its documentation refuses", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(offload_optimizer(-1, parameter_bytes{}), invalid_input);
  CHECK_THROWS_AS(offload_optimizer(nan, parameter_bytes{}), invalid_input);
  CHECK_THROWS_AS(offload_activations(-1 * GB), invalid_input);
  CHECK_THROWS_AS(offload_activations(1 * GB, 1.5), invalid_input);
  CHECK_THROWS_AS(offload_activations(1 * GB, nan), invalid_input);
  CHECK_THROWS_AS(offload_parameters(1e9, parameter_bytes{}, 3 * GB), invalid_input);
  CHECK_THROWS_AS(exposed_transfer(-1 * second, 0 * second), invalid_input);
  CHECK_THROWS_AS(exposed_transfer(1 * second, seconds{nan}), invalid_input);
  CHECK_THROWS_AS(states.transfer_time(0 * pcie), invalid_input);
  CHECK_THROWS_AS(states.duplex_transfer_time(0 * pcie), invalid_input);
}

}  // namespace
}  // namespace gpuplan

namespace gpuplan::on_the_host {
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
}  // namespace gpuplan::on_the_host
