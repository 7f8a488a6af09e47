#include <gpuplan/queue/limited.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Ten places at one server that is offered just what it can do: all eleven states are as likely.
constexpr limited_waiting eleven = limited_wait({1 / second, 1 * second, 1}, 10);
static_assert(eleven.blocked == 1.0 / 11);
static_assert(eleven.accepted.mean == 4.5 * second);
static_assert(eleven.accepted.probability == 0.9);
static_assert(limited_wait({2 / second, 1 * second, 2}, 2).blocked == erlang_b(2, 2),
              "no room to wait: Erlang's loss system");
static_assert(limited_wait({2 / second, 1 * second, 2}, 2).accepted.mean == seconds{0});
static_assert(limited_wait({0 / second, 1 * second, 2}, 5).accepted.mean == seconds{0});

TEST_CASE("with much room it is the queue without a limit", "[queue][limits]") {
  const workload jobs{.arrival_rate = 14 / hour, .mean_service = 1 * hour, .servers = 16};
  const limited_waiting limited = limited_wait(jobs, 1000);
  CHECK_THAT(limited.accepted.mean / hour, WithinRel(wait(jobs).mean / hour, 1e-12));
  CHECK_THAT(limited.accepted.probability, WithinRel(wait(jobs).probability, 1e-12));
  CHECK(limited.blocked < 1e-25);
}

TEST_CASE("overload fills every place", "[queue][limits]") {
  const limited_waiting w = limited_wait({1000 / hour, 1 * hour, 2}, 5000);
  CHECK_THAT(w.blocked, WithinRel(0.998, 1e-12));
  CHECK_THAT(w.accepted.arrival_rate * hour, WithinRel(2.0, 1e-12));
  CHECK_THAT(w.accepted.jobs(), WithinRel(5000 - 2 / 998.0, 1e-12));
}

TEST_CASE("a limited queue obeys its balance equations", "[queue][property]") {
  testing::check_property("blocked and mean wait from the states one by one", [] {
    const int servers = *rc::gen::inRange(1, 20);
    const int places = servers + *rc::gen::inRange(0, 30);
    const double load = servers * (*rc::gen::inRange(1, 3000) / 1000.0);
    const limited_waiting w = limited_wait({load / second, 1 * second, servers}, places);
    double weight = 1;
    double all = 1;
    double waits = 0;
    double length = 0;
    for (int n = 1; n <= places; ++n) {
      weight *= load / std::fmin(n, servers);
      all += weight;
      if (n >= servers && n < places) waits += weight;
      if (n > servers) length += (n - servers) * weight;
    }
    if (servers == places) waits = 0;
    const double served = 1 - weight / all;
    RC_ASSERT(std::abs(w.blocked - weight / all) <= 1e-13);
    RC_ASSERT(std::abs(w.accepted.probability - waits / all / served) <= 1e-12);
    RC_ASSERT(std::abs(w.accepted.queue_length() - length / all) <= 1e-12 * (1 + length / all));
  });
}

TEST_CASE("a limited queue refuses what is none", "[queue][errors]") {
  CHECK_THROWS_AS(limited_wait({1 / hour, 1 * hour, 3}, 2), invalid_input);
  CHECK_THROWS_AS(limited_wait({1 / hour, 0 * hour, 3}, 4), invalid_input);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(limited_wait({nan / hour, 1 * hour, 3}, 4), invalid_input);
}

}  // namespace
}  // namespace gpuplan
