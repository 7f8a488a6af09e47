#include <gpuplan/calibrate/gemm_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_matrix_unit<double> device{.rate = 700 * TFLOP / second,
                                           .bandwidth = 2.8 * TB / second,
                                           .streaming_multiprocessors = 132,
                                           .start = 3 * us};

/// Products as a probe measures them: square, one depth after the other, skinny.
std::vector<matrix_product> shapes() {
  std::vector<matrix_product> all;
  for (double n = 256; n <= 16384; n *= 2) all.push_back({n, n, n});
  for (double k = 128; k <= 16384; k *= 2) all.push_back({4096, 4096, k});
  for (const double m : {1.0, 8.0, 64.0, 512.0}) all.push_back({m, 8192, 8192});
  for (const double h : {4096.0, 5120.0}) all.push_back({4096, 4 * h, h});
  return all;
}

template <class Noise>
std::vector<product_sample> measured(const basic_matrix_unit<double>& unit, Noise noise) {
  std::vector<product_sample> all;
  for (const matrix_product& p : shapes())
    all.push_back({.product = p, .time = noise(product_time(p, unit))});
  return all;
}

TEST_CASE("the constants of products come back from their times", "[calibrate]") {
  for (const double rate : {30.0, 700.0, 1500.0})
    for (const double start : {0.0, 3.0, 12.0}) {
      CAPTURE(rate, start);
      basic_matrix_unit<double> unit = device;
      unit.rate = rate * TFLOP / second;
      unit.start = start * us;
      const gemm_fit fit = fit_gemm(measured(unit, [](seconds t) { return t; }), 132);
      CHECK_THAT(fit.rate / unit.rate, WithinRel(1, 1e-9));
      CHECK(std::abs((fit.start - unit.start) / us) < 1e-6);
      CHECK(fit.quality.worst < 1e-9);
      if (rate > 30) {
        CHECK_THAT(fit.bandwidth / unit.bandwidth, WithinRel(1, 1e-9));
        CHECK(fit.bound_by_memory >= 2);
      } else {  // so slow that nothing waits for memory
        CHECK(fit.bandwidth == bytes_per_second{0});
        CHECK(fit.bound_by_memory == 0);
      }
      CHECK(fit.least == 2.0 * 256 * 256 * 256 * FLOP);
      CHECK(fit.most == 2.0 * 16384 * 16384 * 16384 * FLOP);
      CHECK_THAT(fit.half_size() / FLOP, WithinRel((rate * start * 1e6), 1e-6));
      CHECK(fit.time({300, 500, 700}, {}) <= 1.0001 * product_time({300, 500, 700}, unit));
    }
}

TEST_CASE("bounds of the constants hold the true ones as often as they say",
          "[calibrate][statistics]") {
  random_numbers random{3};
  constexpr int times = 400;
  int rates = 0;
  int starts = 0;
  int bandwidths = 0;
  for (int i = 0; i < times; ++i) {
    const gemm_fit fit = fit_gemm(
        measured(device, [&](seconds t) { return t * (1 + 0.02 * random.normal()); }), 132);
    CHECK_THAT(fit.rate / device.rate, WithinRel(1, 0.05));
    rates += fit.rate_bounds.holds(device.rate) ? 1 : 0;
    starts += fit.start_bounds.holds(device.start) ? 1 : 0;
    bandwidths += fit.bandwidth_bounds.holds(device.bandwidth) ? 1 : 0;
  }
  // A deviation is 1.1 %.
  CHECK(std::abs(rates / double{times} - fit_level) < 0.04);
  CHECK(std::abs(starts / double{times} - fit_level) < 0.04);
  CHECK(std::abs(bandwidths / double{times} - fit_level) < 0.04);
}

TEST_CASE("products that ran beside something else do not bend the fit", "[calibrate]") {
  std::vector<product_sample> samples = measured(device, [](seconds t) { return t; });
  samples[4].time = 5 * samples[4].time;
  samples[12].time = 0.1 * samples[12].time;
  const gemm_fit fit = fit_gemm(samples, 132);
  CHECK_THAT(fit.rate / device.rate, WithinRel(1, 0.01));
  CHECK_THAT(fit.bandwidth / device.bandwidth, WithinRel(1, 0.01));
  CHECK(fit.quality.outliers == 2);
}

TEST_CASE("what no product tells stays unknown", "[calibrate][limits]") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const matrix_product large{8192, 8192, 8192};
  const std::vector<product_sample> one{{.product = large, .time = product_time(large, device)}};
  const gemm_fit fit = fit_gemm(one, 132);
  CHECK(fit.bandwidth == bytes_per_second{0});
  CHECK(fit.rate_bounds.high == flop_per_second{infinite});
  CHECK_THAT(fit.time(large, {}) / one[0].time, WithinRel(1, 1e-9));
  const matrix_product thin{1, 8192, 8192};
  const std::vector<product_sample> slow{{.product = thin, .time = 1 * ms},
                                         {.product = thin, .time = 1 * ms},
                                         {.product = {2, 4096, 8192}, .time = 0.5 * ms}};
  CHECK_NOTHROW(fit_gemm(slow, 132));
}

TEST_CASE("products out of range are refused", "[calibrate][errors]") {
  const product_sample good{.product = {64, 64, 64}, .time = 1 * us};
  const auto fit = [](product_sample sample, int multiprocessors = 4) {
    return fit_gemm(std::vector{sample}, multiprocessors);
  };
  CHECK_NOTHROW(fit(good));
  CHECK_THROWS_AS(fit_gemm({}, 4), invalid_input);
  CHECK_THROWS_WITH(fit(good, 0), "fit_gemm: multiprocessors must be >= 1");
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(fit({.product = {0, 64, 64}, .time = 1 * us}), invalid_input);
  CHECK_THROWS_AS(fit({.product = {64, 64, nan}, .time = 1 * us}), invalid_input);
  CHECK_THROWS_AS(fit({.product = {64, 64, 64}, .time = seconds{nan}}), invalid_input);
  CHECK_THROWS_WITH(fit({.product = {64, 64, 64}}), "product_sample.time must be > 0 s and finite");
}

}  // namespace
}  // namespace gpuplan
