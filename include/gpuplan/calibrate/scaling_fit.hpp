#pragma once
/// \file
/// Fits laws of scaling to measured times: Amdahl's law, the USL, and B_half of a batch.

#include <algorithm>
#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/relative_least_squares.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/batch_size.hpp>
#include <gpuplan/scaling/usl.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The time that the same work took on some devices.
struct scaling_point {
  double devices = 1;  ///< >= 1
  seconds time{};      ///< > 0
};

/// Between which numbers of devices, or batches, a law was measured.
struct measured_range {
  double least{};
  double most{};
};

/// Amdahl's law of measured times, how close it comes, and how sure it is.
struct amdahl_fit {
  double parallel_part{};  ///< p, 0 to 1
  seconds one_device{};    ///< time on one
  fit_quality quality{};
  measured_range devices{};
  fit_interval<double> parallel_part_bounds{};
  fit_interval<seconds> one_device_bounds{};
};

/// The universal scalability law of measured times, likewise.
struct usl_fit {
  usl law{};
  seconds one_device{};  ///< time on one
  fit_quality quality{};
  measured_range devices{};
  fit_interval<double> contention_bounds{};
  fit_interval<double> coherency_bounds{};
  fit_interval<seconds> one_device_bounds{};
};

namespace detail {

inline Eigen::VectorXd times_of(std::span<const scaling_point> points, const char* few) {
  Eigen::VectorXd times(static_cast<Eigen::Index>(points.size()));
  bool vary = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    require(points[i].devices >= 1 && points[i].devices < 1e15,
            "scaling_point.devices must be >= 1 and < 1e15");
    require(points[i].time > seconds{0} && points[i].time < seconds{1e300},
            "scaling_point.time must be > 0 s and finite");
    times(static_cast<Eigen::Index>(i)) = points[i].time / seconds{1};
    vary |= points[i].devices != points.front().devices;
  }
  require(vary, few);
  return times;
}

/// From the least to the largest of a field of the points.
template <class Point>
measured_range range_of(std::span<const Point> points, double Point::*field) {
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(),
                          [field](const Point& a, const Point& b) { return a.*field < b.*field; });
  return {(*least).*field, (*most).*field};
}

/// No share is above 1.
inline fit_interval<double> share_of(fit_interval<double> bounds) {
  return {(std::min)(bounds.low, 1.0), (std::min)(bounds.high, 1.0)};
}

inline fit_interval<seconds> in_seconds(const fit_interval<double>& bounds) {
  return {seconds{bounds.low}, seconds{bounds.high}};
}

}  // namespace detail

/// The parallel part of amdahl_speed_up that comes closest to measured times.
///
///     T(n) = T_1 ((1 - p) + p / n)
///
///     n, T  devices, time of points   count, >= 1; s, > 0
///     T_1   one_device                s
///
/// Least squares of relative errors; p from 0 to 1, so that times that fall faster than 1/n come
/// out as p = 1 with an error that says so. Bounds from three points on.
///
/// Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale
/// computing capabilities", AFIPS Spring Joint Computer Conference (1967), 483-485.
///
/// \throws invalid_input if a point is invalid, or all have the same devices
inline amdahl_fit fit_amdahl(std::span<const scaling_point> points) {
  const Eigen::VectorXd times =
      detail::times_of(points, "fit_amdahl: points must have two numbers of devices or more");
  Eigen::MatrixXd terms = Eigen::MatrixXd::Ones(times.size(), 2);
  for (Eigen::Index i = 0; i < times.size(); ++i)
    terms(i, 1) = 1 / points[static_cast<std::size_t>(i)].devices;
  const relative_solution fit = relative_least_squares(terms, times);
  const double one = fit.x(0) + fit.x(1);
  const double part = fit.x(1) / one;
  return {.parallel_part = part,
          .one_device = seconds{one},
          .quality = fit.quality,
          .devices = detail::range_of(points, &scaling_point::devices),
          .parallel_part_bounds =
              detail::share_of(fit.interval(part, Eigen::Vector2d{-part / one, (1 - part) / one})),
          .one_device_bounds = detail::in_seconds(fit.interval(one, Eigen::Vector2d::Ones()))};
}

