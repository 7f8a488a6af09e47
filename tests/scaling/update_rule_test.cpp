#include <gpuplan/scaling/update_rule.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(gradient_step(1, 2, 0.25) == 0.5);
static_assert(momentum_step({.parameter = 1, .velocity = 2}, 1, 0.25, 0.5).velocity == 2);
static_assert(momentum_step({.parameter = 1, .velocity = 2}, 1, 0.25, 0.5).parameter == 0.5);
static_assert(momentum_step({.parameter = 1}, 2, 0.25, 0).parameter == gradient_step(1, 2, 0.25),
              "without momentum");

TEST_CASE("a velocity tends to the gradient over one less momentum", "[scaling][reference]") {
  momentum_state state{};
  for (int i = 0; i < 200; ++i) state = momentum_step(state, 3, 0.01, 0.9);
  CHECK(state.velocity == Approx(30).epsilon(1e-8));
}

TEST_CASE("Adam follows its algorithm over three steps", "[scaling][reference]") {
  // By hand with fractions: beta_1 = 1/2, beta_2 = 3/4, gradients 2, 4, 0, and no epsilon to speak
  // of. Means 1, 5/2, 5/4, corrected 2, 10/3, 10/7; squares 1, 19/4, 57/16, corrected 4, 76/7,
  // 228/37.
  const adaptive_rates rates{
      .learning_rate = 1, .mean_decay = 0.5, .square_decay = 0.75, .epsilon = 1e-300};
  adaptive_state state{.parameter = 10};
  state = adam_step(state, 2, 1, rates);
  CHECK(state.parameter == Approx(9).epsilon(1e-15));
  state = adam_step(state, 4, 2, rates);
  CHECK(state.mean == 2.5);
  CHECK(state.mean_square == 4.75);
  CHECK(state.parameter == Approx(9 - 10.0 / 3 / std::sqrt(76.0 / 7)).epsilon(1e-14));
  const double before = state.parameter;
  state = adam_step(state, 0, 3, rates);
  CHECK(state.parameter == Approx(before - 10.0 / 7 / std::sqrt(228.0 / 37)).epsilon(1e-14));
}

TEST_CASE("RMSprop divides by the root of the mean square", "[scaling][reference]") {
  const adaptive_state after =
      rmsprop_step({.parameter = 1, .mean_square = 0}, 2,
                   {.learning_rate = 0.5, .square_decay = 0.75, .epsilon = 3});
  CHECK(after.mean_square == 1);
  CHECK(after.parameter == 0.5);
}

TEST_CASE("the first step of Adam has the length of the rate", "[scaling][property]") {
  testing::check_property("whatever the gradient's scale", [] {
    const double gradient = *rc::gen::inRange(1, 1000000) * 1e-3;
    const double sign = *rc::gen::element(-1.0, 1.0);
    const adaptive_rates rates{.learning_rate = 1e-3, .square_decay = 0.999};
    const adaptive_state after = adam_step({}, sign * gradient, 1, rates);
    RC_ASSERT(std::abs(after.parameter + sign * 1e-3) < 1e-7);
  });
}

TEST_CASE("the correction rises to 1", "[scaling][property]") {
  testing::check_property("with the steps", [] {
    const double decay = *rc::gen::inRange(0, 1000) * 1e-3;
    const int step = *rc::gen::inRange(1, 1000);
    RC_ASSERT(bias_correction(decay, step) > 0);
    RC_ASSERT(bias_correction(decay, step) <= bias_correction(decay, step + 1));
    RC_ASSERT(bias_correction(decay, step) <= 1);
  });
  CHECK(bias_correction(0.9, 1) / std::sqrt(bias_correction(0.999, 1)) ==
        Approx(3.1623).epsilon(1e-4));
}

TEST_CASE("steps refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const adaptive_rates rates{.learning_rate = 1};
  CHECK_THROWS_AS(gradient_step(0, 0, -1), invalid_input);
  CHECK_THROWS_AS(gradient_step(0, 0, nan), invalid_input);
  CHECK_THROWS_AS(momentum_step({}, 0, -1, 0), invalid_input);
  CHECK_THROWS_AS(momentum_step({}, 0, 1, 1), invalid_input);
  CHECK_THROWS_AS(rmsprop_step({.mean_square = -1}, 0, rates), invalid_input);
  CHECK_THROWS_AS(rmsprop_step({}, 0, {.learning_rate = -1}), invalid_input);
  CHECK_THROWS_AS(rmsprop_step({}, 0, {.square_decay = 1}), invalid_input);
  CHECK_THROWS_AS(rmsprop_step({}, 0, {.epsilon = 0}), invalid_input);
  CHECK_THROWS_AS(adam_step({.mean_square = nan}, 0, 1, rates), invalid_input);
  CHECK_THROWS_AS(adam_step({}, 0, 0, rates), invalid_input);
  CHECK_THROWS_AS(adam_step({}, 0, 1, {.mean_decay = 1}), invalid_input);
  CHECK_THROWS_AS(bias_correction(1, 1), invalid_input);
  CHECK_THROWS_AS(bias_correction(0.5, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
