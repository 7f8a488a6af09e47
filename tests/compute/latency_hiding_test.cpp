#include <gpuplan/compute/latency_hiding.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("some hundred KB hide the latency of device memory", "[compute][reference]") {
  // 400 cycles at 1.25 GHz are 320 ns; 2 TB/s deliver 640 KB in that time.
  CHECK_THAT(bytes_under_way(2 * TB / second, 400, 1.25e9 / second).in(byte),
             WithinRel(640e3, 1e-12));
  // One thread that follows a chain of lines of 128 B gets 128 B in 320 ns.
  CHECK_THAT(
      bandwidth_at_latency(128 * byte, 2 * TB / second, 400, 1.25e9 / second).in(MB / second),
      WithinRel(400, 1e-12));
}

TEST_CASE("bandwidth grows with the bytes under way, up to that of the memory",
          "[compute][property]") {
  testing::check_property("bandwidth grows up to that of the memory", [] {
    const bytes_per_second most = *rc::gen::inRange(1, 8000) * GB / second;
    const int cycles = *rc::gen::inRange(1, 1000);
    const per_second clock = *rc::gen::inRange(1, 3000) * 1e6 / second;
    const bytes enough = bytes_under_way(most, cycles, clock);
    const double part = *rc::gen::inRange(0, 100) / 100.0;
    RC_ASSERT(bandwidth_at_latency(2 * enough, most, cycles, clock) == most);
    const bytes_per_second some = bandwidth_at_latency(part * enough, most, cycles, clock);
    RC_ASSERT(some <= part * most * (1 + 1e-12));
    RC_ASSERT(some >= part * most * (1 - 1e-12));
  });
}

TEST_CASE("latency refuses what takes no time", "[compute][errors]") {
  const bytes_per_second fast = 1 * TB / second;
  const per_second clock = 1e9 / second;
  CHECK_THROWS_AS(bytes_under_way(bytes_per_second{0}, 400, clock), invalid_input);
  CHECK_THROWS_AS(bytes_under_way(bytes_per_second{nan}, 400, clock), invalid_input);
  CHECK_THROWS_AS(bytes_under_way(fast, 0, clock), invalid_input);
  CHECK_THROWS_AS(bytes_under_way(fast, nan, clock), invalid_input);
  CHECK_THROWS_AS(bytes_under_way(fast, 400, per_second{0}), invalid_input);
  CHECK_THROWS_AS(bytes_under_way(fast, 400, per_second{nan}), invalid_input);
  CHECK_THROWS_AS(bandwidth_at_latency(bytes{-1}, fast, 400, clock), invalid_input);
  CHECK_THROWS_AS(bandwidth_at_latency(bytes{nan}, fast, 400, clock), invalid_input);
}

}  // namespace
}  // namespace gpuplan
