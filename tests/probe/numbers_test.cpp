#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <probe/pattern.hpp>
#include <probe/sizes.hpp>
#include <probe/statistics.hpp>

#include <gpuplan/units/number_format.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::probe;

// Facts.

static_assert(word_at(0) == 0 && word_at(1) != word_at(2));
static_assert(numerator_at(5, 7) >= -128 && numerator_at(5, 7) <= 127);

static_assert(bits_of_fraction(0, layout_fp32) == 0);
static_assert(bits_of_fraction(1 << 23, layout_fp32) == 0x3f800000, "1");
static_assert(bits_of_fraction(-(1 << 23), layout_fp32) == 0xbf800000, "-1");
static_assert(bits_of_fraction(1 << 9, layout_fp16) == 0x3800, "one half");
static_assert(bits_of_fraction(-96, layout_bf16) == 0xbf40, "-0.75");
static_assert(bits_of_fraction(-8, layout_e4m3) == 0xb8, "-1");
static_assert(bits_of_fraction(1, layout_e4m3) == 0x20, "1/8");
static_assert(bits_of_fraction(1 << 10, layout_tf32) == 0x3f800000, "1, the low bits 0");
static_assert(bits_of_fraction(-3, layout_int8) == 0xfffffffd, "of which 8 bits are stored");

static_assert(number_of_bits(0x3c00, layout_fp16) == 1.0);
static_assert(number_of_bits(0x7bff, layout_fp16) == 65504.0);
static_assert(number_of_bits(0x0001, layout_fp16) == 0x1p-24, "below the normal numbers");
static_assert(number_of_bits(0xc080, layout_bf16) == -4.0);
static_assert(number_of_bits(0x7e, layout_e4m3) == 448.0);

static_assert(number_of_bits(0xfffffffb, layout_int32) == -5.0);

static_assert(product_shape{2, 3, 5}.flop() == 60);

TEST_CASE("bits of fractions are the numbers they stand for", "[probe]") {
  const auto layout = GENERATE(layout_fp32, layout_tf32, layout_fp16, layout_bf16, layout_e4m3);
  const int f = layout.fraction_bits;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::int32_t numerator = numerator_at(i, f);
    const double number = std::ldexp(static_cast<double>(numerator), -f);
    const std::uint32_t bits = bits_of_fraction(numerator, layout);
    REQUIRE(number_of_bits(bits, layout) == number);
    if (f == 23) REQUIRE(static_cast<double>(std::bit_cast<float>(bits)) == number);
  }
}

TEST_CASE("what looks random has every byte about as often", "[probe]") {
  std::array<int, 256> count{};
  for (std::uint32_t i = 0; i < 256 * 1000; ++i) ++count[word_at(i) & 0xff];
  // 1000 of each, give or take 32; five times that happens to one byte in 7000 runs.
  for (const int one : count) CHECK(std::abs(one - 1000) < 160);
}

TEST_CASE("numbers that are summed are those that buffers hold, and sum exactly", "[probe]") {
  float sum = 0;
  double exact = 0;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    REQUIRE(std::bit_cast<std::uint32_t>(float_at(i)) == stored_at(i, layout_summed));
    sum += float_at(i);
    exact += static_cast<double>(float_at(i));
  }
  CHECK(static_cast<double>(sum) == exact);
}

TEST_CASE("an element of a product is the sum that one can add by hand", "[probe]") {
  const product_element whole = product_of(10, 20, 2, layout_int8);
  const double first = numerator_at(10, 7) * numerator_at(20, 7);
  const double second = numerator_at(11, 7) * numerator_at(21, 7);
  CHECK(whole.value == first + second);
  CHECK(whole.size == std::abs(first) + std::abs(second));
  CHECK(product_of(10, 20, 2, layout_bf16).value * 128 * 128 == whole.value);
}

TEST_CASE("an element agrees within its rounding and not beyond", "[probe]") {
  const product_element wanted{.value = 100, .size = 1000, .partial = 0};
  CHECK(agrees(100, wanted, 0, 0));
  CHECK(agrees(100.9, wanted, 0.01, 0));
  CHECK_FALSE(agrees(101.1, wanted, 0.01, 0));
  CHECK(agrees(99.5, wanted, 0, 1e-3));
  CHECK_FALSE(agrees(98.5, wanted, 0, 1e-3));
  CHECK_FALSE(agrees(std::nan(""), wanted, 1, 1));

  // The next element is another one, by more than the rounding of the coarsest result.
  for (std::uint32_t i = 0; i < 50; ++i) {
    const product_element one = product_of(i * 4096, 0, 4096, layout_bf16);
    const product_element other = product_of((i + 1) * 4096, 0, 4096, layout_bf16);
    const double step = limits_of(number_format::bf16).epsilon();
    CHECK(agrees(one.value * (1 + step / 2), one, step, 0x1p-18));
    if (std::abs(one.value - other.value) > 2) CHECK_FALSE(agrees(other.value, one, step, 0x1p-18));
  }
}

