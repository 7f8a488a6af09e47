#include <gpuplan/scaling/karp_flatt.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/scaling/usl.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(karp_flatt(2, 2) == 0 && karp_flatt(1, 8) == 1);
static_assert(karp_flatt(2, 3) == 0.25);
static_assert(karp_flatt(5, 4) < 0, "more than linear");

TEST_CASE("the serial part of Quinn's two programs", "[scaling][reference]") {
  // M. J. Quinn, "Parallel Programming in C with MPI and OpenMP", McGraw-Hill (2003), section 7.5:
  // speed-ups on 2 to 8 processors, of a program with serial work and of one with overhead.
  constexpr std::array serial{1.82, 2.50, 3.08, 3.57, 4.00, 4.38, 4.71};
  constexpr std::array overhead{1.87, 2.61, 3.23, 3.73, 4.14, 4.46, 4.71};
  constexpr std::array printed{0.070, 0.075, 0.080, 0.085, 0.090, 0.095, 0.1};
  for (std::size_t i = 0; i < serial.size(); ++i) {
    const double n = static_cast<double>(i) + 2;
    CHECK(std::abs(karp_flatt(serial[i], n) - 0.1) <= 0.0015);
    CHECK(std::abs(karp_flatt(overhead[i], n) - printed[i]) <= 0.0015);
  }
}

TEST_CASE("the metric finds the serial part that Amdahl's law was given",
          "[scaling][cross-check]") {
  testing::check_property("inverse of Amdahl's law", [] {
    const double serial = *rc::gen::inRange(0, 1001) * 1e-3;
    const double n = *rc::gen::inRange(2, 10000);
    RC_ASSERT(std::abs(karp_flatt(amdahl_speed_up(1 - serial, n), n) - serial) < 1e-9);
    // Overhead makes it grow with the devices.
    const usl law{.contention = serial / 2, .coherency = 1e-4};
    RC_ASSERT(karp_flatt(usl_speed_up(law, n + 1), n + 1) > karp_flatt(usl_speed_up(law, n), n));
  });
}

TEST_CASE("the metric refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double speed_up : {0.0, -1.0, nan})
    CHECK_THROWS_AS(karp_flatt(speed_up, 2), invalid_input);
  for (const double devices : {1.0, 0.0, nan})
    CHECK_THROWS_AS(karp_flatt(2, devices), invalid_input);
}

}  // namespace
}  // namespace gpuplan
