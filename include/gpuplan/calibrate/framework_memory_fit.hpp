#pragma once
/// \file
/// Memory that a cluster's software takes beside what the model counts, from peaks of its runs.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Who saw a peak.
enum class peak_seen_by {
  allocator,  ///< torch.cuda.max_memory_allocated
  reserve,    ///< torch.cuda.max_memory_reserved
  device      ///< nvidia-smi
};

/// A run whose peak memory was seen, on the rank that took most.
struct peak_run {
  std::string name{};
  step_job job{};
  peak_seen_by by = peak_seen_by::device;
  bytes peak{};  ///< > 0
};

/// The deviation of a run's peak that a constant does not explain, as a share of it, before any run
/// is known.  This library's, in round numbers.
inline constexpr double usual_peak_residual = 0.03;

/// What software takes beside what the model counts; a negative size: less than that.
struct framework_memory {
  bytes extra{};
  bytes deviation{};                      ///< of it, >= 0
  double residual = usual_peak_residual;  ///< of a peak, as a share of it, > 0
  int runs = 0;                           ///< that it rests on; 0: nothing is known
  run_class_set classes{};                ///< of these runs

  bool operator==(const framework_memory&) const = default;
};

/// How far it lies from 0 on a cluster that nobody measured.  This library's, in round numbers.
inline constexpr bytes usual_framework_deviation = 2 * units::GB;

/// What is believed of a cluster of which no peak is known.
constexpr framework_memory usual_framework_memory() {
  return {.deviation = usual_framework_deviation};
}

/// As many peaks' worth usual_peak_residual counts.
inline constexpr double peak_residual_prior_runs = 4;

/// \throws invalid_input if extra is beyond 1 TB on either side, deviation not 0 B to 1 TB,
///         residual not > 0 and <= 1, or runs < 0
constexpr void require_valid(const framework_memory& of) {
  require(of.extra >= -1 * units::TB && of.extra <= 1 * units::TB,
          "framework_memory.extra must be -1 TB to 1 TB");
  require(of.deviation >= bytes{0} && of.deviation <= 1 * units::TB,
          "framework_memory.deviation must be 0 B to 1 TB");
  require(of.residual > 0 && of.residual <= 1, "framework_memory.residual must be > 0 and <= 1");
  require(of.runs >= 0, "framework_memory.runs must be >= 0");
}

/// The peak of a job by the model, on its fullest stage.
/// \throws invalid_input if a description is invalid
inline bytes peak_of(const step_job& job, peak_seen_by by) {
  const footprint all = footprint_of(job.model, job.recipe, job.parallelism, job.workspace);
  const stage_footprint worst = all.worst_stage();
  switch (by) {
    case peak_seen_by::allocator: return worst.allocated();
    case peak_seen_by::reserve: return worst.reserved();
    case peak_seen_by::device: return worst.device_total();
  }
  require(false, "peak_of: by must be one of peak_seen_by");
  return {};
}

namespace detail {

/// What a peak tells of the constant.
inline double weight_of(const peak_run& run, double residual) {
  const double deviation = residual * run.peak.in_base_units();
  return 1 / (deviation * deviation);
}

inline void take_constant(framework_memory& fit, std::span<const peak_run> runs,
                          std::span<const double> predicted, bytes context,
                          const framework_memory& before) {
  const double prior = before.deviation.in_base_units();
  double weights = 1 / (prior * prior);
  double sum = weights * before.extra.in_base_units();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double weight = weight_of(runs[i], fit.residual);
    weights += weight;
    sum += weight * (runs[i].peak.in_base_units() - predicted[i]);
  }
  fit.extra = larger(-context, bytes{sum / weights});
  fit.deviation = bytes{1 / std::sqrt(weights)};
}

