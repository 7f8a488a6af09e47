#pragma once
/// \file
/// Optimus' fit of the speed of a running job: where the time of its steps goes.

#include <cstddef>
#include <span>

#include <Eigen/Core>

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

}  // namespace gpuplan
