#include <gpuplan/calibrate/pollux_fit.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Numbers that the program of Pollux is shipped with, in the order of its PerfParams, of a job that
// overlaps little.
constexpr pollux_speed shipped{.compute_constant = 0.121 * second,
                               .compute_per_sample = 5.68 * ms,
                               .network_constant = 23.6 * ms,
                               .network_per_replica = 6.34 * ms,
                               .node_constant = 11.8 * ms,
                               .node_per_replica = 3.17 * ms,
                               .overlap = 1.14};

using steps_done = std::vector<pollux_measurement>;

/// Steps of up to `nodes` nodes and 8 replicas on each.
steps_done steps_of(const pollux_speed& speed, int nodes) {
  steps_done steps;
  for (int on = 1; on <= nodes; on *= 2)
    for (const int each : {1, 2, 8})
      for (const double batch : {16.0, 128.0})
        for (const int accumulations : {0, 2}) {
          const pollux_placement at{on, on * each, batch, accumulations};
          steps.push_back({at, speed.compute_constant + batch * speed.compute_per_sample,
                           pollux_step_time(speed, at)});
        }
  return steps;
}

/// What the fit makes as small as it can, summed by hand.
double objective(const steps_done& steps, const pollux_speed& speed) {
  double gradient = 0;
  double whole = 0;
  for (const pollux_measurement& step : steps) {
    const double batch = step.placement.batch_per_replica;
    const auto off = [](seconds a, seconds b) { return std::pow(std::log(a / b), 2); };
    gradient += off(speed.compute_constant + batch * speed.compute_per_sample, step.gradient);
    whole += off(pollux_step_time(speed, step.placement), step.step_time);
  }
  const double count = static_cast<double>(steps.size());
  return std::sqrt(gradient / count) + std::sqrt(whole / count) +
         1e-3 * std::pow(speed.overlap - 1, 2) +
         1e-2 * (std::pow(speed.network_per_replica / speed.network_constant, 2) +
                 std::pow(speed.node_per_replica / speed.node_constant, 2));
}

TEST_CASE("a speed that was comes back from its steps", "[calibrate][reference]") {
  const pollux_speed_fit fit = fit_pollux_speed(steps_of(shipped, 8));
  CHECK(fit.batch_known);
  CHECK(fit.network_known);
  CHECK(fit.node_known);
  CHECK(fit.replicas_known);
  CHECK(fit.gradient_error < 1e-6);
  CHECK(fit.step_error < 1e-6);
  CHECK_THAT(fit.speed.compute_constant / shipped.compute_constant, WithinRel(1, 1e-5));
  CHECK_THAT(fit.speed.compute_per_sample / shipped.compute_per_sample, WithinRel(1, 1e-5));
  CHECK_THAT(fit.speed.network_constant / shipped.network_constant, WithinRel(1, 1e-3));
  CHECK_THAT(fit.speed.network_per_replica / shipped.network_per_replica, WithinRel(1, 1e-3));
  CHECK_THAT(fit.speed.node_constant / shipped.node_constant, WithinRel(1, 1e-3));
  CHECK_THAT(fit.speed.node_per_replica / shipped.node_per_replica, WithinRel(1, 1e-3));
  CHECK_THAT(fit.speed.overlap, WithinRel(1.14, 1e-3));
}

TEST_CASE("no speed comes closer than the fitted one", "[calibrate]") {
  // The three others that vectors/scheduler_models.json has.
  const pollux_speed hidden{50 * ms, 2 * ms, 200 * ms, 10 * ms, 30 * ms, 1 * ms, 10};
  const pollux_speed plain{50 * ms, 2 * ms, 200 * ms, 10 * ms, 30 * ms, 1 * ms, 1};
  const pollux_speed slow{1 * ms, 1 * ms, 50 * ms, 1 * ms, 5 * ms, 0.1 * ms, 2.5};
  for (const pollux_speed& speed : {shipped, hidden, plain, slow})
    for (const double noise : {0.0, 0.1}) {
      steps_done steps = steps_of(speed, 2);
      for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i].step_time *= 1 + noise * std::sin(static_cast<double>(i * i));
      const pollux_speed fitted = fit_pollux_speed(steps).speed;
      const double least = objective(steps, fitted);
      CAPTURE(speed.overlap, noise, least);
      CHECK(least <= objective(steps, speed) + 1e-6);
      for (const double factor : {0.99, 1.01}) {
        for (seconds pollux_speed::*const member :
             {&pollux_speed::compute_constant, &pollux_speed::compute_per_sample,
              &pollux_speed::network_constant, &pollux_speed::node_constant,
              &pollux_speed::network_per_replica, &pollux_speed::node_per_replica}) {
          pollux_speed beside = fitted;
          beside.*member *= factor;
          CHECK(objective(steps, beside) >= least - 1e-6);
        }
        pollux_speed beside = fitted;
        beside.overlap = std::fmax(1, fitted.overlap * factor);
        CHECK(objective(steps, beside) >= least - 1e-6);
      }
    }
}

