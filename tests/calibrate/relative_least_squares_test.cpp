#include <gpuplan/calibrate/relative_least_squares.hpp>

#include <cmath>
#include <limits>

#include <Eigen/LU>

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

TEST_CASE("the covariance of a fit is that of textbooks", "[calibrate][reference]") {
  // s^2 (A^T A)^-1, by the inverse itself.
  const MatrixXd terms{{1, 0}, {1, 1}, {1, 2}, {1, 1}};
  const VectorXd sums{{1, 2.2, 3, 1.8}};
  const auto fit = relative_least_squares(terms, sums);
  MatrixXd shares = terms;
  for (int i = 0; i < 4; ++i) shares.row(i) /= sums(i);
  const VectorXd errors = shares * fit.x - VectorXd::Ones(4);
  const MatrixXd inverse = (shares.transpose() * shares).inverse();
  CHECK(fit.freedom == 2);
  CHECK((fit.covariance - errors.squaredNorm() / 2 * inverse).norm() < 1e-12);
  CHECK_THAT(fit.quality.typical, WithinRel(fit.typical_error, 1e-12));
  CHECK_THAT(fit.interval(1).high - fit.x(1),
             WithinRel(student_t_quantile(0.975, 2) * std::sqrt(fit.covariance(1, 1)), 1e-9));
  // Columns that are alike, or as many rows as unknowns, tell nothing.
  constexpr double infinite = std::numeric_limits<double>::infinity();
  CHECK(relative_least_squares(MatrixXd{{1, 1}, {2, 2}, {3, 3}}, VectorXd{{1, 2, 3}})
            .interval(0)
            .high == infinite);
  CHECK(relative_least_squares(MatrixXd{{1}}, VectorXd{{1}}).interval(0).high == infinite);
}

TEST_CASE("Huber's weights by hand", "[calibrate][reference]") {
  // The median of the sizes is 0.1, so the bound is 1.345 x 1.4826 x 0.1 = 0.1994097.
  const VectorXd weights = detail::huber_weights(VectorXd{{0, 0.1, -0.1, -0.4, 1}});
  for (const int within : {0, 1, 2}) CHECK(weights(within) == 1);
  CHECK_THAT(weights(3), WithinRel(0.1994097 / 0.4, 1e-12));
  // Measured at half of what is said: (1.1994097 / 2)^2 less, too.
  CHECK_THAT(weights(4), WithinRel(0.1994097 * 0.59970485 * 0.59970485, 1e-12));
  // Residuals of rounding are not told apart: the deviation is at least 1e-9.
  const VectorXd exact = detail::huber_weights(VectorXd{{0, 0, 0, 1e-9, -1e-6}});
  CHECK(exact(3) == 1);
  CHECK_THAT(exact(4), WithinRel(1.345e-3, 1e-12));
}

TEST_CASE("Huber's weights keep a wrong row from bending a fit", "[calibrate]") {
  const MatrixXd terms = MatrixXd::Ones(9, 1);
  VectorXd sums{{1.01, 0.99, 1.02, 0.98, 1, 1.01, 0.99, 1, 0.02}};
  CHECK(relative_least_squares(terms, sums).x(0) < 0.2);
  const auto robust = relative_least_squares(terms, sums, row_weights::huber);
  CHECK(std::abs(robust.x(0) - 1) < 0.01);
  CHECK(robust.quality.outliers == 1);
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
