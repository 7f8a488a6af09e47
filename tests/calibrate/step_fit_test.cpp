#include <gpuplan/calibrate/step_fit.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

using testing::run_of;
using testing::varied_jobs;

factor_values slower_cluster() {
  factor_values times = unit_factors;
  times[static_cast<std::size_t>(step_factor::products)] = 1.12;
  times[static_cast<std::size_t>(step_factor::attention)] = 0.7;
  times[static_cast<std::size_t>(step_factor::step_host)] = 2;
  return times;
}

std::vector<timed_run> runs_with(const factor_values& times) {
  std::vector<timed_run> runs;
  for (const step_job& job : varied_jobs()) runs.push_back(run_of(job, times));
  return runs;
}

TEST_CASE("runs as the model has them leave the factors at 1", "[calibrate]") {
  const step_fit fit = fit_steps(runs_with(unit_factors));
  for (const double one : factors_of(fit.belief))
    CHECK_THAT(one, Catch::Matchers::WithinAbs(1, 1e-6));
  CHECK(fit.belief.runs == 8);
  CHECK(fit.belief.residual < usual_step_residual);
  CHECK(fit.quality.worst < 1e-6);
  for (const run_check& one : fit.checks) {
    CHECK(std::abs(one.deviations) < 1e-4);
    CHECK(std::abs(one.surprise) < 1e-9);
  }
}

TEST_CASE("the factors of a cluster are found from its runs", "[calibrate]") {
  const factor_values times = slower_cluster();
  step_belief prior = usual_step_belief();
  prior.residual = 0.002;  // exact times: the runs count for more than what is believed before
  const step_fit fit = fit_steps(runs_with(times), prior);
  const factor_values found = factors_of(fit.belief);
  CHECK_THAT(found[0], WithinRel(times[0], 0.02));
  CHECK_THAT(found[1], WithinRel(times[1], 0.02));
  CHECK_THAT(found[6], WithinRel(times[6], 0.05));
  for (const step_factor_row& row : step_factor_table)
    CHECK(bounds_of(fit.belief, row.value).holds(times[static_cast<std::size_t>(row.value)]));
  CHECK(fit.quality.worst < 0.005);
}

TEST_CASE("one run is met half way between the model and itself", "[calibrate]") {
  // A line: with one run, C and the mean follow from g alone.
  const step_job job = varied_jobs().front();
  const double more = 1.02;
  step_belief prior = usual_step_belief();
  const step_fit fit = fit_steps(std::vector{run_of(job, unit_factors, more)}, prior);
  const step_prediction before = predicted_step(job, prior);
  CHECK_THAT(fit.checks[0].surprise, WithinRel(std::log(more) / before.deviation, 1e-9));
  const double told = before.deviation * before.deviation - prior.residual * prior.residual;
  const double s = fit.belief.residual;
  const double met = std::log(more) * told / (told + s * s);
  const double moved = std::log(predicted_step(job, fit.belief).step / before.step);
  CHECK_THAT(moved, WithinRel(met, 0.02));
  const double after = predicted_step(job, fit.belief).deviation;
  CHECK_THAT(after * after - s * s, WithinRel(told * s * s / (told + s * s), 0.05));
}

TEST_CASE("a run that was fitted without is as far off as its check says", "[calibrate]") {
  std::vector<timed_run> runs = runs_with(slower_cluster());
  runs[3].step = 1.3 * runs[3].step;
  const step_fit all = fit_steps(runs);
  const timed_run odd = runs[3];
  runs.erase(runs.begin() + 3);
  const step_fit others = fit_steps(runs);
  const step_prediction said = predicted_step(odd.job, others.belief);
  CHECK_THAT(all.checks[3].expected / said.step, Catch::Matchers::WithinAbs(1, 0.03));
  CHECK_THAT(all.checks[3].deviations,
             WithinRel(std::log(odd.step / said.step) / said.deviation, 0.5));
  for (std::size_t i = 0; i < all.checks.size(); ++i)
    if (i != 3) CHECK(std::abs(all.checks[i].deviations) < std::abs(all.checks[3].deviations));
}

TEST_CASE("bands shrink with runs, and hold the runs", "[calibrate]") {
  testing::check_property("factors are never less sure than before", [] {
    factor_values times{};
    for (std::size_t i = 0; i < step_factor_count; ++i)
      times[i] =
          std::exp(*rc::gen::inRange(-100, 101) / 100.0 * step_factor_table[i].prior_deviation);
    std::vector<timed_run> runs;
    for (const step_job& job : varied_jobs())
      runs.push_back(run_of(job, times, 1 + *rc::gen::inRange(-20, 21) / 1000.0));
    const auto count = *rc::gen::inRange<std::size_t>(1, 9);
    const step_belief few = fit_steps(std::span<const timed_run>(runs).first(count)).belief;
    const step_belief all = fit_steps(runs).belief;
    require_valid(few);
    for (std::size_t i = 0; i < step_factor_count; ++i)
      RC_ASSERT(few.log_covariance[i][i] <= usual_step_belief().log_covariance[i][i] * (1 + 1e-6));
    RC_ASSERT(all.residual < 0.06);
    for (const timed_run& run : runs) {
      const step_prediction before = predicted_step(run.job, usual_step_belief());
      const step_prediction after = predicted_step(run.job, all);
      RC_ASSERT(after.deviation < before.deviation);
      const fit_interval<seconds> band = after.band(0.999);
      RC_ASSERT(band.low < after.step && after.step < band.high);
      RC_ASSERT(band.holds(run.step));
    }
  });
}

TEST_CASE("runs may be fitted one after another", "[calibrate]") {
  const std::vector<timed_run> runs = runs_with(slower_cluster());
  const std::span<const timed_run> all{runs};
  const step_belief first = fit_steps(all.first(4)).belief;
  const step_belief then = fit_steps(all.subspan(4), first).belief;
  const step_belief at_once = fit_steps(all).belief;
  CHECK(then.runs == 8);
  for (const timed_run& run : runs)
    CHECK_THAT(step_time_of(run.job, factors_of(then)) / step_time_of(run.job, factors_of(at_once)),
               Catch::Matchers::WithinAbs(1, 0.03));
}

TEST_CASE("what cannot be fitted is refused", "[calibrate]") {
  const step_job job = varied_jobs().front();
  CHECK_THROWS_AS(fit_steps({}), invalid_input);
  for (const double bad : {0.0, -1.0, 1e10, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(fit_steps(std::vector{timed_run{"run", job, seconds{bad}}}), invalid_input);
  step_job cannot = job;
  cannot.parallelism.tensor = 7;
  CHECK_THROWS_AS(fit_steps(std::vector{timed_run{"run", cannot, seconds{1}}}), invalid_input);
  step_belief none = usual_step_belief();
  none.residual = 0;
  CHECK_THROWS_AS(fit_steps(std::vector{run_of(job, unit_factors)}, none), invalid_input);
}

TEST_CASE("times in another unit give finite factors", "[calibrate]") {
  for (const double wrong : {1e-3, 1e3, 1e7}) {
    std::vector<timed_run> runs = runs_with(unit_factors);
    for (timed_run& run : runs) run.step = wrong * run.step;
    const step_fit fit = fit_steps(runs);
    require_valid(fit.belief);
    for (const run_check& one : fit.checks) CHECK(std::isfinite(one.deviations));
    CHECK(fit.belief.residual > 0.2);
  }
}

}  // namespace
}  // namespace gpuplan
