#pragma once
/// \file
/// Constants that make predictions fit measurements: Levenberg-Marquardt with a loss that forgives
/// outliers and priors that hold what the measurements do not say.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace gpuplan::accuracy {

/// What is thought of a constant before the fit.
struct prior {
  double mean = 0;
  double deviation = 1;  ///< > 0
  double least = 0;
  double most = 1;
};

/// What to fit: constants, and rows with an error each.
struct fit_problem {
  std::vector<prior> priors;
  std::vector<double> weights;  ///< of rows
  /// Errors of all rows under given constants, each log(predicted / measured).
  std::function<std::vector<double>(const std::vector<double>&)> residuals;
  std::vector<double> start{};  ///< where the search begins; empty: at the means
};

namespace detail {

/// Errors below this count squared, larger ones less and less.
inline constexpr double usual_error = 0.04;
/// Half of the weight of a prior's square: a prior counts as half a row of weight one would.
inline constexpr double prior_weight = 0.25;

using matrix = std::vector<std::vector<double>>;

/// The x of A x = b, by elimination with the largest pivot of each column.
inline std::vector<double> solved(matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return b;
}

inline double cost_of(const fit_problem& problem, const std::vector<double>& residuals,
                      const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double e = residuals[i] / usual_error;
    sum += problem.weights[i] * std::log1p(e * e) / 2;
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double e = (x[k] - problem.priors[k].mean) / problem.priors[k].deviation;
    sum += prior_weight * e * e;
  }
  return sum;
}

/// Derivatives of residuals by each constant: one row for each constant.
inline matrix slopes_of(const fit_problem& problem, const std::vector<double>& residuals,
                        const std::vector<double>& x) {
  matrix slopes;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const prior& p = problem.priors[k];
    const double small = 1e-3 * p.deviation;
    const double step = x[k] + small <= p.most ? small : -small;
    std::vector<double> moved = x;
    moved[k] += step;
    std::vector<double> slope = problem.residuals(moved);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (slope[i] - residuals[i]) / step;
    slopes.push_back(std::move(slope));
  }
  return slopes;
}

/// Gauss-Newton's equations: a quadratic form of the cost, and minus its slope.
struct normal_equations {
  matrix curvature;
  std::vector<double> descent;
};

inline normal_equations equations_of(const fit_problem& problem,
                                     const std::vector<double>& residuals,
                                     const std::vector<double>& x) {
  const matrix slopes = slopes_of(problem, residuals, x);
  const std::size_t n = x.size();
  normal_equations all{matrix(n, std::vector<double>(n)), std::vector<double>(n)};
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double e = residuals[i] / usual_error;
    const double weight = problem.weights[i] / (usual_error * usual_error) / (1 + e * e);
    for (std::size_t a = 0; a < n; ++a) {
      all.descent[a] -= weight * slopes[a][i] * residuals[i];
      for (std::size_t b = 0; b < n; ++b)
        all.curvature[a][b] += weight * slopes[a][i] * slopes[b][i];
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    const prior& p = problem.priors[a];
    const double stiffness = 2 * prior_weight / (p.deviation * p.deviation);
    all.curvature[a][a] += stiffness;
    all.descent[a] -= stiffness * (x[a] - p.mean);
  }
  return all;
}

}  // namespace detail

/// The constants of least cost near the means of their priors, within their bounds.
///
///     cost = sum_i w_i log(1 + (e_i / 0.04)^2) / 2 + sum_k ((x_k - mean_k) / deviation_k)^2 / 4
///
/// Source: D. Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters",
/// J. SIAM 11 (1963) 431-441; P. Holland and R. Welsch, "Robust regression using iteratively
/// reweighted least-squares", Commun. Stat. A 6 (1977) 813-827, Cauchy's weights.
inline std::vector<double> fitted(const fit_problem& problem) {
  constexpr int most_rounds = 60;
  constexpr int most_attempts = 8;
  constexpr double enough = 1e-7;  // of cost

  std::vector<double> x = problem.start;
  if (x.empty())
    for (const prior& p : problem.priors) x.push_back(p.mean);
  std::vector<double> residuals = problem.residuals(x);
  double cost = detail::cost_of(problem, residuals, x);
  double damping = 1e-2;
  for (int round = 0; round < most_rounds; ++round) {
    const auto [curvature, descent] = detail::equations_of(problem, residuals, x);
    double gained = 0;
    for (int attempt = 0; attempt < most_attempts && gained <= 0; ++attempt) {
      detail::matrix damped = curvature;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double deviation = problem.priors[k].deviation;
        damped[k][k] += damping * (curvature[k][k] + 1 / (deviation * deviation));
      }
      const std::vector<double> step = detail::solved(damped, descent);
      std::vector<double> next = x;
      for (std::size_t k = 0; k < x.size(); ++k)
        next[k] = std::clamp(x[k] + step[k], problem.priors[k].least, problem.priors[k].most);
      std::vector<double> then = problem.residuals(next);
      const double next_cost = detail::cost_of(problem, then, next);
      gained = cost - next_cost;
      if (gained > 0) {
        x = std::move(next);
        residuals = std::move(then);
        cost = next_cost;
        damping = (std::max)(damping / 4, 1e-6);
      } else {
        damping *= 4;
      }
    }
    if (gained <= enough) break;
  }
  return x;
}

}  // namespace gpuplan::accuracy
