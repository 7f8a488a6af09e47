#include <gpuplan/queue/impatient.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Patience as long as service: jobs in the system are Poisson, as with unlimited servers.
constexpr impatient_waiting even = impatient_wait({2 / second, 1 * second, 2}, 1 * second);
static_assert(even.jobs() > 2 - 1e-15 && even.jobs() < 2 + 1e-15);
static_assert(impatient_wait({0 / second, 1 * second, 2}, 1 * second).probability == 0);

TEST_CASE("patience without end is M/M/c, and none at all is M/M/c/c", "[queue][limits]") {
  const workload jobs{.arrival_rate = 14 / hour, .mean_service = 1 * hour, .servers = 16};
  const impatient_waiting patient = impatient_wait(jobs, 1e12 * hour);
  CHECK_THAT(patient.mean / hour, WithinRel(wait(jobs).mean / hour, 1e-9));
  CHECK_THAT(patient.probability, WithinRel(wait(jobs).probability, 1e-9));
  CHECK_THAT(impatient_wait(jobs, 1e-12 * hour).abandonment, WithinRel(erlang_b(16, 14), 1e-9));
}

TEST_CASE("overload is stable: what cannot be served gives up", "[queue][limits]") {
  const workload jobs{.arrival_rate = 200 / hour, .mean_service = 1 * hour, .servers = 100};
  const impatient_waiting w = impatient_wait(jobs, 1 * hour);
  CHECK_THAT(w.abandonment, WithinRel(0.5, 1e-12));
  CHECK_THAT(w.busy(), WithinRel(100.0, 1e-12));
  CHECK_THAT(impatient_wait(jobs, 100 * hour).queue_length(), WithinRel(10000.0, 1e-12));
}

TEST_CASE("patience without end where the load is that of the servers", "[queue][limits]") {
  // As many sums as there are servers times patience would take hours: lambda P is 1e17 and more.
  // With f = S/P and a = c, W_q -> sqrt(2 S P / (pi c)): the integrals are half a normal law.
  const auto at = [](double patience, double rate) {
    return impatient_wait({rate / second, 1 * second, 2}, patience * second);
  };
  for (const double patience : {1e17, 1e20, 1e30}) {
    const impatient_waiting w = at(patience, 2);
    CHECK_THAT(w.mean / second, WithinRel(std::sqrt(patience / std::numbers::pi), 1e-7));
    CHECK(w.probability > 1 - 1e-8);
    CHECK_THAT(w.abandonment, WithinRel(w.mean / (patience * second), 1e-14));
    // A little below the servers it is M/M/c.
    const workload near{.arrival_rate = 1.9999 / second, .mean_service = 1 * second, .servers = 2};
    CHECK_THAT(at(patience, 1.9999).mean / second, WithinRel(wait(near).mean / second, 1e-6));
  }
  CHECK(impatient_wait_tail({2 / second, 1 * second, 2}, 1e17 * second, 0 * second) <= 1);
}

TEST_CASE("the integrals of patient jobs are the sums of their weights", "[queue][reference]") {
  const double apart = GENERATE(-9e-4, -1e-5, -1e-7, 0.0, 1e-7, 5e-6);
  const double servers = GENERATE(2.0, 100.0);
  const double impatience = servers / 2e10;
  const double load = servers * (1 + apart);
  REQUIRE(detail::is_long_sum(load, servers, impatience));
  double sum = 0;
  double moment = 0;
  double weight = 1;
  for (double k = 0; k < 1e4 || weight > 1e-18; ++k) {
    sum += weight;
    moment += k * weight;
    weight *= load / (servers + (k + 1) * impatience);
  }
  const detail::impatient_states found = detail::patient_states_of(load, servers, impatience);
  CHECK_THAT(found.sum, WithinRel(sum, 1e-10));  // of which rounding in the sums is the most
  CHECK_THAT(found.moment, WithinRel(moment, 1e-10));
  CHECK(found.nobody.value() == 1);
}

TEST_CASE("tails of impatient jobs", "[queue][property]") {
  testing::check_property("from all that wait downwards, with the mean wait for area", [] {
    const int servers = *rc::gen::inRange(1, 50);
    const double rho = *rc::gen::inRange(100, 2000) / 1000.0;
    const seconds patience = *rc::gen::inRange(5, 1000) / 100.0 * hour;
    const workload jobs{rho * servers / hour, 1 * hour, servers};
    const impatient_waiting w = impatient_wait(jobs, patience);
    RC_ASSERT(std::abs(impatient_wait_tail(jobs, patience, 0 * hour) - w.probability) <= 1e-13);
    // The shorter of the wait offered and the patience: its tail falls, and its area is W_q.
    double area = 0;
    double before = w.probability;
    const seconds step = patience / 400;
    for (int i = 1; before > 1e-7; ++i) {
      const double middle = impatient_wait_tail(jobs, patience, (i - 0.5) * step);
      const double end = impatient_wait_tail(jobs, patience, i * step);
      RC_ASSERT(end <= middle);
      RC_ASSERT(middle <= before);
      area += (before + 4 * middle + end) / 6 * (step / hour);
      before = end;
    }
    RC_ASSERT(std::abs(area - w.mean / hour) <= 1e-4 * (w.mean / hour) + 1e-7 * (patience / hour));
  });
}

TEST_CASE("impatience refuses what is none", "[queue][errors]") {
  const workload jobs{.arrival_rate = 14 / hour, .mean_service = 1 * hour, .servers = 16};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(impatient_wait(jobs, 0 * hour), invalid_input);
  CHECK_THROWS_AS(impatient_wait(jobs, nan * hour), invalid_input);
  CHECK_THROWS_AS(impatient_wait(jobs, std::numeric_limits<double>::infinity() * hour),
                  invalid_input);
  CHECK_THROWS_AS(impatient_wait({1 / hour, 1 * hour, 0}, 1 * hour), invalid_input);
  CHECK_THROWS_AS(impatient_wait_tail(jobs, 1 * hour, -1 * hour), invalid_input);
  CHECK_THROWS_WITH(impatient_wait({2e9 / hour, 1 * hour, 1}, 1 * hour),
                    ContainsSubstring("1e9 jobs"));
}

}  // namespace
}  // namespace gpuplan
