#include <gpuplan/plan/validation_share.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(validation_share({.samples = 0}) == 0);
static_assert(validation_share({.samples = 12, .steps_between = 4, .batch = 3}) == 1.0 / 3,
              "as many samples looked at as learnt from: a third of the time");
static_assert(
    validation_share({.samples = 12, .steps_between = 4, .batch = 3, .forward_part = 0.25}) == 0.25,
    "a quarter where the forward pass is computed again");

TEST_CASE("passes that are rarer by a factor cost as much less", "[plan][property]") {
  testing::check_property("proportional to samples, inverse in steps and batch", [] {
    const validation_passes passes{.samples = double(*rc::gen::inRange(1, 1000000)),
                                   .steps_between = double(*rc::gen::inRange(1, 10000)),
                                   .batch = double(*rc::gen::inRange(1, 10000))};
    const double share = validation_share(passes);
    validation_passes other = passes;
    other.samples *= 3;
    RC_ASSERT(std::abs(validation_share(other) / share - 3) < 1e-12);
    other.steps_between *= 3;
    RC_ASSERT(std::abs(validation_share(other) / share - 1) < 1e-12);
    other.batch *= 2;
    RC_ASSERT(std::abs(validation_share(other) / share - 0.5) < 1e-12);

    // A step of unit time has a forward pass of a third; a pass runs samples / batch of these.
    const double pass = passes.samples / passes.batch / 3;
    RC_ASSERT(std::abs(pass / passes.steps_between / share - 1) < 1e-12);
  });
}

TEST_CASE("validation passes refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    validation_passes passes{.samples = 1};
    change(passes);
    CHECK_THROWS_AS(validation_share(passes), invalid_input);
  };
  refused([](validation_passes& p) { p.samples = -1; });
  refused([&](validation_passes& p) { p.samples = nan; });
  refused([](validation_passes& p) { p.samples = std::numeric_limits<double>::infinity(); });
  refused([](validation_passes& p) { p.steps_between = 0.5; });
  refused([](validation_passes& p) { p.batch = 0; });
  refused([](validation_passes& p) { p.forward_part = 0; });
  refused([](validation_passes& p) { p.forward_part = 1.1; });
}

}  // namespace
}  // namespace gpuplan
