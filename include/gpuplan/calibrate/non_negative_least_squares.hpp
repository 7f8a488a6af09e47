#pragma once
/// \file
/// Least squares whose unknowns are times, rates or shares, which none may be negative.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// What solves min |A x - b|, x >= 0.
struct non_negative_solution {
  Eigen::VectorXd x{};
  double residual = 0;    ///< |A x - b|
  bool converged = true;  ///< else x is the best of those that were tried
};

namespace detail {

/// The least-squares solution where all columns but these are left out, by modified Gram-Schmidt
/// with the right-hand side as one more column: A. Bjoerck, "Solving linear least squares problems
/// by Gram-Schmidt orthogonalization", BIT 7 (1967) 1-21. A column that depends on those before it
/// gets 0.
inline Eigen::VectorXd solve_on(const Eigen::MatrixXd& a, Eigen::VectorXd rest,
                                const std::vector<Eigen::Index>& columns) {
  const auto count = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd q(a.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k) q.col(k) = a.col(columns[static_cast<std::size_t>(k)]);
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(count, count);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    r(k, k) = q.col(k).norm();
    if (!(r(k, k) > 1e-14)) continue;  // columns have length 1
    q.col(k) /= r(k, k);
    for (Eigen::Index j = k + 1; j < count; ++j) {
      r(k, j) = q.col(k).dot(q.col(j));
      q.col(j) -= r(k, j) * q.col(k);
    }
    x(k) = q.col(k).dot(rest);
    rest -= x(k) * q.col(k);
  }
  for (Eigen::Index k = count - 1; k >= 0; --k) {
    for (Eigen::Index j = k + 1; j < count; ++j) x(k) -= r(k, j) * x(j);
    x(k) = r(k, k) > 1e-14 ? x(k) / r(k, k) : 0;
  }
  Eigen::VectorXd full = Eigen::VectorXd::Zero(a.cols());
  for (Eigen::Index k = 0; k < count; ++k) full(columns[static_cast<std::size_t>(k)]) = x(k);
  return full;
}

/// b - A x
inline Eigen::VectorXd left_of(const Eigen::MatrixXd& a, Eigen::VectorXd b,
                               const Eigen::VectorXd& x) {
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    if (x(j) != 0) b -= x(j) * a.col(j);
  return b;
}

/// The length of each column, 1 for one of zeros.
inline Eigen::VectorXd column_lengths(const Eigen::MatrixXd& matrix) {
  Eigen::VectorXd lengths(matrix.cols());
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    const double length = matrix.col(j).stableNorm();
    lengths(j) = length > 0 ? length : 1;
  }
  return lengths;
}

/// The unknowns of a non-negative least-squares problem, and which of them may be above 0.
struct non_negative_unknowns {
  Eigen::VectorXd x{};
  std::vector<Eigen::Index> above{};  ///< may be > 0
  std::vector<bool> tried{};          ///< since x last moved

  explicit non_negative_unknowns(Eigen::Index count)
      : x{Eigen::VectorXd::Zero(count)}, tried(static_cast<std::size_t>(count), false) {}

  /// That at 0 whose growth lowers the residual most; -1 where none gains more than the least.
  [[nodiscard]] Eigen::Index next(const Eigen::MatrixXd& a, const Eigen::VectorXd& right,
                                  double least_gain) const {
    const Eigen::VectorXd left = left_of(a, right, x);
    Eigen::Index next = -1;
    double most = least_gain;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      if (tried[static_cast<std::size_t>(j)] ||
          std::find(above.begin(), above.end(), j) != above.end())
        continue;
      const double gain = a.col(j).dot(left);
      if (!(gain > most)) continue;
      next = j;
      most = gain;
    }
    return next;
  }

  /// Moves to the least squares of those above 0, wanted at first: as far at a time as all stay
  /// >= 0, and those that reach 0 stay there.
  void move(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, Eigen::VectorXd wanted) {
    for (;;) {
      double share = 1;
      Eigen::Index first = -1;
      for (const Eigen::Index j : above)
        if (!(wanted(j) > 0) && (first < 0 || x(j) / (x(j) - wanted(j)) < share)) {
          first = j;
          share = x(j) / (x(j) - wanted(j));
        }
      if (first < 0) break;
      x += share * (wanted - x);
      x(first) = 0;
      std::erase_if(above, [&](Eigen::Index j) { return !(x(j) > 0); });
      wanted = solve_on(a, right, above);
    }
    x = wanted;
    tried.assign(tried.size(), false);
  }
};

}  // namespace detail

/// Non-negative least squares.
///
///     min |A x - b|  over  x >= 0
///
///     A  matrix          m x n, finite
///     b  right-hand side m, finite
///     x  solution        n, >= 0
///
/// At the solution w = A^T (b - A x) is <= 0 where x is 0, and 0 where x is above. Columns are
/// scaled to length 1 first, so that units do not matter; one of zeros gets 0. Where columns depend
/// on each other some x of the least residual comes out.
///
/// Source: C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", Prentice-Hall (1974),
/// chapter 23.
///
/// \throws invalid_input if sizes do not match, there is nothing to solve, or a number is not
///         finite
inline non_negative_solution non_negative_least_squares(const Eigen::MatrixXd& matrix,
                                                        const Eigen::VectorXd& right) {
  require(matrix.rows() == right.size(),
          "non_negative_least_squares: matrix must have as many rows as right");
  require(matrix.rows() >= 1 && matrix.cols() >= 1,
          "non_negative_least_squares: matrix must not be empty");
  require(matrix.allFinite() && right.allFinite(),
          "non_negative_least_squares: every number must be finite");
  const Eigen::Index n = matrix.cols();
  const Eigen::VectorXd scale = detail::column_lengths(matrix);
  Eigen::MatrixXd a = matrix;
  for (Eigen::Index j = 0; j < n; ++j) a.col(j) /= scale(j);
  const double tolerance = 10 * std::numeric_limits<double>::epsilon() *
                           static_cast<double>(matrix.rows() + n) * right.stableNorm();

  detail::non_negative_unknowns unknowns{n};
  bool converged = false;
  for (Eigen::Index steps = 0; steps < 30 * n + 30; ++steps) {
    const Eigen::Index next = unknowns.next(a, right, tolerance);
    converged = next < 0;
    if (converged) break;
    unknowns.above.push_back(next);
    const Eigen::VectorXd wanted = detail::solve_on(a, right, unknowns.above);
    if (wanted(next) > 0) {
      unknowns.move(a, right, wanted);
    } else {  // rounding: its gain was none
      unknowns.above.pop_back();
      unknowns.tried[static_cast<std::size_t>(next)] = true;
    }
  }
  return {.x = unknowns.x.cwiseQuotient(scale),
          .residual = detail::left_of(a, right, unknowns.x).stableNorm(),
          .converged = converged};
}

}  // namespace gpuplan
