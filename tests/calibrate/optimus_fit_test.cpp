#include <gpuplan/calibrate/optimus_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::check_property;

optimus_speed random_speed() {
  const auto time = [] { return *rc::gen::inRange(0, 1000) / 1000.0 * second; };
  return {.sample = time() / 50,
          .step = time(),
          .traffic = time(),
          .per_worker = time() / 10,
          .per_server = time() / 10};
}

std::vector<optimus_tasks> grid() {
  std::vector<optimus_tasks> all;
  for (const int servers : {1, 2, 4, 7})
    for (const int workers : {1, 2, 3, 8, 16}) all.push_back({servers, workers});
  return all;
}

bool same(seconds found, seconds wanted, seconds step) {
  return (larger(found, wanted) - smaller(found, wanted)) / step <= 1e-9;
}

TEST_CASE("a speed that was comes back, terms of 0 s included", "[calibrate][property]") {
  check_property("synchronous steps", [] {
    const optimus_speed speed = random_speed();
    std::vector<optimus_measurement> steps;
    for (const optimus_tasks& tasks : grid()) {
      const double batch = 32.0 * *rc::gen::inRange(1, 20);
      steps.push_back({tasks, batch, synchronous_step_time(speed, tasks, batch)});
      RC_PRE(steps.back().step_time > 0 * second);
    }
    const optimus_speed_fit fit = fit_synchronous_speed(steps);
    RC_ASSERT(fit.largest_error < 1e-10);
    RC_ASSERT(same(fit.speed.sample, speed.sample, 1 * second));
    RC_ASSERT(same(fit.speed.step, speed.step, 1 * second));
    RC_ASSERT(same(fit.speed.traffic, speed.traffic, 1 * second));
    RC_ASSERT(same(fit.speed.per_worker, speed.per_worker, 1 * second));
    RC_ASSERT(same(fit.speed.per_server, speed.per_server, 1 * second));
  });
  check_property("asynchronous steps", [] {
    const optimus_speed speed = random_speed();
    RC_PRE(speed.step > 0 * second);
    std::vector<optimus_measurement> steps;
    for (const optimus_tasks& tasks : grid())
      steps.push_back({.tasks = tasks, .step_time = 1 / asynchronous_step_rate(speed, tasks)});
    const optimus_speed_fit fit = fit_asynchronous_speed(steps);
    RC_ASSERT(fit.largest_error < 1e-10);
    RC_ASSERT(fit.speed.sample == 0 * second);
    RC_ASSERT(same(fit.speed.step, speed.step, 1 * second));
    RC_ASSERT(same(fit.speed.traffic, speed.traffic, 1 * second));
    RC_ASSERT(same(fit.speed.per_worker, speed.per_worker, 1 * second));
    RC_ASSERT(same(fit.speed.per_server, speed.per_server, 1 * second));
  });
}

TEST_CASE("noise of a tenth costs no more than itself", "[calibrate]") {
  constexpr optimus_speed speed{.sample = 10 * ms,
                                .step = 20 * ms,
                                .traffic = 8 * ms,
                                .per_worker = 1 * ms,
                                .per_server = 2 * ms};
  std::vector<optimus_measurement> steps;
  double noise = 0.1;
  for (const optimus_tasks& tasks : grid()) {
    steps.push_back({tasks, 64, (1 + noise) * synchronous_step_time(speed, tasks, 64)});
    noise = -noise;
  }
  const optimus_speed_fit fit = fit_synchronous_speed(steps);
  CHECK(fit.typical_error <= 0.11);
  for (const optimus_tasks& tasks : grid())
    CHECK_THAT(
        synchronous_step_time(fit.speed, tasks, 64) / synchronous_step_time(speed, tasks, 64),
        WithinRel(1, 0.1));
}

std::vector<loss_point> run_of(const optimus_loss& curve, int points, double every) {
  std::vector<loss_point> run;
  for (int i = 0; i < points; ++i)
    run.push_back({.step = i * every, .loss = loss_after(curve, i * every)});
  return run;
}

