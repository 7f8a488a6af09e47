#include <gpuplan/queue/mg1.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(fcfs_wait(deterministic_service{1 * second}, 0.5 / second).mean == 0.5 * second,
              "M/D/1: rho / (2 (1 - rho))");
static_assert(processor_sharing_response(3 * hour, 0.75) == 12 * hour);
static_assert(!fcfs_wait(deterministic_service{1 * second}, 1 / second).stable());

template <class... Args>
concept shares = requires(Args... args) {
  processor_sharing_response(args...);
};
static_assert(!shares<seconds, seconds>, "a utilization is no time");
static_assert(!shares<double, double>);

TEST_CASE("first come first served is M/M/1 for exponential jobs", "[queue][reference]") {
  const waiting general = fcfs_wait(exponential_service(1 * hour), 0.9 / hour);
  const waiting markov = wait({0.9 / hour, 1 * hour, 1});
  CHECK_THAT(general.mean / hour, WithinRel(markov.mean / hour, 1e-14));
  CHECK_THAT(general.probability, WithinRel(markov.probability, 1e-15));
  // (2 - rho) rho / (mu - lambda)^2
  CHECK_THAT(fcfs_wait_variance(exponential_service(1 * hour), 0.9 / hour) / (hour * hour),
             WithinRel(1.1 * 0.9 / 0.01, 1e-12));
}

TEST_CASE("overload waits for ever", "[queue][limits]") {
  CHECK(std::isinf(processor_sharing_response(1 * hour, 1) / hour));
  CHECK(std::isinf(fcfs_wait_variance(exponential_service(1 * hour), 2 / hour) / (hour * hour)));
  CHECK(fcfs_wait(exponential_service(1 * hour), 0 / hour).mean == seconds{0});
}

TEST_CASE("M/G/1 refuses what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(fcfs_wait(exponential_service(0 * hour), 1 / hour), invalid_input);
  CHECK_THROWS_AS(fcfs_wait(exponential_service(1 * hour), nan / hour), invalid_input);
  CHECK_THROWS_AS(fcfs_wait_variance(lognormal_service{1 * hour, 9}, 1 / hour), invalid_input);
  CHECK_THROWS_AS(processor_sharing_response(-1 * hour, 0.5), invalid_input);
  CHECK_THROWS_AS(processor_sharing_response(1 * hour, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
