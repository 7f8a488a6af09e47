#include <gpuplan/scaling/straggler.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array uneven{2 * second, 3 * second, 4 * second, 3 * second};
constexpr waiting_step step = waiting_for_slowest(uneven);
static_assert(step.slowest == 4 * second && step.mean == 3 * second && step.idle() == 0.25);
static_assert(waiting_for_slowest(std::array{7 * second}).idle() == 0);
constexpr std::array speeds{100 / second, 50 / second};
static_assert(throughput_of_mixed(speeds).equal_shares == 100 / second);
static_assert(throughput_of_mixed(speeds).proportional_shares == 150 / second);

TEST_CASE("the expected largest of n normal numbers", "[scaling][reference]") {
  // H. L. Harter, "Expected values of normal order statistics", Biometrika 48 (1961) 151-165,
  // table 1, five decimals.
  struct row {
    double count;
    double printed;
  };
  const auto known =
      GENERATE(row{2, 0.56419}, row{3, 0.84628}, row{4, 1.02938}, row{5, 1.16296}, row{10, 1.53875},
               row{20, 1.86748}, row{50, 2.24907}, row{100, 2.50759});
  CHECK(std::abs(expected_normal_maximum(known.count) - known.printed) <= 0.5e-5);
  CHECK(expected_normal_maximum(1) == 0);
  const double pi = std::acos(-1.0);
  CHECK_THAT(expected_normal_maximum(2), WithinRel(1 / std::sqrt(pi), 1e-14));
  CHECK_THAT(expected_normal_maximum(3), WithinRel(1.5 / std::sqrt(pi), 1e-14));
}

TEST_CASE("the expected largest by another integral", "[scaling][cross-check]") {
  // E max = integral of 1 - Phi^n over x > 0 less that of Phi^n over x < 0, with Boost's Phi.
  const double n = GENERATE(7.0, 1024.0, 16384.0, 1e6, 1e9);
  const boost::math::normal standard;
  double sum = 0;
  const double width = 1e-3;
  for (double x = -10 + width / 2; x < 15; x += width) {
    const double below = boost::math::cdf(standard, x);
    const double above = boost::math::cdf(boost::math::complement(standard, x));
    const double all_below = std::exp(n * (x < 0 ? std::log(below) : std::log1p(-above)));
    sum += width * (x > 0 ? 1 - all_below : -all_below);
  }
  CHECK_THAT(expected_normal_maximum(n), WithinRel(sum, 1e-6));
}

TEST_CASE("the slowest of devices that differ for good", "[scaling][facts]") {
  CHECK(slowest_over_mean(0.05, 1) == 1);
  CHECK(slowest_over_mean(0, 1e6) == 1);
  CHECK_THAT(slowest_over_mean(0.02, 100), WithinRel(1 + 0.02 * 2.50759, 1e-6));
  CHECK_THROWS_AS(slowest_over_mean(-0.1, 2), invalid_input);
  CHECK_THROWS_AS(slowest_over_mean(std::nan(""), 2), invalid_input);
  CHECK_THROWS_AS(slowest_over_mean(0.1, 0), invalid_input);
}

TEST_CASE("the coarse delay errs as its documentation says", "[scaling][limits]") {
  const auto excess = [](double n) {
    return coarse_straggler_delay(1 * second, n) / straggler_delay(1 * second, n) - 1;
  };
  CHECK(std::abs(excess(2) - 1.09) <= 0.005);
  CHECK(std::abs(excess(100) - 0.21) <= 0.005);
  CHECK(std::abs(excess(1e5) - 0.09) <= 0.005);
  CHECK(straggler_delay(1 * second, 1) == seconds{0});
  CHECK(coarse_straggler_delay(1 * second, 1) == seconds{0});
}

TEST_CASE("waiting grows with the devices and is bounded", "[scaling][property]") {
  testing::check_property("jitter", [] {
    const double n = *rc::gen::inRange(1, 1000000);
    const seconds jitter = *rc::gen::inRange(0, 1000) * ms;
    RC_ASSERT(straggler_delay(jitter, n + 1) >= straggler_delay(jitter, n));
    RC_ASSERT(straggler_delay(jitter, n) <= coarse_straggler_delay(jitter, n));
  });
  testing::check_property("unlike participants", [] {
    std::vector<seconds> times(static_cast<std::size_t>(*rc::gen::inRange(1, 100)));
    std::vector<per_second> rates;
    for (seconds& time : times) {
      time = *rc::gen::inRange(1, 1000) * ms;
      rates.push_back(1 / time);
    }
    const waiting_step any = waiting_for_slowest(times);
    RC_ASSERT(any.idle() >= 0 && any.idle() < 1 && any.imbalance() >= 0);
    const mixed_throughput both = throughput_of_mixed(rates);
    RC_ASSERT(both.equal_shares <= both.proportional_shares);
    // One sample each, at once: equal shares are the step of the slowest.
    const double once = both.equal_shares * any.slowest / static_cast<double>(times.size());
    RC_ASSERT(std::abs(once - 1) < 1e-9);
  });
}

TEST_CASE("stragglers refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(expected_normal_maximum(1e13), invalid_input);
  for (const double count : {0.5, 0.0, nan}) {
    CHECK_THROWS_AS(expected_normal_maximum(count), invalid_input);
    CHECK_THROWS_AS(straggler_delay(second, count), invalid_input);
    CHECK_THROWS_AS(coarse_straggler_delay(second, count), invalid_input);
  }
  CHECK_THROWS_AS(straggler_delay(seconds{-1}, 2), invalid_input);
  CHECK_THROWS_AS(coarse_straggler_delay(seconds{nan}, 2), invalid_input);
  CHECK_THROWS_AS(waiting_for_slowest({}), invalid_input);
  CHECK_THROWS_AS(waiting_for_slowest(std::array{seconds{0}}), invalid_input);
  CHECK_THROWS_AS(waiting_for_slowest(std::array{seconds{nan}}), invalid_input);
  CHECK_THROWS_AS(throughput_of_mixed({}), invalid_input);
  CHECK_THROWS_AS(throughput_of_mixed(std::array{per_second{nan}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
