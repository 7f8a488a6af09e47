#include <gpuplan/scaling/usl.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/scaling/amdahl.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(usl_speed_up({}, 64) == 64, "neither contention nor coherency");
static_assert(usl_speed_up({.contention = 0.25}, 3) == amdahl_speed_up(0.75, 3));
static_assert(usl_speed_up({.contention = 1}, 7) == 1);
static_assert(usl_speed_up({.coherency = 0.5}, 2) == 1);

TEST_CASE("the peak of a measured system", "[scaling][reference]") {
  // N. Gunther and S. Moeding, "usl: Analyze System Scalability with the Universal Scalability
  // Law", R package 3.0, README: SPEC SDM91 on a SPARCcenter 2000.
  const usl sparc{.contention = 0.0277285, .coherency = 0.0001044};
  CHECK(std::abs(usl_peak(sparc) - 96.5) <= 0.05);
}

TEST_CASE("nothing beats the peak", "[scaling][property]") {
  testing::check_property("peak", [] {
    const usl law{.contention = *rc::gen::inRange(0, 1001) * 1e-3,
                  .coherency = *rc::gen::inRange(1, 100000) * 1e-6};
    const double peak = usl_peak(law);
    const double best = usl_speed_up(law, peak);
    const double n = *rc::gen::inRange(1, 100000);
    RC_ASSERT(usl_speed_up(law, n) <= best * (1 + 1e-12));
    RC_ASSERT(usl_speed_up(law, n) <= amdahl_speed_up(1 - law.contention, n) * (1 + 1e-12));
  });
  CHECK(std::isinf(usl_peak({.contention = 0.5})));
  CHECK(usl_peak({.coherency = 4}) == 1);
}

TEST_CASE("the law refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const usl law : {usl{.contention = -0.1}, usl{.contention = 1.1}, usl{.contention = nan},
                        usl{.coherency = -1}, usl{.coherency = nan},
                        usl{.coherency = HUGE_VAL}}) {
    CHECK_THROWS_AS(usl_speed_up(law, 2), invalid_input);
    CHECK_THROWS_AS(usl_peak(law), invalid_input);
  }
  for (const double devices : {0.0, nan, HUGE_VAL})
    CHECK_THROWS_AS(usl_speed_up({}, devices), invalid_input);
}

}  // namespace
}  // namespace gpuplan
