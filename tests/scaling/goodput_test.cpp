#include <gpuplan/scaling/goodput.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(statistical_efficiency(1000, 256, 256) == 1);
static_assert(statistical_efficiency(256, 256, 768) == 0.5);
static_assert(statistical_efficiency(0, 256, 512) == 0.5, "without noise a larger batch is waste");
static_assert(statistical_efficiency(std::numeric_limits<double>::infinity(), 1, 512) == 1);
static_assert(goodput_of(256, 256, 768, 0.5 * second).rate() == 768 / second);

template <class Step>
concept is_timed = requires(Step step) {
  goodput_of(256, 256, 768, step);
};
static_assert(is_timed<seconds> && !is_timed<double>);

TEST_CASE("efficiency falls with the batch, never as fast as 1 / batch", "[scaling][property]") {
  testing::check_property("bounds", [] {
    const double noise = *rc::gen::inRange(0, 100000);
    const double base = *rc::gen::inRange(1, 10000);
    const double batch = base + *rc::gen::inRange(0, 100000);
    const double e = statistical_efficiency(noise, base, batch);
    RC_ASSERT(e <= 1 && e * batch >= base * (1 - 1e-12));
    RC_ASSERT(statistical_efficiency(noise, base, batch + 1) <= e);
    RC_ASSERT(statistical_efficiency(noise + 1, base, batch) >= e);
  });
}

TEST_CASE("goodput refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(statistical_efficiency(-1, 1, 1), invalid_input);
  CHECK_THROWS_AS(statistical_efficiency(1, 0, 1), invalid_input);
  CHECK_THROWS_AS(statistical_efficiency(1, 1, nan), invalid_input);
  CHECK_THROWS_AS(goodput_of(1, 1, 1, seconds{0}), invalid_input);
  CHECK_THROWS_AS(goodput_of(1, 1, 1, seconds{nan}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