/// The coefficients of usl_speed_up that come closest to measured times.
///
///     T(n) = T_1 (1 + alpha (n - 1) + beta n (n - 1)) / n
///
///     n, T  devices, time of points, of the same work   count, >= 1; s, > 0
///     T_1   one_device                                  s
///
/// Linear in T_1, T_1 alpha and T_1 beta: least squares of relative errors, alpha from 0 to 1. Two
/// numbers of devices cannot tell alpha from beta: measure three or more, past the knee. Bounds
/// from four points on.
///
/// Source: N. J. Gunther, "A General Theory of Computational Scalability Based on Rational
/// Functions" (2008), arXiv:0808.1431.
///
/// \throws invalid_input if a point is invalid, or all have the same devices
inline usl_fit fit_usl(std::span<const scaling_point> points) {
  const Eigen::VectorXd times =
      detail::times_of(points, "fit_usl: points must have two numbers of devices or more");
  Eigen::MatrixXd terms(times.size(), 3);
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const double n = points[static_cast<std::size_t>(i)].devices;
    terms.row(i) << 1 / n, (n - 1) / n, n - 1;
  }
  relative_solution fit = relative_least_squares(terms, times);
  const relative_solution free = fit;  // its covariance holds where alpha is at its bound, too
  if (fit.x(1) > fit.x(0)) {           // alpha = 1: all of the work is done by one at a time
    Eigen::MatrixXd serial(times.size(), 2);
    serial.col(0) = terms.col(0) + terms.col(1);
    serial.col(1) = terms.col(2);
    fit = relative_least_squares(serial, times);
    fit.x = Eigen::VectorXd{{fit.x(0), fit.x(0), fit.x(1)}};
  }
  require(fit.x(0) > 0, "fit_usl: times must not all come from pairs of devices");
  const double one = fit.x(0);
  const double contention = fit.x(1) / one;
  const double coherency = fit.x(2) / one;
  return {
      .law = {.contention = contention, .coherency = coherency},
      .one_device = seconds{one},
      .quality = fit.quality,
      .devices = detail::range_of(points, &scaling_point::devices),
      .contention_bounds = detail::share_of(
          free.interval(contention, Eigen::Vector3d{-contention / one, 1 / one, 0})),
      .coherency_bounds = free.interval(coherency, Eigen::Vector3d{-coherency / one, 0, 1 / one}),
      .one_device_bounds = detail::in_seconds(free.interval(one, Eigen::Vector3d{1, 0, 0}))};
}

/// The time of a step of one batch.
struct batch_point {
  double batch{};  ///< samples, > 0
  seconds time{};  ///< > 0
};

/// The batch curve of measured steps, how close it comes, and how sure it is.
struct batch_curve_fit {
  batch_curve curve{};
  fit_quality quality{};
  measured_range batches{};
  fit_interval<per_second> plateau_bounds{};
  fit_interval<double> half_batch_bounds{};
};

/// The curve of batch_utilization that comes closest to measured steps.
///
///     T(B) = (B + B_half) / R_max
///
///     B, T  batch, time of points   samples, > 0; s, > 0
///
/// Least squares of relative errors. Two batches are enough, and give the curve through them where
/// their times allow one: B_half is 0 where the time grows faster than the batch. Bounds from three
/// points on.
///
/// Source: R. W. Hockney and C. R. Jesshope, "Parallel Computers", Hilger, Bristol (1981), section
/// 1.3: r_infinity and n_1/2.
///
/// \throws invalid_input if a point is invalid, all have the same batch, or the time does not grow
///         with the batch
inline batch_curve_fit fit_batch_curve(std::span<const batch_point> points) {
  Eigen::MatrixXd terms = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(points.size()), 2);
  Eigen::VectorXd times(terms.rows());
  bool vary = false;
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const batch_point& point = points[static_cast<std::size_t>(i)];
    require(point.batch > 0 && point.batch < 1e300, "batch_point.batch must be > 0 and finite");
    require(point.time > seconds{0} && point.time < seconds{1e300},
            "batch_point.time must be > 0 s and finite");
    terms(i, 0) = point.batch;
    times(i) = point.time / seconds{1};
    vary |= point.batch != points.front().batch;
  }
  require(vary, "fit_batch_curve: points must have two batches or more");
  const relative_solution fit = relative_least_squares(terms, times);
  require(fit.x(0) > 0, "fit_batch_curve: time must grow with the batch");
  const double a_sample = fit.x(0);
  const double half = fit.x(1) / a_sample;
  const fit_interval<double> plateau = inverse_of(fit.interval(0));
  return {.curve = {.plateau = per_second{1 / a_sample}, .half_batch = half},
          .quality = fit.quality,
          .batches = detail::range_of(points, &batch_point::batch),
          .plateau_bounds = {per_second{plateau.low}, per_second{plateau.high}},
          .half_batch_bounds = fit.interval(half, Eigen::Vector2d{-half / a_sample, 1 / a_sample})};
}

}  // namespace gpuplan
