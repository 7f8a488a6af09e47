#include <gpuplan/queue/priority.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr square_seconds two_hours_squared = 2 * (hour * hour);
constexpr std::array three{priority_class{0.25 / hour, 1 * hour, two_hours_squared},
                           priority_class{0.25 / hour, 1 * hour, two_hours_squared},
                           priority_class{0.25 / hour, 1 * hour, two_hours_squared}};
constexpr std::array rates{0.25 / hour, 0.25 / hour, 0.25 / hour};
constexpr workload pool{.mean_service = 1 * hour, .servers = 1};

TEST_CASE("Cobham's formula by hand", "[queue][reference]") {
  // R = 3 x 0.25 x 2 / 2 = 0.75 h
  CHECK_THAT(priority_wait(three, 0) / hour, WithinRel(0.75 / 0.75, 1e-14));
  CHECK_THAT(priority_wait(three, 1) / hour, WithinRel(0.75 / (0.75 * 0.5), 1e-14));
  CHECK_THAT(priority_wait(three, 2) / hour, WithinRel(0.75 / (0.5 * 0.25), 1e-14));
  CHECK_THAT(preemptive_priority_response(three, 0) / hour, WithinRel(1 / 0.75, 1e-14));
}

TEST_CASE("a pool of one server is M/G/1 of exponential jobs", "[queue][cross-check]") {
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK_THAT(pool_priority_wait(rates, pool, k) / hour,
               WithinRel(priority_wait(three, k) / hour, 1e-13));
    CHECK_THAT(pool_preemptive_priority_response(rates, pool, k) / hour,
               WithinRel(preemptive_priority_response(three, k) / hour, 1e-12));
  }
}

TEST_CASE("priority moves waiting, but does not make any", "[queue][property]") {
  testing::check_property("the mean over classes is that without classes", [] {
    const int servers = *rc::gen::inRange(1, 50);
    const double rho = *rc::gen::inRange(10, 990) / 1000.0;
    const double split = *rc::gen::inRange(1, 99) / 100.0;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const std::array two{split * jobs.arrival_rate, (1 - split) * jobs.arrival_rate};
    const double all = wait(jobs).mean / hour;
    const double first = pool_priority_wait(two, jobs, 0) / hour;
    const double second_class = pool_priority_wait(two, jobs, 1) / hour;
    RC_ASSERT(first <= all * (1 + 1e-12));
    RC_ASSERT(second_class >= all * (1 - 1e-12));
    RC_ASSERT(std::abs(split * first + (1 - split) * second_class - all) <= 1e-9 * all);
    const double preemptive =
        split * (pool_preemptive_priority_response(two, jobs, 0) / hour) +
        (1 - split) * (pool_preemptive_priority_response(two, jobs, 1) / hour);
    RC_ASSERT(std::abs(preemptive - 1 - all) <= 1e-9 * (1 + all));
  });
}

TEST_CASE("a rare class behind others takes as long as the limit says", "[queue][limits]") {
  // One server: E S / ((1 - s_(k-1)) (1 - s_k)).
  for (const double rare : {1e-6, 1e-12, 1e-15, 1e-30, 1e-300}) {
    const std::array two{0.7 / hour, rare / hour};
    CHECK_THAT(pool_preemptive_priority_response(two, pool, 1) / hour,
               WithinRel(1 / (0.3 * (0.3 - rare)), 1e-13));
  }
  // Many servers: the limit is that of Richardson's differences, whose steps are wide.
  for (const int servers : {2, 8, 100}) {
    const workload many{.mean_service = 1 * hour, .servers = servers};
    const double busy = 0.9 * servers;
    const auto slope = [&](double step) {
      const waiting more = wait({(busy + step) / hour, 1 * hour, servers});
      const waiting less = wait({(busy - step) / hour, 1 * hour, servers});
      return (more.jobs() - less.jobs()) / (2 * step);
    };
    const double step = 1e-3 * servers;
    const double limit = (4 * slope(step / 2) - slope(step)) / 3;
    for (const double rare : {1e-9, 1e-15, 1e-300}) {
      CAPTURE(servers, rare);
      const std::array two{busy / hour, rare / hour};
      CHECK_THAT(pool_preemptive_priority_response(two, many, 1) / hour, WithinRel(limit, 1e-6));
    }
  }
  // Alone, or before nothing urgent, M/M/c.
  for (const int servers : {1, 3, 500}) {
    const workload jobs{0.8 * servers / hour, 1 * hour, servers};
    const std::array two{0 / hour, jobs.arrival_rate};
    CHECK_THAT(pool_preemptive_priority_response(two, jobs, 1) / wait(jobs).response(),
               WithinRel(1, 1e-13));
  }
}