inline void take_residual(framework_memory& fit, std::span<const peak_run> runs,
                          std::span<const double> predicted, const framework_memory& before) {
  const double known = peak_residual_prior_runs + before.runs;
  const double variance = (fit.deviation * fit.deviation).in_base_units();
  double squares = known * before.residual * before.residual;
  double freedom = known + static_cast<double>(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    freedom -= variance * weight_of(runs[i], fit.residual);
    const double peak = runs[i].peak.in_base_units();
    const double left = (peak - predicted[i] - fit.extra.in_base_units()) / peak;
    squares += left * left;
  }
  fit.residual = (std::min)(1.0, std::sqrt(squares / freedom));
}

}  // namespace detail

/// The constant that runs add to the model's memory, and what it leaves of their peaks.
///
///     x   = max(-c, v (x_0 / p^2 + sum (M_i - m_i) / (s M_i)^2))
///     v   = 1 / (1/p^2 + sum 1 / (s M_i)^2)
///     d   = sqrt(v)
///     s^2 = ((k + r) s_0^2 + sum ((M_i - m_i - x) / M_i)^2) / (k + r + n - h)
///     h   = v sum 1 / (s M_i)^2
///
///     M_i, m_i   measured and predicted peak of a run             B, > 0
///     x_0, p     constant of the belief before, and its deviation B
///     c          least CUDA context of the jobs: x is part of it  B
///     d          deviation of x                                   B
///     s          residual, from s_0 in a few rounds               1
///     s_0, r     residual and runs of the belief before           1, count
///     k, n       peak_residual_prior_runs, and runs               count
///     h          leverage: peaks that x takes to tell             count
///
/// Source: D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", Cambridge
/// University Press (2003), section 24.1 (a mean with a normal prior).
///
/// \throws invalid_input if there are no runs, a peak is not > 0 and <= 1 TB, a description is
///         invalid, or the belief is invalid or of deviation 0 B
inline framework_memory fit_framework_memory(
    std::span<const peak_run> runs, const framework_memory& before = usual_framework_memory()) {
  require(!runs.empty(), "fit_framework_memory: runs must be >= 1");
  require_valid(before);
  require(before.deviation > bytes{0}, "fit_framework_memory: deviation before must be > 0 B");
  framework_memory fit{.residual = before.residual,
                       .runs = before.runs + static_cast<int>(runs.size()),
                       .classes = before.classes};
  std::vector<double> predicted;
  bytes context = runs.front().job.workspace.cuda_context;
  for (const peak_run& run : runs) {
    require(run.peak > bytes{0} && run.peak <= 1 * units::TB,
            "peak_run.peak must be > 0 B and <= 1 TB");
    predicted.push_back(peak_of(run.job, run.by).in_base_units());
    context = smaller(context, run.job.workspace.cuda_context);
    fit.classes.insert(run_class_of(run.job));
  }
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    const double last = fit.residual;
    detail::take_constant(fit, runs, predicted, context, before);
    detail::take_residual(fit, runs, predicted, before);
    if (std::abs(fit.residual / last - 1) < 1e-6) break;
  }
  return fit;
}

/// The workspace with such memory in it, as part of its CUDA context, which is never below 0 B.
inline workspace with_framework_memory(workspace beside, const framework_memory& of) {
  const bytes context = beside.cuda_context + of.extra;
  beside.cuda_context = context > bytes{0} ? context : bytes{0};
  return beside;
}

/// The errors of a job's predicted peak as those of a class, of the grade `calibrated`: Student's t
/// of the deviation sqrt((d / M)^2 + s^2), as a share of the peak M, with k + r degrees of freedom,
/// as s was estimated from peaks as many.
///
/// \throws invalid_input if peak is not > 0 B, or runs < 0
inline error_distribution errors_of(bytes peak, const framework_memory& of) {
  require(peak > bytes{0}, "errors_of: peak must be > 0 B");
  require(of.runs >= 0, "framework_memory.runs must be >= 0");
  const double share = of.deviation / peak;
  const double freedom = peak_residual_prior_runs + of.runs;
  return own_errors(std::sqrt(share * share + of.residual * of.residual), of.runs,
                    [&](double level) { return deviations_at(level, freedom); });
}

}  // namespace gpuplan
