#include <gpuplan/calibrate/framework_memory_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::varied_jobs;

TEST_CASE("what a peak is compared with depends on who saw it", "[calibrate]") {
  const step_job job = varied_jobs().front();
  const stage_footprint at =
      footprint_of(job.model, job.recipe, job.parallelism, job.workspace).worst_stage();
  CHECK(peak_of(job, peak_seen_by::allocator) == at.peak());
  CHECK(peak_of(job, peak_seen_by::reserve) == at.peak() + at.fragmentation);
  CHECK(peak_of(job, peak_seen_by::device) == at.device_total());
}

TEST_CASE("a constant that peaks have in common is found", "[calibrate]") {
  std::vector<peak_run> runs;
  for (const step_job& job : varied_jobs())
    runs.push_back({.name = "run",
                    .job = job,
                    .by = peak_seen_by::device,
                    .peak = peak_of(job, peak_seen_by::device) + 3 * GB});
  const framework_memory fit = fit_framework_memory(runs);
  CHECK(fit.runs == static_cast<int>(runs.size()));
  CHECK(fit.extra > 2.4 * GB);
  CHECK(fit.extra < 3 * GB);
  CHECK(fit.deviation < usual_framework_deviation / 2);
  const framework_memory one = fit_framework_memory(std::vector{runs.front()});
  CHECK(one.extra < fit.extra);
  CHECK(one.deviation > fit.deviation);
  CHECK(one.deviation < usual_framework_deviation);
}

TEST_CASE("a run that the prior and its share of error divide", "[calibrate]") {
  // 2 GB against 3 % of 100 GB: weights 1/4 and 1/9, so 4/13 of the difference.
  const step_job job = varied_jobs().front();
  const bytes peak{100e9};
  const framework_memory fit = fit_framework_memory(std::vector{peak_run{"run", job, {}, peak}});
  const bytes left = peak - peak_of(job, peak_seen_by::allocator);
  CHECK_THAT(fit.extra / left, WithinRel(4.0 / 13, 1e-12));
  CHECK_THAT(fit.deviation / GB, WithinRel(6 / std::sqrt(13.0), 1e-12));
}

TEST_CASE("such memory is beside the model, and never below nothing", "[calibrate]") {
  const workspace usual{};
  CHECK(with_framework_memory(usual, {.extra = 1 * GB, .runs = 1}).cuda_context ==
        usual.cuda_context + 1 * GB);
  CHECK(with_framework_memory(usual, {.extra = -9 * GB, .runs = 1}).cuda_context == bytes{0});
}

TEST_CASE("peaks that are none are refused", "[calibrate]") {
  const step_job job = varied_jobs().front();
  CHECK_THROWS_AS(fit_framework_memory({}), invalid_input);
  for (const double bad : {0.0, -1.0, 2e12, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(fit_framework_memory(std::vector{peak_run{"run", job, {}, bytes{bad}}}),
                    invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.extra = 2 * TB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.extra = -2 * TB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.deviation = -1 * GB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.runs = -1}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
