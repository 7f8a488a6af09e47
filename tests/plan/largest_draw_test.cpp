#include <gpuplan/plan/largest_draw.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(largest_draw(1) == 0, "one replica waits for none");

TEST_CASE("largest_draw is near the tables of order statistics", "[plan][reference]") {
  // Tippett, "On the Extreme Individuals", Biometrika 17 (1925), table I: 1.5388 for 10 draws,
  // 2.5076 for 100, 3.2414 for 1000.  The bound is above them, by less as draws grow.
  const auto above = [](std::int64_t draws, double printed) {
    return largest_draw(draws) / printed;
  };
  CHECK(above(10, 1.5388) > 1);
  CHECK(above(100, 2.5076) > 1);
  CHECK(above(1000, 3.2414) > 1);
  CHECK(above(1000, 3.2414) < above(100, 2.5076));
  CHECK(above(1000, 3.2414) < 1.2);
}

TEST_CASE("largest_draw refuses what its documentation refuses", "[plan][errors]") {
  CHECK_THROWS_AS(largest_draw(0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
