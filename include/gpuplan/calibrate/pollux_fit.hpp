#pragma once
/// \file
/// The fit of Pollux: seven parameters of a job's speed, from the steps that it has done.

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/bounded_least_squares.hpp>
#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/pollux.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A measured step.
struct pollux_measurement {
  pollux_placement placement{};
  seconds gradient{};   ///< forward and backward pass of one micro-batch, without a reduction; > 0
  seconds step_time{};  ///< of the whole step, accumulation included; > 0
};

namespace detail {

/// a_c, b_c, a_n, b_n, a_r, b_r, g as the fit counts them.
inline pollux_speed pollux_speed_of(const Eigen::VectorXd& x) {
  return {.compute_constant = seconds{x(0)},
          .compute_per_sample = seconds{x(1)},
          .network_constant = seconds{x(2)},
          .network_per_replica = seconds{x(3)},
          .node_constant = seconds{x(4)},
          .node_per_replica = seconds{x(5)},
          .overlap = x(6)};
}

/// The numbers that do not overlap, each least squares of relative errors on its own: of T_grad,
/// then of T_sync = (T_update^g - T_grad^g)^(1/g).
inline Eigen::VectorXd pollux_start(std::span<const pollux_measurement> steps, double overlap) {
  const auto count = static_cast<Eigen::Index>(steps.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(7);
  Eigen::MatrixXd terms(count, 2);
  for (Eigen::Index i = 0; i < count; ++i) {
    const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
    terms.row(i) << 1, step.placement.batch_per_replica;
    terms.row(i) /= step.gradient / seconds{1};
  }
  x.head(2) = non_negative_least_squares(terms, Eigen::VectorXd::Ones(count)).x;

  for (const bool networked : {true, false}) {
    terms.setZero();
    for (Eigen::Index i = 0; i < count; ++i) {
      const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
      const double replicas = step.placement.replicas;
      if (replicas == 1 || (step.placement.nodes > 1) != networked) continue;
      const double update =
          (step.step_time - step.placement.accumulations * step.gradient) / step.gradient;
      const double reduction =
          update > 1 ? std::pow(std::pow(update, overlap) - 1, 1 / overlap) : 1e-3;
      terms.row(i) << 1, std::fmax(replicas - 2, 0);
      terms.row(i) /= reduction * (step.gradient / seconds{1});
    }
    Eigen::VectorXd seen(count);
    for (Eigen::Index i = 0; i < count; ++i) seen(i) = terms(i, 0) > 0 ? 1 : 0;
    x.segment(networked ? 2 : 4, 2) = non_negative_least_squares(terms, seen).x;
  }
  x(6) = overlap;
  return x;
}

/// What Pollux's program puts for no time at all, s.
constexpr double least_pollux_time = 1e-8;

/// The numbers of a parameter vector: times by their logarithms, so that no step of a fit makes one
/// negative; g as it is.
inline Eigen::VectorXd pollux_numbers(const Eigen::VectorXd& x) {
  Eigen::VectorXd numbers = x.array().exp();
  numbers(6) = x(6);
  return numbers;
}

/// Residuals of a parameter vector: first of ln T_grad, a row for each step, then of ln T, then the
/// roots of the three priors.
inline residuals pollux_errors(std::span<const pollux_measurement> steps,
                               const Eigen::VectorXd& x) {
  const Eigen::VectorXd of = pollux_numbers(x);
  const double g = of(6);
  const auto count = static_cast<Eigen::Index>(steps.size());
  residuals r{.value = Eigen::VectorXd::Zero(2 * count + 3),
              .change = Eigen::MatrixXd::Zero(2 * count + 3, 7)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
    const pollux_placement& on = step.placement;
    const double gradient = of(0) + of(1) * on.batch_per_replica;
    Eigen::RowVectorXd of_gradient = Eigen::RowVectorXd::Zero(7);  // d T_grad / d x
    of_gradient(0) = of(0);
    of_gradient(1) = of(1) * on.batch_per_replica;
    r.value(i) = std::log(gradient / (step.gradient / seconds{1}));
    r.change.row(i) = of_gradient / gradient;

    const Eigen::Index at = on.nodes > 1 ? 2 : 4;
    const double others = std::fmax(on.replicas - 2, 0);
    const double reduction = on.replicas > 1 ? of(at) + others * of(at + 1) : least_pollux_time;
    // (T_grad^g + T_sync^g)^(1/g), by ratios to the longer, so that nothing overflows
    const double longer = std::fmax(gradient, reduction);
    const double u = std::pow(gradient / longer, g);
    const double v = std::pow(reduction / longer, g);
    const double update = longer * std::pow(u + v, 1 / g);
    const double time = on.accumulations * gradient + update;
    Eigen::RowVectorXd of_time = (on.accumulations + update / gradient * u / (u + v)) * of_gradient;
    if (on.replicas > 1) {
      const double by_reduction = update / reduction * v / (u + v);
      of_time(at) += by_reduction * of(at);
      of_time(at + 1) += by_reduction * others * of(at + 1);
    }
    const auto times_log = [](double share) { return share > 0 ? share * std::log(share) : 0; };
    of_time(6) = update / (g * g) * ((times_log(u) + times_log(v)) / (u + v) - std::log(u + v));
    r.value(count + i) = std::log(time / (step.step_time / seconds{1}));
    r.change.row(count + i) = of_time / time;
  }
  r.value(2 * count) = std::sqrt(1e-3) * (g - 1);
  r.change(2 * count, 6) = std::sqrt(1e-3);
  for (const Eigen::Index at : {2, 4}) {
    const Eigen::Index row = 2 * count + at / 2;
    r.value(row) = 0.1 * of(at + 1) / of(at);
    r.change(row, at + 1) = r.value(row);
    r.change(row, at) = -r.value(row);
  }
  return r;
}

}  // namespace detail

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

namespace detail {

/// What steps of these placements can tell.
///
/// \throws invalid_input if a step is invalid
inline pollux_speed_fit pollux_seen(std::span<const pollux_measurement> steps) {
  pollux_speed_fit fit;
  for (const pollux_measurement& step : steps) {
    require_valid(step.placement);
    require(step.gradient > seconds{0} && step.gradient < seconds{1e300},
            "pollux_measurement.gradient must be > 0 s and finite");
    require(step.step_time > seconds{0} && step.step_time < seconds{1e300},
            "pollux_measurement.step_time must be > 0 s and finite");
    const pollux_placement& on = step.placement;
    fit.batch_known |= on.batch_per_replica != steps.front().placement.batch_per_replica;
    fit.network_known |= on.nodes > 1;
    fit.node_known |= on.nodes == 1 && on.replicas > 1;
    fit.replicas_known |= on.replicas > 2;
  }
  return fit;
}

/// The range of each parameter. What was not seen is held at its lowest.
struct pollux_bounds {
  Eigen::VectorXd low = Eigen::VectorXd::Constant(7, std::log(least_pollux_time));
  Eigen::VectorXd high = Eigen::VectorXd::Constant(7, std::log(1e300));
};

inline pollux_bounds pollux_bounds_of(const pollux_speed_fit& seen,
                                      std::span<const pollux_measurement> steps) {
  pollux_bounds bounds;
  bounds.low(6) = 1;
  bounds.high(6) = 10;
  if (!seen.batch_known) {
    seconds gradients;
    for (const pollux_measurement& step : steps) gradients += step.gradient;
    bounds.low(0) = bounds.high(0) = std::log(
        std::fmax(gradients / seconds{2 * static_cast<double>(steps.size())}, least_pollux_time));
  }
  const auto fix = [&](Eigen::Index j) { bounds.high(j) = bounds.low(j); };
  if (!seen.network_known) fix(2);
  if (!seen.network_known || !seen.replicas_known) fix(3);
  if (!seen.node_known) fix(4);
  if (!seen.node_known || !seen.replicas_known) fix(5);
  return bounds;
}

/// The sum that the fit lowers, of steps as measured.
class pollux_objective {
 public:
  explicit pollux_objective(std::span<const pollux_measurement> steps)
      : steps_{steps},
        rows_{static_cast<Eigen::Index>(steps.size())},
        count_{static_cast<double>(steps.size())} {}

