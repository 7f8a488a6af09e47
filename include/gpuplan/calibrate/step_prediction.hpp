#pragma once
/// \file
/// The time of a step by what is believed of a cluster, and the band in which it lies.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/accuracy/error_row.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job whose steps are predicted or were timed.  The cluster is as datasheets and measured rates
/// have it, without factors.
struct step_job {
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
};

/// What is trained, by which software, at which scale.
constexpr error_class error_class_of(const step_job& job) {
  return {.of = prediction::step,
          .kind = trained_kind_of(job.model, job.recipe),
          .software = job.recipe.framework,
          .many_gpus = job.parallelism.gpus() > gpus_of_small_jobs,
          .device = job.pool.gpu().operators_from};
}

/// What a run of the job tells of.
constexpr run_class run_class_of(const step_job& job) {
  return run_class_of(job.model, job.recipe, job.parallelism.gpus());
}

/// The time of a job's step by the model, with factors.
/// \throws invalid_input if a description is invalid, or the layout breaks a rule of layout_fault
inline seconds step_time_of(const step_job& job, const factor_values& times) {
  const estimate what = evaluate(job.model, with_factors(job.pool, times), job.recipe,
                                 job.parallelism, job.workspace);
  require(what.costed(), "step_job: the layout must keep the rules of layout_fault");
  return what.time.total();
}

/// A step's time, and how far it may be off.
struct step_prediction {
  seconds step{};
  factor_values slope{};  ///< of its logarithm, by that of each factor
  double deviation = 0;   ///< of its logarithm

  /// The interval that holds the time of a run with this probability.
  /// \throws invalid_input if level is not > 0 and <= 0.999999
  [[nodiscard]] fit_interval<seconds> band(double level = fit_level) const {
    const double half = deviations_at(level) * deviation;
    return {std::exp(-half) * step, std::exp(half) * step};
  }
};

namespace detail {

/// Slopes of a log step time, by differences between factors so much above and below.
inline factor_values step_slopes(const step_job& job, const factor_values& log_at) {
  constexpr double apart = 1e-3;
  const double most = std::log(most_step_factor);
  const auto log_time = [&](std::size_t moved, double by) {
    factor_values times{};
    for (std::size_t i = 0; i < step_factor_count; ++i)
      times[i] = std::exp((std::min)(most, (std::max)(-most, log_at[i] + (i == moved ? by : 0))));
    return std::log(step_time_of(job, times).in_base_units());
  };
  factor_values slopes{};
  for (std::size_t i = 0; i < step_factor_count; ++i)
    slopes[i] = (log_time(i, apart) - log_time(i, -apart)) / (2 * apart);
  return slopes;
}

/// g^T C g
inline double variance_along(const factor_matrix& covariance, const factor_values& slope) {
  double sum = 0;
  for (std::size_t i = 0; i < step_factor_count; ++i)
    for (std::size_t j = 0; j < step_factor_count; ++j)
      sum += slope[i] * covariance[i][j] * slope[j];
  return sum > 0 ? sum : 0;
}

}  // namespace detail

/// The time of a step with the factors in the middle of a belief, and its deviation.
///
///     d = sqrt(g^T C g + s^2)
///
///     g  slopes of the log time by the log factors, at their means   1
///     C  log_covariance                                              1
///     s  residual                                                    1
///
/// Holds while the log time is nearly a straight line over the width of the belief.
///
/// Source: D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", Cambridge
/// University Press (2003), chapter 27 (Laplace's method).
///
/// \throws invalid_input if a description or the belief is invalid, or the layout breaks a rule of
///         layout_fault
inline step_prediction predicted_step(const step_job& job, const step_belief& of) {
  require_valid(of);
  step_prediction all{.step = step_time_of(job, factors_of(of)),
                      .slope = detail::step_slopes(job, of.log_mean)};
  all.deviation =
      std::sqrt(detail::variance_along(of.log_covariance, all.slope) + of.residual * of.residual);
  return all;
}

/// The errors of so many runs of a cluster's own, of the grade `calibrated`, whose logarithms have
/// this deviation; `deviations` says how many of them hold an error with a probability.
template <class Deviations>
error_distribution own_errors(double deviation, int runs, Deviations deviations) {
  error_distribution errors{.grade = error_grade::calibrated, .runs = runs, .sources = 1};
  for (std::size_t i = 0; i < error_probabilities.size(); ++i) {
    const double beyond = 2 * error_probabilities[i] - 1;
    if (beyond == 0) continue;
    errors.quantiles[i] = std::copysign(deviations(std::abs(beyond)) * deviation, beyond);
  }
  return errors;
}

/// The errors of a step's prediction as those of a class: the normal law of its deviation.
inline error_distribution errors_of(const step_prediction& said, const step_belief& of) {
  return own_errors(said.deviation, of.runs, [](double level) { return deviations_at(level); });
}

}  // namespace gpuplan
