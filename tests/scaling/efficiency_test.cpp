#include <gpuplan/scaling/efficiency.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/scaling/isoefficiency.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Compute resource optimisation article, 5.4: 10 minutes on one GPU, 5 on four.
static_assert(
    strong_scaling_efficiency({.base_time = 10 * minute, .devices = 4, .time = 5 * minute})
        .value() == 0.5);
static_assert(
    weak_scaling_efficiency({.base_time = 1 * second, .devices = 4, .time = 1.25 * second})
        .value() == 0.8);
static_assert(
    weak_scaling_efficiency({.base_time = 1 * second, .devices = 4, .time = 1.25 * second})
        .speed_up == 3.2);

// The two take inputs of different types, and neither the other's.
template <class Runs>
concept is_strong = requires(Runs runs) {
  strong_scaling_efficiency(runs);
};
template <class Runs>
concept is_weak = requires(Runs runs) {
  weak_scaling_efficiency(runs);
};
static_assert(is_strong<same_work> && !is_strong<same_work_per_device> && !is_strong<measured_run>);
static_assert(is_weak<same_work_per_device> && !is_weak<same_work> && !is_weak<measured_run>);
static_assert(!std::is_convertible_v<same_work, same_work_per_device>);

// The AI Training chapter: 16 samples in 1.8 s on one GPU, then "121% efficiency" on 8 and "13%"
// on 32.  The batches differ, so the times are not those of one work.
constexpr measured_run one{.devices = 1, .samples = 16, .time = 1.8 * second};
constexpr measured_run eight{.devices = 8, .samples = 128, .time = 0.185 * second};
constexpr measured_run many{.devices = 32, .samples = 512, .time = 0.425 * second};
static_assert(scaling_kind_of(one, eight) == scaling_kind::weak);
static_assert(scaling_kind_of(one, many) == scaling_kind::weak);
static_assert(scaling_kind_of(one, {.devices = 8, .samples = 16}) == scaling_kind::strong);
static_assert(scaling_kind_of(one, {.devices = 8, .samples = 64}) == scaling_kind::neither);
static_assert(throughput_efficiency(one, eight).more_than_linear());
static_assert(throughput_efficiency(one, many).more_than_linear());
static_assert(!throughput_efficiency(one, one).more_than_linear());

TEST_CASE("the contradiction in the AI Training chapter is seen", "[scaling][reference]") {
  CHECK_THAT(throughput_efficiency(one, many).speed_up, WithinRel(135.5, 0.001));
  CHECK_THAT(throughput_efficiency(one, many).value(), WithinRel(4.235, 0.001));
  // What the source divided: times of unlike batches.
  CHECK_THAT(
      strong_scaling_efficiency({.base_time = one.time, .devices = 8, .time = eight.time}).value(),
      WithinRel(1.21, 0.01));
  CHECK_THAT(
      strong_scaling_efficiency({.base_time = one.time, .devices = 32, .time = many.time}).value(),
      WithinRel(0.13, 0.02));
}

TEST_CASE("one hour instead of twenty-nine", "[scaling][reference]") {
  // P. Goyal et al. (2017), section 5: ResNet-50 in 29 hours on 8 GPUs and 1 on 256, "about 90%".
  const auto printed = strong_scaling_efficiency(
      {.base_devices = 8, .base_time = 29 * hour, .devices = 256, .time = 1 * hour});
  CHECK(std::abs(printed.value() - 0.9) <= 0.01);
  CHECK(printed.devices == 32);
}

TEST_CASE("throughput efficiency is both kinds at once", "[scaling][property]") {
  testing::check_property("agreement", [] {
    const int base = *rc::gen::inRange(1, 100);
    const int devices = *rc::gen::inRange(1, 10000);
    const double samples = *rc::gen::inRange(1, 100000);
    const seconds before = *rc::gen::inRange(1, 100000) * ms;
    const seconds after = *rc::gen::inRange(1, 100000) * ms;
    const measured_run first{base, samples, before};
    const auto close = [](double a, double b) { return std::abs(a / b - 1) < 1e-12; };
    const double strong = strong_scaling_efficiency({base, before, devices, after}).value();
    const double weak = weak_scaling_efficiency({base, before, devices, after}).value();
    RC_ASSERT(close(throughput_efficiency(first, {devices, samples, after}).value(), strong));
    RC_ASSERT(close(
        throughput_efficiency(first, {devices, samples * devices / base, after}).value(), weak));
  });
}

TEST_CASE("efficiencies refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](int base, seconds before, int devices, seconds after) {
    CHECK_THROWS_AS(strong_scaling_efficiency({base, before, devices, after}), invalid_input);
    CHECK_THROWS_AS(weak_scaling_efficiency({base, before, devices, after}), invalid_input);
  };
  refused(0, second, 2, second);
  refused(1, second, 0, second);
  refused(1, seconds{0}, 2, second);
  refused(1, second, 2, seconds{-1});
  refused(1, seconds{nan}, 2, second);
  refused(1, second, 2, seconds{nan});
  CHECK_THROWS_AS(throughput_efficiency(one, {.devices = 8, .samples = 1}), invalid_input);
  CHECK_THROWS_AS(throughput_efficiency({.devices = 1, .samples = nan, .time = second}, one),
                  invalid_input);
  CHECK_THROWS_AS(throughput_efficiency({.devices = 0, .samples = 1, .time = second}, one),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
