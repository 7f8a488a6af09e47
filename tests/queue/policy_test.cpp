#include <gpuplan/queue/policy.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/impatient.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/simulate/pool_policy.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("the shortest first is best of a steep tail, too", "[queue][facts]") {
  for (const double tail : {100.0, 300.0, 1000.0}) {
    const bounded_pareto_service steep{tail, 1 * second, 10 * second};
    const per_second rate = 0.5 / second;
    CHECK(srpt_response(steep, rate) <=
          1.0001 * (fcfs_wait(steep, rate).mean + mean_service(steep)));
  }
}

TEST_CASE("exponential jobs at 80% load", "[queue][reference]") {
  // Printed with five digits in the literature on SRPT: FCFS, PS and LAS 5.
  const auto law = exponential_service(1 * second);
  const per_second rate = 0.8 / second;
  CHECK_THAT(sjf_response(law, rate) / second, WithinRel(2.8822, 2e-5));
  CHECK_THAT(preemptive_sjf_response(law, rate) / second, WithinRel(2.6589, 2e-5));
  CHECK_THAT(srpt_response(law, rate) / second, WithinRel(2.35277, 2e-6));
  CHECK_THAT(least_attained_response(law, rate) / second, WithinRel(5.0, 1e-13));
}

TEST_CASE("near saturation the quadrature still holds", "[queue][limits]") {
  // Of exponential jobs least attained service has the mean of processor sharing, 1 / (mu -
  // lambda).
  const auto law = exponential_service(1 * second);
  for (const double spare : {1e-2, 1e-4, 1e-6})
    CHECK_THAT(least_attained_response(law, (1 - spare) / second) / second,
               WithinRel(1 / spare, 1e-9));
}

template <class Law>
void is_ordered(const Law& law, double rho) {
  const per_second rate = rho / mean_service(law);
  const seconds srpt = srpt_response(law, rate);
  const seconds preemptive = preemptive_sjf_response(law, rate);
  const double slack = 1 + 1e-12;
  CHECK(srpt <= slack * preemptive);
  CHECK(srpt <= slack * sjf_response(law, rate));
  CHECK(srpt <= slack * least_attained_response(law, rate));
  CHECK(srpt <= slack * processor_sharing_response(mean_service(law), rho));
  CHECK(srpt <= slack * fcfs_wait(law, rate).response());
  CHECK(srpt >= mean_service(law));
  CHECK(sjf_response(law, rate) <= slack * fcfs_wait(law, rate).response());

  // Means are the means of the sizes.
  const auto by_size = [&](seconds x) { return srpt_response(law, rate, x); };
  if constexpr (discrete_service_law<Law>)
    CHECK_THAT(detail::expectation(law, by_size) / srpt, WithinRel(1.0, 1e-12));

  seconds before{0};
  for (const double place : {0.01, 0.2, 1.0, 3.0, 30.0}) {  // longer jobs take longer
    const seconds x = place * mean_service(law);
    const seconds now = srpt_response(law, rate, x);
    CHECK(now >= before);
    CHECK(now >= x);
    CHECK(least_attained_response(law, rate, x) >= x);
    before = now;
  }
}

TEST_CASE("no policy beats SRPT, and every job takes its own time at least", "[queue][property]") {
  const double rho = GENERATE(0.01, 0.5, 0.9, 0.99);
  SECTION("exponential") {
    is_ordered(exponential_service(1 * hour), rho);
  }
  SECTION("uniform") {
    is_ordered(uniform_service{1 * hour, 3 * hour}, rho);
  }
  SECTION("lognormal") {
    is_ordered(lognormal_service{1 * hour, 2}, rho);
  }
  SECTION("Weibull") {
    is_ordered(weibull_service{0.5, 1 * hour}, rho);
  }
  SECTION("bounded Pareto") {
    is_ordered(bounded_pareto_service{1.2, 1 * minute, 1 * week}, rho);
  }
  SECTION("equal") {
    is_ordered(deterministic_service{1 * hour}, rho);
  }
  SECTION("data") {
    const std::vector<seconds> sizes{1 * hour, 1 * hour, 2 * hour, 5 * hour, 24 * hour};
    is_ordered(empirical_service(sizes), rho);
  }
}

