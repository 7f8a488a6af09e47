#include <gpuplan/queue/share/time_slicing.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("turns by hand", "[queue][reference]") {
  const auto jobs = exponential_service(1 * hour);
  CHECK_THAT(mean_turns(jobs, {0.5 * hour, 0 * hour}), WithinRel(1 / -std::expm1(-0.5), 1e-14));
  CHECK(mean_turns(deterministic_service{1 * hour}, {25 * minute, 0 * hour}) == 3);
  const std::vector<seconds> sizes{1 * hour, 3 * hour};
  CHECK(mean_turns(empirical_service(sizes), {1 * hour, 0 * hour}) == 2);
  const std::vector<seconds> tenths{0.1 * second + 0.2 * second};  // 3.0000000000000004 turns
  CHECK(mean_turns(empirical_service(tenths), {0.1 * second, 0 * hour}) == 3);
  // More turns than are summed: half a turn more than E S / q.
  const lognormal_service heavy{1 * hour, 2.5};
  CHECK_THAT(mean_turns(heavy, {1 * second, 0 * hour}),
             WithinRel(mean_service(heavy) / second + 0.5, 1e-6));
}

TEST_CASE("whole jobs in a turn: first come first served", "[queue][limits]") {
  const deterministic_service jobs{1 * hour};
  const per_second rate = 0.7 / hour;
  const double fcfs = fcfs_wait(jobs, rate).response() / hour;
  CHECK_THAT(time_slicing_response(jobs, rate, {1 * hour, 0 * hour}) / hour,
             WithinRel(fcfs, 1e-12));
  // The switch before each job is service, too.
  const deterministic_service with_switch{1.1 * hour};
  CHECK_THAT(time_slicing_response(jobs, rate, {1 * hour, 0.1 * hour}) / hour,
             WithinRel(fcfs_wait(with_switch, rate).response() / hour, 1e-12));
  const auto random = exponential_service(1 * hour);
  CHECK_THAT(time_slicing_response(random, rate, {96 * hour, 0 * hour}) / hour,
             WithinRel(fcfs_wait(random, rate).response() / hour, 1e-9));
}

TEST_CASE("short turns: processor sharing", "[queue][limits]") {
  const per_second rate = 0.6 / hour;
  const time_slice slice{0.01 * hour, 0 * hour};
  for (const seconds size : {0.5 * hour, 2 * hour, 5 * hour})
    CHECK_THAT(time_slicing_response(exponential_service(1 * hour), rate, slice, size) / size,
               WithinRel(1 / (1 - 0.6), 0.01));
  const lognormal_service heavy{1 * hour, 2};
  const per_second slow = 0.6 / mean_service(heavy);
  CHECK_THAT(time_slicing_response(heavy, slow, {0.01 * mean_service(heavy), 0 * hour}) /
                 mean_service(heavy),
             WithinRel(1 / (1 - 0.6), 0.02));
}

TEST_CASE("no order by turns changes the mean of exponential jobs", "[queue][reference]") {
  // No policy that is blind to what is left does: S / (1 - rho), near saturation, too.
  const auto jobs = exponential_service(1 * second);
  for (const double rho : {0.9, 0.999, 0.9999})
    for (const double turn : {0.5, 5.0, 50.0}) {
      CAPTURE(rho, turn);
      const time_slice slice{turn * second, 0 * second};
      CHECK_THAT(time_slicing_response(jobs, rho / second, slice) / second,
                 WithinRel(1 / (1 - rho), 1e-6));
    }
}

TEST_CASE("the mean over turns is that of the sizes", "[queue][property]") {
  const std::vector<seconds> sizes{1 * hour, 1 * hour, 2.5 * hour, 7 * hour};
  const empirical_service jobs(sizes);
  const per_second rate = 0.8 / mean_service(jobs);
  const time_slice slice{0.7 * hour, 1 * minute};
  seconds sum{};
  for (const auto& [size, share] : jobs.atoms())
    sum += share * time_slicing_response(jobs, rate, slice, size);
  CHECK_THAT(time_slicing_response(jobs, rate, slice) / hour, WithinRel(sum / hour, 1e-12));
}

TEST_CASE("a size of whole turns but for rounding takes these turns alone", "[queue][property]") {
  // 3 turns of 0.7 s are 2.0999999999999996 s.
  const std::vector<seconds> sizes{2.1 * second};
  const empirical_service jobs(sizes);
  const auto mean_with = [&](double quantum) {
    return time_slicing_response(jobs, 0.3 / second, {quantum * second, 0.07 * second});
  };
  const time_slice slice{0.7 * second, 0.07 * second};
  const seconds own = time_slicing_response(jobs, 0.3 / second, slice, 2.1 * second);
  CHECK_THAT(mean_with(0.7) / second, WithinRel(own / second, 1e-9));
  CHECK_THAT(mean_with(0.7) / second, WithinRel(mean_with(0.7000000001) / second, 1e-6));
}

TEST_CASE("switches may take what is left of the GPU", "[queue][limits]") {
  const auto jobs = exponential_service(1 * hour);
  CHECK(std::isinf(time_slicing_response(jobs, 0.8 / hour, {6 * minute, 2 * minute}) / hour));
  CHECK(std::isinf(time_slicing_response(jobs, 0.8 / hour, {6 * minute, 2 * minute}, 1 * hour) /
                   hour));
  CHECK(time_slicing_response(jobs, 0 / hour, {6 * minute, 0 * minute}, 1 * hour) == 1 * hour);
}

TEST_CASE("turns refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto jobs = exponential_service(1 * hour);
  CHECK_THROWS_AS(mean_turns(jobs, {0 * hour, 0 * hour}), invalid_input);
  CHECK_THROWS_AS(mean_turns(jobs, {1 * hour, nan * hour}), invalid_input);
  CHECK_THROWS_AS(time_slicing_response(jobs, nan / hour, {1 * hour, 0 * hour}), invalid_input);
  CHECK_THROWS_AS(time_slicing_response(jobs, 0.5 / hour, {1 * hour, 0 * hour}, nan * hour),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
