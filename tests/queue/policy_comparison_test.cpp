#include <gpuplan/queue/policy_comparison.hpp>

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
#include <gpuplan/queue/time_slicing.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

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

TEST_CASE("no wait allocates", "[queue][allocation]") {
  const workload jobs{.arrival_rate = 900 / hour, .mean_service = 1 * hour, .servers = 1000};
  const lognormal_service law{1 * hour, 1.5};
  const std::vector<seconds> sizes{1 * hour, 2 * hour, 9 * hour};
  const empirical_service data(sizes);
  const per_second rate = 0.5 / mean_service(law);

  const auto before = testing::allocations();
  double sum = wait(jobs).mean / hour + continuous_erlang_c(99.5, 90) +
               response_percentile(jobs, 0.99) / hour +
               general_wait(jobs, {1, 3}).wait.mean / hour +
               impatient_wait_tail(jobs, 1 * hour, 1 * hour) +
               time_slicing_response(law, rate, {1 * hour, 1 * minute}) / hour;
  for (const queue_policy policy : queue_policies) {
    sum += mean_response(policy, law, rate) / hour;
    sum += mean_response(policy, data, 0.1 / hour) / hour;
  }
  CHECK(testing::allocations() == before);
  CHECK(sum > 0);
}

}  // namespace
}  // namespace gpuplan
