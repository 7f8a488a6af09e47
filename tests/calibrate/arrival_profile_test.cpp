#include <gpuplan/calibrate/arrival_profile.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

std::vector<trace_job> at(const std::vector<double>& hours) {
  std::vector<trace_job> jobs;
  for (const double time : hours) jobs.push_back({.submit = time * hour});
  return jobs;
}

TEST_CASE("rates are of the time that the trace saw", "[calibrate]") {
  // From 22:30 to 25:30: half of hour 22, all of hours 23 and 0, half of hour 1.
  const arrival_profile day = daily_profile(at({22.5, 22.6, 23.1, 24.2, 24.3, 24.4, 25.5}));
  REQUIRE(day.parts.size() == 24);
  CHECK(day.parts[22].jobs == 2);
  CHECK_THAT(day.parts[22].observed / hour, WithinRel(0.5, 1e-12));
  CHECK_THAT(day.parts[22].rate() * hour, WithinRel(4, 1e-12));
  CHECK_THAT(day.parts[23].rate() * hour, WithinRel(1, 1e-12));
  CHECK_THAT(day.parts[0].rate() * hour, WithinRel(3, 1e-12));
  CHECK_THAT(day.parts[1].rate() * hour, WithinRel(2, 1e-12));
  CHECK(day.parts[2].observed == 0 * second);
  CHECK(day.parts[2].rate() == 0 / second);
  CHECK_THAT(day.mean() * hour, WithinRel(7.0 / 3, 1e-12));
  CHECK(day.peak() == 22);
  CHECK_THAT(day.peak_to_mean(), WithinRel(12.0 / 7, 1e-12));
}

TEST_CASE("a week has 168 hours, and time before 1970 its place in it", "[calibrate]") {
  const arrival_profile week = weekly_profile(at({-1.5, 0.5, 167.5, 168.5}));
  REQUIRE(week.parts.size() == 168);
  CHECK(week.parts[166].jobs == 1);
  CHECK(week.parts[0].jobs == 2);
  CHECK(week.parts[167].jobs == 1);
  CHECK_THAT(week.parts[166].observed / hour, WithinRel(1.5, 1e-12));
}

TEST_CASE("a profile counts every job and every second once", "[calibrate][property]") {
  testing::check_property("sums of a profile", [] {
    std::vector<double> times = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(-100000, 100000), [](int of) { return of / 7.0; })));
    std::sort(times.begin(), times.end());
    const int parts = *rc::gen::inRange(1, 200);
    const arrival_profile profile = arrival_profile_of(at(times), 25 * hour, parts);
    double jobs = 0;
    seconds observed;
    for (const arrival_hour& part : profile.parts) {
      jobs += part.jobs;
      observed += part.observed;
    }
    RC_ASSERT(jobs == static_cast<double>(times.size()));
    const double span = times.back() - times.front();
    RC_ASSERT(std::abs(observed / hour - span) <= 1e-9 * (1 + span));
  });
}

TEST_CASE("jobs that all come at once have no peak", "[calibrate][limits]") {
  CHECK(daily_profile(at({10, 10})).peak_to_mean() == 1);
}

TEST_CASE("a profile needs a period, parts and jobs", "[calibrate][errors]") {
  CHECK_THROWS_WITH(daily_profile({}), "arrival_profile_of: jobs must be >= 1");
  CHECK_THROWS_WITH(daily_profile(at({50, 10, 40})),
                    "arrival_profile_of: jobs must be in the order of submission");
  CHECK_THROWS_AS(arrival_profile_of(at({1}), 0 * second, 1), invalid_input);
  CHECK_THROWS_AS(arrival_profile_of(at({1}), 1 * day, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
