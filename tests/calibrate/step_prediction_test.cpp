#include <gpuplan/calibrate/step_prediction.hpp>

#include <cmath>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

TEST_CASE("slopes are those of the step's terms", "[calibrate]") {
  const step_job job = testing::varied_jobs().front();
  const step_prediction said = predicted_step(job, usual_step_belief());
  const estimate what = evaluate(job.model, job.pool, job.recipe, job.parallelism, job.workspace);
  CHECK(said.step == what.time.total());
  const double once = profile_of(job.recipe.framework).step_host / said.step;
  CHECK_THAT(said.slope[static_cast<std::size_t>(step_factor::step_host)], WithinRel(once, 1e-5));
  double all = 0;
  for (const double one : said.slope) {
    CHECK(one >= -1e-9);
    all += one;
  }
  CHECK(all <= 1.000001);  // not all of a step is in a factor: starts of kernels, latencies
  CHECK(all >= 0.9);
}

TEST_CASE("the deviation of a prediction is that of its factors and of the residual",
          "[calibrate]") {
  const step_job job = testing::varied_jobs().front();
  step_belief of = usual_step_belief();
  of.log_covariance = {};
  of.residual = 0.02;
  CHECK_THAT(predicted_step(job, of).deviation, WithinRel(0.02, 1e-12));
  of.log_covariance[0][0] = 0.09;
  const step_prediction one = predicted_step(job, of);
  CHECK_THAT(one.deviation, WithinRel(std::hypot(0.3 * one.slope[0], 0.02), 1e-12));
  of.log_covariance[2][2] = 0.04;
  of.log_covariance[0][2] = of.log_covariance[2][0] = -0.06;  // one slower as the other is faster
  const step_prediction both = predicted_step(job, of);
  CHECK_THAT(both.deviation,
             WithinRel(std::hypot(0.3 * one.slope[0] - 0.2 * one.slope[2], 0.02), 1e-9));
}

TEST_CASE("bands hold the prediction, and are wider at a higher level", "[calibrate]") {
  testing::check_property("low < step < high", [] {
    const auto jobs = testing::varied_jobs();
    const step_prediction said = predicted_step(*rc::gen::elementOf(jobs), usual_step_belief());
    const double level = *rc::gen::inRange(1, 999) / 1000.0;
    const fit_interval<seconds> narrow = said.band(level);
    const fit_interval<seconds> wide = said.band(level + 0.0005);
    RC_ASSERT(narrow.low < said.step && said.step < narrow.high);
    RC_ASSERT(wide.low < narrow.low && narrow.high < wide.high);
  });
}

TEST_CASE("bands of a prediction are those of its errors", "[calibrate]") {
  step_belief of = usual_step_belief();
  of.runs = 3;
  const step_prediction said = predicted_step(testing::varied_jobs().front(), of);
  const error_distribution errors = errors_of(said, of);
  CHECK(errors.grade == error_grade::calibrated);
  CHECK(errors.runs == 3);
  for (const double level : {0.5, 0.8, 0.9}) {
    const error_band band = error_band_of(errors, level);
    CHECK_THAT(band.low * said.step / said.band(level).low, WithinRel(1.0, 1e-9));
    CHECK_THAT(band.high * said.step / said.band(level).high, WithinRel(1.0, 1e-9));
  }
}

TEST_CASE("a layout that cannot run has no step", "[calibrate]") {
  step_job job = testing::varied_jobs().front();
  job.parallelism.tensor = 7;
  CHECK_THROWS_AS(step_time_of(job, unit_factors), invalid_input);
  CHECK_THROWS_AS(predicted_step(job, usual_step_belief()), invalid_input);
}

}  // namespace
}  // namespace gpuplan
