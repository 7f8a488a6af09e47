#include <gpuplan/calibrate/relative_least_squares.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("each sum counts by its own size", "[calibrate]") {
  // One part: the least of (x/1 - 1)^2 + (x/2 - 1)^2 is at (1 + 1/2) / (1 + 1/4).
  const auto fit = relative_least_squares(MatrixXd{{1}, {1}}, VectorXd{{1, 2}});
  CHECK_THAT(fit.x(0), WithinRel(1.2, 1e-14));
  CHECK_THAT(fit.largest_error, WithinRel(0.4, 1e-14));
  CHECK_THAT(fit.typical_error, WithinRel(std::sqrt((0.04 + 0.16) / 2), 1e-14));

  // Sums from 1e-6 to 1e6 of parts 1e-6 and 1, exactly.
  const auto wide = relative_least_squares(MatrixXd{{1, 0}, {1, 1e-6}, {1, 1e6}},
                                           VectorXd{{1e-6, 2e-6, 1e6 + 1e-6}});
  CHECK_THAT(wide.x(0), WithinRel(1e-6, 1e-9));
  CHECK_THAT(wide.x(1), WithinRel(1, 1e-9));
  CHECK(wide.largest_error < 1e-9);
  CHECK(relative_least_squares(MatrixXd{{-1}}, VectorXd{{1}}).largest_error == 1);
}

TEST_CASE("a measured sum of nothing is refused", "[calibrate][errors]") {
  const MatrixXd one = MatrixXd::Ones(1, 1);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(relative_least_squares(one, VectorXd{{1, 1}}), invalid_input);
  for (const double wrong : {0.0, -1.0, infinite, infinite - infinite})
    CHECK_THROWS_WITH(relative_least_squares(one, VectorXd{{wrong}}),
                      "relative_least_squares: every measured sum must be > 0 and finite");
}

}  // namespace
}  // namespace gpuplan
