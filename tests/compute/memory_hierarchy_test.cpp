#include <gpuplan/compute/memory_hierarchy.hpp>

#include <limits>

#include <gpuplan/compute/roofline.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// 1 TFLOP on a V100-like device whose L2 cache catches half of what shared memory asks for.
constexpr hierarchy_work work() {
  hierarchy_work one{.operations = 1 * TFLOP, .peak = 100 * TFLOP / second};
  one[memory_level::shared] = {80 * GB, 13 * TB / second};
  one[memory_level::l2] = {40 * GB, 2 * TB / second};
  one[memory_level::device] = {9 * GB, 0.9 * TB / second};
  return one;
}

constexpr hierarchy_time time = hierarchical_roofline(work());
static_assert(time.arithmetic == 10 * ms);
static_assert(time.slowest_level() == memory_level::l2 && !time.compute_bound());
static_assert(time.total() == 20 * ms, "the cache binds, although device memory would allow 10 ms");
static_assert(time.at[0] == seconds{0}, "registers are not looked at");
static_assert(hierarchical_roofline({}).total() == seconds{0});
static_assert(hierarchical_roofline({}).compute_bound());

constexpr hierarchy_time faster_cache() {
  hierarchy_work one = work();
  one[memory_level::l2].bandwidth = 8 * TB / second;
  return hierarchical_roofline(one);
}
static_assert(faster_cache().slowest_level() == memory_level::device);
static_assert(faster_cache().compute_bound(), "equal times: arithmetic is at its peak");
static_assert(hierarchical_roofline({}).slowest_level() == memory_level::host,
              "of equal levels the outermost");
static_assert(name_of(memory_level::l2) == "l2" && name_of(memory_level::host) == "host");

TEST_CASE("one level gives the flat roofline", "[compute][property]") {
  testing::check_property("operations over time are roofline's", [] {
    const double operations = *rc::gen::inRange(1, 1'000'000) * 1e6;
    const double moved = *rc::gen::inRange(1, 1'000'000) * 1e3;
    const auto level = memory_levels[*rc::gen::inRange<std::size_t>(0, memory_levels.size())];
    hierarchy_work one{.operations = operations * FLOP, .peak = 1 * TFLOP / second};
    one[level] = {moved * byte, 100 * GB / second};
    const seconds took = hierarchical_roofline(one).total();
    const flop_per_second reached =
        roofline(one.peak, one[level].bandwidth, one.operations / one[level].moved);
    RC_ASSERT(std::abs(one.operations / took / reached - 1) < 1e-12);
  });
}

TEST_CASE("a further level never makes a kernel faster", "[compute][property]") {
  testing::check_property("times only grow", [] {
    hierarchy_work one = work();
    const seconds before = hierarchical_roofline(one).total();
    const auto level = memory_levels[*rc::gen::inRange<std::size_t>(0, memory_levels.size())];
    const double more = *rc::gen::inRange(0, 1000) * 1e9;
    level_traffic& at = one[level];
    if (at.bandwidth == bytes_per_second{0}) at.bandwidth = 1 * TB / second;
    at.moved += more * byte;
    const hierarchy_time after = hierarchical_roofline(one);
    RC_ASSERT(after.total() >= before);
    RC_ASSERT(after.total() >= at.moved / at.bandwidth);
  });
}

TEST_CASE("the hierarchical roofline refuses what has no time", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](level_traffic level) {
    hierarchy_work one = work();
    one[memory_level::host] = level;
    return one;
  };
  CHECK_THROWS_AS(hierarchical_roofline(with({1 * GB, bytes_per_second{0}})), invalid_input);
  CHECK_THROWS_AS(hierarchical_roofline(with({-1 * GB, 1 * GB / second})), invalid_input);
  CHECK_THROWS_AS(hierarchical_roofline(with({nan * GB, 1 * GB / second})), invalid_input);
  CHECK_THROWS_AS(hierarchical_roofline(with({0 * GB, -1 * GB / second})), invalid_input);
  CHECK_THROWS_AS(hierarchical_roofline({.operations = 1 * FLOP}), invalid_input);
  CHECK_THROWS_AS(hierarchical_roofline({.operations = -1 * FLOP, .peak = 1 * FLOP / second}),
                  invalid_input);
  CHECK_THROWS_AS(name_of(memory_level{9}), invalid_input);
  hierarchy_work one = work();
  CHECK_THROWS_AS(one[memory_level{9}], invalid_input);
}

}  // namespace
}  // namespace gpuplan
