#pragma once
/// \file
/// The fit of Optimus: the speed of a running job, and where the time of its steps goes.

#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/bounded_least_squares.hpp>
#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/calibrate/relative_least_squares.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/optimus.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A measured step.
struct optimus_measurement {
  optimus_tasks tasks{};
  double batch{};       ///< samples of all workers together; synchronous only; > 0
  seconds step_time{};  ///< of one step; asynchronous: of the workers together, 1/f; > 0
};

/// What was fitted, and how close it comes.
struct optimus_speed_fit {
  optimus_speed speed{};
  double typical_error = 0;  ///< root mean square of the relative errors of the step time
  double largest_error = 0;  ///< the largest of them
};

namespace detail {

template <class Row>
optimus_speed_fit fit_optimus_speed(std::span<const optimus_measurement> steps, Row row,
                                    const char* none) {
  require(!steps.empty(), none);
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(steps.size()), 5);
  Eigen::VectorXd times(terms.rows());
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const optimus_measurement& step = steps[static_cast<std::size_t>(i)];
    require_valid(step.tasks);
    require(step.step_time > seconds{0} && step.step_time < seconds{1e300},
            "optimus_measurement.step_time must be > 0 s and finite");
    terms.row(i) = row(step);
    times(i) = step.step_time / seconds{1};
  }
  const relative_solution fit = relative_least_squares(terms, times);
  return {.speed = {.sample = seconds{fit.x(0)},
                    .step = seconds{fit.x(1)},
                    .traffic = seconds{fit.x(2)},
                    .per_worker = seconds{fit.x(3)},
                    .per_server = seconds{fit.x(4)}},
          .typical_error = fit.typical_error,
          .largest_error = fit.largest_error};
}

}  // namespace detail

/// The times of synchronous_step_time that come closest to measured steps.
///
///     min over t >= 0 of  sum (T(t) / T_measured - 1)^2,
///     T = t_0 M/w + t_1 + t_2 w/p + t_3 w + t_4 p
///
///     M, w, p  batch, tasks of steps   samples, > 0; count
///     T        step_time               s, > 0
///
/// Linear in t, so that it has one answer and needs no start. Terms that never differ between the
/// steps cannot be told apart: vary workers, servers and batch.
///
/// Source: Y. Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning
/// Clusters", EuroSys (2018), section 3.2, non-negative least squares; relative errors are this
/// library's.
///
/// \throws invalid_input if there are no steps, or one is invalid
inline optimus_speed_fit fit_synchronous_speed(std::span<const optimus_measurement> steps) {
  const auto row = [](const optimus_measurement& step) {
    require(step.batch > 0 && step.batch < 1e300,
            "optimus_measurement.batch must be > 0 samples and finite");
    const double w = step.tasks.workers;
    const double p = step.tasks.servers;
    return Eigen::RowVectorXd{{step.batch / w, 1, w / p, w, p}};
  };
  return detail::fit_optimus_speed(steps, row, "fit_synchronous_speed: steps must be >= 1");
}

/// The times of asynchronous_step_rate that come closest to measured rates.
///
///     min over t >= 0 of  sum (T(t) / T_measured - 1)^2,
///     T = 1/f = (t_1 + t_2 w/p + t_3 w + t_4 p) / w
///
///     w, p  tasks of steps   count
///     T     step_time, 1/f   s, > 0
///
/// Batches play no part, and sample stays 0. See fit_synchronous_speed.
///
/// Source: Y. Peng et al., "Optimus", EuroSys (2018), section 3.2.
///
/// \throws invalid_input if there are no steps, or one is invalid
inline optimus_speed_fit fit_asynchronous_speed(std::span<const optimus_measurement> steps) {
  const auto row = [](const optimus_measurement& step) {
    const double w = step.tasks.workers;
    const double p = step.tasks.servers;
    return Eigen::RowVectorXd{{0, 1 / w, 1 / p, 1, p / w}};
  };
  return detail::fit_optimus_speed(steps, row, "fit_asynchronous_speed: steps must be >= 1");
}

/// A loss on the way.
struct loss_point {
  double step{};  ///< or epoch; >= 0
  double loss{};  ///< > 0
};

