#pragma once
/// \file
/// Pollux's fit of a running job: the seven numbers of its speed, from the steps that it has done.

#include <array>
#include <cmath>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/bounded_least_squares.hpp>
#include <gpuplan/calibrate/pollux_fit_errors.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/pollux.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What was fitted, how close it comes, and what the steps say nothing of.
struct pollux_speed_fit {
  pollux_speed speed{};
  double gradient_error = 0;    ///< root mean square of the errors of ln T_grad
  double step_error = 0;        ///< of ln T
  bool batch_known = false;     ///< two batches were seen: else half of T_grad is taken as constant
  bool network_known = false;   ///< steps between nodes were seen: else 1.1 times those on a node
  bool node_known = false;      ///< steps of replicas on a node were seen: else these take no time
  bool replicas_known = false;  ///< more than two were seen: else more cost nothing
};

/// The numbers of pollux_step_time that come closest to measured steps.
///
///     min  rms(ln T - ln T_measured) + rms(ln T_grad - ln T_grad,measured)
///          + 0.001 (g - 1)^2 + 0.01 ((b_n/a_n)^2 + (b_r/a_r)^2)
///
///     T, T_grad      step_time, gradient of steps   s, > 0
///     a, b, g        as in pollux_step_time: times from 1e-8 s up, g from 1 to 10
///
/// The last two terms prefer no overlap and cheap replicas where the steps do not say: those of
/// Pollux, as are its rules for what was never seen (batch_known and the others), which make it
/// try what it has not tried. They also draw what was seen: of a job of g = 10 without
/// noise g comes out as 4.9 and steps with an rms of 1.8%, at g of 1 to 2.5 as they were.
///
/// Non-negative least squares start it at six overlaps, from none to all; from each the sum is
/// lowered by least squares weighted anew with 1/rms, and the lowest is taken. Pollux starts once,
/// from fixed numbers, by L-BFGS-B.
///
/// Source: A. Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep
/// Learning", OSDI (2021), section 4.1, and its program: petuum/adaptdl, goodput.py. The weights:
/// D. R. Hunter and K. Lange, "A Tutorial on MM Algorithms", American Statistician 58 (2004) 30-37.
///
/// \throws invalid_input if there are no steps, or one is invalid
inline pollux_speed_fit fit_pollux_speed(std::span<const pollux_measurement> steps) {
  require(!steps.empty(), "fit_pollux_speed: steps must be >= 1");
  pollux_speed_fit fit;
  seconds gradients;
  for (const pollux_measurement& step : steps) {
    require_valid(step.placement);
    require(step.gradient > seconds{0} && step.gradient < seconds{1e300},
            "pollux_measurement.gradient must be > 0 s and finite");
    require(step.step_time > seconds{0} && step.step_time < seconds{1e300},
            "pollux_measurement.step_time must be > 0 s and finite");
    const pollux_placement& on = step.placement;
    gradients += step.gradient;
    fit.batch_known |= on.batch_per_replica != steps.front().placement.batch_per_replica;
    fit.network_known |= on.nodes > 1;
    fit.node_known |= on.nodes == 1 && on.replicas > 1;
    fit.replicas_known |= on.replicas > 2;
  }

  constexpr double least = detail::least_pollux_time;
  const double count = static_cast<double>(steps.size());
  const Eigen::Index rows = 2 * static_cast<Eigen::Index>(steps.size());

  Eigen::VectorXd low = Eigen::VectorXd::Constant(7, std::log(least));
  Eigen::VectorXd high = Eigen::VectorXd::Constant(7, std::log(1e300));
  low(6) = 1;
  high(6) = 10;
  if (!fit.batch_known)
    low(0) = high(0) = std::log(std::fmax(gradients / seconds{2 * count}, least));
  const auto fix = [&](Eigen::Index j) { high(j) = low(j); };
  if (!fit.network_known) fix(2);
  if (!fit.network_known || !fit.replicas_known) fix(3);
  if (!fit.node_known) fix(4);
  if (!fit.node_known || !fit.replicas_known) fix(5);

  const auto errors = [&](const Eigen::VectorXd& x) { return detail::pollux_errors(steps, x); };
  const auto rms = [&](const Eigen::VectorXd& value, Eigen::Index first) {
    return value.segment(first, rows / 2).norm() / std::sqrt(count);
  };
  const auto sum_of = [&](const Eigen::VectorXd& value) {
    return rms(value, 0) + rms(value, rows / 2) + value.tail(3).squaredNorm();
  };

  double lowest = 1e308;
  for (const double exponent : {1.0, 1.25, 1.75, 2.5, 5.0, 10.0}) {
    Eigen::VectorXd x = detail::pollux_start(steps, exponent).cwiseMax(2 * least);
    x.head(6) = x.head(6).array().log();
    x = x.cwiseMax(low).cwiseMin(high);
    // rms <= (rms^2 / w + w) / 2 with equality at w = rms: lowering the right lowers the left.
    double before = sum_of(errors(x).value);
    for (int round = 0; round < 60; ++round) {
      const Eigen::VectorXd here = errors(x).value;
      constexpr double exact = 1e-7;
      const std::array weights{1 / std::sqrt(2 * count * (rms(here, 0) + exact)),
                               1 / std::sqrt(2 * count * (rms(here, rows / 2) + exact))};
      const auto weighted = [&](const Eigen::VectorXd& at) {
        residuals r = errors(at);
        r.value.head(rows / 2) *= weights[0];
        r.change.topRows(rows / 2) *= weights[0];
        r.value.segment(rows / 2, rows / 2) *= weights[1];
        r.change.middleRows(rows / 2, rows / 2) *= weights[1];
        return r;
      };
      x = bounded_least_squares(weighted, x, low, high, 8).x;
      const double after = sum_of(errors(x).value);
      const bool still = before - after <= 1e-10 * before;
      before = after;
      if (still) break;
    }
    if (before >= lowest) continue;
    lowest = before;
    const Eigen::VectorXd value = errors(x).value;
    fit.gradient_error = rms(value, 0);
    fit.step_error = rms(value, rows / 2);
    fit.speed = detail::pollux_speed_of(detail::pollux_numbers(x));
  }
  if (!fit.network_known) {
    fit.speed.network_constant = 1.1 * fit.speed.node_constant;
    fit.speed.network_per_replica = 1.1 * fit.speed.node_per_replica;
  }
  return fit;
}

}  // namespace gpuplan
