#include <gpuplan/calibrate/bounded_least_squares.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// H. H. Rosenbrock, "An Automatic Method for Finding the Greatest or Least Value of a Function",
/// Computer J. 3 (1960) 175-184: a bent valley down to (1, 1).
residuals rosenbrock(const VectorXd& x) {
  return {.value = VectorXd{{10 * (x(1) - x(0) * x(0)), 1 - x(0)}},
          .change = MatrixXd{{-20 * x(0), 10}, {-1, 0}}};
}

TEST_CASE("a bent valley is followed to its end, and along a bound", "[calibrate][reference]") {
  const VectorXd start{{-1.2, 1}};
  const VectorXd wide{{10, 10}};
  const auto free = bounded_least_squares(rosenbrock, start, -wide, wide);
  CHECK(free.converged);
  CHECK_THAT(free.x(0), WithinRel(1, 1e-9));
  CHECK_THAT(free.x(1), WithinRel(1, 1e-9));
  CHECK(free.residual < 1e-12);

  // Up to x_0 = 1/2 the least is at the bound, x_1 = 1/4, with a residual of 1/2.
  const auto held = bounded_least_squares(rosenbrock, start, -wide, VectorXd{{0.5, 10}});
  CHECK(held.converged);
  CHECK(held.x(0) == 0.5);
  CHECK_THAT(held.x(1), WithinRel(0.25, 1e-9));
  CHECK_THAT(held.residual, WithinRel(0.5, 1e-12));
  CHECK_FALSE(bounded_least_squares(rosenbrock, start, -wide, wide, 2).converged);
}

TEST_CASE("a parameter that changes nothing stays where it was", "[calibrate][limits]") {
  const auto model = [](const VectorXd& x) {
    return residuals{.value = VectorXd{{x(0) - 3}}, .change = MatrixXd{{1, 0}}};
  };
  const auto found =
      bounded_least_squares(model, VectorXd{{0, 7}}, VectorXd{{-9, -9}}, VectorXd{{9, 9}});
  CHECK_THAT(found.x(0), WithinRel(3, 1e-12));
  CHECK(found.x(1) == 7);
}

TEST_CASE("a curve of two parameters comes back from any start", "[calibrate][property]") {
  testing::check_property("exponential decay", [] {
    const double height = *rc::gen::inRange(1, 1000) / 10.0;
    const double rate = *rc::gen::inRange(1, 300) / 100.0;
    const auto model = [&](const VectorXd& x) {
      residuals of{.value = VectorXd(12), .change = MatrixXd(12, 2)};
      for (int i = 0; i < 12; ++i) {
        const double t = i / 4.0;
        of.value(i) = x(0) * std::exp(-x(1) * t) - height * std::exp(-rate * t);
        of.change(i, 0) = std::exp(-x(1) * t);
        of.change(i, 1) = -t * x(0) * std::exp(-x(1) * t);
      }
      return of;
    };
    const VectorXd start{{*rc::gen::inRange(1, 2000) / 10.0, *rc::gen::inRange(1, 400) / 100.0}};
    const auto found = bounded_least_squares(model, start, VectorXd{{0, 0}}, VectorXd{{1e3, 1e2}});
    RC_ASSERT(std::abs(found.x(0) - height) <= 1e-6 * height);
    RC_ASSERT(std::abs(found.x(1) - rate) <= 1e-6 * rate);
  });
}

TEST_CASE("a start outside the bounds, or no number there, is refused", "[calibrate][errors]") {
  const VectorXd zero = VectorXd::Zero(2);
  const VectorXd one = VectorXd::Ones(2);
  CHECK_THROWS_WITH(bounded_least_squares(rosenbrock, 2 * one, zero, one),
                    "bounded_least_squares: start must be within the bounds");
  CHECK_THROWS_AS(bounded_least_squares(rosenbrock, one, zero, VectorXd::Ones(3)), invalid_input);
  const auto nowhere = [](const VectorXd&) {
    return residuals{.value = VectorXd{{std::numeric_limits<double>::quiet_NaN()}},
                     .change = MatrixXd{{1, 1}}};
  };
  CHECK_THROWS_AS(bounded_least_squares(nowhere, one, zero, one), invalid_input);
}

}  // namespace
}  // namespace gpuplan
