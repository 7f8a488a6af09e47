#include <gpuplan/compute/utilization.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array two{job_rate{400 * TFLOP / second, 800 * TFLOP / second},
                         job_rate{100 * TFLOP / second, 1000 * TFLOP / second}};
static_assert(flop_utilization(two) == 5.0 / 18, "no mean of 50 % and 10 %");
static_assert(flop_utilization(std::span{two}.first(1)) == 0.5);
static_assert(bandwidth_utilization(1.5 * TB, 2 * TB / second, 1 * second) == 0.75);
static_assert(bandwidth_utilization(3 * TB, 2 * TB / second, 1 * second) == 1.5,
              "said, not hidden");
static_assert(job_throughput(72, 1 * hour) * hour == 72);

constexpr std::array active{1 * hour, 0.5 * hour, 0 * hour};
static_assert(gpu_utilization(active, 1 * hour) == 0.5);

TEST_CASE("the utilisation of jobs lies between the least and the best", "[compute][property]") {
  testing::check_property("whatever their sizes", [] {
    std::vector<job_rate> jobs(*rc::gen::inRange<std::size_t>(1, 8));
    double least = 1;
    double best = 0;
    for (job_rate& job : jobs) {
      job.peak = *rc::gen::inRange(1, 1000) * TFLOP / second;
      const double share = *rc::gen::inRange(0, 101) / 100.0;
      job.actual = share * job.peak;
      least = std::min(least, share);
      best = std::max(best, share);
    }
    const double mean = flop_utilization(jobs);
    RC_ASSERT(mean >= least - 1e-12);
    RC_ASSERT(mean <= best + 1e-12);
  });
}

TEST_CASE("utilisation refuses what is no share", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(bandwidth_utilization(-1 * GB, 1 * GB / second, 1 * second), invalid_input);
  CHECK_THROWS_AS(bandwidth_utilization(nan * GB, 1 * GB / second, 1 * second), invalid_input);
  CHECK_THROWS_AS(bandwidth_utilization(1 * GB, 0 * GB / second, 1 * second), invalid_input);
  CHECK_THROWS_AS(bandwidth_utilization(1 * GB, 1 * GB / second, 0 * second), invalid_input);
  CHECK_THROWS_AS(flop_utilization({}), invalid_input);
  const std::array without_peak{job_rate{1 * FLOP / second, flop_per_second{0}}};
  CHECK_THROWS_AS(flop_utilization(without_peak), invalid_input);
  const std::array negative{job_rate{-1 * FLOP / second, 1 * FLOP / second}};
  CHECK_THROWS_AS(flop_utilization(negative), invalid_input);
  CHECK_THROWS_AS(gpu_utilization({}, 1 * hour), invalid_input);
  CHECK_THROWS_AS(gpu_utilization(active, 0.5 * hour), invalid_input);
  CHECK_THROWS_AS(gpu_utilization(active, 0 * hour), invalid_input);
  const std::array unknown{nan * hour};
  CHECK_THROWS_AS(gpu_utilization(unknown, 1 * hour), invalid_input);
  CHECK_THROWS_AS(job_throughput(-1, 1 * hour), invalid_input);
  CHECK_THROWS_AS(job_throughput(1, 0 * hour), invalid_input);
}

}  // namespace
}  // namespace gpuplan
