#include <gpuplan/calibrate/arrival_fit.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array five{trace_job{.submit = 10 * second}, trace_job{.submit = 20 * second},
                          trace_job{.submit = 40 * second}, trace_job{.submit = 50 * second},
                          trace_job{.submit = 90 * second}};

static_assert(arrival_rate(five) == 0.05 / second, "4 intervals in 80 s");
static_assert(interarrival_variation(five) == 0.375,
              "intervals 10, 20, 10, 40: variance 150 over a squared mean of 400");

template <class... Args>
concept dispersion_accepts = requires(Args... args) {
  dispersion(args...);
};
static_assert(!dispersion_accepts<std::span<const trace_job>, double>, "a window needs a unit");
static_assert(!dispersion_accepts<std::span<const trace_job>, per_second>, "and is a time");

std::vector<trace_job> at(const std::vector<double>& times) {
  std::vector<trace_job> jobs;
  for (const double time : times) jobs.push_back({.submit = time * second});
  return jobs;
}

TEST_CASE("the dispersion of counts in whole windows", "[calibrate]") {
  // Windows of 25 s from 10 s on: 2, 2, 0 (the fourth is not whole). Mean 4/3, variance 8/9.
  CHECK_THAT(dispersion(five, 25 * second), WithinRel(2.0 / 3, 1e-14));
  // Of 40 s: 3 and 1, and what comes at the very end of the trace is in neither.
  CHECK_THAT(dispersion(five, 40 * second), WithinRel(0.5, 1e-14));
  CHECK(dispersion(at({0, 1, 2, 3, 4, 5, 6, 7, 8}), 2 * second) == 0);
  // Three windows of 0.1 s, though 0.3 / 0.1 is a little less: 1, 0, 2, and the last job in none.
  CHECK_THAT(dispersion(at({0, 0.2, 0.2, 0.3}), 0.1 * second), WithinRel(2.0 / 3, 1e-14));
  // Four at once in one window of four: mean 1, variance 3.
  CHECK_THAT(dispersion(at({0, 0, 0, 0, 4}), 1 * second), WithinRel(3.0, 1e-14));
}

TEST_CASE("the dispersion of random arrivals is one at any window", "[calibrate][property]") {
  using testing::check_property;
  check_property("rate and both variabilities of random arrivals", [] {
    std::uint64_t state = *rc::gen::arbitrary<std::uint64_t>();
    std::vector<double> times{0};
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const double uniform = (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
      times.push_back(times.back() - 100 * std::log(uniform));
    }
    const auto jobs = at(times);
    // Five standard errors: 1/sqrt(n), sqrt(8/n), sqrt(2/windows).
    RC_ASSERT(std::abs(arrival_rate(jobs) * 100 * second - 1) < 5 / std::sqrt(20000));
    RC_ASSERT(std::abs(interarrival_variation(jobs) - 1) < 5 * std::sqrt(8.0 / 20000));
    for (const seconds window : {10 * minute, 1 * hour}) {
      const double windows = times.back() * second / window;
      RC_ASSERT(std::abs(dispersion(jobs, window) - 1) < 5 * std::sqrt(2 / windows) + 0.01);
    }
  });
}

TEST_CASE("a rate that drifts shows in the dispersion alone", "[calibrate]") {
  // 10 000 s with a job every second, then as long with one every 10 s, twice.
  std::vector<double> times;
  for (int half = 0; half < 4; ++half)
    for (int i = 0; i < 10000; i += half % 2 == 0 ? 1 : 10) times.push_back(half * 10000.0 + i);
  const auto jobs = at(times);
  CHECK(interarrival_variation(jobs) < 2.5);
  CHECK(dispersion(jobs, 5000 * second) > 1000);
}

TEST_CASE("the curve has the windows that fit into the trace twice", "[calibrate]") {
  std::vector<double> times;
  for (int i = 0; i <= 3600 * 13; i += 30) times.push_back(i);
  const auto curve = dispersion_curve(at(times));
  REQUIRE(curve.size() == 4);
  CHECK(curve.front().window == 1 * minute);
  CHECK(curve.back().window == 6 * hour);
  CHECK(curve.back().windows == 2);
  for (const dispersion_at& point : curve) CHECK(point.value == 0);
  CHECK(dispersion_curve(five).empty());
}

TEST_CASE("traces that have no rate are refused", "[calibrate][errors]") {
  CHECK_THROWS_WITH(arrival_rate({}), "arrival_rate: jobs must be >= 2 and not all at once");
  CHECK_THROWS_AS(arrival_rate(at({1})), invalid_input);
  CHECK_THROWS_AS(arrival_rate(at({1, 1})), invalid_input);
  CHECK_THROWS_WITH(arrival_rate(at({50, 10, 40, 51})),
                    "arrival_rate: jobs must be in the order of submission");
  CHECK_THROWS_AS(interarrival_variation(at({1, 1})), invalid_input);
  CHECK_THROWS_WITH(interarrival_variation(at({0, 2, 1, 3})),
                    "interarrival_variation: jobs must be in the order of submission");
  CHECK_THROWS_AS(dispersion(at({0, 2, 1, 30}), 1 * second), invalid_input);
  CHECK_THROWS_AS(dispersion(five, 0 * second), invalid_input);
  CHECK_THROWS_AS(dispersion(five, std::nan("") * second), invalid_input);
  CHECK_THROWS_WITH(dispersion(five, 41 * second),
                    "dispersion: window must be <= half of the trace");
  CHECK_THROWS_AS(dispersion_curve(at({1})), invalid_input);
}

}  // namespace
}  // namespace gpuplan
