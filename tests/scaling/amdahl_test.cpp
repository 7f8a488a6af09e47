#include <gpuplan/scaling/amdahl.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/units/units.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(amdahl_speed_up(0.5, 1) == 1 && amdahl_speed_up(0, 1000) == 1);
static_assert(amdahl_speed_up(1, 64) == 64, "nothing serial, nothing lost");
static_assert(amdahl_speed_up(0.75, 3) == 2 && amdahl_limit(0.75) == 4);
static_assert(amdahl_speed_up(0.75, infinity) == amdahl_limit(0.75));
static_assert(amdahl_limit(1) == infinity && amdahl_limit(0) == 1);
static_assert(amdahl_devices(0.75, 2) == 3 && amdahl_devices(0.75, 1) == 1);
static_assert(amdahl_devices(0.75, 4) == infinity && amdahl_devices(0.75, 5) == infinity);
static_assert(amdahl_devices(0.9, 10) == infinity && amdahl_devices(0.8, 5) == infinity);
static_assert(amdahl_devices(0.9, 9.99) < 1e4);
static_assert(amdahl_devices(1, 8) == 8 && amdahl_devices(0, 1) == 1);

template <class Part>
concept amdahl_accepts = requires(Part part) {
  amdahl_speed_up(part, 8);
};
static_assert(amdahl_accepts<double> && !amdahl_accepts<seconds>, "a part is a ratio");

TEST_CASE("Amdahl's law as its textbooks work it", "[scaling][reference]") {
  // J. L. Hennessy and D. A. Patterson, "Computer Architecture", 5th ed. (2011), sections 1.9
  // and 5.1: 40% of the time made 10 times faster gives 1.56; a speed-up of 80 on 100 needs a
  // serial part of at most 0.25%.
  CHECK(std::abs(amdahl_speed_up(0.4, 10) - 1.56) <= 0.005);
  CHECK(std::abs(amdahl_devices(1 - 0.0025, 80) - 100) <= 0.5);
}

TEST_CASE("Amdahl's law has its limits", "[scaling][property]") {
  testing::check_property("bounds, and the inverse", [] {
    const double p = *rc::gen::inRange(0, 1000001) * 1e-6;
    const double n = *rc::gen::inRange(1, 1000000);
    const double s = amdahl_speed_up(p, n);
    RC_ASSERT(s >= 1 - 1e-12 && s <= n * (1 + 1e-12) && s <= amdahl_limit(p) * (1 + 1e-12));
    RC_ASSERT(amdahl_speed_up(p, n + 1) >= s);
    if (s > 1 && s < 0.99 * amdahl_limit(p))
      RC_ASSERT(std::abs(amdahl_devices(p, s) / n - 1) < 1e-6);
  });
}

TEST_CASE("Amdahl's law refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double part : {-0.1, 1.1, nan}) {
    CHECK_THROWS_AS(amdahl_speed_up(part, 2), invalid_input);
    CHECK_THROWS_AS(amdahl_limit(part), invalid_input);
    CHECK_THROWS_AS(amdahl_devices(part, 2), invalid_input);
  }
  for (const double count : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(amdahl_speed_up(0.5, count), invalid_input);
    CHECK_THROWS_AS(amdahl_devices(0.5, count), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
