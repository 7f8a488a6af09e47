#include <gpuplan/calibrate/non_negative_least_squares.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/QR>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(int rows, int columns) {
  MatrixXd a(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) a(i, j) = *rc::gen::inRange(-1000, 1001) / 100.0;
  return a;
}

/// The least residual over all choices of which unknowns are above 0.
double brute_force(const MatrixXd& a, const VectorXd& b) {
  double least = b.norm();
  for (unsigned set = 1; set < (1U << a.cols()); ++set) {
    std::vector<int> columns;
    for (int j = 0; j < a.cols(); ++j)
      if ((set >> j & 1U) != 0) columns.push_back(j);
    const MatrixXd part = a(Eigen::all, columns);
    const VectorXd x = part.colPivHouseholderQr().solve(b);
    if ((x.array() >= -1e-12).all()) least = std::fmin(least, (part * x - b).norm());
  }
  return least;
}

/// How far a solution is from the conditions of Karush, Kuhn and Tucker, in its own scale.
double conditions_off(const MatrixXd& a, const VectorXd& b, const VectorXd& x) {
  const VectorXd w = a.transpose() * (b - a * x);
  double off = 0;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double scale = a.col(j).norm() * b.norm() + 1e-300;
    off = std::fmax(off, x(j) > 0 ? std::abs(w(j)) / scale : w(j) / scale);
  }
  return off;
}

TEST_CASE("the worked example of a textbook, and what is solved without bounds", "[calibrate]") {
  // The unbounded solution of the first has a negative part.
  const MatrixXd a{{1, 1}, {1, 2}, {1, 3}};
  const auto falling = non_negative_least_squares(a, VectorXd{{3, 2, 1}});
  CHECK(falling.converged);
  CHECK(falling.x(1) == 0);
  CHECK_THAT(falling.x(0), WithinRel(2, 1e-14));
  CHECK_THAT(falling.residual, WithinRel(std::sqrt(2), 1e-14));
  const auto rising = non_negative_least_squares(a, VectorXd{{3, 5, 7}});
  CHECK_THAT(rising.x(0), WithinRel(1, 1e-12));
  CHECK_THAT(rising.x(1), WithinRel(2, 1e-12));
  const auto none = non_negative_least_squares(a, VectorXd{{-1, -1, -1}});
  CHECK(none.x == VectorXd{{0, 0}});
  CHECK(non_negative_least_squares(a, VectorXd::Zero(3)).x == VectorXd{{0, 0}});
}

TEST_CASE("the solution is the best of all sets of unknowns", "[calibrate][property]") {
  testing::check_property("brute force and the conditions of Karush, Kuhn and Tucker", [] {
    const int rows = *rc::gen::inRange(1, 9);
    const int columns = *rc::gen::inRange(1, 7);
    const MatrixXd a = random_matrix(rows, columns);
    const VectorXd b = random_matrix(rows, 1);
    const auto solution = non_negative_least_squares(a, b);
    RC_ASSERT(solution.converged);
    RC_ASSERT((solution.x.array() >= 0).all());
    RC_ASSERT(std::abs((a * solution.x - b).norm() - solution.residual) <= 1e-10 * (1 + b.norm()));
    RC_ASSERT(solution.residual <= brute_force(a, b) + 1e-9 * (1 + b.norm()));
    RC_ASSERT(conditions_off(a, b, solution.x) <= 1e-9);
  });
}

TEST_CASE("many unknowns, few of them above 0", "[calibrate][property]") {
  testing::check_property("the conditions of Karush, Kuhn and Tucker", [] {
    const int columns = *rc::gen::inRange(10, 40);
    MatrixXd a = random_matrix(*rc::gen::inRange(columns / 2, 2 * columns), columns);
    a.array() += *rc::gen::inRange(0, 20);  // alike, so that most get in each other's way
    const VectorXd b = random_matrix(static_cast<int>(a.rows()), 1);
    const auto solution = non_negative_least_squares(a, b);
    RC_ASSERT(solution.converged);
    RC_ASSERT((solution.x.array() >= 0).all());
    RC_ASSERT(conditions_off(a, b, solution.x) <= 1e-9);
  });
}

TEST_CASE("units of columns do not matter", "[calibrate][property]") {
  testing::check_property("a column in another unit", [] {
    const MatrixXd a = random_matrix(8, 4);
    const VectorXd b = random_matrix(8, 1);
    const auto plain = non_negative_least_squares(a, b);
    VectorXd unit(4);
    for (int j = 0; j < 4; ++j) unit(j) = std::ldexp(1.0, *rc::gen::inRange(-400, 400));
    const auto scaled = non_negative_least_squares(a * unit.asDiagonal(), b);
    for (int j = 0; j < 4; ++j)
      RC_ASSERT(std::abs(scaled.x(j) * unit(j) - plain.x(j)) <= 1e-9 * (1 + plain.x.norm()));
  });
}

TEST_CASE("what x >= 0 there was is found again", "[calibrate][property]") {
  testing::check_property("exact data", [] {
    const int columns = *rc::gen::inRange(1, 12);
    const MatrixXd a = random_matrix(3 * columns, columns);
    const auto factors = a.colPivHouseholderQr();
    const double condition =
        factors.maxPivot() / std::abs(factors.matrixQR()(columns - 1, columns - 1));
    RC_PRE(condition < 1e4);
    VectorXd x(columns);
    for (int j = 0; j < columns; ++j) x(j) = std::fmax(0, *rc::gen::inRange(-50, 100));
    const auto solution = non_negative_least_squares(a, a * x);
    RC_ASSERT((solution.x - x).norm() <= 1e-11 * condition * (1 + x.norm()));
  });
}

TEST_CASE("columns of zeros, equal columns and more columns than rows", "[calibrate][limits]") {
  const MatrixXd a{{0, 1, 1, 2}, {0, 1, 1, 1}};
  const VectorXd b{{4, 3}};
  const auto solution = non_negative_least_squares(a, b);
  CHECK(solution.converged);
  CHECK(solution.residual < 1e-14);
  CHECK(solution.x(0) == 0);
  CHECK_THAT(solution.x(1) + solution.x(2), WithinRel(2, 1e-13));
  CHECK_THAT(solution.x(3), WithinRel(1, 1e-13));
}

TEST_CASE("what is not a system of finite numbers is refused", "[calibrate][errors]") {
  const MatrixXd a = MatrixXd::Ones(2, 2);
  CHECK_THROWS_AS(non_negative_least_squares(a, VectorXd::Ones(3)), invalid_input);
  CHECK_THROWS_AS(non_negative_least_squares(MatrixXd(0, 2), VectorXd(0)), invalid_input);
  VectorXd b = VectorXd::Ones(2);
  b(1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(non_negative_least_squares(a, b),
                    "non_negative_least_squares: every number must be finite");
}

}  // namespace
}  // namespace gpuplan
