#include <gpuplan/calibrate/plateau_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// A memory of 3 TB/s behind a cache of 50 MiB of 6 TB/s, with a start of 2 us.
seconds time_of(bytes size) {
  return 2 * us + size / ((size <= 50 * MiB ? 6 : 3) * TB / second);
}

TEST_CASE("the rate of memory is that of buffers far beyond its cache", "[calibrate]") {
  std::vector<transfer_sample> samples;
  for (bytes size = 64 * KiB; size <= 4 * GiB; size *= 4) samples.push_back({size, time_of(size)});
  const plateau_fit fit = fit_plateau(samples, beyond_cache * 50 * MiB);
  CHECK(fit.least == 1 * GiB);
  CHECK(fit.most == 4 * GiB);
  CHECK(fit.quality.samples == 2);
  CHECK_THAT(fit.rate / (TB / second), WithinRel(3, 0.005));
  CHECK(fit.steady_from == 64 * MiB);  // 16 MiB are in the cache
  CHECK(fit.rate_bounds.holds(fit.rate));
  // All of them in the cache: the longest alone.
  const plateau_fit cached = fit_plateau(std::span{samples}.first(4), 400 * MiB);
  CHECK(cached.quality.samples == 1);
  CHECK(cached.least == 4 * MiB);
  CHECK(cached.rate_bounds.high == bytes_per_second{std::numeric_limits<double>::infinity()});
}

TEST_CASE("bounds of a plateau hold it as often as they say, or more", "[calibrate][statistics]") {
  random_numbers random{5};
  constexpr int times = 4000;
  int held = 0;
  for (int i = 0; i < times; ++i) {
    std::vector<transfer_sample> samples;
    for (int k = 0; k < 12; ++k) samples.push_back({1 * GB, 1 * ms * (1 + 0.02 * random.normal())});
    held += fit_plateau(samples, bytes{0}).rate_bounds.holds(1 * TB / second) ? 1 : 0;
  }
  // A deviation is 0.3 %; of few samples the median is surer than of many.
  CHECK(held / double{times} > fit_level - 0.01);
  CHECK(held / double{times} < fit_level + 0.03);
}

TEST_CASE("bounds of a plateau are Student's, of the error of a median", "[calibrate][reference]") {
  // Rates of 1, 1.1 and 0.9: sqrt(pi / 2 0.02 / 2 / 3) = 0.072360, times 4.302653 of two degrees.
  std::vector<transfer_sample> samples;
  for (const double rate : {1.0, 1.1, 0.9}) samples.push_back({1 * GB, 1 * ms / rate});
  const plateau_fit fit = fit_plateau(samples, bytes{0});
  CHECK_THAT(fit.rate_bounds.high / (TB / second), WithinRel(1.311340, 1e-5));
  CHECK_THAT(fit.rate_bounds.low / (TB / second), WithinRel(0.688660, 1e-5));
}

TEST_CASE("one wrong sample moves no plateau", "[calibrate]") {
  std::vector<transfer_sample> samples(7, {1 * GB, 1 * ms});
  samples[3].time = 90 * ms;
  CHECK_THAT(fit_plateau(samples, bytes{0}).rate / (TB / second), WithinRel(1, 1e-12));
}

TEST_CASE("a plateau of nothing is refused", "[calibrate][errors]") {
  const std::vector<transfer_sample> good{{1 * GB, 1 * ms}};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(fit_plateau({}, bytes{0}), invalid_input);
  CHECK_THROWS_AS(fit_plateau(good, bytes{-1}), invalid_input);
  CHECK_THROWS_AS(fit_plateau(good, bytes{nan}), invalid_input);
  CHECK_THROWS_AS(fit_plateau(std::vector{transfer_sample{1 * GB, 0 * ms}}, bytes{0}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
