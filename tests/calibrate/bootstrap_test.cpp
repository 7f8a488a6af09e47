#include <gpuplan/calibrate/bootstrap.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

std::vector<seconds> exponential_sample(std::uint64_t seed, int count, double power = 1) {
  random_numbers random{seed};
  std::vector<seconds> sample;
  for (int i = 0; i < count; ++i) {
    const double uniform = (static_cast<double>(random.bits() >> 11) + 0.5) * 0x1p-53;
    sample.push_back(std::pow(-std::log(uniform), power) * hour);
  }
  return sample;
}

int misses(int samples, int size, double power, double variation) {
  int count = 0;
  for (int i = 0; i < samples; ++i) {
    const auto sample = exponential_sample(static_cast<std::uint64_t>(i) + 1000, size, power);
    if (!variation_interval(sample, {.resamples = 200}).holds(variation)) ++count;
  }
  return count;
}

TEST_CASE("the interval mostly holds the variation of the law", "[calibrate]") {
  // Exponential: 1. At 95% some 5 in 100 should miss it; the bootstrap of a skewed figure misses
  // more often.
  const int light = misses(100, 2000, 1, 1);
  CHECK(light >= 1);
  CHECK(light <= 12);
  // The square of it, Weibull of shape 1/2: 5.
  const int heavy = misses(100, 2000, 2, 5);
  CHECK(heavy <= 35);
}

TEST_CASE("a seed gives one interval, and more data a narrower one", "[calibrate]") {
  const auto sample = exponential_sample(1, 10000);
  const auto first = variation_interval(sample);
  const auto again = variation_interval(sample);
  CHECK(first.low == again.low);
  CHECK(first.high == again.high);
  const auto other = variation_interval(sample, {.seed = 2});
  CHECK(other.low != first.low);
  CHECK_THAT(other.high - other.low, WithinRel(first.high - first.low, 0.2));
  const auto few = variation_interval(std::span{sample}.first(400));
  CHECK(few.high - few.low > 2.5 * (first.high - first.low));
  const auto wide = variation_interval(sample, {.level = 0.99});
  CHECK(wide.high - wide.low > first.high - first.low);
  // Half of the resamples, a quarter left out on either side of the sample's own variation.
  seconds sum;
  square_seconds squares;
  for (const seconds each : sample) {
    sum += each;
    squares += each * each;
  }
  const double own = 10000 * squares / (sum * sum) - 1;
  const auto half = variation_interval(sample, {.level = 0.5});
  CHECK((own - half.low) / (half.high - half.low) > 0.3);
  CHECK((own - half.low) / (half.high - half.low) < 0.7);
}

TEST_CASE("neighbours that are alike widen the interval", "[calibrate]") {
  auto sample = exponential_sample(1, 1000);
  std::vector<seconds> runs;
  for (const seconds each : sample)
    for (int copies = 0; copies < 10; ++copies) runs.push_back(each);
  std::vector<seconds> mixed;
  for (std::size_t i = 0; i < runs.size(); ++i) mixed.push_back(runs[i * 7919 % runs.size()]);
  const auto alike = variation_interval(runs);
  const auto apart = variation_interval(mixed);
  CHECK(alike.high - alike.low > 1.8 * (apart.high - apart.low));
}

TEST_CASE("equal times vary by nothing, whatever their size", "[calibrate][limits]") {
  for (const double size : {1e-300, 1.0, 1e300}) {
    const std::vector<seconds> sample(100, size * second);
    const auto interval = variation_interval(sample);
    CHECK(std::abs(interval.low) < 1e-12);
    CHECK(std::abs(interval.high) < 1e-12);
  }
}

TEST_CASE("samples that have no variation are refused", "[calibrate][errors]") {
  const std::vector<seconds> few(7, 1 * second);
  CHECK_THROWS_WITH(variation_interval(few), "variation_interval: sample must be >= 8 times");
  std::vector<seconds> sample(8);
  CHECK_THROWS_AS(variation_interval(sample), invalid_input);
  sample[0] = 1 * second;
  CHECK_NOTHROW(variation_interval(sample));
  sample[1] = -1 * second;
  CHECK_THROWS_AS(variation_interval(sample), invalid_input);
  sample[1] = std::nan("") * second;
  CHECK_THROWS_AS(variation_interval(sample), invalid_input);
  sample[1] = 1 * second;
  CHECK_THROWS_AS(variation_interval(sample, {.level = 1}), invalid_input);
  CHECK_THROWS_AS(variation_interval(sample, {.resamples = 99}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
