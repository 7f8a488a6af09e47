#include <gpuplan/scaling/asynchronous.hpp>

#include <array>
#include <limits>
#include <vector>

#include <gpuplan/scaling/straggler.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array mixed{100 * ms, 200 * ms, 400 * ms};
constexpr asynchronous_rate rate = asynchronous_throughput(mixed, 10 * ms);
static_assert(rate.workers == 17.5 / second && rate.binding() == asynchronous_bound::workers);
static_assert(asynchronous_throughput(mixed, 100 * ms).updates() == 10 / second);
static_assert(asynchronous_throughput(mixed, 100 * ms).binding() == asynchronous_bound::server);
static_assert(mean_staleness(1) == 0 && mean_staleness(8) == 7);

TEST_CASE("nobody waits for the slowest", "[scaling][property]") {
  testing::check_property("at least the synchronous throughput", [] {
    std::vector<seconds> steps(static_cast<std::size_t>(*rc::gen::inRange(1, 40)));
    for (seconds& step : steps) step = *rc::gen::inRange(1, 10000) * ms;
    const auto any = asynchronous_throughput(steps, 1 * ns);
    const per_second synchronous =
        static_cast<double>(steps.size()) / waiting_for_slowest(steps).slowest;
    RC_ASSERT(any.updates() >= synchronous * (1 - 1e-12));
  });
}

TEST_CASE("asynchronous updates refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(asynchronous_throughput({}, second), invalid_input);
  CHECK_THROWS_AS(asynchronous_throughput(mixed, seconds{0}), invalid_input);
  CHECK_THROWS_AS(asynchronous_throughput(std::array{seconds{0}}, second), invalid_input);
  CHECK_THROWS_AS(asynchronous_throughput(std::array{seconds{nan}}, second), invalid_input);
  CHECK_THROWS_AS(mean_staleness(0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
