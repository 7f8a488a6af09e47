#pragma once
/// \file
/// A collective from measured times of messages: the three numbers of its curve, or the curve.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What of the model is fitted.
enum class collective_form : unsigned char {
  alpha_beta,  ///< t0 + m / B
  pipelined    ///< t0 + 2 sqrt(f m / B) + m / B
};

/// A fitted curve, and how well it fits.
struct collective_fit {
  pipelined_link link{};
  fit_quality quality{};
  bytes least{};  ///< messages from here
  bytes most{};   ///< to here were measured
  /// One standard error of each number, from the residuals; infinite where samples are too few.
  seconds latency_error{std::numeric_limits<double>::infinity()};
  double bandwidth_error = std::numeric_limits<double>::infinity();  ///< relative
};

namespace detail {

/// Weights of Huber: 1 up to 1.345 times the spread of the residuals, then falling. With 1.345 a
/// fit to normal errors is 95 % as sure as least squares; 1.4826 times the median error is the
/// standard deviation of normal ones. No spread is taken below 1e-9, where residuals are rounding.
///
/// Source: P. W. Holland and R. E. Welsch, "Robust regression using iteratively reweighted
/// least-squares", Communications in Statistics A 6 (1977) 813-827, table 1.
inline Eigen::VectorXd huber_weights(const Eigen::VectorXd& residuals) {
  std::vector<double> sizes(static_cast<std::size_t>(residuals.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = std::abs(residuals(static_cast<Eigen::Index>(i)));
  const double spread = std::max(1.4826 * quantile_of(std::move(sizes), 0.5), 1e-9);
  return (1.345 * spread / residuals.array().abs().max(1e-300)).min(1.0).matrix();
}

/// Standard error of one unknown of a weighted fit, from its residuals.
inline double standard_error(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights,
                             const Eigen::VectorXd& residuals, Eigen::Index unknown) {
  const Eigen::MatrixXd normal = rows.transpose() * weights.asDiagonal() * rows;
  const Eigen::VectorXd scale = normal.diagonal().cwiseSqrt().cwiseMax(1e-300);
  const Eigen::MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * normal * scale.cwiseInverse().asDiagonal();
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(rows.cols());
  unit(unknown) = 1;
  const double inverse = scaled.ldlt().solve(unit)(unknown);
  const double variance = (weights.array() * residuals.array().square()).sum() /
                          static_cast<double>(rows.rows() - rows.cols());
  return std::sqrt(std::max(0.0, inverse) * variance) / scale(unknown);
}

}  // namespace detail

/// Fits the curve of a collective, or a link, to measured times: least squares of relative errors,
/// no number negative, and robust, so that a few wrong rows of a log do not bend it.
///
///     min sum w_i (said_i / measured_i - 1)^2,    w_i of Huber, made anew until they stay
///
/// Needs two samples for alpha_beta, three for pipelined. Where the samples say nothing of the rate
/// (all times alike) the bandwidth is a million times that of the largest message, so that it adds
/// nothing that could be seen.
///
/// Source: P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical
/// Statistics 35 (1964) 73-101; C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974).
///
/// \throws invalid_input if there are too few samples, or one is not > 0 and finite
inline collective_fit fit_collective(std::span<const transfer_sample> samples,
                                     collective_form form = collective_form::pipelined) {
  const Eigen::Index numbers = form == collective_form::pipelined ? 3 : 2;
  require(static_cast<Eigen::Index>(samples.size()) >= numbers,
          "fit_collective: samples must be >= the numbers to fit");
  for (const transfer_sample& sample : samples) require_valid(sample);
  const auto count = static_cast<Eigen::Index>(samples.size());
  // Columns: 1, m, sqrt(m), each over the measured time, so that a row's residual is relative.
  Eigen::MatrixXd rows(count, numbers);
  for (Eigen::Index i = 0; i < count; ++i) {
    const transfer_sample& sample = samples[static_cast<std::size_t>(i)];
    const double m = sample.message.in_base_units();
    const double t = sample.time.in_base_units();
    rows(i, 0) = 1 / t;
    rows(i, 1) = m / t;
    if (numbers == 3) rows(i, 2) = std::sqrt(m) / t;
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(count);
  Eigen::VectorXd weights = ones;
  Eigen::VectorXd x;
  Eigen::VectorXd residuals;
  for (int round = 0; round < 50; ++round) {
    const Eigen::VectorXd root = weights.cwiseSqrt();
    x = non_negative_least_squares(root.asDiagonal() * rows, root).x;
    residuals = rows * x - ones;
    const Eigen::VectorXd next = detail::huber_weights(residuals);
    const double change = (next - weights).cwiseAbs().maxCoeff();
    weights = next;
    if (change < 1e-6) break;
  }

  collective_fit fit;
  const auto [least, most] =
      std::minmax_element(samples.begin(), samples.end(),
                          [](const auto& a, const auto& b) { return a.message < b.message; });
  fit.least = least->message;
  fit.most = most->message;
  fit.link.latency = seconds{x(0)};
  fit.link.bandwidth = x(1) > 0 ? bytes_per_second{1 / x(1)} : 1e6 * (most->message / most->time);
  // c sqrt(m) = 2 sqrt(f m / B)
  if (numbers == 3) fit.link.fill = seconds{x(2) * x(2) / 4 * fit.link.bandwidth.in_base_units()};
  std::vector<double> errors(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    errors[i] = pipelined_time(fit.link, samples[i].message).total() / samples[i].time - 1;
  fit.quality = quality_of(errors);
  fit.quality.outliers = static_cast<std::size_t>((weights.array() < 0.5).count());
  if (count > numbers) {
    fit.latency_error = seconds{detail::standard_error(rows, weights, residuals, 0)};
    if (x(1) > 0) fit.bandwidth_error = detail::standard_error(rows, weights, residuals, 1) / x(1);
  }
  return fit;
}

}  // namespace gpuplan
