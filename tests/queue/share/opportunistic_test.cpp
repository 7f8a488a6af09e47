#include <gpuplan/queue/share/opportunistic.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr opportunistic_job job{
    .step = 100 * ms, .memory = 10 * GB, .busy = 0.5, .host_bandwidth = 20 * GB / second};

static_assert(opportunistic_step_time(job, {16 * GB, 0.5}).total() == 100 * ms,
              "what is left is enough");
static_assert(opportunistic_step_time(job, {16 * GB, 0.25}).work == 200 * ms, "half of the time");
static_assert(opportunistic_step_time(job, {9 * GB, 0.5}).spill == 100 * ms, "1 GB out and in");
static_assert(packed_speed(0.9) == 1 && packed_speed(2) == 0.5);

TEST_CASE("less left never makes a step shorter", "[queue][property]") {
  seconds before{0};
  for (const double idle : {1.0, 0.5, 0.3, 0.1, 0.0})
    for (const bytes left : {20 * GB, 10 * GB, 5 * GB, 0 * GB}) {
      const seconds now = opportunistic_step_time(job, {left, idle}).total();
      if (left < 20 * GB) CHECK(now >= before);
      before = now;
    }
  CHECK(std::isinf(opportunistic_step_time(job, {20 * GB, 0}).total() / second));
}

TEST_CASE("opportunistic jobs that are none are refused", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto change) {
    opportunistic_job changed = job;
    change(changed);
    return changed;
  };
  const leftover left{16 * GB, 0.5};
  CHECK_THROWS_AS(opportunistic_step_time(with([](auto& j) { j.step = 0 * ms; }), left),
                  invalid_input);
  CHECK_THROWS_AS(opportunistic_step_time(with([&](auto& j) { j.memory = nan * GB; }), left),
                  invalid_input);
  CHECK_THROWS_AS(opportunistic_step_time(with([](auto& j) { j.busy = 1.5; }), left),
                  invalid_input);
  CHECK_THROWS_AS(
      opportunistic_step_time(with([](auto& j) { j.host_bandwidth = 0 * GB / second; }), left),
      invalid_input);
  CHECK_THROWS_AS(opportunistic_step_time(job, {-1 * GB, 0.5}), invalid_input);
  CHECK_THROWS_AS(opportunistic_step_time(job, {1 * GB, nan}), invalid_input);
  CHECK_THROWS_AS(packed_speed(0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
