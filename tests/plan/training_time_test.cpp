#include <gpuplan/plan/training_time.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(training_time(1 * PFLOP, 10, 100 * TFLOP / second) == 1 * second);
static_assert(!achieved_rate_of(1 * PFLOP, 10, 1 * second, 100 * TFLOP / second).beyond_hardware());

// Chapter 3, 3.8.3: 175e9 parameters, 1536 x 2048 tokens, 2.5 s on 1024 A100.
constexpr flop step = 6 * 175e9 * 1536 * 2048 * FLOP;
constexpr achieved_rate printed = achieved_rate_of(step, 1024, 2.5 * second, 312 * TFLOP / second);
static_assert(printed.beyond_hardware());

template <class Rate>
concept runs_at = requires(Rate rate) {
  training_time(1 * PFLOP, 8, rate);
};
static_assert(runs_at<flop_per_second> && !runs_at<flop> && !runs_at<double>);

TEST_CASE("days that papers print", "[plan][reference]") {
  // ml-gpt3-v100-years: T. Brown et al. count 3.14e23 FLOP, a V100 sustains 28 TFLOP/s: 355 years.
  CHECK(std::abs(training_time(3.14e23 * FLOP, 1, 28 * TFLOP / second).in(year)-355) <= 0.5);
  // Narayanan et al. 2021, section 5.1: 34 days for 175e9 parameters, 300e9 tokens and 1024 A100 at
  // 140 TFLOP/s; 84 days for 1e12, 450e9 and 3072 at 163.  With 8 N D.
  const auto days = [](double parameters, double tokens, double gpus, double teraflop) {
    return training_time(8 * parameters * tokens * FLOP, gpus, teraflop * TFLOP / second).in(day);
  };
  CHECK(std::abs(days(175e9, 300e9, 1024, 140) - 34) <= 0.5);
  CHECK(std::abs(days(1.008e12, 450e9, 3072, 163) - 84) <= 0.5);
}

TEST_CASE("a claim beyond the hardware is seen", "[plan][reference]") {
  CHECK_THAT(printed.utilization(), WithinRel(4.135384615384615, 1e-12));
  const seconds least = training_time(step, 1024, printed.peak);
  CHECK_THAT(least.in(second), WithinRel(10.338461538461539, 1e-12));
  CHECK(!achieved_rate_of(step, 1024, 1.000001 * least, printed.peak).beyond_hardware());
}

TEST_CASE("time and rate are inverse", "[plan][property]") {
  testing::check_property("inverse", [] {
    const flop work = *rc::gen::inRange(1, 1 << 30) * GFLOP;
    const double devices = *rc::gen::inRange(1, 100000);
    const flop_per_second rate = *rc::gen::inRange(1, 5000) * TFLOP / second;
    const seconds time = training_time(work, devices, rate);
    RC_ASSERT(std::abs(achieved_rate_of(work, devices, time, rate).utilization() - 1) < 1e-12);
  });
}

TEST_CASE("training times refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const flop_per_second rate = TFLOP / second;
  CHECK_THROWS_AS(training_time(flop{-1}, 1, rate), invalid_input);
  CHECK_THROWS_AS(training_time(flop{nan}, 1, rate), invalid_input);
  CHECK_THROWS_AS(training_time(PFLOP, 0, rate), invalid_input);
  CHECK_THROWS_AS(training_time(PFLOP, 1, flop_per_second{nan}), invalid_input);
  CHECK_THROWS_AS(achieved_rate_of(flop{-1}, 1, second, rate), invalid_input);
  CHECK_THROWS_AS(achieved_rate_of(PFLOP, nan, second, rate), invalid_input);
  CHECK_THROWS_AS(achieved_rate_of(PFLOP, 1, seconds{0}, rate), invalid_input);
  CHECK_THROWS_AS(achieved_rate_of(PFLOP, 1, second, flop_per_second{0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
