#include <gpuplan/scaling/adaptive_batch.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr batch_curve curve{.plateau = 1000 / second, .half_batch = 128};

// AdaBatch's schedule for CIFAR: 100 epochs, the batch doubled every 20, against 128 throughout.
constexpr double epoch = 50000;
constexpr std::array<batch_phase, 1> fixed{{{100 * epoch, 128}}};
constexpr std::array<batch_phase, 5> doubled{{{20 * epoch, 128},
                                              {20 * epoch, 256},
                                              {20 * epoch, 512},
                                              {20 * epoch, 1024},
                                              {20 * epoch, 2048}}};
static_assert(batch_schedule_length(fixed, curve).updates == 100 * epoch / 128);
static_assert(batch_schedule_length(fixed, curve).time == 10000 * second, "at half of the plateau");
static_assert(batch_schedule_length(doubled, curve).updates ==
              (1 + 0.5 + 0.25 + 0.125 + 0.0625) / 5 * (100 * epoch / 128));
static_assert(batch_schedule_length({}, curve).time == seconds{0});

TEST_CASE("what is paid for each update is saved with the updates", "[scaling][limits]") {
  const schedule_length before = batch_schedule_length(fixed, curve);
  const schedule_length after = batch_schedule_length(doubled, curve);
  // Of 5000 s for the samples nothing is saved, of the rest as much as of the updates.
  CHECK_THAT(after.time.in(second), WithinRel(5000 + 5000 * after.updates / before.updates, 1e-12));
  const schedule_length talking = batch_schedule_length(doubled, curve, 1, 10 * ms);
  CHECK_THAT((talking.time - after.time).in(second), WithinRel(0.01 * after.updates, 1e-9));
}

TEST_CASE("a larger batch never takes longer", "[scaling][property]") {
  testing::check_property("monotone", [] {
    std::vector<batch_phase> phases(static_cast<std::size_t>(*rc::gen::inRange(1, 6)));
    for (auto& phase : phases)
      phase = {double(*rc::gen::inRange(0, 1000000)), double(*rc::gen::inRange(1, 4096))};
    const int devices = *rc::gen::inRange(1, 65);
    const auto some = batch_schedule_length(phases, curve, devices, 1 * ms);
    RC_ASSERT(batch_schedule_length(phases, curve, devices + 1, 1 * ms).time <= some.time);
    phases.front().batch *= 2;
    const auto larger = batch_schedule_length(phases, curve, devices, 1 * ms);
    RC_ASSERT(larger.time <= some.time * (1 + 1e-12) && larger.updates <= some.updates);
  });
}

TEST_CASE("the schedule refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const batch_phase bad :
       {batch_phase{-1, 1}, batch_phase{nan, 1}, batch_phase{1, 0}, batch_phase{1, nan}})
    CHECK_THROWS_AS(batch_schedule_length(std::array{bad}, curve), invalid_input);
  CHECK_THROWS_AS(batch_schedule_length(fixed, {}), invalid_input);
  CHECK_THROWS_AS(batch_schedule_length(fixed, curve, 0), invalid_input);
  CHECK_THROWS_AS(batch_schedule_length(fixed, curve, 1, seconds{-1}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
