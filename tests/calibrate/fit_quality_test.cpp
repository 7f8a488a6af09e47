#include <gpuplan/calibrate/fit_quality.hpp>

#include <cmath>
#include <limits>
#include <vector>

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

}  // namespace
}  // namespace gpuplan
