#pragma once
/// \file
/// Factors of a cluster, from the step times of its own runs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A run whose steps were timed.
struct timed_run {
  std::string name{};  ///< where it was read: "steps.csv:4"
  step_job job{};
  seconds step{};  ///< > 0
};

/// What others say of a run.
struct run_check {
  seconds expected{};     ///< by the other runs, and by what was believed before
  double deviations = 0;  ///< of the measured time from that, in deviations of the prediction
  double surprise = 0;    ///< likewise from what was believed before alone
};

/// Factors that explain runs.
struct step_fit {
  step_belief belief{};
  std::vector<run_check> checks{};  ///< one for each run
  fit_quality quality{};            ///< of the runs themselves, by the fitted factors
};

/// As many runs' worth the residual that is believed before counts.
inline constexpr double residual_prior_runs = 4;

namespace detail {

using factor_vector = Eigen::Matrix<double, static_cast<int>(step_factor_count), 1>;
using factor_square =
    Eigen::Matrix<double, static_cast<int>(step_factor_count), static_cast<int>(step_factor_count)>;

inline factor_vector vector_of(const factor_values& values) {
  return Eigen::Map<const factor_vector>(values.data());
}

inline factor_square square_of(const factor_matrix& rows) {
  factor_square all;
  for (std::size_t i = 0; i < step_factor_count; ++i)
    all.row(static_cast<Eigen::Index>(i)) = vector_of(rows[i]).transpose();
  return all;
}

/// Runs along straight lines: residuals of their log times, and slopes.
struct step_lines {
  Eigen::VectorXd left{};  ///< ln measured - ln predicted
  Eigen::MatrixXd slopes{};
};

inline double log_left(const timed_run& run, const factor_vector& log_at) {
  factor_values times{};
  for (std::size_t i = 0; i < step_factor_count; ++i)
    times[i] = std::exp(log_at[static_cast<Eigen::Index>(i)]);
  return std::log(run.step / step_time_of(run.job, times));
}

inline Eigen::VectorXd all_left(std::span<const timed_run> runs, const factor_vector& log_at) {
  Eigen::VectorXd left(static_cast<Eigen::Index>(runs.size()));
  for (std::size_t i = 0; i < runs.size(); ++i)
    left[static_cast<Eigen::Index>(i)] = log_left(runs[i], log_at);
  return left;
}

inline step_lines lines_of(std::span<const timed_run> runs, const factor_vector& log_at) {
  factor_values at{};
  for (std::size_t i = 0; i < step_factor_count; ++i) at[i] = log_at[static_cast<Eigen::Index>(i)];
  step_lines all{.left = all_left(runs, log_at),
                 .slopes = Eigen::MatrixXd(static_cast<Eigen::Index>(runs.size()),
                                           static_cast<Eigen::Index>(step_factor_count))};
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.slopes.row(static_cast<Eigen::Index>(i)) =
        vector_of(step_slopes(runs[i].job, at)).transpose();
  return all;
}

/// The most likely factors at a given residual, by damped Gauss-Newton steps.
class step_optimum {
 public:
  step_optimum(std::span<const timed_run> runs, const step_belief& prior)
      : runs_{runs},
        mean_{vector_of(prior.log_mean)},
        at_{mean_},
        precision_{prior_precision(prior)},
        lines_{lines_of(runs, at_)} {}

  void climb(double residual) {
    constexpr int most_steps = 50;
    const double weight = 1 / (residual * residual);
    double cost = cost_of(at_, lines_.left, weight);
    for (int i = 0; i < most_steps; ++i) {
      const factor_vector step = information(weight).llt().solve(
          weight * lines_.slopes.transpose() * lines_.left - precision_ * (at_ - mean_));
      double share = 1;
      factor_vector next = bounded(at_ + step);
      double reached = cost_of(next, all_left(runs_, next), weight);
      for (; !(reached < cost) && share > 1e-3; share /= 2) {
        next = bounded(at_ + share / 2 * step);
        reached = cost_of(next, all_left(runs_, next), weight);
      }
      if (!(reached < cost)) return;
      const bool done = cost - reached < 1e-6 * (1 + cost);
      at_ = next;
      cost = reached;
      lines_ = lines_of(runs_, at_);
      if (done) return;
    }
  }
  [[nodiscard]] factor_square information(double weight) const {
    return precision_ + weight * lines_.slopes.transpose() * lines_.slopes;
  }
  [[nodiscard]] const factor_vector& at() const { return at_; }
  [[nodiscard]] const step_lines& lines() const { return lines_; }

 private:
  static factor_square prior_precision(const step_belief& prior) {
    const factor_square covariance = square_of(prior.log_covariance);
    // A factor that is known exactly, or a belief of almost equal factors, can still be inverted.
    const factor_square ridge = 1e-12 * factor_square::Identity();
    return (covariance + ridge).llt().solve(factor_square::Identity());
  }
  static factor_vector bounded(const factor_vector& log_at) {
    const double most = std::log(most_step_factor);
    return log_at.cwiseMax(-most).cwiseMin(most);
  }
  [[nodiscard]] double cost_of(const factor_vector& log_at, const Eigen::VectorXd& left,
                               double weight) const {
    const factor_vector moved = log_at - mean_;
    return weight * left.squaredNorm() + moved.dot(precision_ * moved);
  }

