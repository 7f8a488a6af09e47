#include <gpuplan/placement/aim_scale.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(normalized_aim(3, 1, 5) == 0.5);
static_assert(normalized_aim(-5, -5, -1) == 0, "the best");
static_assert(normalized_aim(-1, -5, -1) == 1, "the worst");
static_assert(normalized_aim(7, 7, 7) == 0, "all alike");

TEST_CASE("a weight leans towards what is worse than the mean", "[placement]") {
  CHECK(leaning_weight(0.5, 0.5, 0.25, 2) == 1);
  CHECK(leaning_weight(1, 0.5, 0.5, 0.2) == 1.2);
  CHECK(leaning_weight(0, 0.5, 0.5, 0.2) == 0.8);
  CHECK(leaning_weight(0, 0.5, 0.25, 1) == 0);
  CHECK(leaning_weight(3, 3, 0, 5) == 1);
  CHECK(leaning_weight(1, 0, 1, 0) == 1);
}

TEST_CASE("an aim outside its candidates is refused", "[placement]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(normalized_aim(0, 1, 5), invalid_input);
  CHECK_THROWS_AS(normalized_aim(6, 1, 5), invalid_input);
  CHECK_THROWS_AS(normalized_aim(nan, 1, 5), invalid_input);
  CHECK_THROWS_AS(normalized_aim(0, -infinity, 5), invalid_input);
  CHECK_THROWS_AS(leaning_weight(infinity, 0, 1, 1), invalid_input);
  CHECK_THROWS_AS(leaning_weight(0, 0, -1, 1), invalid_input);
  CHECK_THROWS_AS(leaning_weight(0, 0, 1, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
