#pragma once
/// \file
/// Beliefs of a cluster's factors from different runs made into one, and moved to other rates.

#include <cmath>
#include <cstddef>

#include <Eigen/Cholesky>

#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/calibrate/step_fit.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

inline factor_square inverse_of(const factor_matrix& covariance) {
  const factor_square ridge = 1e-12 * factor_square::Identity();
  return (square_of(covariance) + ridge).llt().solve(factor_square::Identity());
}

inline factor_values values_of(const factor_vector& from) {
  factor_values all{};
  for (std::size_t i = 0; i < step_factor_count; ++i) all[i] = from[static_cast<Eigen::Index>(i)];
  return all;
}

/// Residual of two, each with its weight; both rest on the same residual before any run.
inline double common_residual(double prior_runs, double prior, double one, int one_runs,
                              double other, int other_runs) {
  const double squares = (prior_runs + one_runs) * one * one +
                         (prior_runs + other_runs) * other * other - prior_runs * prior * prior;
  require(squares > 0, "combined: the residuals must not be less than that before any run allows");
  return std::sqrt(squares / (prior_runs + one_runs + other_runs));
}

}  // namespace detail

/// What two sets of runs tell together, each of which was fitted alone; what was believed before
/// counts once.
///
///     C   = (A^-1 + B^-1 - P^-1)^-1
///     m   = C (A^-1 a + B^-1 b - P^-1 p)
///     s^2 = ((k + q) s_a^2 + (k + r) s_b^2 - k s_0^2) / (k + q + r)
///
///     a, A  logarithms of the factors by the one, and their covariance   1
///     b, B  by the other                                                 1
///     p, P  before any run                                               1
///     s     residual, with q and r runs                                  1, > 0
///     k     residual_prior_runs
///
/// Holds if both rest on the same `before` and on different runs.
///
/// Source: A. Gelman et al., "Bayesian Data Analysis", 3rd ed., CRC Press (2013), section 3.5 (a
/// normal prior and a normal likelihood).
///
/// \throws invalid_input if a belief is invalid, or tells less than the one before
inline step_belief combined(const step_belief& one, const step_belief& other,
                            const step_belief& before = usual_step_belief()) {
  require_valid(one);
  require_valid(other);
  const detail::factor_square of_one = detail::inverse_of(one.log_covariance);
  const detail::factor_square of_other = detail::inverse_of(other.log_covariance);
  const detail::factor_square of_prior = detail::inverse_of(before.log_covariance);
  const auto solved = (of_one + of_other - of_prior).eval().llt();
  require(solved.info() == Eigen::Success, "combined: a belief tells less than the one before");
  const detail::factor_square covariance = solved.solve(detail::factor_square::Identity());
  const detail::factor_vector mean = solved.solve(of_one * detail::vector_of(one.log_mean) +
                                                  of_other * detail::vector_of(other.log_mean) -
                                                  of_prior * detail::vector_of(before.log_mean));
  step_belief both{
      .log_mean = detail::values_of(mean),
      .residual = detail::common_residual(residual_prior_runs, before.residual, one.residual,
                                          one.runs, other.residual, other.runs),
      .runs = one.runs + other.runs,
      .classes = one.classes};
  for (std::size_t i = 0; i < step_factor_count; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      both.log_covariance[i][j] = both.log_covariance[j][i] =
          covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  both.classes.insert(other.classes);
  require_valid(both);
  return both;
}

/// The same runs beside other rates: times that were measured stay, and a factor is a time over
/// that of the new rates.  Of a factor that the runs do not tell, what was believed before stays.
///
///     m' = m + d - C P^-1 d
///
///     m, C  logarithms of the factors, and their covariance               1
///     d     logarithms of the old rates' times over those of the new      1
///     P     covariance before any run                                     1
///
/// Holds while log times are nearly straight lines over d.  The covariance stays.
///
/// Source: A. Gelman et al., "Bayesian Data Analysis", 3rd ed., CRC Press (2013), section 3.5: the
/// likelihood moves by d, the prior does not.
///
/// \throws invalid_input if the belief is invalid, or a factor moves beyond most_step_factor
inline step_belief beside_other_rates(step_belief fitted, const factor_values& log_shift,
                                      const step_belief& before = usual_step_belief()) {
  require_valid(fitted);
  const detail::factor_vector shift = detail::vector_of(log_shift);
  const detail::factor_square kept =
      detail::square_of(fitted.log_covariance) * detail::inverse_of(before.log_covariance);
  fitted.log_mean = detail::values_of(detail::vector_of(fitted.log_mean) + shift - kept * shift);
  require_valid(fitted);
  return fitted;
}

/// What two sets of peaks tell together, in the same way.
///
///     v = 1 / (1/a^2 + 1/b^2 - 1/p^2)
///     x = v (x_a / a^2 + x_b / b^2)
///
///     x_a, x_b  constants of both          B
///     a, b      their deviations           B, > 0
///     p         deviation before any peak  B, > 0
///     x, v      constant of both together, and its variance     B, B^2
///
/// The mean before any peak is 0 B, so it has no term.
///
/// The residual is that of combined factors, with the weights of peaks.
///
/// \throws invalid_input if one is invalid, or tells less than usual_framework_memory
inline framework_memory combined(const framework_memory& one, const framework_memory& other) {
  require_valid(one);
  require_valid(other);
  const auto precision_of = [](const framework_memory& of) {
    require(of.deviation > bytes{0}, "combined: framework_memory.deviation must be > 0 B");
    const double deviation = of.deviation.in_base_units();
    return 1 / (deviation * deviation);
  };
  const double of_one = precision_of(one);
  const double of_other = precision_of(other);
  const double precision = of_one + of_other - precision_of(usual_framework_memory());
  require(precision > 0, "combined: a belief tells less than the one before");
  framework_memory both{
      .extra = (of_one * one.extra + of_other * other.extra) / precision,
      .deviation = bytes{1 / std::sqrt(precision)},
      .residual = detail::common_residual(peak_residual_prior_runs, usual_peak_residual,
                                          one.residual, one.runs, other.residual, other.runs),
      .runs = one.runs + other.runs,
      .classes = one.classes};
  both.classes.insert(other.classes);
  require_valid(both);
  return both;
}

/// The same peaks beside a CUDA context that is larger by `grown`: what they hold beside tensors
/// stays.  By the formula of beside_other_rates, with d = -grown.
///
/// \throws invalid_input if it is invalid
inline framework_memory beside_other_context(framework_memory fitted, bytes grown) {
  require_valid(fitted);
  const double kept = fitted.deviation / usual_framework_deviation;
  fitted.extra -= (1 - kept * kept) * grown;
  require_valid(fitted);
  return fitted;
}

}  // namespace gpuplan
