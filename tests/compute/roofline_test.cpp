#include <gpuplan/compute/roofline.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr auto peak = 312 * TFLOP / second;
constexpr auto bandwidth = 2 * TB / second;
static_assert(ridge(peak, bandwidth) == 156 * FLOP / byte);
static_assert(ridge(peak, 0.5 * byte / second) > ridge(peak, 1 * byte / second));
static_assert(roofline(peak, bandwidth, 156 * FLOP / byte) == peak);
static_assert(roofline(peak, bandwidth, 1000 * FLOP / byte) == peak);
static_assert(roofline(peak, bandwidth, 1 * FLOP / byte) == 2 * TFLOP / second);
static_assert(roofline(peak, bandwidth, flop_per_byte{0}) == flop_per_second{0});

template <class... Args>
concept has_roof = requires(Args... args) {
  roofline(args...);
};
static_assert(has_roof<flop_per_second, bytes_per_second, flop_per_byte>);
static_assert(!has_roof<flop_per_second, flop_per_byte, bytes_per_second>);
static_assert(!has_roof<flop, bytes, double>, "operations are not operations a second");

TEST_CASE("memory gives what was measured, else a share of the datasheet", "[compute][facts]") {
  const accelerator printed{.memory_bandwidth = 2 * TB / second};
  CHECK(streaming_bandwidth(printed) == streaming_share * (2 * TB / second));
  const accelerator measured{.memory_bandwidth = 2 * TB / second,
                             .achieved_memory_bandwidth = 1.8 * TB / second};
  CHECK(streaming_bandwidth(measured) == 1.8 * TB / second);
}

TEST_CASE("roofline refuses negative rates and NaN", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(roofline(-1 * peak, bandwidth, 1 * FLOP / byte), invalid_input);
  CHECK_THROWS_AS(roofline(peak, -1 * bandwidth, 1 * FLOP / byte), invalid_input);
  CHECK_THROWS_AS(roofline(peak, bandwidth, nan * FLOP / byte), invalid_input);
  CHECK_THROWS_AS(ridge(peak, bytes_per_second{0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
