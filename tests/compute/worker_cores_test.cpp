#include <gpuplan/compute/worker_cores.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(preprocessing_rate(4, 8, 20 * ms) == 4 / (20 * ms), "a core each");
static_assert(preprocessing_rate(32, 8, 20 * ms) == 8 / (20 * ms), "8 cores, whoever takes turns");

TEST_CASE("workers help up to the cores, and not beyond", "[compute][property]") {
  testing::check_property("workers help up to the cores", [] {
    const int workers = *rc::gen::inRange(1, 200);
    const int cores = *rc::gen::inRange(1, 200);
    const per_second rate = preprocessing_rate(workers, cores, 5 * ms);
    const per_second more = preprocessing_rate(workers + 1, cores, 5 * ms);
    RC_ASSERT((more > rate) == (workers < cores));
    RC_ASSERT(rate == preprocessing_rate(cores, workers, 5 * ms));
  });
}

TEST_CASE("the rate of preprocessing refuses what has none", "[compute][errors]") {
  CHECK_THROWS_AS(preprocessing_rate(0, 8, 1 * ms), invalid_input);
  CHECK_THROWS_AS(preprocessing_rate(nan, 8, 1 * ms), invalid_input);
  CHECK_THROWS_AS(preprocessing_rate(8, 0, 1 * ms), invalid_input);
  CHECK_THROWS_AS(preprocessing_rate(8, nan, 1 * ms), invalid_input);
  CHECK_THROWS_AS(preprocessing_rate(8, 8, 0 * ms), invalid_input);
  CHECK_THROWS_AS(preprocessing_rate(8, 8, nan * ms), invalid_input);
}

}  // namespace
}  // namespace gpuplan
