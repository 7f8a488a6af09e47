#include <gpuplan/scaling/data_parallel.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// 5000 steps of 0.1 s on 8 devices, each with 20 ms of communication and 5 ms of waiting.
constexpr data_parallel_job job{
    .compute = 4000 * second, .steps = 5000, .communication = 20 * ms, .waiting = 5 * ms};
constexpr data_parallel_epoch epoch = data_parallel_epoch_time(job, 8);
static_assert(epoch.compute == 500 * second && epoch.communication == 100 * second);
static_assert(epoch.waiting == 25 * second && epoch.total() == 625 * second);
static_assert(data_parallel_epoch_time({.compute = 1 * hour}, 1).total() == 1 * hour);
// Chapter 3, 3.7: one all-reduce an epoch, 5000 times too little.
static_assert(epoch.communication == 5000 * job.communication);

TEST_CASE("more devices compute faster and talk as long", "[scaling][property]") {
  testing::check_property("limits", [] {
    const data_parallel_job any{.compute = *rc::gen::inRange(0, 1000000) * second,
                                .steps = double(*rc::gen::inRange(0, 1000000)),
                                .communication = *rc::gen::inRange(0, 10000) * ms,
                                .waiting = *rc::gen::inRange(0, 10000) * ms};
    const int devices = *rc::gen::inRange(1, 100000);
    const auto some = data_parallel_epoch_time(any, devices);
    const auto more = data_parallel_epoch_time(any, devices + 1);
    RC_ASSERT(more.compute <= some.compute && more.communication == some.communication);
    RC_ASSERT(some.total() >= any.steps * any.communication);
  });
}

TEST_CASE("the epoch refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    data_parallel_job bad = job;
    change(bad);
    CHECK_THROWS_AS(data_parallel_epoch_time(bad, 8), invalid_input);
  };
  refused([](data_parallel_job& j) { j.compute = seconds{-1}; });
  refused([&](data_parallel_job& j) { j.steps = nan; });
  refused([](data_parallel_job& j) { j.communication = seconds{-1}; });
  refused([&](data_parallel_job& j) { j.waiting = seconds{nan}; });
  CHECK_THROWS_AS(data_parallel_epoch_time(job, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
