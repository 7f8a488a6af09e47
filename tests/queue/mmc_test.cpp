#include <gpuplan/queue/mmc.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr workload eight{.arrival_rate = 6 / hour, .mean_service = 1 * hour, .servers = 8};

static_assert(wait_law{0.5, 4 * second}.mean() == 2 * second);
static_assert(wait_law{0.5, 4 * second}.variance() == 12 * (second * second));
static_assert(wait_law_of(wait({.mean_service = 1 * hour})).probability == 0, "no jobs, no wait");

TEST_CASE("M/M/1: the response is exponential with rate mu - lambda", "[queue][reference]") {
  const workload one{.arrival_rate = 0.75 / second, .mean_service = 1 * second};
  CHECK_THAT(response_tail(one, 4 * second), WithinRel(std::exp(-1.0), 1e-14));
  CHECK_THAT(response_percentile(one, 0.5) / second, WithinRel(4 * std::log(2.0), 1e-14));
  CHECK_THAT(wait_law_of(wait(one)).tail(4 * second), WithinRel(0.75 * std::exp(-1.0), 1e-14));
  CHECK_THAT(wait_law_of(wait(one)).percentile(0.5) / second, WithinRel(4 * std::log(1.5), 1e-14));
  CHECK(wait_law_of(wait(one)).percentile(0.2) == seconds{0});
}

TEST_CASE("equal rates of wait and service are no singularity", "[queue][limits]") {
  // c - 1 - a = 0: the tail is e^(-t/S) (1 + C t/S)
  const workload jobs{.arrival_rate = 3 / second, .mean_service = 1 * second, .servers = 4};
  const double c = wait(jobs).probability;
  CHECK_THAT(response_tail(jobs, 2 * second), WithinRel(std::exp(-2.0) * (1 + 2 * c), 1e-14));
  for (const double nearly : {-1e-3, -1e-9, 1e-12, 1e-5}) {
    const workload near{(3 + nearly) / second, 1 * second, 4};
    const double by =
        std::abs(response_tail(near, 2 * second) / response_tail(jobs, 2 * second) - 1);
    CHECK(by <= 2 * std::abs(nearly));
  }
}

TEST_CASE("moments of the wait are those of its tail", "[queue][property]") {
  const wait_law law = wait_law_of(wait(eight));
  double mean = 0;
  double square = 0;
  const seconds step = law.conditional_mean / 1000;
  for (int i = 0; i < 40000; ++i) {
    const seconds t = (i + 0.5) * step;
    mean += law.tail(t) * (step / hour);
    square += 2 * (t / hour) * law.tail(t) * (step / hour);
  }
  CHECK_THAT(law.mean() / hour, WithinRel(mean, 1e-6));
  CHECK_THAT(law.variance() / (hour * hour), WithinRel(square - mean * mean, 1e-6));
}

TEST_CASE("percentiles are inverse to tails", "[queue][property]") {
  testing::check_property("tail(percentile(q)) = 1 - q", [] {
    const int servers = *rc::gen::inRange(1, 200);
    const double rho = *rc::gen::inRange(1, 1000) / 1000.0;
    const double q = *rc::gen::inRange(0, 10000) / 10000.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const seconds t = response_percentile(jobs, q);
    RC_ASSERT(std::abs(response_tail(jobs, t) - (1 - q)) <= 1e-12 * (1 - q));
    const wait_law law = wait_law_of(wait(jobs));
    const seconds w = law.percentile(q);
    if (w > seconds{0}) RC_ASSERT(std::abs(law.tail(w) - (1 - q)) <= 1e-12 * (1 - q));
    RC_ASSERT(w <= t);
  });
}

TEST_CASE("a tail below the smallest double has a logarithm", "[queue][limits]") {
  CHECK_THAT(log_wait_tail(eight, 1 * hour),
             WithinRel(std::log(wait_law_of(wait(eight)).tail(1 * hour)), 1e-13));
  CHECK_THAT(log_wait_tail(eight, 10000 * hour), WithinRel(-20000.0, 1e-4));
  CHECK(log_wait_tail({8 / hour, 1 * hour, 8}, 1 * hour) == 0);
}

TEST_CASE("an overloaded queue never ends", "[queue][limits]") {
  const workload jobs{.arrival_rate = 9 / hour, .mean_service = 1 * hour, .servers = 8};
  CHECK(response_tail(jobs, 1000 * hour) == 1);
  CHECK(std::isinf(response_percentile(jobs, 0.5) / second));
}

TEST_CASE("no job of a stable queue takes for ever", "[queue][limits]") {
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const int servers : {1, 2, 3, 8, 1000})
    for (const double rate : {0.0, 1e-300, 0.5, 0.999}) {
      const workload jobs{rate / hour, 1 * hour, servers};
      for (const double t : {1e10, 1e300, endless}) {
        CAPTURE(servers, rate, t);
        CHECK(response_tail(jobs, t * hour) == 0);
        CHECK(wait_law_of(wait(jobs)).tail(t * hour) == 0);
      }
      CHECK(log_wait_tail(jobs, seconds{endless}) == -endless);
    }
  const workload over{.arrival_rate = 9 / hour, .mean_service = 1 * hour, .servers = 8};
  for (const double t : {0.0, 1e300, endless}) {
    CHECK(response_tail(over, t * hour) == 1);
    CHECK(wait_law_of(wait(over)).tail(t * hour) == 1);
  }
}

TEST_CASE("tails and percentiles refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const wait_law law = wait_law_of(wait(eight));
  CHECK_THROWS_AS(law.tail(-1 * second), invalid_input);
  CHECK_THROWS_AS(law.percentile(1), invalid_input);
  CHECK_THROWS_AS(law.percentile(nan), invalid_input);
  CHECK_THROWS_AS(response_tail(eight, nan * second), invalid_input);
  CHECK_THROWS_AS(response_percentile(eight, 1), invalid_input);
  CHECK_THROWS_AS(log_wait_tail(eight, -1 * second), invalid_input);
  CHECK_THROWS_AS(wait_law_of({.probability = 2}), invalid_input);
  CHECK_THROWS_AS(wait_law_of({.probability = 0.5, .mean = -1 * second}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
