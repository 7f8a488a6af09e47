#include <gpuplan/scaling/pollux.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

const pollux_speed speed{.compute_constant = 100 * ms,
                         .compute_per_sample = 5 * ms,
                         .network_constant = 20 * ms,
                         .network_per_replica = 6 * ms,
                         .node_constant = 10 * ms,
                         .node_per_replica = 3 * ms};

// The values of Pollux's own program are in tests/vectors/pollux_test.cpp.
TEST_CASE("without overlap the times of a step add up", "[scaling][limits]") {
  const auto time = [](pollux_placement p) { return pollux_step_time(speed, p).in(ms); };
  CHECK_THAT(time({.batch_per_replica = 10}), WithinRel(150.0, 1e-12));
  CHECK_THAT(time({.replicas = 4, .batch_per_replica = 10}), WithinRel(150.0 + 16, 1e-12));
  CHECK_THAT(time({.nodes = 2, .replicas = 4, .batch_per_replica = 10}),
             WithinRel(150.0 + 32, 1e-12));
  CHECK_THAT(time({.replicas = 2, .batch_per_replica = 10, .accumulations = 3}),
             WithinRel(600.0 + 10, 1e-12));
}

TEST_CASE("overlap hides the shorter of two times, and no more", "[scaling][property]") {
  testing::check_property("bounds", [] {
    pollux_speed some = speed;
    some.overlap = 1 + *rc::gen::inRange(0, 9000) * 1e-3;
    const int replicas = *rc::gen::inRange(1, 1000);
    const pollux_placement placement{.nodes = *rc::gen::inRange(1, replicas + 1),
                                     .replicas = replicas,
                                     .batch_per_replica = double(*rc::gen::inRange(1, 1000))};
    const seconds time = pollux_step_time(some, placement);
    RC_ASSERT(time <= pollux_step_time(speed, placement) * (1 + 1e-12));
    RC_ASSERT(time >= 100 * ms + placement.batch_per_replica * (5 * ms));
    some.overlap = 1000;
    RC_ASSERT(pollux_step_time(some, placement) <= time * (1 + 1e-12));
  });
}

TEST_CASE("the batch chosen keeps its bounds and beats the base batch", "[scaling][property]") {
  testing::check_property("bounds", [] {
    const pollux_batches batches{.base = 128,
                                 .largest = 128.0 * *rc::gen::inRange(1, 100),
                                 .least_per_replica = 8,
                                 .most_per_replica = double(*rc::gen::inRange(8, 512))};
    const pollux_placement on{.replicas = *rc::gen::inRange(1, 9)};
    const double noise = *rc::gen::inRange(0, 100000);
    const pollux_choice chosen = pollux_best_batch(speed, on, noise, batches);
    const pollux_placement& at = chosen.placement;
    RC_ASSERT(at.batch_per_replica >= 8 && at.batch_per_replica <= batches.most_per_replica);
    const double batch = at.replicas * at.batch_per_replica * (at.accumulations + 1);
    RC_ASSERT(batch <= batches.largest + at.replicas * (at.accumulations + 1));
    if (batches.most_per_replica * at.replicas < 128) return;
    pollux_placement base = on;
    base.batch_per_replica = std::ceil(128.0 / on.replicas);
    RC_ASSERT(chosen.value.rate() >= pollux_goodput(speed, base, noise, 128).rate() * (1 - 1e-12));
  });
}

TEST_CASE("Pollux's model refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const pollux_placement place{.batch_per_replica = 8};
  const auto refused = [&](auto change) {
    pollux_speed bad = speed;
    change(bad);
    CHECK_THROWS_AS(pollux_step_time(bad, place), invalid_input);
  };
  refused([](pollux_speed& s) { s.compute_constant = seconds{-1}; });
  refused([&](pollux_speed& s) { s.node_per_replica = seconds{nan}; });
  refused([](pollux_speed& s) { s.overlap = 0.9; });
  refused([&](pollux_speed& s) { s.overlap = nan; });
  CHECK_THROWS_AS(pollux_step_time(speed, {}), invalid_input);
  CHECK_THROWS_AS(pollux_step_time(speed, {.nodes = 2, .batch_per_replica = 8}), invalid_input);
  CHECK_THROWS_AS(pollux_step_time(speed, {.nodes = 0, .batch_per_replica = 8}), invalid_input);
  CHECK_THROWS_AS(pollux_step_time(speed, {.batch_per_replica = 8, .accumulations = -1}),
                  invalid_input);
  const pollux_batches batches{128, 1024, 8, 256};
  CHECK_THROWS_AS(pollux_best_batch(speed, {.replicas = 0}, 1, batches), invalid_input);
  CHECK_THROWS_AS(pollux_best_batch(speed, place, nan, batches), invalid_input);
  for (const pollux_batches bad : {pollux_batches{0, 1, 1, 1}, pollux_batches{2, 1, 1, 1},
                                   pollux_batches{1, 1, 0, 1}, pollux_batches{1, 1, 1, nan}})
    CHECK_THROWS_AS(pollux_best_batch(speed, place, 1, bad), invalid_input);
  CHECK_THROWS_AS(pollux_goodput({}, place, 1, 1), invalid_input);
  CHECK_THROWS_AS(pollux_goodput(speed, place, -1, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
