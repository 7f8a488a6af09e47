#include <gpuplan/scaling/optimus.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr optimus_loss curve{.slope = 0.01, .start = 0.25, .floor = 1};
static_assert(loss_after(curve, 0) == 5);
static_assert(loss_after(curve, 75) == 2);

constexpr optimus_speed speed{.sample = 10 * ms,
                              .step = 20 * ms,
                              .traffic = 8 * ms,
                              .per_worker = 1 * ms,
                              .per_server = 2 * ms};

TEST_CASE("speeds of Optimus by hand", "[scaling][reference]") {
  // 64/8 x 10 + 20 + 8/4 x 8 + 8 + 4 x 2 = 132 ms
  CHECK_THAT(synchronous_step_time(speed, {4, 8}, 64) / ms, WithinRel(132.0, 1e-14));
  // 8 workers, each a step in 20 + 16 + 8 + 8 = 52 ms
  CHECK_THAT(asynchronous_step_rate(speed, {4, 8}) * second, WithinRel(8 / 0.052, 1e-14));
}

TEST_CASE("converged is where a window brings less than the threshold", "[scaling][property]") {
  testing::check_property("l(k) - l(k + w) = threshold", [] {
    const optimus_loss any{*rc::gen::inRange(1, 1000) / 1e4, *rc::gen::inRange(1, 1000) / 100.0,
                           *rc::gen::inRange(0, 100) / 10.0};
    const double threshold = *rc::gen::inRange(1, 1000) / 1e5;
    const double window = *rc::gen::inRange(1, 1000);
    const double k = steps_to_converge(any, threshold, window);
    const double fall = loss_after(any, k) - loss_after(any, k + window);
    RC_ASSERT(fall <= threshold * (1 + 1e-9));
    if (k > 0) RC_ASSERT(fall >= threshold * (1 - 1e-9));
  });
}

TEST_CASE("steps to converge where the slope is steep", "[scaling][limits]") {
  // After one more window nothing is left of the loss: 1 / (b_0 k + b_1) = t.
  CHECK_THAT(steps_to_converge({1e18, 1, 0}, 1e-3, 1), WithinRel((1000 - 1) / 1e18, 1e-9));
}

TEST_CASE("Optimus refuses what is none", "[scaling][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(loss_after({0, 1, 0}, 1), invalid_input);
  CHECK_THROWS_AS(loss_after({1, nan, 0}, 1), invalid_input);
  CHECK_THROWS_AS(loss_after(curve, -1), invalid_input);
  CHECK_THROWS_AS(steps_to_converge(curve, 0, 1), invalid_input);
  CHECK_THROWS_AS(steps_to_converge(curve, 0.1, nan), invalid_input);
  CHECK_THROWS_AS(synchronous_step_time(speed, {0, 1}, 1), invalid_input);
  CHECK_THROWS_AS(synchronous_step_time(speed, {1, 1}, nan), invalid_input);
  CHECK_THROWS_AS(synchronous_step_time({.step = -1 * second}, {1, 1}, 1), invalid_input);
  CHECK_THROWS_AS(asynchronous_step_rate({}, {1, 1}), invalid_input);
  CHECK_THROWS_AS(asynchronous_step_rate(speed, {1, 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
