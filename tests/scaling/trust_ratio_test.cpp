#include <gpuplan/scaling/trust_ratio.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(lars_trust_ratio(2, 0.5, 0, 0.25) == 1);
static_assert(lars_trust_ratio(2, 0.5, 0.25, 1) == 2);
static_assert(lars_trust_ratio(0, 1, 0.1) == 1 && lars_trust_ratio(1, 0, 0.1) == 1);
static_assert(lamb_trust_ratio(3, 1.5) == 2);
static_assert(lamb_trust_ratio(0, 1) == 1 && lamb_trust_ratio(1, 0) == 1);

TEST_CASE("the step of LARS is a share of the weights", "[scaling][property]") {
  testing::check_property("whatever the gradient's scale", [] {
    const double weight = *rc::gen::inRange(1, 10000);
    const double gradient = *rc::gen::inRange(1, 10000) * 1e-3;
    const double scale = *rc::gen::inRange(1, 10000);
    const auto close = [](double a, double b) { return std::abs(a / b - 1) < 1e-12; };
    RC_ASSERT(close(lars_trust_ratio(weight, gradient, 0) * gradient, 0.001 * weight));
    RC_ASSERT(close(lars_trust_ratio(weight, scale * gradient, 0),
                    lars_trust_ratio(weight, gradient, 0) / scale));
    RC_ASSERT(lars_trust_ratio(weight, gradient, 0.1) < lars_trust_ratio(weight, gradient, 0));
    RC_ASSERT(close(lamb_trust_ratio(weight, gradient) * gradient, weight));
  });
}

TEST_CASE("trust ratios refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(lars_trust_ratio(-1, 1, 0), invalid_input);
  CHECK_THROWS_AS(lars_trust_ratio(1, nan, 0), invalid_input);
  CHECK_THROWS_AS(lars_trust_ratio(1, 1, -1), invalid_input);
  CHECK_THROWS_AS(lars_trust_ratio(1, 1, 0, 0), invalid_input);
  CHECK_THROWS_AS(lamb_trust_ratio(-1, 1), invalid_input);
  CHECK_THROWS_AS(lamb_trust_ratio(1, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