std::vector<timed_sample> samples_of(std::initializer_list<std::array<double, 2>> rows) {
  std::vector<timed_sample> all;
  for (const auto& [time, clock] : rows)
    all.push_back({.time = seconds{time}, .clock = per_second{clock}});
  return all;
}

TEST_CASE("samples at a low clock are left out, but never all", "[probe]") {
  const auto mixed = samples_of({{1, 2e9}, {2, 1.5e9}, {3, 1.6e9}, {4, 0}});
  const auto kept = kept_samples(mixed, per_second{2e9});
  REQUIRE(kept.size() == 3);
  CHECK(kept[1].time == seconds{3});

  // A device that its power limit holds down is fast for a moment.
  const auto capped = samples_of({{1, 1.9e9}, {2, 1.5e9}, {3, 1.4e9}, {2, 1.5e9}});
  CHECK(kept_samples(capped, per_second{2e9}).size() == 4);
  const auto slow = samples_of({{1, 1e9}, {2, 1.1e9}});
  CHECK(kept_samples(slow, per_second{2e9}).size() == 2);
  CHECK(kept_samples(mixed, per_second{0}).size() == 4);
  CHECK_THROWS_WITH(kept_samples({}, per_second{1}), "kept_samples: samples must be >= 1");
  CHECK_THROWS_AS(kept_samples(samples_of({{std::nan(""), 0}}), per_second{1}), invalid_input);
  CHECK_THROWS_AS(kept_samples(samples_of({{0, 0}}), per_second{1}), invalid_input);
}

TEST_CASE("the median, its neighbours and the spread are those of the kept samples", "[probe]") {
  const auto all = samples_of({{5, 2e9}, {1, 2e9}, {2, 2e9}, {9, 1e9}, {4, 2e9}, {3, 2e9}});
  const measured_time time = measured(all, per_second{2e9});
  CHECK(time.median == seconds{3});
  CHECK(time.min == seconds{1});
  CHECK(time.p95->in_base_units() == Approx(4.8));
  CHECK(time.relative_mad == Approx(1.0 / 3));
  CHECK(time.samples == 5);
}

TEST_CASE("a clock is steady when its last three readings agree", "[probe]") {
  const auto clocks = [](std::initializer_list<double> megahertz) {
    std::vector<per_second> all;
    for (const double one : megahertz) all.push_back(per_second{one * 1e6});
    return all;
  };
  CHECK(is_steady(clocks({1000, 1970, 1980, 1990})));
  CHECK_FALSE(is_steady(clocks({1980, 1980})));
  CHECK_FALSE(is_steady(clocks({1980, 1900, 1980})));
  CHECK(is_steady(clocks({0, 0, 0})));
}

TEST_CASE("a sample has as many runs as it needs", "[probe]") {
  CHECK(runs_of_sample(seconds{1e-4}, seconds{1e-3}, 400) == 10);
  CHECK(runs_of_sample(seconds{3e-4}, seconds{1e-3}, 400) == 4);
  CHECK(runs_of_sample(seconds{1}, seconds{1e-3}, 400) == 1);
  CHECK(runs_of_sample(seconds{1e-7}, seconds{1e-3}, 400) == 400);
  CHECK_THROWS_AS(runs_of_sample(seconds{0}, seconds{1}, 1), invalid_input);
  CHECK_THROWS_AS(runs_of_sample(seconds{std::nan("")}, seconds{1}, 1), invalid_input);
  CHECK_THROWS_AS(runs_of_sample(seconds{1}, seconds{1}, 0), invalid_input);
}

TEST_CASE("sizes go down from the largest, and stay within half of the free memory", "[probe]") {
  CHECK(sizes_up_to(256, 4, 4) == std::vector<std::size_t>{4, 16, 64, 256});
  CHECK(sizes_up_to(256, 4, 16) == std::vector<std::size_t>{16, 256});
  CHECK(sizes_up_to(7, 8, 2).empty());
  CHECK(sizes_up_to(~std::size_t{0}, 1, 2).size() == 64);
  CHECK_THROWS_AS(sizes_up_to(8, 0, 2), invalid_input);
  CHECK_THROWS_AS(sizes_up_to(8, 1, 1), invalid_input);

  const std::size_t gib = std::size_t{1} << 30;
  CHECK(largest_array(80 * gib, 3, 4 * gib) == 4 * gib);
  CHECK(largest_array(16 * gib, 3, 4 * gib) == gib);
  CHECK_THROWS_AS(largest_array(gib / 64, 1, gib), invalid_input);
  for (std::size_t free = gib / 8; free < 200 * gib; free = free * 5 / 4)
    CHECK(3 * largest_array(free, 3, 4 * gib) <= free / 2);
}

TEST_CASE("shapes of products differ, and those of 8 bits are multiples of 16", "[probe]") {
  for (const product_shape& shape : product_shapes) {
    CHECK(shape.n % 16 == 0);
    CHECK(shape.k % 16 == 0);
    int same = 0;
    for (const product_shape& other : product_shapes)
      same += other.m == shape.m && other.n == shape.n && other.k == shape.k ? 1 : 0;
    CHECK(same == 1);
  }
}

}  // namespace