  [[nodiscard]] Eigen::VectorXd errors(const Eigen::VectorXd& x) const {
    return pollux_errors(steps_, x).value;
  }
  /// Root mean square of the errors of ln T_grad.
  [[nodiscard]] double gradient_error(const Eigen::VectorXd& errors) const {
    return errors.head(rows_).norm() / std::sqrt(count_);
  }
  /// Of ln T.
  [[nodiscard]] double step_error(const Eigen::VectorXd& errors) const {
    return errors.segment(rows_, rows_).norm() / std::sqrt(count_);
  }
  [[nodiscard]] double sum(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd value = errors(x);
    return gradient_error(value) + step_error(value) + value.tail(3).squaredNorm();
  }

  /// Lowers the sum from a start within the bounds.
  ///
  /// rms <= (rms^2 / w + w) / 2 with equality at w = rms: lowering the right lowers the left.
  [[nodiscard]] Eigen::VectorXd lowered(Eigen::VectorXd x, const pollux_bounds& within) const {
    double before = sum(x);
    for (int round = 0; round < 60; ++round) {
      x = lower_weighted(x, within);
      const double after = sum(x);
      const bool still = before - after <= 1e-10 * before;
      before = after;
      if (still) break;
    }
    return x;
  }

 private:
  /// Lowers the sum of squares, weighted by the errors at x.
  [[nodiscard]] Eigen::VectorXd lower_weighted(const Eigen::VectorXd& x,
                                               const pollux_bounds& within) const {
    const Eigen::VectorXd here = errors(x);
    constexpr double exact = 1e-7;
    const std::array weights{1 / std::sqrt(2 * count_ * (gradient_error(here) + exact)),
                             1 / std::sqrt(2 * count_ * (step_error(here) + exact))};
    const auto weighted = [&](const Eigen::VectorXd& at) {
      residuals r = pollux_errors(steps_, at);
      r.value.head(rows_) *= weights[0];
      r.change.topRows(rows_) *= weights[0];
      r.value.segment(rows_, rows_) *= weights[1];
      r.change.middleRows(rows_, rows_) *= weights[1];
      return r;
    };
    return bounded_least_squares(weighted, x, within.low, within.high, 8).x;
  }

