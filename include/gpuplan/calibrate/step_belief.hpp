#pragma once
/// \file
/// What is believed of the factors of a cluster.

#include <array>
#include <cmath>
#include <cstddef>

#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Deviation of the logarithm of a step's time that no factor explains, before any run is known.
inline constexpr double usual_step_residual = 0.05;

/// A number for each pair of factors.
using factor_matrix = std::array<factor_values, step_factor_count>;

/// Logarithms of factors, which are normal together, and of what they leave of a step's time.
struct step_belief {
  factor_values log_mean{};
  factor_matrix log_covariance{};
  double residual = usual_step_residual;  ///< deviation of a logarithm, > 0
  int runs = 0;                           ///< that it rests on, >= 0
  run_class_set classes{};                ///< of these runs

  bool operator==(const step_belief&) const = default;
};

/// What is believed of a cluster of which no run is known: step_factor_table, all independent.
constexpr step_belief usual_step_belief() {
  step_belief prior;
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    const double deviation = step_factor_table[i].prior_deviation;
    prior.log_covariance[i][i] = deviation * deviation;
  }
  return prior;
}

/// \throws invalid_input if a number is not finite, a mean is beyond most_step_factor, a variance
///         < 0, a covariance not symmetric or beyond its variances, residual not > 0 and <= 100, or
///         runs < 0
inline void require_valid(const step_belief& of) {
  const double most = std::log(most_step_factor);
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    require(std::abs(of.log_mean[i]) <= most,
            "step_belief.log_mean must be of factors from 1 / 1000 to 1000");
    const double variance = of.log_covariance[i][i];
    require(variance >= 0 && variance <= most * most,
            "step_belief.log_covariance must have variances from 0 to 48");
    for (std::size_t j = 0; j < i; ++j) {
      const double both = of.log_covariance[i][j];
      const double bound = std::sqrt(variance * of.log_covariance[j][j]);
      require(both == of.log_covariance[j][i] && std::abs(both) <= bound * (1 + 1e-9),
              "step_belief.log_covariance must be symmetric, and within its variances");
    }
  }
  require(of.residual > 0 && of.residual <= 100, "step_belief.residual must be > 0 and <= 100");
  require(of.runs >= 0, "step_belief.runs must be >= 0");
}

/// The factors in the middle of a belief.
inline factor_values factors_of(const step_belief& of) {
  factor_values times{};
  for (std::size_t i = 0; i < step_factor_count; ++i) times[i] = std::exp(of.log_mean[i]);
  return times;
}

/// Deviations that hold a normal number with this probability, on both sides together.
///
///     erf(z / sqrt(2)) = level
///
/// Solved by Newton's method from below, where the error function is concave.
///
/// Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", National Bureau of
/// Standards (1964), section 26.2.
///
/// \throws invalid_input if level is not > 0 and <= 0.999999
inline double deviations_at(double level) {
  require(level > 0 && level <= 0.999999, "deviations_at: level must be > 0 and <= 0.999999");
  const double root = std::sqrt(2.0);
  double z = 0;
  for (int i = 0; i < 200; ++i) {
    const double step =
        (level - std::erf(z / root)) * std::sqrt(std::acos(-1.0) / 2) * std::exp(z * z / 2);
    z += step;
    if (!(step > 1e-13)) break;
  }
  return z;
}

/// The same of a number whose deviation was estimated from few: deviations of Student's t.
///
///     t = z + (z^3 + z)/(4 n) + (5 z^5 + 16 z^3 + 3 z)/(96 n^2)
///           + (3 z^7 + 19 z^5 + 17 z^3 - 15 z)/(384 n^3)
///
///     z  deviations_at(level)                   1
///     n  degrees of freedom of the deviation    count, >= 4
///
/// Within 1 % of the exact quantile for levels up to 0.95 from n = 4 on.
///
/// Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", National Bureau of
/// Standards (1964), 26.7.5.
///
/// \throws invalid_input if level is not > 0 and <= 0.999999, or freedom < 4
inline double deviations_at(double level, double freedom) {
  require(freedom >= 4, "deviations_at: freedom must be >= 4");
  const double z = deviations_at(level);
  const double z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + (first + (second + third / freedom) / freedom) / freedom;
}

/// The interval that holds a factor with the probability of fit_level.
inline fit_interval<double> bounds_of(const step_belief& of, step_factor what) {
  const auto i = static_cast<std::size_t>(what);
  const double half = deviations_at(fit_level) * std::sqrt(of.log_covariance[i][i]);
  return {std::exp(of.log_mean[i] - half), std::exp(of.log_mean[i] + half)};
}

}  // namespace gpuplan
