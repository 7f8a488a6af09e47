#include <gpuplan/plan/offload_traffic.hpp>

#include <limits>

#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr parameter_bytes adam{};  // FP16 weights and gradients beside FP32 Adam

constexpr host_traffic optimizer_alone =
    host_traffic_of({.offload = offloaded_states::optimizer}, {1e9, 1e9}, adam, 5 * GB);
static_assert(optimizer_alone.update.to_host == 2 * GB &&
                  optimizer_alone.update.to_device == 2 * GB,
              "J. Ren et al. (2021), section 4.2: 4 M a step, the least that any way can send");
static_assert(optimizer_alone.forward.to_host + optimizer_alone.backward.to_device == 0 * GB);

constexpr host_traffic everything = host_traffic_of(
    {.offload = offloaded_states::all, .offloaded_activations = 1}, {1e9, 1e9}, adam, 5 * GB);
static_assert(everything.forward.to_device == 2 * GB && everything.forward.to_host == 5 * GB);
static_assert(everything.backward.to_device == 7 * GB && everything.backward.to_host == 2 * GB);
static_assert(everything.update.to_host + everything.update.to_device == 0 * GB,
              "the next forward pass fetches what was updated");

static_assert(bytes_per_host_update(adam) == bytes{28});
static_assert(bytes_per_host_update({bytes{4}, bytes{4}, bytes{0}, bytes{8}}) == bytes{28},
              "FP32: gradient, and weight, momentum and variance both ways");

constexpr interconnect pcie{.bandwidth = 1 * GB / second};

// Weights come up for 2 s while activations go down for 5 s: 5 s, of which 4 s hide.
constexpr auto wait = host_wait_of(
    pcie, everything,
    {.forward = 4 * second, .backward = 8 * second, .update = 1 * second, .exposed = 0.1});
static_assert(wait.forward == 1 * second);
static_assert(wait.backward == 0.1 * (7 * second), "hidden but for the exposed share");
static_assert(wait.update == 0 * second);
static_assert(wait.of_micro_batch() == wait.forward + wait.backward);

// Gradients hide behind the pass that makes them, weights behind the rest of the update.
constexpr auto update = host_wait_of(
    pcie, optimizer_alone, {.backward = 0.5 * second, .update = 1 * second, .exposed = 0});
static_assert(update.update == 1.5 * second + 1 * second);
static_assert(host_wait_of(pcie, host_traffic{}, {}).of_micro_batch() == 0 * second);

template <class... Args>
concept traffic_accepts = requires(Args... args) {
  host_traffic_of(args...);
};
static_assert(traffic_accepts<recipe, host_share, parameter_bytes, bytes>);
static_assert(!traffic_accepts<recipe, host_share, parameter_bytes, double>);
static_assert(host_traffic_of({.offload = offloaded_states::all}, {1e9, 1e6}, adam, 0 * GB)
                      .backward.to_host == 2 * MB,
              "frozen weights have no gradients");

TEST_CASE("GPUs of a node share the rate at which its host updates", "[plan][reference]") {
  node box = node_of(catalog::a100_sxm4_80gb, 8, interconnect{5 * us, GB / second});
  box.host_update = 100 * GB / second;
  // 28 B for each parameter of Adam, with gradients of 16 bits; 1e9 parameters on each rank.
  const recipe how{.precision = precision::mixed_bf16,
                   .optimizer = optimizer::adam,
                   .gradient = gradient_format::bf16};
  const auto time = [&](const parallelism& cut) {
    return detail::host_update_time(box, how, cut, 1e9).in(second);
  };
  CHECK_THAT(time({}), WithinRel(0.28, 1e-12));
  CHECK_THAT(time({.data = 2}), WithinRel(2 * 0.28, 1e-12));
  CHECK_THAT(time({.data = 8}), WithinRel(8 * 0.28, 1e-12));
  CHECK_THAT(time({.data = 64}), WithinRel(8 * 0.28, 1e-12));
}

TEST_CASE("host_traffic refuses what its documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const recipe how{.offload = offloaded_states::all};
  CHECK_THROWS_AS(host_traffic_of(how, {nan, 1}, adam, 1 * GB), invalid_input);
  CHECK_THROWS_AS(host_traffic_of(how, {1, 1}, adam, -1 * GB), invalid_input);
  CHECK_THROWS_AS(host_traffic_of({.offloaded_activations = 2}, {1, 1}, adam, 1 * GB),
                  invalid_input);
  CHECK_THROWS_AS(host_wait_of(interconnect{}, everything, {}), invalid_input);
  CHECK_THROWS_AS(host_wait_of(pcie, everything, {.exposed = nan}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