TEST_CASE("urgent classes survive an overload", "[queue][limits]") {
  constexpr std::array over{priority_class{0.5 / hour, 1 * hour, two_hours_squared},
                            priority_class{3 / hour, 1 * hour, two_hours_squared}};
  // The server is always busy: the residual work is that of exponential jobs all the time, 1 h.
  CHECK_THAT(priority_wait(over, 0) / hour, WithinRel(2.0, 1e-14));
  CHECK(std::isinf(priority_wait(over, 1) / hour));
  CHECK_THAT(preemptive_priority_response(over, 0) / hour, WithinRel(2.0, 1e-14));
  CHECK(std::isinf(preemptive_priority_response(over, 1) / hour));
  CHECK(std::isinf(pool_preemptive_priority_response(std::array{2 / hour}, pool, 0) / hour));
  CHECK(std::isinf(pool_priority_wait(std::array{2 / hour}, pool, 0) / hour));
}

TEST_CASE("a class below one that saturates the servers waits for ever", "[queue][limits]") {
  constexpr auto jobs = [](double per_hour) {
    return priority_class{per_hour / hour, 1 * hour, two_hours_squared};
  };
  // At a utilization of exactly 1 and above, with and without jobs of its own.
  for (const double urgent : {1.0, 2.0})
    for (const double own : {0.1, 1.0, 3.0}) {
      CAPTURE(urgent, own);
      const std::array classes{jobs(urgent), jobs(own)};
      const std::array pooled{urgent / hour, own / hour};
      CHECK(priority_wait(classes, 1) / hour == HUGE_VAL);
      CHECK(preemptive_priority_response(classes, 1) / hour == HUGE_VAL);
      CHECK(pool_priority_wait(pooled, pool, 1) / hour == HUGE_VAL);
      CHECK(pool_preemptive_priority_response(pooled, pool, 1) / hour == HUGE_VAL);
    }
  CHECK(priority_wait(std::array{jobs(1), jobs(0)}, 1) / hour == HUGE_VAL);
  CHECK(pool_priority_wait(std::array{1 / hour, 0 / hour}, pool, 1) / hour == HUGE_VAL);
}

TEST_CASE("priorities refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(priority_wait(three, 3), invalid_input);
  CHECK_THROWS_AS(preemptive_priority_response(three, 3), invalid_input);
  for (const priority_class& bad : {priority_class{-1 / hour, 1 * hour, two_hours_squared},
                                    priority_class{1 / hour, nan * hour, two_hours_squared},
                                    priority_class{1 / hour, 2 * hour, two_hours_squared}}) {
    CHECK_THROWS_AS(priority_wait(std::array{bad}, 0), invalid_input);
    CHECK_THROWS_AS(preemptive_priority_response(std::array{bad}, 0), invalid_input);
  }
  CHECK_THROWS_AS(pool_priority_wait(rates, pool, 3), invalid_input);
  CHECK_THROWS_AS(pool_priority_wait(std::array{nan / hour}, pool, 0), invalid_input);
  CHECK_THROWS_AS(pool_preemptive_priority_response(rates, pool, 3), invalid_input);
  CHECK_THROWS_AS(pool_preemptive_priority_response(std::array{0 / hour}, pool, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