  std::span<const timed_run> runs_;
  factor_vector mean_;
  factor_vector at_;
  factor_square precision_;
  step_lines lines_;
};

/// Residual scale of n runs, from the sum of squares that they leave.
inline double residual_of(const step_belief& prior, double squares, double freedom) {
  const double known = residual_prior_runs + prior.runs;
  return std::sqrt((known * prior.residual * prior.residual + (std::max)(squares, 0.0)) /
                   (known + (std::max)(freedom, 0.0)));
}

/// How far each run is from what the others say.
inline std::vector<run_check> checks_of(std::span<const timed_run> runs, const step_belief& prior,
                                        const step_lines& lines, const Eigen::VectorXd& leverage) {
  const double squares = lines.left.squaredNorm();
  const double freedom = static_cast<double>(runs.size()) - leverage.sum();
  std::vector<run_check> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double own = 1 - leverage[row];
    const double left = lines.left[row];
    const double others = residual_of(prior, squares - left * left / own, freedom - 1);
    const step_prediction before = predicted_step(runs[i].job, prior);
    all.push_back({.expected = std::exp(-left / own) * runs[i].step,
                   .deviations = left / (others * std::sqrt(own)),
                   .surprise = std::log(runs[i].step / before.step) / before.deviation});
  }
  return all;
}

}  // namespace detail

/// The factors that make the times of runs most likely, with what was believed of them before, and
/// their covariance by Laplace's method.
///
///     minimise  sum ((ln t_i - ln T_i(x)) / s)^2 + (x - m)^T P^-1 (x - m)
///     C = (P^-1 + G^T G / s^2)^-1
///     s^2 = ((k + r) s_0^2 + sum (ln t_i - ln T_i)^2) / (k + r + n - h)
///
///     t_i, T_i   measured and predicted step time of a run                  s, > 0
///     x, m, P    logarithms of the factors, their mean and covariance
///                before
///     G          slopes of ln T_i by x                                      1
///     s_0, r     residual and runs of the belief before                     1, count
///     k          residual_prior_runs
///     n, h       runs; sum of their leverages, the factors that they tell   count
///
/// A run is held against the others by its residual without it, l_i / (1 - h_i), in deviations of
/// that prediction; and against the belief before by predicted_step.
///
/// Source: D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", Cambridge
/// University Press (2003), chapter 27; R. D. Cook and S. Weisberg, "Residuals and Influence in
/// Regression", Chapman and Hall (1982), section 2.2 (residuals of a case left out).
///
/// \throws invalid_input if there are no runs, a time is not > 0 and finite, or a description, a
///         layout or the belief is invalid
inline step_fit fit_steps(std::span<const timed_run> runs,
                          const step_belief& prior = usual_step_belief()) {
  require(!runs.empty(), "fit_steps: runs must be >= 1");
  require_valid(prior);
  for (const timed_run& run : runs)
    require(run.step > seconds{0} && run.step < seconds{1e9},
            "timed_run.step must be > 0 s and < 1e9 s");
  constexpr int rounds = 8;
  detail::step_optimum optimum{runs, prior};
  double residual = prior.residual;
  detail::factor_square covariance;
  Eigen::VectorXd leverage;
  for (int i = 0; i < rounds; ++i) {
    optimum.climb(residual);
    const double weight = 1 / (residual * residual);
    covariance = optimum.information(weight).llt().solve(detail::factor_square::Identity());
    const Eigen::MatrixXd& slopes = optimum.lines().slopes;
    leverage = weight * (slopes * covariance).cwiseProduct(slopes).rowwise().sum();
    const double before = residual;
    residual = detail::residual_of(prior, optimum.lines().left.squaredNorm(),
                                   static_cast<double>(runs.size()) - leverage.sum());
    if (std::abs(residual / before - 1) < 1e-3) break;
  }
  step_fit fit{.belief = {.residual = residual, .runs = prior.runs + static_cast<int>(runs.size())},
               .checks = detail::checks_of(runs, prior, optimum.lines(), leverage)};
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    fit.belief.log_mean[i] = optimum.at()[row];
    for (std::size_t j = 0; j <= i; ++j)
      fit.belief.log_covariance[i][j] = fit.belief.log_covariance[j][i] =
          covariance(row, static_cast<Eigen::Index>(j));
  }
  fit.belief.classes = prior.classes;
  for (const timed_run& run : runs) fit.belief.classes.insert(run_class_of(run.job));
  std::vector<double> errors;
  for (const double left : optimum.lines().left) errors.push_back(std::expm1(-left));
  fit.quality = quality_of(errors);
  return fit;
}

}  // namespace gpuplan
