#include <gpuplan/queue/continuous_erlang.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

TEST_CASE("half a server, by hand", "[queue][reference]") {
  // 1/B(1/2, a) = integral of e^-t sqrt(1 + t/a) = 1 + sqrt(pi/a)/2 e^a erfc(sqrt a)
  const double a = GENERATE(0.01, 0.5, 0.999, 1.0, 3.0, 40.0);
  const double inverse =
      1 + std::sqrt(std::acos(-1.0) / a) / 2 * std::exp(a) * std::erfc(std::sqrt(a));
  CHECK_THAT(continuous_erlang_b(0.5, a), WithinRel(1 / inverse, 1e-13));
}

TEST_CASE("whole servers have the value of the recursion, to the last digits", "[queue]") {
  testing::check_property("one value by two ways", [] {
    const int servers = *rc::gen::inRange(1, 5000);
    const double load = servers * (*rc::gen::inRange(1, 2000) / 1000.0);
    const double b = erlang_b(servers, load);
    if (b < 1e-290) return;
    // A rounding error of the load moves B by |d ln B / d ln a| = |c - a (1 - B)| of them.
    const double tolerance = 4 * epsilon * (2 + std::abs(servers - load * (1 - b)));
    RC_ASSERT(std::abs(continuous_erlang_b(servers, load) - b) <= tolerance * b);
    RC_ASSERT(std::abs(log_erlang_b(servers, load) - std::log(b)) <= 2 * tolerance);
    const double c = erlang_c(servers, load);
    RC_ASSERT(std::abs(continuous_erlang_c(servers, load) - c) <= tolerance * c);
    RC_ASSERT(std::abs(log_erlang_c(servers, load) - std::log(c)) <= 2 * tolerance);
  });
}

TEST_CASE("between whole servers the recursion holds, and B falls", "[queue][property]") {
  testing::check_property("B(c) = a B(c-1) / (c + a B(c-1))", [] {
    const double servers = 1 + *rc::gen::inRange(0, 1000000) / 1000.0;
    const double load = servers * (*rc::gen::inRange(200, 2000) / 1000.0);
    const double before = continuous_erlang_b(servers - 1, load);
    const double b = continuous_erlang_b(servers, load);
    if (b < 1e-290) return;
    RC_ASSERT(std::abs(load * before / (servers + load * before) - b) <=
              8 * epsilon * (2 + std::abs(servers - load)) * b);
    RC_ASSERT(b < before);
    RC_ASSERT(continuous_erlang_b(servers + 0.01, load) < b);
  });
}

TEST_CASE("logarithms go on where probabilities end", "[queue][limits]") {
  CHECK(continuous_erlang_b(10000, 100) == 0);
  // ln of a^c e^-a / c!, which B is but for a part in 1e99.
  CHECK_THAT(log_erlang_b(10000, 100),
             WithinRel(10000 * std::log(100.0) - 100 - std::lgamma(10001.0), 1e-12));
  CHECK_THAT(log_erlang_b(3, 1e-200), WithinRel(-600 * std::log(10.0) - std::log(6.0), 1e-14));
  CHECK(std::isfinite(log_erlang_c(1e7, 1e6)));
  CHECK(log_erlang_c(10, 10) == 0);
  CHECK(log_erlang_b(0, 5) == 0);
  CHECK(continuous_erlang_b(0, 0) == 1);
  CHECK(continuous_erlang_b(0.5, 0) == 0);
  CHECK(log_erlang_b(1, 0) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("ten million servers, a billionth from saturation", "[queue][limits]") {
  // Halfin and Whitt: as c grows, 1 - C tends to (1 - rho) sqrt(c) sqrt(pi/2).
  const double spare = 1e-9;
  const double c = 1e7;
  const double wait = continuous_erlang_c(c, c * (1 - spare));
  CHECK(std::abs((1 - wait) / (spare * std::sqrt(c * std::acos(-1.0) / 2)) - 1) < 1e-3);
}

TEST_CASE("continuous Erlang formulas refuse what is no pool", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(continuous_erlang_b(-0.5, 1), invalid_input);
  CHECK_THROWS_AS(continuous_erlang_b(nan, 1), invalid_input);
  CHECK_THROWS_AS(continuous_erlang_b(1, nan), invalid_input);
  CHECK_THROWS_AS(continuous_erlang_c(0, 1), invalid_input);
  CHECK_THROWS_AS(continuous_erlang_c(1, -1), invalid_input);
  CHECK_THROWS_AS(log_erlang_b(-1, 1), invalid_input);
  CHECK_THROWS_AS(log_erlang_b(1, nan), invalid_input);
  CHECK_THROWS_AS(log_erlang_c(0, 1), invalid_input);
  CHECK_THROWS_AS(log_erlang_c(1, nan), invalid_input);
}

TEST_CASE("a pool in overload has the sum down to a part of a server", "[queue][cross-check]") {
  for (const double servers : {0.5, 1.25, 2.5, 7.75})
    for (const double load : {1.1, 2.0, 5.0}) {
      CAPTURE(servers, load);
      CHECK_THAT(detail::inverse_erlang_b_of_overload(servers, servers * load),
                 WithinRel(1 / continuous_erlang_b(servers, servers * load), 1e-12));
    }
}

}  // namespace
}  // namespace gpuplan
