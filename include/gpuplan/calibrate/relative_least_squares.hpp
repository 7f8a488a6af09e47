#pragma once
/// \file
/// What takes how much of a measured sum, by least squares of relative errors.

#include <cmath>

#include <Eigen/Core>

#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The parts of a sum, and how close it comes to what was measured.
struct relative_solution {
  Eigen::VectorXd x{};
  double typical_error = 0;  ///< root mean square of the relative errors
  double largest_error = 0;  ///< the largest of them
};

/// Non-negative parts of a sum that come closest to measured sums, each by its own size.
///
///     min over x >= 0 of  sum_i (sum_j a_ij x_j / y_i - 1)^2
///
///     a  terms      m x n, finite
///     y  measured   m, > 0
///
/// A time of a microsecond counts as much as one of a second, as it should where noise grows with
/// what is measured.
///
/// Source: C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", Prentice-Hall (1974),
/// chapter 23; rows divided by what was measured.
///
/// \throws invalid_input if sizes do not match, a term is not finite, or a measured sum not > 0
inline relative_solution relative_least_squares(const Eigen::MatrixXd& terms,
                                                const Eigen::VectorXd& measured) {
  require(terms.rows() == measured.size(),
          "relative_least_squares: terms must have as many rows as measured");
  require((measured.array() > 0).all() && measured.allFinite(),
          "relative_least_squares: every measured sum must be > 0 and finite");
  Eigen::MatrixXd shares = terms;
  for (Eigen::Index i = 0; i < shares.rows(); ++i) shares.row(i) /= measured(i);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(measured.size());
  relative_solution fit{.x = non_negative_least_squares(shares, ones).x};
  const Eigen::VectorXd left = detail::left_of(shares, ones, fit.x);
  fit.typical_error = left.norm() / std::sqrt(static_cast<double>(left.size()));
  fit.largest_error = left.cwiseAbs().maxCoeff();
  return fit;
}

}  // namespace gpuplan