  std::span<const pollux_measurement> steps_;
  Eigen::Index rows_;
  double count_;
};

}  // namespace detail

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
  pollux_speed_fit fit = detail::pollux_seen(steps);
  const detail::pollux_bounds bounds = detail::pollux_bounds_of(fit, steps);
  const detail::pollux_objective objective{steps};

  double lowest = 1e308;
  for (const double exponent : {1.0, 1.25, 1.75, 2.5, 5.0, 10.0}) {
    Eigen::VectorXd start =
        detail::pollux_start(steps, exponent).cwiseMax(2 * detail::least_pollux_time);
    start.head(6) = start.head(6).array().log();
    const Eigen::VectorXd x =
        objective.lowered(start.cwiseMax(bounds.low).cwiseMin(bounds.high), bounds);
    const double sum = objective.sum(x);
    if (sum >= lowest) continue;
    lowest = sum;
    const Eigen::VectorXd errors = objective.errors(x);
    fit.gradient_error = objective.gradient_error(errors);
    fit.step_error = objective.step_error(errors);
    fit.speed = detail::pollux_speed_of(detail::pollux_numbers(x));
  }
  if (!fit.network_known) {
    fit.speed.network_constant = 1.1 * fit.speed.node_constant;
    fit.speed.network_per_replica = 1.1 * fit.speed.node_per_replica;
  }
  return fit;
}

}  // namespace gpuplan