TEST_CASE("a fit says how far its steps are off", "[calibrate][facts]") {
  steps_done steps = steps_of(shipped, 8);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double off = i % 2 == 0 ? 0.02 : -0.02;
    steps[i].gradient *= std::exp(off);
    steps[i].step_time *= std::exp(off);
  }
  const pollux_speed_fit fit = fit_pollux_speed(steps);
  CHECK_THAT(fit.gradient_error, WithinRel(0.02, 0.05));
  CHECK(fit.step_error > 0.015);  // its constants take some of it
  CHECK(fit.step_error < 0.02);
}

TEST_CASE("slopes of the errors are their differences", "[calibrate][property]") {
  testing::check_property("central differences", [] {
    const steps_done steps = steps_of(shipped, 2);
    Eigen::VectorXd x(7);
    for (Eigen::Index j = 0; j < 6; ++j) x(j) = *rc::gen::inRange(-80, 10) / 10.0;
    x(6) = *rc::gen::inRange(11, 99) / 10.0;
    const residuals here = detail::pollux_errors(steps, x);
    for (Eigen::Index j = 0; j < 7; ++j) {
      constexpr double step = 1e-5;
      Eigen::VectorXd above = x;
      Eigen::VectorXd below = x;
      above(j) += step;
      below(j) -= step;
      const Eigen::VectorXd slope =
          (detail::pollux_errors(steps, above).value - detail::pollux_errors(steps, below).value) /
          (2 * step);
      RC_ASSERT((slope - here.change.col(j)).norm() <= 1e-6 * (1 + slope.norm()));
    }
  });
}

TEST_CASE("what a job has not tried is said, and taken for little", "[calibrate]") {
  const auto alone = fit_pollux_speed(steps_done{{{1, 1, 64, 0}, 200 * ms, 200 * ms}});
  CHECK_FALSE(alone.batch_known);
  CHECK_FALSE(alone.network_known);
  CHECK_FALSE(alone.node_known);
  CHECK_FALSE(alone.replicas_known);
  CHECK_THAT(alone.speed.compute_constant / ms, WithinRel(100, 1e-6));
  CHECK_THAT(alone.speed.compute_per_sample / ms, WithinRel(100.0 / 64, 1e-6));
  CHECK(alone.speed.node_constant <= 1.01e-8 * second);

  const auto one_node = fit_pollux_speed(steps_of(shipped, 1));
  CHECK_FALSE(one_node.network_known);
  CHECK(one_node.node_known);
  CHECK(one_node.speed.network_constant == 1.1 * one_node.speed.node_constant);
  CHECK(one_node.speed.network_per_replica == 1.1 * one_node.speed.node_per_replica);
  CHECK_THAT(one_node.speed.node_constant / shipped.node_constant, WithinRel(1, 0.02));
}

TEST_CASE("steps that are none are refused", "[calibrate][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(fit_pollux_speed({}), "fit_pollux_speed: steps must be >= 1");
  CHECK_THROWS_AS(fit_pollux_speed(steps_done{{{1, 1, 64, 0}, 0 * second, 1 * second}}),
                  invalid_input);
  CHECK_THROWS_AS(fit_pollux_speed(steps_done{{{1, 1, 64, 0}, 1 * second, nan * second}}),
                  invalid_input);
  CHECK_THROWS_AS(fit_pollux_speed(steps_done{{{2, 1, 64, 0}, 1 * second, 1 * second}}),
                  invalid_input);
}

TEST_CASE("with the right overlap the fit starts at what it looks for", "[calibrate]") {
  const Eigen::VectorXd start = detail::pollux_start(steps_of(shipped, 8), shipped.overlap);
  const double true_ones[] = {0.121, 5.68e-3, 23.6e-3, 6.34e-3, 11.8e-3, 3.17e-3, 1.14};
  for (Eigen::Index i = 0; i < 7; ++i) CHECK_THAT(start(i), WithinRel(true_ones[i], 1e-9));
}

}  // namespace
}  // namespace gpuplan
