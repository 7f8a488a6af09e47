#include <gpuplan/units/dynamic_loss_scale.hpp>

#include <limits>

#include <gpuplan/units/loss_scale.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr loss_scale_schedule usual{};
static_assert(usual.initial == 0x1p16 && usual.growth == 2 && usual.backoff == 0.5 &&
              usual.interval == 2000);
static_assert(loss_scale_after(usual, {65536, 0}, false) == loss_scale_state{65536, 1});
static_assert(loss_scale_after(usual, {65536, 1998}, false) == loss_scale_state{65536, 1999});
static_assert(loss_scale_after(usual, {65536, 1999}, false) == loss_scale_state{131072, 0});
static_assert(loss_scale_after(usual, {65536, 1999}, true) == loss_scale_state{32768, 0});
static_assert(loss_scale_after(usual, {0x1p127, 1999}, false) == loss_scale_state{0x1p127, 0});
static_assert(skipped_steps_cost(1000, 10, 0.2) == 1.26);
static_assert(skipped_steps_cost(1000, 0, 0) == 1);

/// Steps of a schedule whose gradients overflow above `largest`: skipped ones, and all.
struct counted_steps {
  double skipped = 0;
  double all = 0;
  int first_run = 0;  ///< skipped before the first good step
};

counted_steps run(const loss_scale_schedule& by, double largest, int steps) {
  counted_steps count;
  loss_scale_state state{.scale = by.initial};
  for (int i = 0; i < steps; ++i) {
    const bool overflows = state.scale > largest;
    if (overflows && count.skipped == count.all) ++count.first_run;
    count.skipped += overflows ? 1 : 0;
    ++count.all;
    state = loss_scale_after(by, state, overflows);
  }
  return count;
}

TEST_CASE("a schedule that is run skips the share that the formula gives", "[units][reference]") {
  const auto by = GENERATE(loss_scale_schedule{}, loss_scale_schedule{.backoff = 0.25},
                           loss_scale_schedule{.growth = 4, .interval = 100},
                           loss_scale_schedule{.growth = 1.5, .backoff = 0.4, .interval = 37});
  const counted_steps count = run(by, 1000, 4'000'000);
  CHECK(count.skipped / count.all == Approx(skipped_share(by)).epsilon(0.01));
  CHECK(count.first_run == skipped_at_start(by, 1000));
  CHECK(count.all / (count.all - count.skipped) ==
        Approx(skipped_steps_cost(count.all - count.skipped, 0, skipped_share(by))).epsilon(1e-3));
}

TEST_CASE("PyTorch's defaults cost half a step in a thousand", "[units][reference]") {
  CHECK(skipped_share(usual) == Approx(1 / 2001.0).epsilon(1e-14));
  CHECK(skipped_at_start(usual, 1024) == 6);
  CHECK(skipped_at_start(usual, 1023.9) == 7);
  CHECK(skipped_at_start(usual, 65536) == 0);
  // Gradients of at most 2 in FP16: from 2^16 down to 65504 / 2.
  CHECK(skipped_at_start(usual, loss_scales(number_format::fp16, {1e-6, 2}).most) == 2);
}

TEST_CASE("skips at the start are the fewest that bring the scale down", "[units][property]") {
  testing::check_property("one fewer is not enough", [] {
    const loss_scale_schedule by{.initial = 1.0 * *rc::gen::inRange(1, 1 << 30),
                                 .backoff = *rc::gen::inRange(1, 100) / 100.0};
    const double largest = *rc::gen::inRange(1, 100'000);
    const double skipped = skipped_at_start(by, largest);
    const double rounding = 1 + 1e-12;
    RC_ASSERT(by.initial * std::pow(by.backoff, skipped) <= largest * rounding);
    if (skipped > 0) RC_ASSERT(by.initial * std::pow(by.backoff, skipped - 1) * rounding > largest);
  });
}

TEST_CASE("dynamic loss scales refuse what never moves", "[units][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(skipped_share({.growth = 1}), invalid_input);
  CHECK_THROWS_AS(skipped_share({.growth = nan}), invalid_input);
  CHECK_THROWS_AS(skipped_share({.backoff = 1}), invalid_input);
  CHECK_THROWS_AS(skipped_share({.backoff = 0}), invalid_input);
  CHECK_THROWS_AS(skipped_share({.interval = 0}), invalid_input);
  CHECK_THROWS_AS(skipped_share({.initial = 0}), invalid_input);
  CHECK_THROWS_AS(loss_scale_after(usual, {0, 0}, false), invalid_input);
  CHECK_THROWS_AS(loss_scale_after(usual, {1, -1}, false), invalid_input);
  CHECK_THROWS_AS(loss_scale_after(usual, {0x1p128, 0}, false), invalid_input);
  CHECK_THROWS_AS(skipped_at_start(usual, 0), invalid_input);
  CHECK_THROWS_AS(skipped_at_start(usual, nan), invalid_input);
  CHECK_THROWS_AS(skipped_steps_cost(0, 0, 0), invalid_input);
  CHECK_THROWS_AS(skipped_steps_cost(1, -1, 0), invalid_input);
  CHECK_THROWS_AS(skipped_steps_cost(1, 0, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
