#pragma once
/// \file
/// What takes how much of a measured sum, by least squares of relative errors.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// How much a row counts.
enum class row_weights {
  equal,
  huber  ///< less the farther it is off, so that a few wrong rows do not bend the fit
};

/// The parts of a sum, and how close it comes to what was measured.
struct relative_solution {
  Eigen::VectorXd x{};
  fit_quality quality{};
  Eigen::MatrixXd covariance{};  ///< of x; infinite where rows are too few or do not tell x apart
  int freedom = 0;               ///< rows less unknowns
  double typical_error = 0;      ///< root mean square of the relative errors
  double largest_error = 0;      ///< the largest of them

  /// The interval of a number made of x, to first order.
  ///
  ///     s^2 = g^T C g,    g  slopes: its derivatives by x
  [[nodiscard]] fit_interval<double> interval(double value, const Eigen::VectorXd& slopes) const {
    double variance = 0;
    for (Eigen::Index i = 0; i < slopes.size(); ++i)
      if (slopes(i) != 0) variance += slopes(i) * covariance.row(i).dot(slopes);
    return interval_around(value,
                           std::isfinite(variance) ? std::sqrt((std::max)(0.0, variance))
                                                   : std::numeric_limits<double>::infinity(),
                           freedom);
  }
  [[nodiscard]] fit_interval<double> interval(Eigen::Index unknown) const {
    return interval(x(unknown), Eigen::VectorXd::Unit(x.size(), unknown));
  }
};

