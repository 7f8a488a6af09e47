#include <gpuplan/compute/precision_speed_up.hpp>

#include <algorithm>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr precision_step v100{.arithmetic = 0.8 * second,
                              .memory = 0.2 * second,
                              .other = 0.1 * second,
                              .rates = 8,
                              .value_bytes = 2};
static_assert(precision_speed_up({.arithmetic = 1 * second}) == 1, "nothing changes");
static_assert(precision_speed_up({.arithmetic = 1 * second, .rates = 8}) == 8);
static_assert(precision_speed_up({.memory = 1 * second, .value_bytes = 2}) == 2);
static_assert(precision_speed_up({.other = 1 * second, .rates = 8, .value_bytes = 2}) == 1);

TEST_CASE("a step of three parts speeds up by hand", "[compute][reference]") {
  CHECK(step_in_lower_precision(v100) / second == Approx(0.3).epsilon(1e-14));
  CHECK(precision_speed_up(v100) == Approx(1.1 / 0.3).epsilon(1e-14));
}

TEST_CASE("the speed-up lies between 1 and the larger ratio", "[compute][property]") {
  testing::check_property("of ratios of at least 1", [] {
    const precision_step step{.arithmetic = *rc::gen::inRange(1, 1000) * ms,
                              .memory = *rc::gen::inRange(0, 1000) * ms,
                              .other = *rc::gen::inRange(0, 1000) * ms,
                              .rates = *rc::gen::inRange(10, 160) / 10.0,
                              .value_bytes = *rc::gen::inRange(10, 40) / 10.0};
    const double speed_up = precision_speed_up(step);
    RC_ASSERT(speed_up >= 1 - 1e-12);
    RC_ASSERT(speed_up <= std::max(step.rates, step.value_bytes) * (1 + 1e-12));
  });
}

TEST_CASE("precision_speed_up refuses what is no step", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(precision_speed_up({}), invalid_input);
  CHECK_THROWS_AS(precision_speed_up({.arithmetic = -1 * second}), invalid_input);
  CHECK_THROWS_AS(precision_speed_up({.memory = -1 * second}), invalid_input);
  CHECK_THROWS_AS(precision_speed_up({.other = nan * second}), invalid_input);
  CHECK_THROWS_AS(precision_speed_up({.arithmetic = 1 * second, .rates = 0}), invalid_input);
  CHECK_THROWS_AS(precision_speed_up({.arithmetic = 1 * second, .value_bytes = nan}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
