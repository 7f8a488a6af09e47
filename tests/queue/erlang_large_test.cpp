#include <gpuplan/queue/erlang_large.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

TEST_CASE("series and incomplete gamma function give one value", "[queue][cross-check]") {
  testing::check_property("Erlang B and C", [] {
    const double servers = *rc::gen::inRange(100, 20000000) / 10.0;
    const double spare = std::pow(10.0, -*rc::gen::inRange(0, 90) / 10.0);
    const double load = servers * (1 - 0.9 * spare);
    const double b = continuous_erlang_b(servers, load);
    if (b < 1e-290) return;
    const double tolerance = 4 * epsilon * (2 + std::abs(servers - load * (1 - b)));
    RC_ASSERT(std::abs(erlang_b_large(servers, load) - b) <= tolerance * b);
    const double c = continuous_erlang_c(servers, load);
    RC_ASSERT(std::abs(erlang_c_large(servers, load) - c) <= tolerance * c);
  });
}

TEST_CASE("the wait of a large pool is that of the recursion", "[queue][cross-check]") {
  const int servers = GENERATE(1, 63, 64, 1000, 50000);
  const workload jobs{0.99 * servers / hour, 1 * hour, servers};
  const waiting by_recursion = wait(jobs);
  const waiting large = wait_large(jobs);
  CHECK_THAT(large.probability, WithinRel(by_recursion.probability, 1e-12));
  CHECK_THAT(large.mean / second, WithinRel(by_recursion.mean / second, 1e-12));
  CHECK_FALSE(wait_large({servers / hour, 1 * hour, servers}).stable());
}

TEST_CASE("the ends of large pools", "[queue][limits]") {
  CHECK(erlang_b_large(1000, 0) == 0);
  CHECK(erlang_c_large(1000, 0) == 0);
  CHECK(erlang_c_large(1000, 1000) == 1);
  CHECK_THAT(erlang_b_large(1000, 2000), WithinRel(erlang_b(1000, 2000), 1e-13));
  CHECK(erlang_c_large(1e7, 1e6) == 0);
}

TEST_CASE("Erlang's formulas of a pool that is all but idle are small, not errors",
          "[queue][limits]") {
  for (const double servers : {64.0, 200.0, 1e4, 1e7})
    for (const double load : {1e-300, 1e-10, 0.5, 1.0, 2.0}) {
      CHECK(erlang_b_large(servers, load) >= 0);
      CHECK(erlang_c_large(servers, load) <= 1e-60);
    }
}

TEST_CASE("large pools refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(erlang_b_large(std::numeric_limits<double>::infinity(), 1), invalid_input);
  CHECK_THROWS_AS(erlang_c_large(std::numeric_limits<double>::infinity(), 1), invalid_input);
  CHECK_THROWS_AS(erlang_b_large(-1, 1), invalid_input);
  CHECK_THROWS_AS(erlang_b_large(100, nan), invalid_input);
  CHECK_THROWS_AS(erlang_c_large(0, 1), invalid_input);
  CHECK_THROWS_AS(erlang_c_large(100, nan), invalid_input);
  CHECK_THROWS_AS(wait_large({.servers = 100}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