TEST_CASE("equal jobs by size are jobs in the order of arrival", "[queue][limits]") {
  const deterministic_service law{1 * hour};
  const per_second rate = 0.8 / hour;
  const double fcfs = fcfs_wait(law, rate).response() / hour;
  CHECK_THAT(sjf_response(law, rate) / hour, WithinRel(fcfs, 1e-14));
  CHECK_THAT(preemptive_sjf_response(law, rate) / hour, WithinRel(fcfs, 1e-14));
  CHECK_THAT(srpt_response(law, rate) / hour, WithinRel(fcfs, 1e-14));
}

TEST_CASE("in overload short jobs still end", "[queue][limits]") {
  const auto law = exponential_service(1 * hour);
  const per_second rate = 2 / hour;
  CHECK(std::isinf(srpt_response(law, rate) / hour));
  CHECK(std::isinf(preemptive_sjf_response(law, rate) / hour));
  CHECK(std::isinf(sjf_response(law, rate) / hour));
  CHECK(std::isinf(least_attained_response(law, rate) / hour));
  CHECK(srpt_response(law, rate, 6 * minute) < 1 * hour);
  CHECK(preemptive_sjf_response(law, rate, 6 * minute) < 1 * hour);
  CHECK(least_attained_response(law, rate, 6 * minute) < 1 * hour);
  CHECK(std::isinf(sjf_response(law, rate, 6 * minute) / hour));
  CHECK(std::isinf(srpt_response(law, rate, 5 * hour) / hour));
  CHECK(std::isinf(least_attained_response(law, rate, 5 * hour) / hour));
}

TEST_CASE("policies refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto law = exponential_service(1 * hour);
  const auto none = exponential_service(nan * hour);
  CHECK_THROWS_AS(sjf_response(law, 0.5 / hour, -1 * hour), invalid_input);
  CHECK_THROWS_AS(preemptive_sjf_response(law, 0.5 / hour, nan * hour), invalid_input);
  CHECK_THROWS_AS(srpt_response(law, nan / hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(least_attained_response(none, 0.5 / hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(sjf_response(none, 0.5 / hour), invalid_input);
  CHECK_THROWS_AS(preemptive_sjf_response(law, -1 / hour), invalid_input);
  CHECK_THROWS_AS(srpt_response(none, 0.5 / hour), invalid_input);
  CHECK_THROWS_AS(least_attained_response(law, nan / hour), invalid_input);
}

using namespace units;

static_assert(knows_sizes(queue_policy::shortest_remaining_time));
static_assert(!knows_sizes(queue_policy::least_attained_service));

TEST_CASE("every policy has a name of its own", "[queue]") {
  std::set<std::string_view> names;
  for (const queue_policy policy : queue_policies) {
    CHECK_FALSE(name_of(policy).empty());
    CHECK(names.insert(name_of(policy)).second);
  }
  CHECK(name_of(static_cast<queue_policy>(99)).empty());
  CHECK(name_of(queue_policy::shortest_remaining_time) == find_pool_policy("srpt")->meaning);
  CHECK_THROWS_AS(
      mean_response(static_cast<queue_policy>(99), exponential_service(1 * hour), 0.5 / hour),
      invalid_input);
}

TEST_CASE("of exponential jobs policies that do not know sizes are all alike",
          "[queue][property]") {
  const auto law = exponential_service(1 * hour);
  for (const queue_policy policy : queue_policies) {
    INFO(name_of(policy));
    const double mean = mean_response(policy, law, 0.8 / hour) / hour;
    if (knows_sizes(policy)) {
      CHECK(mean < 5);
    } else {
      CHECK_THAT(mean, WithinRel(5.0, 1e-12));
    }
  }
}

TEST_CASE("no wait allocates, but of turns, which solves their equations", "[queue][allocation]") {
  const workload jobs{.arrival_rate = 900 / hour, .mean_service = 1 * hour, .servers = 1000};
  const lognormal_service law{1 * hour, 1.5};
  const std::vector<seconds> sizes{1 * hour, 2 * hour, 9 * hour};
  const empirical_service data(sizes);
  const per_second rate = 0.5 / mean_service(law);

  const auto before = testing::allocations();
  double sum = wait(jobs).mean / hour + continuous_erlang_c(99.5, 90) +
               response_percentile(jobs, 0.99) / hour +
               general_wait(jobs, {1, 3}).wait.mean / hour +
               impatient_wait_tail(jobs, 1 * hour, 1 * hour);
  for (const queue_policy policy : queue_policies) {
    sum += mean_response(policy, law, rate) / hour;
    sum += mean_response(policy, data, 0.1 / hour) / hour;
  }
  CHECK(testing::allocations() == before);
  CHECK(sum > 0);
}

}  // namespace
}  // namespace gpuplan
