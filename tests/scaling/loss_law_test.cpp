#include <gpuplan/scaling/loss_law.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

template <class... Args>
concept loss_accepts = requires(Args... args) {
  loss_of_scale(args...);
};
static_assert(loss_accepts<double, tokens>);
static_assert(!loss_accepts<double, double>, "tokens have a unit");

TEST_CASE("the loss is the sum of its terms", "[scaling][reference]") {
  // Terms by hand: A / N^alpha of 70e9 and 280e9 parameters, B / D^beta of 1.4e12 and 300e9 tokens.
  CHECK_THAT(loss_of_scale(70e9, 1.4e12 * token),
             Catch::Matchers::WithinAbs(1.69 + 0.0835 + 0.1631, 1e-4));
  CHECK_THAT(loss_of_scale(280e9, 300e9 * token),
             Catch::Matchers::WithinAbs(1.69 + 0.0521 + 0.2511, 1e-4));
  CHECK_THAT(loss_of_scale(1, 1 * token), WithinRel(1.69 + 406.4 + 410.7, 1e-15));
}

TEST_CASE("one more of either lowers the loss, to the term of the other", "[scaling][property]") {
  testing::check_property("monotone, above the floor, and bounded by either term", [] {
    const double parameters = std::pow(10.0, *rc::gen::inRange(6, 13));
    const tokens text = std::pow(10.0, *rc::gen::inRange(6, 14)) * token;
    const double loss = loss_of_scale(parameters, text);
    RC_ASSERT(loss > hoffmann_law.floor);
    RC_ASSERT(loss_of_scale(2 * parameters, text) < loss);
    RC_ASSERT(loss_of_scale(parameters, 2.0 * text) < loss);
    RC_ASSERT(loss_of_scale(1e300, text) < loss);
  });
}

TEST_CASE("no other model of the same operations has a lower loss", "[scaling][property]") {
  testing::check_property("a stationary point that is the least", [] {
    const flop operations = std::pow(10.0, *rc::gen::inRange(15, 27)) * FLOP;
    const model_for_budget best = best_model_for(operations);
    const double pairs = operations.in(FLOP) / 6;
    RC_ASSERT(std::abs(best.parameters * best.text.in(token) / pairs - 1) < 1e-12);

    // Where the derivative is 0, alpha A / N^alpha = beta B / D^beta.
    const loss_law& law = hoffmann_law;
    const double by_parameters =
        law.parameter_power * law.parameter_scale / std::pow(best.parameters, law.parameter_power);
    const double by_tokens =
        law.token_power * law.token_scale / std::pow(best.text.in(token), law.token_power);
    RC_ASSERT(std::abs(by_parameters / by_tokens - 1) < 1e-9);

    const double least = loss_of_scale(best.parameters, best.text);
    for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
      const double other = factor * best.parameters;
      RC_ASSERT(loss_of_scale(other, pairs / other * token) > least);
    }
  });
}

TEST_CASE("equal powers and scales divide a budget evenly", "[scaling][reference]") {
  constexpr loss_law even{
      .parameter_scale = 2, .token_scale = 2, .parameter_power = 0.5, .token_power = 0.5};
  const model_for_budget best = best_model_for(6e20 * FLOP, even);
  CHECK_THAT(best.parameters, WithinRel(1e10, 1e-12));
  CHECK_THAT(best.text.in(token), WithinRel(1e10, 1e-12));
}

TEST_CASE("the law of loss refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(loss_of_scale(0, 1 * token), invalid_input);
  CHECK_THROWS_AS(loss_of_scale(nan, 1 * token), invalid_input);
  CHECK_THROWS_AS(loss_of_scale(1, tokens{0}), invalid_input);
  CHECK_THROWS_AS(loss_of_scale(1, nan * token), invalid_input);
  CHECK_THROWS_AS(best_model_for(flop{0}), invalid_input);
  CHECK_THROWS_AS(best_model_for(nan * FLOP), invalid_input);
  const auto refused = [](auto change) {
    loss_law law;
    change(law);
    CHECK_THROWS_AS(loss_of_scale(1e9, 1e9 * token, law), invalid_input);
    CHECK_THROWS_AS(best_model_for(1e20 * FLOP, law), invalid_input);
  };
  refused([&](loss_law& l) { l.floor = nan; });
  refused([](loss_law& l) { l.floor = -1; });
  refused([](loss_law& l) { l.parameter_scale = 0; });
  refused([](loss_law& l) { l.token_scale = std::numeric_limits<double>::infinity(); });
  refused([](loss_law& l) { l.parameter_power = 0; });
  refused([](loss_law& l) { l.token_power = 1.5; });
}

}  // namespace
}  // namespace gpuplan