namespace detail {

/// Beyond so many deviations a row counts less: a fit to normal errors is then 95 % as sure as
/// least squares. And the deviation of normal errors over the median of their sizes.
///
/// Source: P. W. Holland and R. E. Welsch, "Robust regression using iteratively reweighted
/// least-squares", Communications in Statistics A 6 (1977) 813-827, table 1.
inline constexpr double huber_bound = 1.345;
inline constexpr double normal_deviation = 1.4826;

/// 1 up to a bound of huber_bound deviations, then falling as bound / |error|; of sums measured too
/// small also as the square of the measured over the said one, by which they would weigh more than
/// others. No deviation is taken below 1e-9, where residuals are rounding.
inline Eigen::VectorXd huber_weights(const Eigen::VectorXd& errors) {
  std::vector<double> sizes(static_cast<std::size_t>(errors.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = std::abs(errors(static_cast<Eigen::Index>(i)));
  const double bound =
      huber_bound * (std::max)(normal_deviation * quantile_of(std::move(sizes), 0.5), 1e-9);
  const Eigen::ArrayXd too_small =
      ((1 + bound) / (1 + errors.array()).max(1e-300)).min(1.0).square();
  return ((bound / errors.array().abs().max(1e-300)).min(1.0) * too_small).matrix();
}

/// said / measured, over the middle one, less 1. A sum that was measured far too small bends the
/// first fit to itself; all others are then off alike, and it is the one that differs.
inline Eigen::VectorXd errors_from_middle(const Eigen::VectorXd& errors) {
  const Eigen::ArrayXd ratios = 1 + errors.array();
  return ratios / (std::max)(quantile_of({ratios.begin(), ratios.end()}, 0.5), 1e-300) - 1;
}

/// Covariance of the unknowns of a fit with Huber's weights; with equal ones that of least squares.
///
///     C = K^2 (sum psi_i^2 / (n - p)) / m^2 (A^T A)^-1,    K = 1 + p/n (1 - m)/m
///
///     psi_i  weight times error of row i        m  share of the rows of full weight
///     n, p   rows, unknowns                     A  rows over what was measured
///
/// Source: P. J. Huber, "Robust Statistics", Wiley (1981), section 7.6.
inline Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& shares, const Eigen::VectorXd& weights,
                                     const Eigen::VectorXd& errors) {
  const auto n = static_cast<double>(shares.rows());
  const auto p = static_cast<double>(shares.cols());
  const Eigen::MatrixXd unknown = Eigen::MatrixXd::Constant(
      shares.cols(), shares.cols(), std::numeric_limits<double>::infinity());
  if (!(n > p)) return unknown;
  const double full = static_cast<double>((weights.array() >= 1).count()) / n;
  if (!(full > 0)) return unknown;
  // A = Q R by Gram-Schmidt of columns of length 1, so that (A^T A)^-1 = R^-1 R^-T.
  const Eigen::Index columns = shares.cols();
  Eigen::MatrixXd q = shares;
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(columns, columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    const double length = q.col(k).norm();
    if (!(length > 0)) return unknown;
    q.col(k) /= length;
    inverse.col(k) /= length;
    for (Eigen::Index j = 0; j < k; ++j) {
      const double part = q.col(j).dot(q.col(k));
      q.col(k) -= part * q.col(j);
      inverse.col(k) -= part * inverse.col(j);
    }
    const double left = q.col(k).norm();
    constexpr double dependent = 1e-7;  // on the columns before it, but for rounding
    if (!(left > dependent)) return unknown;
    q.col(k) /= left;
    inverse.col(k) /= left;
  }
  const double damped = 1 + p / n * (1 - full) / full;
  const double variance =
      (weights.array() * errors.array()).square().sum() / (n - p) * damped * damped / (full * full);
  Eigen::MatrixXd covariance(columns, columns);
  for (Eigen::Index i = 0; i < columns; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      covariance(i, j) = variance * inverse.row(i).dot(inverse.row(j));
  return covariance;
}

}  // namespace detail

/// Non-negative parts of a sum that come closest to measured sums, each by its own size.
///
///     min over x >= 0 of  sum_i w_i (sum_j a_ij x_j / y_i - 1)^2
///
///     a  terms      m x n, finite
///     y  measured   m, > 0
///     w  weights    1, or of Huber, made anew until they stay
///
/// A time of a microsecond counts as much as one of a second, as it should where noise grows with
/// what is measured.
///
/// Source: C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", Prentice-Hall (1974),
/// chapter 23; rows divided by what was measured; P. J. Huber, "Robust Estimation of a Location
/// Parameter", Annals of Mathematical Statistics 35 (1964) 73-101.
///
/// \throws invalid_input if sizes do not match, a term is not finite, or a measured sum not > 0
inline relative_solution relative_least_squares(const Eigen::MatrixXd& terms,
                                                const Eigen::VectorXd& measured,
                                                row_weights kind = row_weights::equal) {
  require(terms.rows() == measured.size(),
          "relative_least_squares: terms must have as many rows as measured");
  require((measured.array() > 0).all() && measured.allFinite(),
          "relative_least_squares: every measured sum must be > 0 and finite");
  Eigen::MatrixXd shares = terms;
  for (Eigen::Index i = 0; i < shares.rows(); ++i) shares.row(i) /= measured(i);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(measured.size());

  relative_solution fit{.x = non_negative_least_squares(shares, ones).x};
  Eigen::VectorXd errors = -detail::left_of(shares, ones, fit.x);
  Eigen::VectorXd weights = ones;
  constexpr int most_rounds = 50;
  constexpr int first_rounds = 5;  // of errors as they lie around the middle one: see below
  for (int round = 0; kind == row_weights::huber && round < most_rounds; ++round) {
    const bool is_first = round < first_rounds;
    const Eigen::VectorXd next =
        detail::huber_weights(is_first ? detail::errors_from_middle(errors) : errors);
    const double change = (next - weights).cwiseAbs().maxCoeff();
    weights = next;
    if (!is_first && change < 1e-6) break;
    const Eigen::VectorXd root = weights.cwiseSqrt();
    fit.x = non_negative_least_squares(root.asDiagonal() * shares, root).x;
    errors = -detail::left_of(shares, ones, fit.x);
  }
  fit.quality = quality_of({errors.data(), static_cast<std::size_t>(errors.size())});
  fit.quality.outliers = static_cast<std::size_t>((weights.array() < 0.5).count());
  fit.covariance = detail::covariance_of(shares, weights, errors);
  fit.freedom = static_cast<int>(shares.rows() - shares.cols());
  fit.typical_error = errors.norm() / std::sqrt(static_cast<double>(errors.size()));
  fit.largest_error = errors.cwiseAbs().maxCoeff();
  return fit;
}

}  // namespace gpuplan
