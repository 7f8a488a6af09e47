#include <gpuplan/comm/synchronization.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(synchronization_saving(1) == 0);
static_assert(synchronization_saving(4) == 0.75, "three of four");
static_assert(synchronization_efficiency(1, 30 * ms, 10 * ms) == 0.75);
static_assert(synchronization_efficiency(3, 10 * ms, 10 * ms) == 0.75);
static_assert(steps_for_efficiency(10 * ms, 10 * ms, 0.75) == 3);
static_assert(steps_for_efficiency(10 * ms, 10 * ms, 0.76) == 4);
static_assert(steps_for_efficiency(10 * ms, seconds{0}, 0.9) == 1);
static_assert(steps_for_efficiency(1 * second, 1 * second, 0.8) == 4);  // but for rounding
static_assert(steps_for_efficiency(1 * second, 1 * second, 0.9) == 9);

constexpr interconnect link{.latency = 10 * us, .bandwidth = 50 * GB / second};
constexpr collective_cost ring = cost_of(all_reduce_algorithm::ring, 8);
constexpr seconds_per_byte quick = 1 * ns / MB;

static_assert(compressed_time_of(ring, link, 1 * GB, {}).total() ==
                  time_of(ring, link, 1 * GB).total(),
              "nothing compressed");
static_assert(compressed_time_of(ring, link, 1 * GB, {.ratio = 4}).transfer ==
              time_of(ring, link, 250 * MB).transfer);
static_assert(compressed_time_of(ring, link, 1 * GB, {.ratio = 4, .encoding = quick}).compute ==
              1 * GB * quick);
static_assert(compressed_time_of(ring, link, 1 * GB, {.ratio = 4}).latency == 140 * us,
              "as many messages");
static_assert(bandwidth_for_efficiency(ring, bytes{0}, 10 * us, 1 * second, seconds{0}, 0.9)
                      .bandwidth == bytes_per_second{0},
              "nothing to send");

template <class... Args>
concept accepts = requires(Args... args) {
  bandwidth_for_efficiency(args...);
};
static_assert(accepts<collective_cost, bytes, seconds, seconds, seconds, double>);
static_assert(!accepts<collective_cost, seconds, bytes, seconds, seconds, double>);

TEST_CASE("with the bandwidth that an efficiency needs, it is reached", "[comm][cross-check]") {
  testing::check_property("there and back", [] {
    const double efficiency = *rc::gen::inRange(50, 100) / 100.0;
    const seconds computation = *rc::gen::inRange(10, 2000) * ms;
    const seconds hidden = *rc::gen::inRange(0, 50) * ms;
    const bytes message = *rc::gen::inRange(1, 100) * GB;
    const auto needed =
        bandwidth_for_efficiency(ring, message, link.latency, computation, hidden, efficiency);
    RC_PRE(needed.reachable());
    const seconds time =
        time_of(ring, interconnect{link.latency, needed.bandwidth}, message).total();
    const seconds exposed = larger(time - hidden, seconds{0});
    RC_ASSERT(std::abs(synchronization_efficiency(1, computation, exposed) - efficiency) < 1e-9);
  });
}

TEST_CASE("where the latency alone is too long no bandwidth will do", "[comm]") {
  const auto needed = bandwidth_for_efficiency(ring, 1 * GB, 10 * us, 100 * us, seconds{0}, 0.9);
  CHECK(!needed.reachable());
  CHECK(needed.latency == 140 * us);
  CHECK(needed.bandwidth > 1e300 * byte / second);
}

TEST_CASE("the fewest steps that reach an efficiency do, and one less does not",
          "[comm][property]") {
  testing::check_property("tight", [] {
    const seconds step = *rc::gen::inRange(1, 1000) * us;
    const seconds exposed = *rc::gen::inRange(0, 10000) * us;
    const double efficiency = *rc::gen::inRange(0, 99) / 100.0;
    const int steps = static_cast<int>(steps_for_efficiency(step, exposed, efficiency));
    RC_ASSERT(synchronization_efficiency(steps, step, exposed) >= efficiency - 1e-12);
    if (steps > 1)
      RC_ASSERT(synchronization_efficiency(steps - 1, step, exposed) < efficiency + 1e-12);
  });
}

TEST_CASE("synchronization refuses what its documentation refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(synchronization_saving(0), invalid_input);
  CHECK_THROWS_AS(synchronization_efficiency(0, 1 * ms, 1 * ms), invalid_input);
  CHECK_THROWS_AS(synchronization_efficiency(1, seconds{0}, 1 * ms), invalid_input);
  CHECK_THROWS_AS(synchronization_efficiency(1, 1 * ms, nan * ms), invalid_input);
  CHECK_THROWS_AS(steps_for_efficiency(1 * ms, 1 * ms, 1), invalid_input);
  CHECK_THROWS_AS(steps_for_efficiency(1 * ms, 1 * ms, nan), invalid_input);
  CHECK_THROWS_AS(steps_for_efficiency(seconds{0}, 1 * ms, 0.5), invalid_input);
  CHECK_THROWS_AS(steps_for_efficiency(1 * ms, -1 * ms, 0.5), invalid_input);
  const auto needs = [](bytes message, seconds latency, seconds computation, seconds hidden,
                        double efficiency) {
    CHECK_THROWS_AS(
        bandwidth_for_efficiency(ring, message, latency, computation, hidden, efficiency),
        invalid_input);
  };
  needs(nan * byte, 1 * us, 1 * ms, 1 * ms, 0.5);
  needs(1 * byte, -1 * us, 1 * ms, 1 * ms, 0.5);
  needs(1 * byte, 1 * us, seconds{0}, 1 * ms, 0.5);
  needs(1 * byte, 1 * us, 1 * ms, nan * ms, 0.5);
  needs(1 * byte, 1 * us, 1 * ms, 1 * ms, 0);
  needs(1 * byte, 1 * us, 1 * ms, 1 * ms, 1.1);
  CHECK_THROWS_AS(compressed_time_of(ring, link, 1 * GB, {.ratio = 0.5}), invalid_input);
  CHECK_THROWS_AS(compressed_time_of(ring, link, 1 * GB, {.ratio = nan}), invalid_input);
  CHECK_THROWS_AS(compressed_time_of(ring, link, 1 * GB, {.encoding = nan * quick}), invalid_input);
  CHECK_THROWS_AS(compressed_time_of(ring, link, -1 * GB, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
