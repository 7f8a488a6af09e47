#include <gpuplan/compute/systolic_array.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The first TPU: 256 x 256 cells at 700 MHz.
constexpr systolic_array first_tpu{.side = 256, .clock = 700e6 / second};

// One tile: 256 cycles to load, 256 rows, 510 until the last result.
static_assert(systolic_product_time({256, 256, 256}, {.side = 256, .clock = 1.0 / second}) ==
              1022 * second);
static_assert(systolic_product_time({0, 256, 256}, first_tpu) == seconds{0});

template <class... Args>
concept time_accepts = requires(Args... args) {
  systolic_product_time(args...);
};
static_assert(time_accepts<matrix_product, systolic_array>);
static_assert(!time_accepts<matrix_product, double>);

/// Cycle by cycle: the value of row i enters line r in cycle i + r, and meets column c after r + c.
double cycles_by_steps(int rows, int columns, int depth, int side) {
  double cycles = 0;
  for (int k = 0; k < depth; k += side)
    for (int n = 0; n < columns; n += side) {
      int last = 0;
      for (int i = 0; i < rows; ++i)
        for (int r = 0; r < side; ++r)
          for (int c = 0; c < side; ++c) last = std::max(last, i + r + c);
      cycles += side + last + 1;
    }
  return cycles;
}

TEST_CASE("the first TPU has 92 TOPS", "[compute][reference]") {
  // Jouppi and others 2017, section 2.
  CHECK(std::abs(systolic_peak(first_tpu).in(TFLOP / second) - 92) <= 0.5);
}

TEST_CASE("a product takes the cycles of its wavefronts", "[compute][property]") {
  testing::check_property("closed form and wavefronts agree", [] {
    const int side = *rc::gen::inRange(1, 9);
    const int rows = *rc::gen::inRange(1, 20);
    const int columns = *rc::gen::inRange(1, 30);
    const int depth = *rc::gen::inRange(1, 30);
    const matrix_product p{static_cast<double>(rows), static_cast<double>(columns),
                           static_cast<double>(depth)};
    const systolic_array array{.side = static_cast<double>(side), .clock = 1.0 / second};
    RC_ASSERT(systolic_product_time(p, array).in(second) ==
              cycles_by_steps(rows, columns, depth, side));
    RC_ASSERT(systolic_utilization(p, array) > 0);
    RC_ASSERT(systolic_utilization(p, array) <= 1);
  });
}

TEST_CASE("many rows fill the array, few leave it filling", "[compute]") {
  CHECK(systolic_utilization({1e6, 256, 256}, first_tpu) > 0.999);
  CHECK_THAT(systolic_utilization({256, 256, 256}, first_tpu), WithinRel(256.0 / 1022, 1e-12));
  CHECK(std::abs(systolic_utilization({1e6, 257, 256}, first_tpu) - 0.5018) <= 1e-3);
  const systolic_array four{.side = 256, .clock = 700e6 / second, .arrays = 4};
  CHECK(systolic_product_time({512, 1024, 256}, four) ==
        systolic_product_time({512, 256, 256}, first_tpu));
}

TEST_CASE("systolic arrays refuse what is no size", "[compute][errors]") {
  CHECK_THROWS_AS(systolic_peak({.side = 0, .clock = 1.0 / second}), invalid_input);
  CHECK_THROWS_AS(systolic_peak({.side = nan, .clock = 1.0 / second}), invalid_input);
  CHECK_THROWS_AS(systolic_peak({.side = 8}), invalid_input);
  CHECK_THROWS_AS(systolic_peak({.side = 8, .clock = nan / second}), invalid_input);
  CHECK_THROWS_AS(systolic_peak({.side = 8, .clock = 1.0 / second, .arrays = 0}), invalid_input);
  CHECK_THROWS_AS(systolic_product_time({-1, 1, 1}, first_tpu), invalid_input);
  CHECK_THROWS_AS(systolic_product_time({1, nan, 1}, first_tpu), invalid_input);
  CHECK_THROWS_AS(systolic_utilization({0, 1, 1}, first_tpu), invalid_input);
}

}  // namespace
}  // namespace gpuplan
