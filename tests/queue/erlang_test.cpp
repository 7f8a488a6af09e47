#include <gpuplan/queue/erlang.hpp>

#include <cmath>
#include <limits>

#include <boost/math/distributions/poisson.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Facts.

static_assert(erlang_b(0, 3.0) == 1, "with no servers every job is lost");
static_assert(erlang_b(1, 1.0) == 0.5);
static_assert(erlang_b(2, 2.0) == 0.4);
static_assert(erlang_b(4, 0) == 0, "no jobs, none lost");
static_assert(erlang_c(1, 0.25) == 0.25, "one server: the share of time it is busy");
static_assert(erlang_c(2, 2.0) == 1 && erlang_c(2, 5.0) == 1, "overload: every job waits");

constexpr workload one_gpu{.arrival_rate = 0.75 / second, .mean_service = 1 * second};
static_assert(one_gpu.offered_load() == 0.75);
static_assert(wait(one_gpu).mean == 3 * second, "M/M/1: rho S / (1 - rho)");
static_assert(wait(one_gpu).response() == 4 * second, "M/M/1: 1 / (mu - lambda)");
static_assert(wait(one_gpu).queue_length() == 2.25, "M/M/1: rho^2 / (1 - rho)");
static_assert(wait(one_gpu).jobs() == 3, "M/M/1: rho / (1 - rho)");

constexpr workload overloaded{.arrival_rate = 2 / second, .mean_service = 1 * second, .servers = 2};
static_assert(wait(overloaded).probability == 1 && !wait(overloaded).stable(),
              "an overloaded queue waits for ever and does not throw");

constexpr workload idle{.mean_service = 1 * hour, .servers = 3};
static_assert(wait(idle).probability == 0 && wait(idle).mean == seconds{0});
static_assert(wait(idle).queue_length() == 0 && wait(idle).jobs() == 0);

// What must not compile.

template <class... Args>
concept erlang_b_takes = requires(Args... args) {
  erlang_b(args...);
};
static_assert(erlang_b_takes<int, double>);
static_assert(!erlang_b_takes<double, double>, "servers are whole");

template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};
using printed_wait = decltype(waiting{}.probability / (1 / (seconds{}) - per_second{}) /
                              (per_second{}));
static_assert(comparable<seconds, decltype(waiting{}.mean)>);
static_assert(!comparable<seconds, printed_wait>,
              "C / (c mu - lambda) / mu, as some guides print it, is no time");

TEST_CASE("Erlang C matches values known as fractions", "[queue][reference]") {
  // By hand: C = (a^c / c!) (c / (c - a)) / (sum_{k<c} a^k / k! + the numerator).
  struct row {
    int servers;
    double load, probability;
  };
  const auto r = GENERATE(row{1, 0.25, 1.0 / 4}, row{2, 1.0, 1.0 / 3}, row{3, 2.0, 4.0 / 9});
  CHECK_THAT(erlang_c(r.servers, r.load), WithinRel(r.probability, 1e-15));
}

TEST_CASE("Erlang B agrees with the Poisson distribution of Boost.Math", "[queue][cross-check]") {
  // B = pdf(c) / cdf(c) of a Poisson law with mean a: a different algorithm and other authors.
  const int servers = GENERATE(1, 10, 100, 1000);
  const double load = servers * GENERATE(0.1, 0.9, 1.0, 1.5);
  const boost::math::poisson jobs_in_service{load};
  CHECK_THAT(erlang_b(servers, load),
             WithinRel(pdf(jobs_in_service, servers) / cdf(jobs_in_service, servers), 1e-12));
}

TEST_CASE("Erlang B of a tiny load is a^c / c!, down to the smallest numbers", "[queue][limits]") {
  CHECK_THAT(erlang_b(2, 1e-100), WithinRel(0.5e-200, 1e-12));
  CHECK_THAT(erlang_b(2, 1e-150), WithinRel(0.5e-300, 1e-12));
  CHECK(erlang_b(2, 1e-170) == 0);
  CHECK(erlang_b(100000, 1e-3) == 0);
}

TEST_CASE("waiting obeys what every queue obeys", "[queue][property]") {
  testing::check_property("more servers, less waiting; more jobs, more waiting", [] {
    const int servers = *rc::gen::inRange(1, 300);
    const double rho = *rc::gen::inRange(1, 1000) / 1000.0;
    const seconds service = *rc::gen::inRange(1, 1000000) * second;
    const workload jobs{rho * servers / service, service, servers};
    const workload more_servers{jobs.arrival_rate, service, servers + 1};
    const workload more_jobs{1.001 * jobs.arrival_rate, service, servers};
    const waiting now = wait(jobs);
    RC_ASSERT(now.probability > 0);
    RC_ASSERT(now.probability <= 1);
    RC_ASSERT(wait(more_servers).mean < now.mean);
    RC_ASSERT(wait(more_jobs).mean > now.mean);
    RC_ASSERT(erlang_b(servers, jobs.offered_load()) <= now.probability);
    RC_ASSERT(now.jobs() >= jobs.offered_load());
  });
  testing::check_property("one pool waits less than two halves", [] {
    const int servers = *rc::gen::inRange(1, 100);
    const double rho = *rc::gen::inRange(1, 1000) / 1000.0;
    const workload half{rho * servers / hour, 1 * hour, servers};
    const workload pool{2 * half.arrival_rate, half.mean_service, 2 * servers};
    RC_ASSERT(wait(pool).mean < wait(half).mean);
  });
}

TEST_CASE("of an endless load all is lost", "[queue][limits]") {
  CHECK(erlang_b(4, std::numeric_limits<double>::infinity()) == 1);
  CHECK(erlang_b(0, std::numeric_limits<double>::infinity()) == 1);
}

TEST_CASE("invalid workloads are refused", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(erlang_b(-1, 1.0), invalid_input);
  CHECK_THROWS_AS(erlang_b(1, -1.0), invalid_input);
  CHECK_THROWS_AS(erlang_b(1, nan), invalid_input);
  CHECK_THROWS_AS(erlang_c(0, 1.0), invalid_input);
  CHECK_THROWS_AS(erlang_c(1, nan), invalid_input);
  CHECK_THROWS_WITH(wait({.arrival_rate = 1 / hour, .mean_service = 1 * hour, .servers = 0}),
                    "workload.servers must be >= 1");
  CHECK_THROWS_WITH(wait({.arrival_rate = -1 / hour, .mean_service = 1 * hour}),
                    "workload.arrival_rate must be >= 0 /s");
  CHECK_THROWS_WITH(wait({.arrival_rate = 1 / hour, .mean_service = nan * hour}),
                    "workload.mean_service must be > 0 s");
}

}  // namespace
}  // namespace gpuplan
