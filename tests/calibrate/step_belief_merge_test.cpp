#include <gpuplan/calibrate/step_belief_merge.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

using testing::run_of;
using testing::varied_jobs;

std::vector<timed_run> slower_runs() {
  factor_values times = unit_factors;
  times[static_cast<std::size_t>(step_factor::products)] = 1.08;
  times[static_cast<std::size_t>(step_factor::memory)] = 1.1;
  std::vector<timed_run> runs;
  for (const step_job& job : varied_jobs()) runs.push_back(run_of(job, times));
  return runs;
}

TEST_CASE("two fits together are nearly the fit of all runs, in either order", "[calibrate]") {
  const std::vector<timed_run> runs = slower_runs();
  const std::span<const timed_run> all{runs};
  const step_belief first = fit_steps(all.first(3)).belief;
  const step_belief rest = fit_steps(all.subspan(3)).belief;
  const step_belief once = fit_steps(all).belief;
  const step_belief both = combined(first, rest);
  const step_belief turned = combined(rest, first);
  CHECK(both.runs == 8);
  // Each fit alone counts no freedom that its factors took: a residual a little larger than of all.
  CHECK_THAT(both.residual, WithinRel(once.residual, 0.25));
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    CHECK_THAT(both.log_mean[i], Catch::Matchers::WithinAbs(once.log_mean[i], 0.02));
    CHECK_THAT(both.log_covariance[i][i], WithinRel(once.log_covariance[i][i], 0.6));
    CHECK(both.log_covariance[i][i] <= first.log_covariance[i][i] * (1 + 1e-6));
    CHECK_THAT(both.log_mean[i], Catch::Matchers::WithinAbs(turned.log_mean[i], 1e-9));
  }
}

TEST_CASE("a fit beside what is believed without runs is that fit", "[calibrate]") {
  const std::vector<timed_run> runs = slower_runs();
  const step_belief first = fit_steps(runs).belief;
  const step_belief same = combined(first, usual_step_belief());
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    CHECK_THAT(same.log_mean[i], Catch::Matchers::WithinAbs(first.log_mean[i], 1e-6));
    CHECK_THAT(same.log_covariance[i][i], WithinRel(first.log_covariance[i][i], 1e-4));
  }
  CHECK_THAT(same.residual, WithinRel(first.residual, 1e-12));
  step_belief wide = usual_step_belief();
  for (std::size_t i = 0; i < step_factor_count; ++i) wide.log_covariance[i][i] *= 4;
  CHECK_THROWS_AS(combined(wide, wide), invalid_input);
}

TEST_CASE("other rates move what runs tell, and not what nobody knows", "[calibrate]") {
  const std::vector<timed_run> runs = slower_runs();
  const step_belief fitted = fit_steps(runs).belief;
  factor_values shift{};
  const auto memory = static_cast<std::size_t>(step_factor::memory);
  shift[memory] = std::log(0.95);
  const step_belief untold = beside_other_rates(usual_step_belief(), shift);
  CHECK_THAT(untold.log_mean[memory], Catch::Matchers::WithinAbs(0, 1e-6));
  // The fit on a pool whose memory is so much slower, of the same times.
  std::vector<timed_run> beside = runs;
  factor_values slower = unit_factors;
  slower[memory] = 1 / 0.95;
  for (timed_run& run : beside) run.job.pool = with_factors(run.job.pool, slower);
  const step_belief again = fit_steps(beside).belief;
  const step_belief moved = beside_other_rates(fitted, shift);
  for (std::size_t i = 0; i < step_factor_count; ++i)
    CHECK_THAT(moved.log_mean[i], Catch::Matchers::WithinAbs(again.log_mean[i], 0.01));
}

TEST_CASE("peaks of two fits count together", "[calibrate]") {
  const framework_memory one{.extra = 1 * units::GB, .deviation = 1 * units::GB, .runs = 2};
  const framework_memory other{.extra = 2 * units::GB, .deviation = 1 * units::GB, .runs = 3};
  const framework_memory both = combined(one, other);
  CHECK(both.runs == 5);
  // 1 + 1 - 1/4 in GB^-2.
  CHECK_THAT(both.extra / units::GB, WithinRel(3 / 1.75, 1e-12));
  CHECK_THAT(both.deviation / units::GB, WithinRel(1 / std::sqrt(1.75), 1e-12));
  CHECK_THAT(both.residual, WithinRel(usual_peak_residual, 1e-12));
  CHECK_THAT(beside_other_context(one, 400 * units::MB).extra / units::GB,
             WithinRel(1 - 0.75 * 0.4, 1e-12));
}

}  // namespace
}  // namespace gpuplan
