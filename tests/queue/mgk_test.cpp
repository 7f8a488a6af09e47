#include <gpuplan/queue/mgk.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr workload one{.arrival_rate = 0.75 / hour, .mean_service = 1 * hour, .servers = 1};
constexpr workload ten{.arrival_rate = 9 / hour, .mean_service = 1 * hour, .servers = 10};

TEST_CASE("a pool shared fairly", "[queue][reference]") {
  CHECK_THAT(shared_pool_response(one, 2 * hour) / hour, WithinRel(8.0, 1e-14));
  // Of exponential jobs the mean is that of M/M/c, whatever the order.
  CHECK_THAT(shared_pool_response(ten, 1 * hour) / hour,
             WithinRel(wait(ten).response() / hour, 1e-13));
  CHECK(std::isinf(shared_pool_response({10 / hour, 1 * hour, 10}, 1 * hour) / hour));
}

TEST_CASE("a load that is whole but for rounding leaves as many servers", "[queue][limits]") {
  const workload jobs{.arrival_rate = 0.3 / second, .mean_service = 10 * second, .servers = 4};
  const workload less{
      .arrival_rate = 1 / (0.1 * second), .mean_service = 0.3 * second, .servers = 4};
  for (const workload& each : {jobs, less}) {
    CHECK_FALSE(mean_wait_is_finite(each, 1.9));
    CHECK(mean_wait_is_finite(each, 2.1));
  }
  const workload below{
      .arrival_rate = 1 / second, .mean_service = 0.3 / 0.1 * second, .servers = 4};
  REQUIRE(below.offered_load() < 3);
  CHECK_FALSE(mean_wait_is_finite(below, 1.9));
}

TEST_CASE("bounds of one server are the value", "[queue][limits]") {
  const lognormal_service law{1 * hour, 1};
  const per_second rate = 0.7 / mean_service(law);
  const response_bounds bounds = srpt_bounds(law, rate, 1);
  CHECK_THAT(bounds.lower / hour, WithinRel(srpt_response(law, rate) / hour, 1e-12));
  CHECK(bounds.upper > bounds.lower);
}

TEST_CASE("bounds are in order, and hold for the order of arrival", "[queue][property]") {
  const int servers = GENERATE(2, 8, 100);
  const double rho = GENERATE(0.3, 0.9, 0.999);
  const auto law = exponential_service(1 * hour);
  const per_second rate = rho * servers / hour;
  const response_bounds bounds = srpt_bounds(law, rate, servers);
  CHECK(bounds.lower <= bounds.upper);
  CHECK(bounds.lower <= wait({rate, 1 * hour, servers}).response());
  CHECK(bounds.lower >= 1 * hour);
  CHECK(std::isinf(srpt_bounds(law, servers / hour, servers).upper / hour));
}

TEST_CASE("spare servers make waits finite that one server has not", "[queue]") {
  const double tail = 1.4;  // no variance
  CHECK_FALSE(mean_wait_is_finite(one, tail));
  CHECK(mean_wait_is_finite({2.5 / hour, 1 * hour, 5}, tail));        // 3 to spare: 1 + 1/3
  CHECK_FALSE(mean_wait_is_finite({3.5 / hour, 1 * hour, 5}, tail));  // 2 to spare: 1 + 1/2
  CHECK(mean_wait_is_finite(one, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(mean_wait_is_finite({2 / hour, 1 * hour, 2}, 3));
}

TEST_CASE("several servers refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(shared_pool_response(ten, nan * hour), invalid_input);
  CHECK_THROWS_AS(shared_pool_response({1 / hour, 1 * hour, 0}, 1 * hour), invalid_input);
  CHECK_THROWS_AS(srpt_bounds(exponential_service(1 * hour), 1 / hour, 0), invalid_input);
  CHECK_THROWS_AS(srpt_bounds(exponential_service(nan * hour), 1 / hour, 2), invalid_input);
  CHECK_THROWS_AS(mean_wait_is_finite(ten, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
