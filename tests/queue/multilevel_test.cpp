#include <gpuplan/queue/multilevel.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/queue/detail/service_integrals.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

const lognormal_service law{1 * hour, 2};
const per_second rate = 0.8 / mean_service(law);

TEST_CASE("no threshold is first come first served", "[queue][limits]") {
  const double fcfs = fcfs_wait(law, rate).response() / hour;
  CHECK_THAT(multilevel_response(law, rate, {}) / hour, WithinRel(fcfs, 1e-12));
}

TEST_CASE("many thresholds tend to least attained service", "[queue][limits]") {
  const auto jobs = exponential_service(1 * hour);
  std::vector<seconds> thresholds;
  for (int i = 1; i < 4000; ++i) thresholds.push_back(i * 0.005 * hour);
  CHECK_THAT(multilevel_response(jobs, 0.8 / hour, thresholds, 2 * hour) / hour,
             WithinRel(least_attained_response(jobs, 0.8 / hour, 2 * hour) / hour, 0.01));
  CHECK_THAT(multilevel_response(jobs, 0.8 / hour, thresholds) / hour,
             WithinRel(least_attained_response(jobs, 0.8 / hour) / hour, 0.01));
}

TEST_CASE("the mean over levels is that of the sizes", "[queue][property]") {
  // The response jumps at a threshold, so the integral is cut there.
  const std::array thresholds{1 * hour, 10 * hour};
  seconds sum{};
  seconds from = law.range().least;
  for (const seconds to : {1 * hour, 10 * hour, law.range().most}) {
    service_range part = law.range();
    part.least = from;
    detail::for_each_panel(part, to, [&](seconds low, seconds high) {
      sum += detail::panel_integral(low, high, [&](seconds x) {
        return law.density(x) * multilevel_response(law, rate, thresholds, x);
      });
    });
    from = to;
  }
  CHECK_THAT(multilevel_response(law, rate, thresholds) / hour, WithinRel(sum / hour, 1e-10));
}

TEST_CASE("levels in overload", "[queue][limits]") {
  const std::array thresholds{0.1 * hour};
  const auto jobs = exponential_service(1 * hour);
  CHECK(multilevel_response(jobs, 3 / hour, thresholds, 0.1 * hour) < 1 * hour);
  CHECK(std::isinf(multilevel_response(jobs, 3 / hour, thresholds, 1 * hour) / hour));
  CHECK(std::isinf(multilevel_response(jobs, 3 / hour, thresholds) / hour));
  CHECK(std::isinf(multilevel_response(jobs, 3 / hour, std::array{5 * hour}, 1 * hour) / hour));
}

TEST_CASE("levels refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(multilevel_response(law, rate, std::array{2 * hour, 1 * hour}), invalid_input);
  CHECK_THROWS_AS(multilevel_response(law, rate, std::array{nan * hour}, 1 * hour), invalid_input);
  CHECK_THROWS_AS(multilevel_response(law, rate, {}, nan * hour), invalid_input);
  CHECK_THROWS_AS(multilevel_response(law, nan / hour, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
