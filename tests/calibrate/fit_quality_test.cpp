#include <gpuplan/calibrate/fit_quality.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/units/units.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("quantiles lie on lines between order statistics", "[calibrate]") {
  const std::vector<double> values{4, 1, 3, 2};
  CHECK(quantile_of(values, 0) == 1);
  CHECK(quantile_of(values, 0.5) == 2.5);
  CHECK_THAT(quantile_of(values, 0.9), WithinRel(3.7, 1e-12));
  CHECK(quantile_of(values, 1) == 4);
  CHECK(quantile_of({7}, 0.3) == 7);
  CHECK_THROWS_AS(quantile_of({}, 0.5), invalid_input);
  CHECK_THROWS_AS(quantile_of({1}, 1.1), invalid_input);
  CHECK_THROWS_AS(quantile_of({1}, std::numeric_limits<double>::quiet_NaN()), invalid_input);
}

TEST_CASE("errors count by their size, whatever their sign", "[calibrate]") {
  const std::vector<double> errors{-0.3, 0.1, 0.2};
  const fit_quality quality = quality_of(errors);
  CHECK(quality.samples == 3);
  CHECK(quality.median == 0.2);
  CHECK_THAT(quality.typical, WithinRel(std::sqrt(0.14 / 3), 1e-12));
  CHECK(quality.worst == 0.3);
  CHECK_THROWS_AS(quality_of({}), invalid_input);
}

using namespace units;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(inverse_of(fit_interval<seconds>{2 * second, 4 * second}).low == 0.25 / second);
static_assert(inverse_of(fit_interval<seconds>{2 * second, 4 * second}).high == 0.5 / second);

TEST_CASE("an interval is as wide as Student's t makes it", "[calibrate][reference]") {
  // Student's t, 97.5 %: 12.706 with one degree of freedom, 2.228 with ten, 1.960 with many, as
  // tables print it.
  const auto width = [](int freedom) {
    const auto of = interval_around(100 * second, 1 * second, freedom);
    CHECK(of.holds(100 * second));
    CHECK_THAT((of.low + of.high) / second, WithinRel(200, 1e-12));
    return (of.high - of.low) / second / 2;
  };
  CHECK_THAT(width(1), WithinRel(12.706, 1e-4));
  CHECK_THAT(width(10), WithinRel(2.228, 1e-3));
  CHECK_THAT(width(100000), WithinRel(1.960, 1e-4));
}

TEST_CASE("no constant is below 0, and what is not known has no bound", "[calibrate][limits]") {
  CHECK(interval_around(1.0, 1.0, 10).low == 0);
  CHECK(interval_around(1.0, 0.1, 0).high == infinite);
  CHECK(interval_around(1.0, infinite, 10).high == infinite);
  CHECK(interval_around(1.0, infinite, 10).low == 0);
  CHECK(interval_around(1.0, 0.0, 10).high == 1);
  CHECK(inverse_of(fit_interval<seconds>{}).low == 0 / second);
  CHECK(inverse_of(fit_interval<seconds>{}).high == infinite / second);
  CHECK_FALSE(fit_interval<double>{1, 2}.holds(nan));
}

TEST_CASE("an interval around nothing is refused", "[calibrate][errors]") {
  CHECK_THROWS_AS(interval_around(-1.0, 1.0, 3), invalid_input);
  CHECK_THROWS_AS(interval_around(1.0, -1.0, 3), invalid_input);
  CHECK_THROWS_AS(interval_around(nan, 1.0, 3), invalid_input);
  CHECK_THROWS_AS(interval_around(1.0, nan, 3), invalid_input);
}

}  // namespace
}  // namespace gpuplan
