#include <gpuplan/plan/power_cap.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(gpus_under_power(1 * MW, 1 * kW) == 1000);
static_assert(gpus_under_power(1 * MW, 1 * kW, 1.25) == 800);
static_assert(gpus_under_power(999 * watt, 1 * kW) == 0);
static_assert(capped_step(3 * second, 1 * second, 0.75) == 5 * second);

constexpr power_range range{.idle = 100 * watt, .full = 700 * watt};

TEST_CASE("an eighth of the dynamic power is half the clock", "[plan][limits]") {
  CHECK_THAT(coarse_capped_clock(175 * watt, range), WithinRel(0.5, 1e-12));
  CHECK(coarse_capped_clock(700 * watt, range) == 1);
  CHECK(coarse_capped_clock(1000 * watt, range) == 1);
}

TEST_CASE("a lower cap is never faster", "[plan][property]") {
  testing::check_property("monotone", [] {
    const watts cap = *rc::gen::inRange(101, 800) * watt;
    const double clock = coarse_capped_clock(cap, range);
    RC_ASSERT(clock > 0 && clock <= 1);
    RC_ASSERT(coarse_capped_clock(cap + 1 * watt, range) >= clock);
    RC_ASSERT(capped_step(1 * second, 1 * second, clock) >= 2 * second);
    const double effectiveness = 1 + *rc::gen::inRange(0, 100) * 1e-2;
    const auto gpus = gpus_under_power(1 * MW, cap, effectiveness);
    RC_ASSERT(double(gpus) * cap * effectiveness <= 1.000000001 * MW);
    RC_ASSERT(double(gpus + 1) * cap * effectiveness > 0.999999999 * MW);
  });
}

TEST_CASE("power caps refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(gpus_under_power(watts{-1}, kW), invalid_input);
  CHECK_THROWS_AS(gpus_under_power(MW, watts{0}), invalid_input);
  CHECK_THROWS_AS(gpus_under_power(MW, kW, 0.9), invalid_input);
  CHECK_THROWS_AS(gpus_under_power(MW, kW, nan), invalid_input);
  CHECK_THROWS_AS(gpus_under_power(watts{1e300}, kW), invalid_input);
  CHECK_THROWS_AS(coarse_capped_clock(100 * watt, range), invalid_input);
  CHECK_THROWS_AS(coarse_capped_clock(watts{nan}, range), invalid_input);
  CHECK_THROWS_AS(coarse_capped_clock(kW, {100 * watt, 100 * watt}), invalid_input);
  CHECK_THROWS_AS(coarse_capped_clock(kW, {watts{-1}, 100 * watt}), invalid_input);
  CHECK_THROWS_AS(capped_step(seconds{-1}, second, 1), invalid_input);
  CHECK_THROWS_AS(capped_step(second, seconds{nan}, 1), invalid_input);
  for (const double clock : {0.0, 1.1, nan})
    CHECK_THROWS_AS(capped_step(second, second, clock), invalid_input);
}

}  // namespace
}  // namespace gpuplan
