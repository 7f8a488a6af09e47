#include <gpuplan/queue/share/finish_time_fairness.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr job_progress half_done{.elapsed = 4 * hour,
                                 .steps_left = 100,
                                 .speed = 25 / hour,
                                 .elapsed_alone = 2 * hour,
                                 .alone = 50 / hour};
static_assert(finish_time_fairness(half_done) == 2, "8 hours beside 4");
static_assert(finish_time_fairness({.elapsed = 3 * hour,
                                    .steps_left = 0,
                                    .elapsed_alone = 4 * hour,
                                    .alone = 1 / hour}) == 0.75,
              "a job that is done sooner than alone");

TEST_CASE("a job that gets nothing never ends", "[queue][limits]") {
  job_progress starved = half_done;
  starved.speed = per_second{0};
  CHECK(std::isinf(finish_time_fairness(starved)));
}

TEST_CASE("fairness refuses what is no job", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  job_progress job = half_done;
  job.elapsed = nan * hour;
  CHECK_THROWS_AS(finish_time_fairness(job), invalid_input);
  job = half_done;
  job.steps_left = -1;
  CHECK_THROWS_AS(finish_time_fairness(job), invalid_input);
  job = half_done;
  job.speed = -1 / hour;
  CHECK_THROWS_AS(finish_time_fairness(job), invalid_input);
  job = half_done;
  job.elapsed_alone = nan * hour;
  CHECK_THROWS_AS(finish_time_fairness(job), invalid_input);
  job = half_done;
  job.alone = 0 / hour;
  CHECK_THROWS_AS(finish_time_fairness(job), invalid_input);
  CHECK_THROWS_AS(finish_time_fairness({.alone = 1 / hour}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