TEST_CASE("a loss curve that was comes back", "[calibrate][property]") {
  check_property("all three parameters", [] {
    const optimus_loss curve{.slope = std::exp(*rc::gen::inRange(-100, 1) / 10.0),
                             .start = *rc::gen::inRange(5, 200) / 100.0,
                             .floor = *rc::gen::inRange(0, 300) / 100.0};
    // Long enough to see the curve bend: the first part falls to a tenth.
    const double every = 10 * curve.start / curve.slope / 60;
    const optimus_loss_fit fit = fit_loss(run_of(curve, 60, every));
    RC_ASSERT(fit.typical_error < 1e-8);
    RC_ASSERT(std::abs(fit.curve.slope / curve.slope - 1) < 1e-4);
    RC_ASSERT(std::abs(fit.curve.start / curve.start - 1) < 1e-4);
    RC_ASSERT(std::abs(fit.curve.floor - curve.floor) < 1e-4);
  });
}

TEST_CASE("no curve beside the fitted one comes closer", "[calibrate]") {
  std::vector<loss_point> run = run_of({.slope = 0.02, .start = 0.2, .floor = 1.5}, 90, 5);
  for (std::size_t i = 0; i < run.size(); ++i)
    run[i].loss *= 1 + 0.05 * std::sin(static_cast<double>(i * i));
  const auto error = [&](const optimus_loss& curve) {
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const double weight = std::pow(16, static_cast<double>(3 * i / run.size()));
      const double off = loss_after(curve, run[i].step) - run[i].loss;
      sum += weight * off * off;
      weights += weight;
    }
    return std::sqrt(sum / weights);
  };
  const optimus_loss_fit fit = fit_loss(run);
  CHECK_THAT(fit.typical_error, WithinRel(error(fit.curve), 1e-10));
  for (const double step : {0.999, 1.001}) {
    CHECK(error({fit.curve.slope * step, fit.curve.start, fit.curve.floor}) > fit.typical_error);
    CHECK(error({fit.curve.slope, fit.curve.start * step, fit.curve.floor}) > fit.typical_error);
    CHECK(error({fit.curve.slope, fit.curve.start, fit.curve.floor * step}) > fit.typical_error);
  }
  CHECK_THAT(fit.curve.floor, WithinRel(1.5, 0.05));
  // The last third weighs most: without weights it is fitted less closely.
  const optimus_loss_fit plain = fit_loss(run, {.later_thirds = 1});
  CHECK(plain.curve.floor != fit.curve.floor);
  CHECK(error(plain.curve) > fit.typical_error);
}

TEST_CASE("measurements that are none are refused", "[calibrate][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using steps = std::vector<optimus_measurement>;
  CHECK_THROWS_WITH(fit_synchronous_speed({}), "fit_synchronous_speed: steps must be >= 1");
  CHECK_THROWS_AS(fit_asynchronous_speed({}), invalid_input);
  CHECK_THROWS_AS(fit_synchronous_speed(steps{{{1, 1}, 0, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_synchronous_speed(steps{{{1, 1}, 1, 0 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_synchronous_speed(steps{{{0, 1}, 1, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_asynchronous_speed(steps{{{1, 1}, 1, nan * second}}), invalid_input);

  using run = std::vector<loss_point>;
  CHECK_THROWS_AS(fit_loss(run{{0, 3}, {1, 2}}), invalid_input);
  CHECK_THROWS_AS(fit_loss(run{{0, 3}, {1, 0}, {2, 1}}), invalid_input);
  CHECK_THROWS_AS(fit_loss(run{{0, 3}, {2, 2}, {1, 1}}), invalid_input);
  CHECK_THROWS_AS(fit_loss(run{{0, 3}, {1, nan}, {2, 1}}), invalid_input);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(fit_loss(run{{-1, 3}, {1, 2}, {2, 1}}),
                    "loss_point.step must be >= 0 and finite");
  CHECK_THROWS_WITH(fit_loss(run{{0, 3}, {1, 2}, {infinity, 1}}),
                    "loss_point.step must be >= 0 and finite");
  CHECK_THROWS_WITH(fit_loss(run{{0, infinity}, {1, 2}, {2, 1}}),
                    "loss_point.loss must be > 0 and finite");
  CHECK_THROWS_WITH(fit_loss(run{{0, 1}, {1, 2}, {2, 3}}),
                    "fit_loss: some loss must lie below the first one");
  CHECK_THROWS_AS(fit_loss(run{{0, 3}, {1, 2}, {2, 1}}, {.later_thirds = 0.5}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
