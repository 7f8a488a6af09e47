#include <gpuplan/calibrate/step_belief.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(usual_step_belief().runs == 0);
static_assert(usual_step_belief().log_covariance[0][1] == 0, "factors are independent before");

TEST_CASE("what is believed before any run is the table's", "[calibrate]") {
  const step_belief prior = usual_step_belief();
  require_valid(prior);
  for (const step_factor_row& row : step_factor_table) {
    const auto i = static_cast<std::size_t>(row.value);
    CHECK(factors_of(prior)[i] == 1);
    CHECK_THAT(std::sqrt(prior.log_covariance[i][i]), WithinRel(row.prior_deviation, 1e-14));
    const fit_interval<double> bounds = bounds_of(prior, row.value);
    CHECK_THAT(bounds.low * bounds.high, WithinRel(1.0, 1e-12));
    CHECK_THAT(std::log(bounds.high), WithinRel(1.959963985 * row.prior_deviation, 1e-8));
  }
}

TEST_CASE("deviations are those of the normal law", "[calibrate][reference]") {
  // M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), table 26.6, two sides.
  CHECK_THAT(deviations_at(0.5), Catch::Matchers::WithinAbs(0.674490, 5e-7));
  CHECK_THAT(deviations_at(0.9), Catch::Matchers::WithinAbs(1.644854, 5e-7));
  CHECK_THAT(deviations_at(0.95), Catch::Matchers::WithinAbs(1.959964, 5e-7));
  CHECK_THAT(deviations_at(0.99), Catch::Matchers::WithinAbs(2.575829, 5e-7));
  CHECK_THAT(deviations_at(0.999), Catch::Matchers::WithinAbs(3.290527, 5e-7));
  CHECK_THAT(std::erf(deviations_at(0.999999) / std::sqrt(2.0)),
             Catch::Matchers::WithinAbs(0.999999, 1e-12));
  for (const double bad : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(deviations_at(bad), invalid_input);
}

TEST_CASE("deviations of few are those of Student's law", "[calibrate][reference]") {
  // M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), table 26.10.
  struct row {
    double level, freedom, printed;
  };
  for (const row& one : {row{0.9, 4, 2.132}, row{0.9, 5, 2.015}, row{0.95, 5, 2.571},
                         row{0.8, 7, 1.415}, row{0.95, 10, 2.228}, row{0.9, 120, 1.658}})
    CHECK_THAT(deviations_at(one.level, one.freedom),
               Catch::Matchers::WithinRel(one.printed, one.freedom < 7 ? 0.01 : 0.001));
  CHECK(deviations_at(0.9, 1e9) < deviations_at(0.9) * (1 + 1e-8));
  for (const double bad : {3.9, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(deviations_at(0.9, bad), invalid_input);
}

TEST_CASE("a belief that is none is refused", "[calibrate]") {
  const auto refused = [](auto change) {
    step_belief of = usual_step_belief();
    change(of);
    CHECK_THROWS_AS(require_valid(of), invalid_input);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](step_belief& of) { of.log_mean[2] = 7; });
  refused([&](step_belief& of) { of.log_mean[2] = nan; });
  refused([](step_belief& of) { of.log_covariance[1][1] = -1; });
  refused([&](step_belief& of) { of.log_covariance[1][1] = nan; });
  refused([](step_belief& of) { of.log_covariance[1][0] = 1e-3; });
  refused([](step_belief& of) { of.log_covariance[1][0] = of.log_covariance[0][1] = 2; });
  refused([&](step_belief& of) { of.log_covariance[1][0] = of.log_covariance[0][1] = nan; });
  refused([](step_belief& of) { of.residual = 0; });
  refused([&](step_belief& of) { of.residual = nan; });
  refused([](step_belief& of) { of.runs = -1; });
}

}  // namespace
}  // namespace gpuplan
