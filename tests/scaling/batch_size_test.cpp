#include <gpuplan/scaling/batch_size.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(batch_utilization(64, 64) == 0.5 && batch_utilization(1, 0) == 1);
constexpr batch_curve curve{.plateau = 1000 / second, .half_batch = 64};
static_assert(batch_throughput(curve, 64) == 500 / second);
static_assert(batch_time(curve, 64) == 0.128 * second);
static_assert(batch_of_utilization(curve, 0.5) == 64 && batch_of_utilization(curve, 0.75) == 192);

// Half of the plateau at 64 says what 32 to 256 brings: the 2 to 3 times of the sources.
static_assert(batch_throughput(curve, 256) / batch_throughput(curve, 32) > 2);
static_assert(batch_throughput(curve, 256) / batch_throughput(curve, 32) < 3);

template <class Time>
concept is_timed = requires(Time time) {
  timed_batch{32, time};
};
static_assert(is_timed<seconds> && !is_timed<double> && !is_timed<per_second>);

TEST_CASE("the curve through two batches is exact at both", "[scaling][property]") {
  testing::check_property("two points", [] {
    const batch_curve any{.plateau = *rc::gen::inRange(1, 100000) / second,
                          .half_batch = *rc::gen::inRange(0, 100000) * 0.1};
    const double small = *rc::gen::inRange(1, 1000);
    const double large = small + *rc::gen::inRange(1, 10000);
    const batch_curve found =
        batch_curve_through({small, batch_time(any, small)}, {large, batch_time(any, large)});
    const auto close = [](double a, double b) {
      return std::abs(a - b) <= 1e-9 * (1 + std::abs(b));
    };
    RC_ASSERT(close(found.plateau / any.plateau, 1));
    RC_ASSERT(std::abs(found.half_batch - any.half_batch) <= 1e-9 * (any.half_batch + large));
  });
}

TEST_CASE("a larger batch is never slower, nor above the plateau", "[scaling][property]") {
  testing::check_property("monotone", [] {
    const batch_curve any{.plateau = *rc::gen::inRange(1, 100000) / second,
                          .half_batch = *rc::gen::inRange(0, 100000) * 0.1};
    const double batch = *rc::gen::inRange(1, 100000);
    RC_ASSERT(batch_throughput(any, batch + 1) >= batch_throughput(any, batch));
    RC_ASSERT(batch_throughput(any, batch) <= any.plateau);
    RC_ASSERT(std::abs(batch_throughput(any, batch) * batch_time(any, batch) / batch - 1) < 1e-12);
    const double share = batch_utilization(batch, any.half_batch);
    if (share < 0.999) RC_ASSERT(std::abs(batch_of_utilization(any, share) / batch - 1) < 1e-9);
  });
}

TEST_CASE("the batch curve refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double batch : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(batch_utilization(batch, 1), invalid_input);
    CHECK_THROWS_AS(batch_throughput(curve, batch), invalid_input);
    CHECK_THROWS_AS(batch_time(curve, batch), invalid_input);
  }
  CHECK_THROWS_AS(batch_utilization(1, -1), invalid_input);
  CHECK_THROWS_AS(batch_time({.half_batch = 1}, 1), invalid_input);
  CHECK_THROWS_AS(batch_throughput({1 / second, nan}, 1), invalid_input);
  CHECK_THROWS_AS(batch_of_utilization(curve, 1), invalid_input);
  CHECK_THROWS_AS(batch_of_utilization(curve, nan), invalid_input);
  const auto refused = [](timed_batch a, timed_batch b) {
    CHECK_THROWS_AS(batch_curve_through(a, b), invalid_input);
  };
  refused({0, second}, {2, 2 * second});
  refused({1, seconds{nan}}, {2, 2 * second});
  refused({2, second}, {2, 2 * second});
  refused({1, second}, {2, second});
  refused({1, second}, {2, 3 * second});
}

}  // namespace
}  // namespace gpuplan
