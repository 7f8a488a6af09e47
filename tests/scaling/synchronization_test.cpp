#include <gpuplan/scaling/synchronization.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// The AI Training chapter saves 60% and, elsewhere, 75% at every 4th step: it is 75%.
static_assert(communication_saved(4) == 0.75 && communication_saved(1) == 0);
static_assert(local_step_time(1 * second, 0.5 * second, 4).total() == 1.125 * second);
static_assert(local_step_time(1 * second, 0.5 * second, 1).total() == 1.5 * second);
static_assert(bandwidth_of_efficiency(1 * GB, 1 * second, 0.5) == 1 * GB / second);
static_assert(bandwidth_of_efficiency(3 * GB, 9 * second, 0.75) == 1 * GB / second);

template <class Sent>
concept is_sent = requires(Sent sent) {
  bandwidth_of_efficiency(sent, 1 * second, 0.5);
};
static_assert(is_sent<bytes> && !is_sent<bytes_per_second> && !is_sent<double>);

TEST_CASE("the bandwidth found has the efficiency asked for", "[scaling][property]") {
  testing::check_property("inverse", [] {
    const bytes sent = *rc::gen::inRange(1, 1 << 30) * byte;
    const seconds compute = *rc::gen::inRange(1, 100000) * ms;
    const double efficiency = *rc::gen::inRange(1, 1000) * 1e-3;
    const seconds talk = sent / bandwidth_of_efficiency(sent, compute, efficiency);
    RC_ASSERT(std::abs(compute / (compute + talk) - efficiency) < 1e-12);
    const std::int64_t every = *rc::gen::inRange(1, 1000);
    const local_step step = local_step_time(compute, talk, every);
    RC_ASSERT(std::abs(step.communication / talk - (1 - communication_saved(every))) < 1e-12);
  });
}

TEST_CASE("synchronisation refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(communication_saved(0), invalid_input);
  CHECK_THROWS_AS(local_step_time(second, second, 0), invalid_input);
  CHECK_THROWS_AS(local_step_time(seconds{-1}, second, 1), invalid_input);
  CHECK_THROWS_AS(local_step_time(second, seconds{nan}, 1), invalid_input);
  CHECK_THROWS_AS(bandwidth_of_efficiency(bytes{-1}, second, 0.5), invalid_input);
  CHECK_THROWS_AS(bandwidth_of_efficiency(GB, seconds{0}, 0.5), invalid_input);
  for (const double efficiency : {0.0, 1.0, nan})
    CHECK_THROWS_AS(bandwidth_of_efficiency(GB, second, efficiency), invalid_input);
}

}  // namespace
}  // namespace gpuplan
