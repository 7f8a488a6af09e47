#include <gpuplan/ceiling.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(ceiling(0) == 0 && ceiling(1e-300) == 1 && ceiling(1) == 1 && ceiling(1.5) == 2);
static_assert(ceiling(0x1p53 + 2) == 0x1p53 + 2 && ceiling(0x1p60) == 0x1p60);

static_assert((0.1 + 0.2) / 0.3 > 1 && rounded_up((0.1 + 0.2) / 0.3) == 1);
static_assert(0.07 * 100 > 7 && rounded_up(0.07 * 100) == 7 && rounded_down(0.07 * 100) == 7);
static_assert(0.3 / 0.1 < 3 && rounded_down(0.3 / 0.1) == 3 && rounded_up(0.3 / 0.1) == 3);
static_assert(rounded_up(0) == 0 && rounded_down(0) == 0 && rounded_up(1e-300) == 1);
static_assert(rounded_up(7.000001) == 8 && rounded_down(6.999999) == 6 && rounded_down(0.5) == 0);
static_assert(rounded_up(1e9 + 0.5) == 1e9 + 1 && rounded_down(1e9 + 0.5) == 1e9);

TEST_CASE("quotients of whole numbers round as the whole numbers say", "[property]") {
  testing::check_property("any whole parts, scaled", [] {
    const double unit = std::ldexp(*rc::gen::inRange(1, 1 << 20), *rc::gen::inRange(-40, 0)) / 10;
    const int part = *rc::gen::inRange(1, 1000);
    const int whole = *rc::gen::inRange(0, 100000);
    const double quotient = (whole * unit) / (part * unit);
    RC_ASSERT(rounded_up(quotient) == (whole + part - 1) / part);
    RC_ASSERT(rounded_down(quotient) == whole / part);
  });
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(rounded_up(std::numeric_limits<double>::quiet_NaN())));
  CHECK(rounded_down(1e300) >= 1e300);
  CHECK(rounded_down(infinity) == infinity);
}

TEST_CASE("ceiling is that of the standard library", "[property]") {
  testing::check_property("any number from 0", [] {
    const double x = std::ldexp(*rc::gen::inRange(0, 1 << 30), *rc::gen::inRange(-60, 40));
    RC_ASSERT(ceiling(x) == std::ceil(x));
  });
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(ceiling(infinity) == infinity);
  CHECK(std::isnan(ceiling(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace gpuplan
