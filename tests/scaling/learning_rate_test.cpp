#include <gpuplan/scaling/learning_rate.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

// Goyal et al. 2017: 0.1 at 256 images is 3.2 at 8192.
static_assert(linear_learning_rate(0.1, 256, 8192) == 3.2);
static_assert(linear_learning_rate(0.1, 256, 256) == 0.1);

constexpr cosine_schedule schedule{
    .peak = 3e-4, .least = 3e-5, .warm_up_steps = 2000, .steps = 12000};

TEST_CASE("a learning rate follows the root of the batch", "[scaling][reference]") {
  CHECK(square_root_learning_rate(0.1, 256, 4096) == 0.4);
  // LAMB (You et al. 2020), table 4: BERT at 512 to 32768 has learning rates 5/(2^3 1e3) to
  // 5/(2^0 1e3): the root of 64 is 8.
  CHECK_THAT(square_root_learning_rate(5 / (8 * 1e3), 512, 32768), WithinRel(5 / 1e3, 1e-12));
}

TEST_CASE("a schedule warms up and decays", "[scaling][limits]") {
  CHECK(learning_rate(schedule, 0) == 0);
  CHECK_THAT(learning_rate(schedule, 1000), WithinRel(1.5e-4, 1e-12));
  CHECK_THAT(learning_rate(schedule, 2000), WithinRel(3e-4, 1e-12));
  CHECK_THAT(learning_rate(schedule, 7000), WithinRel(1.65e-4, 1e-12));  // halfway
  CHECK_THAT(learning_rate(schedule, 12000), WithinRel(3e-5, 1e-12));
  CHECK_THAT(learning_rate(schedule, 1e9), WithinRel(3e-5, 1e-12));
  CHECK(learning_rate({.peak = 1, .steps = 10}, 0) == 1);
}

TEST_CASE("a schedule stays between its ends", "[scaling][property]") {
  testing::check_property("rises, then falls", [] {
    const double step = *rc::gen::inRange(0, 15000);
    const double now = learning_rate(schedule, step);
    const double next = learning_rate(schedule, step + 1);
    RC_ASSERT(now >= 0 && now <= schedule.peak * (1 + 1e-12));
    if (step + 1 < schedule.warm_up_steps) RC_ASSERT(next > now);
    if (step >= schedule.warm_up_steps)
      RC_ASSERT(next <= now && next >= schedule.least * (1 - 1e-12));
  });
}

TEST_CASE("learning rates refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(linear_learning_rate(-1, 256, 512), invalid_input);
  CHECK_THROWS_AS(linear_learning_rate(0.1, 0, 512), invalid_input);
  CHECK_THROWS_AS(linear_learning_rate(0.1, 256, nan), invalid_input);
  CHECK_THROWS_AS(square_root_learning_rate(nan, 256, 512), invalid_input);
  CHECK_THROWS_AS(square_root_learning_rate(0.1, 256, 0), invalid_input);
  CHECK_THROWS_AS(learning_rate(schedule, -1), invalid_input);
  CHECK_THROWS_AS(learning_rate(schedule, nan), invalid_input);
  const auto refused = [](auto change) {
    cosine_schedule bad = schedule;
    change(bad);
    CHECK_THROWS_AS(learning_rate(bad, 1), invalid_input);
  };
  refused([](cosine_schedule& s) { s.least = -1; });
  refused([](cosine_schedule& s) { s.peak = 0; });
  refused([&](cosine_schedule& s) { s.peak = nan; });
  refused([](cosine_schedule& s) { s.warm_up_steps = -1; });
  refused([](cosine_schedule& s) { s.steps = 2000; });
}

}  // namespace
}  // namespace gpuplan
