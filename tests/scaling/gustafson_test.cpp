#include <gpuplan/scaling/gustafson.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/scaling/amdahl.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(gustafson_speed_up(0, 64) == 64 && gustafson_speed_up(1, 64) == 1);
static_assert(gustafson_speed_up(0.25, 5) == 4 && gustafson_speed_up(0.3, 1) == 1);
static_assert(amdahl_parallel_part(0.25, 3) == 0.9);

TEST_CASE("both laws describe one run", "[scaling][cross-check]") {
  testing::check_property("the same speed-up by either", [] {
    const double serial = *rc::gen::inRange(0, 1000001) * 1e-6;
    const double n = *rc::gen::inRange(1, 1000000);
    const double part = amdahl_parallel_part(serial, n);
    const double scaled = gustafson_speed_up(serial, n);
    // The serial part 1 - p loses digits where n is large: hence the tolerance.
    RC_ASSERT(std::abs(amdahl_speed_up(part, n) / scaled - 1) < 1e-9 * n);
    RC_ASSERT(scaled >= 1 && scaled <= n);
    RC_ASSERT(gustafson_speed_up(serial, n + 1) >= scaled);
  });
}

TEST_CASE("Gustafson's law refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double part : {-0.1, 1.1, nan}) {
    CHECK_THROWS_AS(gustafson_speed_up(part, 2), invalid_input);
    CHECK_THROWS_AS(amdahl_parallel_part(part, 2), invalid_input);
  }
  for (const double count : {0.0, nan}) {
    CHECK_THROWS_AS(gustafson_speed_up(0.5, count), invalid_input);
    CHECK_THROWS_AS(amdahl_parallel_part(0.5, count), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
