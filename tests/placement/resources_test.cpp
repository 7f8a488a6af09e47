#include <gpuplan/placement/resources.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr resources box{.compute = 8000 * TFLOP / second,
                        .memory = 640 * GB,
                        .cores = 128,
                        .network = 400 * GB / second};

// A step of 10 s in which a GPU does 4 PFLOP, holds 60 GB and sends 20 GB, fed by 6 cores.
constexpr step_demand each{
    .work = 4 * PFLOP, .memory = 60 * GB, .sent = 20 * GB, .cores_per_gpu = 6};
constexpr resources asked = resource_demand(each, 4, 10 * second);
static_assert(asked.compute == 1600 * TFLOP / second);
static_assert(asked.memory == 240 * GB && asked.cores == 24);
static_assert(asked.network == 8 * GB / second);
static_assert(resource_demand(each, 8, 10 * second) == 2.0 * asked);
static_assert(resource_demand(each, 4, 5 * second).compute == 2 * asked.compute,
              "half the time needs twice the rate");
static_assert(resource_demand(each, 4, 5 * second).memory == asked.memory);

static_assert(shares_of(asked, box).compute == 0.2);
static_assert(shares_of(asked, box).memory == 0.375);
static_assert(shares_of(asked, box).dominant() == resource_kind::memory);
static_assert(shares_of(asked, box).largest() == 0.375);
static_assert(holds(box, asked) && !holds(asked, box));
static_assert(holds(box, box) && box - asked + asked == box);

template <class... Args>
concept demand_accepts = requires(Args... args) {
  resource_demand(args...);
};
static_assert(demand_accepts<step_demand, int, seconds>);
static_assert(!demand_accepts<step_demand, int, double>, "a step time needs a unit");
static_assert(!demand_accepts<step_demand, int, bytes>, "a step time is no size");

TEST_CASE("a kind that nobody has and nobody asks for is not used", "[placement]") {
  const resources only{.memory = 4 * GB};
  const resource_shares part = shares_of({.memory = 1 * GB}, only);
  CHECK(part.memory == 0.25);
  CHECK(part.network == 0);
  CHECK_THROWS_AS(shares_of({.cores = 1}, only), invalid_input);
}

TEST_CASE("amounts out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(require_valid(resources{.compute = flop_per_second{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.memory = bytes{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.cores = bad}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.network = bytes_per_second{bad}}), invalid_input);
  }
  CHECK_THROWS_AS(resource_demand(each, 0, 1 * second), invalid_input);
  CHECK_THROWS_AS(resource_demand(each, 1, 0 * second), invalid_input);
  CHECK_THROWS_AS(resource_demand(each, 1, seconds{nan}), invalid_input);
  CHECK_THROWS_AS(resource_demand({.work = -1 * FLOP}, 1, 1 * second), invalid_input);
}

}  // namespace
}  // namespace gpuplan
