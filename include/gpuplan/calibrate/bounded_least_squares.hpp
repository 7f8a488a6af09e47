#pragma once
/// \file
/// Nonlinear least squares with bounds on each parameter.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The parameters of a model that come closest to what was measured.
struct bounded_solution {
  Eigen::VectorXd x{};
  double residual = 0;     ///< |r(x)|
  bool converged = false;  ///< else the steps ran out
};

/// Residuals of a model, and how they change with its parameters.
struct residuals {
  Eigen::VectorXd value{};   ///< r
  Eigen::MatrixXd change{};  ///< dr_i / dx_j
};

namespace detail {

/// The step of Gauss and Newton solves curve * step = push. A parameter that a bound holds stays.
struct normal_equations {
  Eigen::MatrixXd curve{};  ///< J^T J
  Eigen::VectorXd push{};   ///< -J^T r
};

inline normal_equations normal_equations_of(const residuals& here, const Eigen::VectorXd& x,
                                            const Eigen::VectorXd& low,
                                            const Eigen::VectorXd& high) {
  const Eigen::Index n = x.size();
  Eigen::VectorXd slope(n);     // J^T r
  Eigen::MatrixXd curve(n, n);  // J^T J
  for (Eigen::Index j = 0; j < n; ++j) {
    slope(j) = here.change.col(j).dot(here.value);
    for (Eigen::Index i = 0; i <= j; ++i)
      curve(i, j) = curve(j, i) = here.change.col(i).dot(here.change.col(j));
  }
  Eigen::VectorXd push = -slope;
  for (Eigen::Index j = 0; j < n; ++j) {
    const bool held =
        (x(j) <= low(j) && slope(j) >= 0) || (x(j) >= high(j) && slope(j) <= 0) || curve(j, j) == 0;
    if (!held) continue;
    curve.row(j).setZero();
    curve.col(j).setZero();
    curve(j, j) = 1;
    push(j) = 0;
  }
  return {std::move(curve), std::move(push)};
}

/// Where a descent is: the best parameters so far, the residuals there, how short its steps are.
struct damped_descent {
  bounded_solution best{};
  residuals here{};
  double damping = 1e-3;
};

/// Takes a step, damped more and more until it lowers the residual, or none is left to take.
template <class Model>
void take_step(const Model& model, const Eigen::VectorXd& low, const Eigen::VectorXd& high,
               damped_descent& at) {
  bounded_solution& best = at.best;
  const normal_equations toward = normal_equations_of(at.here, best.x, low, high);
  while (!best.converged) {
    Eigen::MatrixXd damped = toward.curve;
    damped.diagonal() *= 1 + at.damping;
    const Eigen::VectorXd next =
        (best.x + damped.ldlt().solve(toward.push)).cwiseMax(low).cwiseMin(high);
    const double moved = ((next - best.x).array().abs() / (1 + best.x.array().abs())).maxCoeff();
    if (!(moved > 4 * std::numeric_limits<double>::epsilon())) {
      best.converged = true;
      return;
    }
    const residuals there = model(next);
    const double residual = there.value.norm();
    if (residual < best.residual && there.change.allFinite()) {
      best.converged = best.residual - residual <= 1e-14 * best.residual && moved < 1e-9;
      best.x = next;
      best.residual = residual;
      at.here = there;
      at.damping = std::max(at.damping / 5, 1e-12);
      return;
    }
    at.damping *= 4;
    if (at.damping > 1e16) best.converged = true;
  }
}

}  // namespace detail

/// Least squares of a model within bounds, from a start.
///
///     min |r(x)|  over  low <= x <= high
///
///     r     model(x), a `residuals`    m
///     x     from start on              n
///
/// Steps of Levenberg and Marquardt over the parameters that are not held by a bound, cut off at
/// the bounds; only steps that lower |r| are taken. What comes out is a minimum near the start,
/// which need not be the lowest.
///
/// Source: D. W. Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters", J.
/// SIAM 11 (1963) 431-441; bounds as C. Kanzow, N. Yamashita and M. Fukushima,
/// "Levenberg-Marquardt methods with strong local convergence properties for solving nonlinear
/// equations with convex constraints", J. Computational and Applied Mathematics 172 (2004) 375-397.
///
/// \throws invalid_input if sizes do not match, the start is not within the bounds, or the model is
///         not finite there
template <class Model>
bounded_solution bounded_least_squares(const Model& model, const Eigen::VectorXd& start,
                                       const Eigen::VectorXd& low, const Eigen::VectorXd& high,
                                       int steps = 200) {
  require(low.size() == start.size() && high.size() == start.size() && start.size() >= 1,
          "bounded_least_squares: bounds must be as many as parameters");
  require((start.array() >= low.array()).all() && (start.array() <= high.array()).all(),
          "bounded_least_squares: start must be within the bounds");
  detail::damped_descent at;
  at.best.x = start;
  at.here = model(start);
  require(at.here.value.allFinite() && at.here.change.allFinite(),
          "bounded_least_squares: the model must be finite at the start");
  at.best.residual = at.here.value.norm();
  for (int step = 0; step < steps && !at.best.converged; ++step)
    detail::take_step(model, low, high, at);
  return at.best;
}

}  // namespace gpuplan
