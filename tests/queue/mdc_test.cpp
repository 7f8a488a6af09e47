#include <gpuplan/queue/mdc.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("M/D/1 waits half of M/M/1", "[queue][reference]") {
  const double rho = GENERATE(0.01, 0.3, 0.5, 0.9, 0.999);
  const waiting w = deterministic_wait({rho / hour, 1 * hour, 1});
  CHECK_THAT(w.mean / hour, WithinRel(rho / (1 - rho) / 2, 1e-12));
  CHECK_THAT(w.probability, WithinRel(rho, 1e-13));
}

TEST_CASE("the walk and the roots give one value", "[queue][cross-check]") {
  const int servers = GENERATE(1, 2, 3, 7, 16, 101);
  for (const double decay : {0.05, 0.2, 0.5}) {
    const double load = servers * (1 - std::sqrt(2 * decay / servers) / 1.5);
    if (load <= 0) continue;
    const auto walk = detail::deterministic_by_walk(servers, load);
    const auto roots = detail::deterministic_by_roots(servers, load);
    INFO("servers " << servers << ", load " << load);
    CHECK_THAT(walk.length, WithinRel(roots.length, 1e-11));
    CHECK_THAT(walk.probability, WithinRel(roots.probability, 1e-11));
  }
}

TEST_CASE("equal jobs wait less than random ones, and more than half of it", "[queue][property]") {
  testing::check_property("M/M/c / 2 <= M/D/c <= M/M/c", [] {
    const int servers = *rc::gen::inRange(1, 300);
    const double rho = *rc::gen::inRange(300, 1000) / 1000.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const seconds random = wait(jobs).mean;
    const seconds equal = deterministic_wait(jobs).mean;
    RC_ASSERT(equal >= random / 2 * (1 - 1e-9));
    RC_ASSERT(equal <= random);
    RC_ASSERT(deterministic_wait({jobs.arrival_rate, 1 * hour, servers + 1}).mean < equal);
  });
}

TEST_CASE("the ends of M/D/c", "[queue][limits]") {
  CHECK(deterministic_wait({0 / hour, 1 * hour, 3}).mean == seconds{0});
  CHECK_FALSE(deterministic_wait({3 / hour, 1 * hour, 3}).stable());
  CHECK_THROWS_AS(deterministic_wait({1 / hour, 0 * hour, 3}), invalid_input);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(deterministic_wait({nan / hour, 1 * hour, 3}), invalid_input);
}

TEST_CASE("a pool so empty that no double tells waiting from none", "[queue]") {
  const waiting w = deterministic_wait({0.1 / hour, 1 * hour, 1000});
  CHECK(w.mean == seconds{0});
  CHECK(w.probability == 0);
}

}  // namespace
}  // namespace gpuplan
