#include <gpuplan/calibrate/framework_memory_fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
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
  const step_job job = varied_jobs().front();
  const bytes predicted = peak_of(job, peak_seen_by::allocator);
  // What the formulas say of one run, by bisection of the residual s; the code iterates.
  const bytes peak = predicted + 4 * GB;
  const auto rest = [&](double s) {
    const double own = 1 / std::pow(s * (peak / GB), 2);
    const double h = own / (own + 0.25);
    const double left = (4 - 4 * h) / (peak / GB);
    return std::sqrt((4 * 0.03 * 0.03 + left * left) / (5 - h)) - s;
  };
  double low = 1e-3;
  double high = 1;
  for (int i = 0; i < 100; ++i) (rest((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  const framework_memory fit = fit_framework_memory(std::vector{peak_run{"run", job, {}, peak}});
  CHECK_THAT(fit.residual, WithinRel(low, 1e-5));
  const double own = 1 / std::pow(low * (peak / GB), 2);
  CHECK_THAT(fit.extra / GB, WithinRel(4 * own / (own + 0.25), 1e-4));
  CHECK_THAT(fit.deviation / GB, WithinRel(1 / std::sqrt(own + 0.25), 1e-4));
  CHECK(fit.classes.contains(run_class_of(job)));
  CHECK_FALSE(fit.classes.contains({.kind = trained_kind::encoder}));
}

TEST_CASE("less than the model counts is at most the CUDA context", "[calibrate]") {
  const step_job job = varied_jobs().front();
  const bytes predicted = peak_of(job, peak_seen_by::device);
  const framework_memory fit = fit_framework_memory(
      std::vector{peak_run{"run", job, peak_seen_by::device, predicted - 20 * GB}});
  CHECK(fit.extra == -job.workspace.cuda_context);
}

// What 3 peaks tell of others, drawn with a known constant and a known residual: bands of 90 % hold
// about as many.
TEST_CASE("ranges of fitted memory hold as many peaks as they say", "[calibrate][simulation]") {
  const std::vector<step_job> jobs = varied_jobs();
  std::mt19937_64 random{7};
  std::normal_distribution<double> normal;
  int held = 0;
  int all = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const bytes extra = 2 * GB * std::abs(normal(random));
    std::vector<peak_run> runs;
    for (const step_job& job : jobs) {
      const bytes at = peak_of(job, peak_seen_by::device) + extra;
      runs.push_back({"run", job, peak_seen_by::device, (1 + 0.03 * normal(random)) * at});
    }
    std::shuffle(runs.begin(), runs.end(), random);
    const framework_memory fit = fit_framework_memory(std::span{runs}.first(3));
    for (const peak_run& other : std::span{runs}.subspan(3)) {
      const bytes said = peak_of(other.job, other.by) + fit.extra;
      const error_band band = error_band_of(errors_of(said, fit));
      held += other.peak >= band.low * said && other.peak <= band.high * said;
      ++all;
    }
  }
  REQUIRE(all > 0);
  CHECK(held > 0.85 * all);
  CHECK(held < 0.96 * all);
}

TEST_CASE("more peaks narrow the range", "[calibrate]") {
  const std::vector<step_job> jobs = varied_jobs();
  std::vector<peak_run> runs;
  double before = 1;
  for (const step_job& job : jobs) {
    runs.push_back({"run", job, peak_seen_by::device, peak_of(job, peak_seen_by::device)});
    const framework_memory fit = fit_framework_memory(runs);
    const error_distribution errors = errors_of(40 * GB, fit);
    CHECK(errors.grade == error_grade::calibrated);
    CHECK(error_band_of(errors).high - 1 < before);
    before = error_band_of(errors).high - 1;
  }
  CHECK_THROWS_AS(errors_of(bytes{0}, framework_memory{}), invalid_input);
}

TEST_CASE("a range is no narrower than its count of peaks bears", "[calibrate]") {
  // The same constant and residual, from more and more peaks: Student's t, down to the normal law.
  framework_memory of{.deviation = 1 * GB};
  const double normal = deviations_at(0.9) * std::sqrt(0.025 * 0.025 + 0.03 * 0.03);
  double before = 1;
  for (const int runs : {1, 2, 5, 100, 1000000}) {
    of.runs = runs;
    const double half = std::log(error_band_of(errors_of(40 * GB, of)).high);
    CHECK(half > normal);
    CHECK(half < before);
    before = half;
  }
  CHECK(before < normal * (1 + 1e-5));
  of.runs = 1;
  CHECK(std::log(error_band_of(errors_of(40 * GB, of)).high) > 1.2 * normal);
}

TEST_CASE("peaks may be fitted one after another", "[calibrate]") {
  std::vector<peak_run> runs;
  for (const step_job& job : varied_jobs())
    runs.push_back({"run", job, peak_seen_by::device, peak_of(job, peak_seen_by::device) + 1 * GB});
  const std::span<const peak_run> all{runs};
  const framework_memory first = fit_framework_memory(all.first(4));
  const framework_memory then = fit_framework_memory(all.subspan(4), first);
  const framework_memory both = fit_framework_memory(all);
  CHECK(then.runs == both.runs);
  CHECK(then.classes == both.classes);
  CHECK(std::abs(then.extra / both.extra - 1) <= 0.02);
  CHECK(std::abs(then.deviation / both.deviation - 1) <= 0.1);
  CHECK(std::abs(then.residual / both.residual - 1) <= 0.1);
  CHECK(then.deviation < first.deviation);
  CHECK(then.residual < first.residual);
}

TEST_CASE("such memory is beside the model, and never below nothing", "[calibrate]") {
  const workspace usual{};
  CHECK(with_framework_memory(usual, {.extra = 1 * GB, .runs = 1}).cuda_context ==
        usual.cuda_context + 1 * GB);
  CHECK(with_framework_memory(usual, {.extra = -9 * GB, .runs = 1}).cuda_context == bytes{0});
}

TEST_CASE("peaks that are none are refused", "[calibrate]") {
  CHECK_THROWS_AS(
      fit_framework_memory(std::vector{peak_run{"run", varied_jobs().front(), {}, 1 * GB}},
                           framework_memory{}),
      invalid_input);
  const step_job job = varied_jobs().front();
  CHECK_THROWS_AS(fit_framework_memory({}), invalid_input);
  for (const double bad : {0.0, -1.0, 2e12, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(fit_framework_memory(std::vector{peak_run{"run", job, {}, bytes{bad}}}),
                    invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.extra = 2 * TB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.extra = -2 * TB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.deviation = -1 * GB}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.residual = 0}), invalid_input);
  CHECK_THROWS_AS(require_valid(framework_memory{.runs = -1}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
