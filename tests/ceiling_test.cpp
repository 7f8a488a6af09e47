#include <gpuplan/ceiling.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(ceiling(0) == 0 && ceiling(1e-300) == 1 && ceiling(1) == 1 && ceiling(1.5) == 2);
static_assert(ceiling(0x1p53 + 2) == 0x1p53 + 2 && ceiling(0x1p60) == 0x1p60);

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