/// How to weigh the points of a run.
struct loss_fit_options {
  double later_thirds = 4;  ///< what a point weighs beside one of the third before it; >= 1
};

/// What was fitted, and how close it comes.
struct optimus_loss_fit {
  optimus_loss curve{};
  double typical_error = 0;  ///< root mean square of the weighted errors, as a loss
};

/// The curve of loss_after that comes closest to the losses of a run.
///
///     min over b >= 0 of  sum v_i^2 (l(k_i) - l_i)^2 / sum v_i^2,   l(k) = 1 / (b_0 k + b_1) + b_2
///
///     k, l  points, in the order of the steps   steps, >= 0; loss, > 0
///     v     1, 4, 16 in the first, second and last third of the points, as Optimus' program has it
///
/// For each of a grid of b_2 the rest is linear in 1 / (l - b_2), non-negative least squares; the
/// best is then refined over all three. A floor b_2 that the run is far from is poorly known.
///
/// Source: Y. Peng et al., "Optimus", EuroSys (2018), section 3.1; the weights are those of its
/// program, pengyanghua/optimus, estimator.py.
///
/// \throws invalid_input if points are fewer than 3, one is invalid, or no loss lies below another
///         of an earlier step
inline optimus_loss_fit fit_loss(std::span<const loss_point> points,
                                 const loss_fit_options& options = {}) {
  require(points.size() >= 3, "fit_loss: points must be >= 3");
  require(options.later_thirds >= 1 && options.later_thirds <= 1e6,
          "loss_fit_options.later_thirds must be from 1 to 1e6");
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::VectorXd step(count);
  Eigen::VectorXd loss(count);
  Eigen::VectorXd weight(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const loss_point& point = points[static_cast<std::size_t>(i)];
    require(point.step >= 0 && point.step < 1e300, "loss_point.step must be >= 0 and finite");
    require(point.loss > 0 && point.loss < 1e300, "loss_point.loss must be > 0 and finite");
    require(i == 0 || point.step >= step(i - 1), "fit_loss: points must be in the order of steps");
    step(i) = point.step;
    loss(i) = point.loss;
    weight(i) = std::pow(options.later_thirds, static_cast<double>(3 * i / count));
  }
  weight /= weight.norm();
  const double last = step.maxCoeff();
  const double lowest = loss.minCoeff();
  require(last > step.minCoeff() && lowest < loss(0),
          "fit_loss: some loss must lie below the first one");

  /// x = b_0 last, b_1, b_2
  const auto model = [&](const Eigen::VectorXd& x) {
    const Eigen::ArrayXd part = 1 / (x(0) * step.array() / last + x(1));
    residuals of{.value = (part + x(2) - loss.array()) * weight.array(),
                 .change = Eigen::MatrixXd(count, 3)};
    of.change.col(0) = -part.square() * step.array() / last * weight.array();
    of.change.col(1) = -part.square() * weight.array();
    of.change.col(2) = weight;
    return of;
  };
  constexpr int floors = 40;
  const Eigen::VectorXd low{{1e-12 / loss(0), 1e-12 / loss(0), 0}};
  const Eigen::VectorXd high{{1e300, 1e300, lowest}};
  bounded_solution best{.residual = 1e308};
  for (int i = 0; i < floors; ++i) {
    const double floor = lowest * (1 - std::pow(0.75, i));
    const Eigen::ArrayXd above = loss.array() - floor;
    Eigen::MatrixXd terms(count, 2);  // weighted so that errors are those of the loss
    terms.col(0) = weight.array() * above.square() * step.array() / last;
    terms.col(1) = weight.array() * above.square();
    const Eigen::VectorXd right = weight.array() * above;
    Eigen::VectorXd start(3);
    start << non_negative_least_squares(terms, right).x, floor;
    start = start.cwiseMax(low).cwiseMin(high);
    const bounded_solution found = bounded_least_squares(model, start, low, high, 5);
    if (found.residual < best.residual) best = found;
  }
  best = bounded_least_squares(model, best.x, low, high);
  return {.curve = {.slope = best.x(0) / last, .start = best.x(1), .floor = best.x(2)},
          .typical_error = best.residual};
}

}  // namespace gpuplan
