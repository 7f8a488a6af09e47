#pragma once
/// \file
/// Memory that a cluster's software takes beside what the model counts, from peaks of its runs.

#include <cmath>
#include <span>
#include <string>

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

/// What software takes beside what the model counts; a negative size: less than that.
struct framework_memory {
  bytes extra{};
  bytes deviation{};  ///< of it, >= 0
  int runs = 0;       ///< that it rests on; 0: nothing is known

  bool operator==(const framework_memory&) const = default;
};

/// How far it lies from 0 on a cluster that nobody measured, and the deviation of a run's peak that
/// a constant does not explain, as a share of it.  This library's, in round numbers.
inline constexpr bytes usual_framework_deviation = 2 * units::GB;
inline constexpr double usual_peak_residual = 0.03;

/// \throws invalid_input if extra is beyond 1 TB on either side, deviation not 0 B to 1 TB, or
///         runs < 0
constexpr void require_valid(const framework_memory& of) {
  require(of.extra >= -1 * units::TB && of.extra <= 1 * units::TB,
          "framework_memory.extra must be -1 TB to 1 TB");
  require(of.deviation >= bytes{0} && of.deviation <= 1 * units::TB,
          "framework_memory.deviation must be 0 B to 1 TB");
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

/// The constant that runs add to the model's memory.
///
///     x = (sum (M_i - m_i) / s_i^2) / (1/p^2 + sum 1 / s_i^2)        s_i = 0.03 M_i
///     d = (1/p^2 + sum 1 / s_i^2)^(-1/2)
///
///     M_i, m_i   measured and predicted peak of a run   B, > 0
///     p          usual_framework_deviation              B
///
/// Source: D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", Cambridge
/// University Press (2003), section 24.1 (a mean with a normal prior).
///
/// \throws invalid_input if there are no runs, a peak is not > 0 and <= 1 TB, or a description is
///         invalid
inline framework_memory fit_framework_memory(std::span<const peak_run> runs) {
  require(!runs.empty(), "fit_framework_memory: runs must be >= 1");
  const double prior = usual_framework_deviation.in_base_units();
  double weights = 1 / (prior * prior);
  double sum = 0;
  for (const peak_run& run : runs) {
    require(run.peak > bytes{0} && run.peak <= 1 * units::TB,
            "peak_run.peak must be > 0 B and <= 1 TB");
    const double deviation = usual_peak_residual * run.peak.in_base_units();
    const double weight = 1 / (deviation * deviation);
    weights += weight;
    sum += weight * (run.peak - peak_of(run.job, run.by)).in_base_units();
  }
  return {.extra = bytes{sum / weights},
          .deviation = bytes{1 / std::sqrt(weights)},
          .runs = static_cast<int>(runs.size())};
}

/// The workspace with such memory in it, as part of its CUDA context, which is never below 0 B.
inline workspace with_framework_memory(workspace beside, const framework_memory& of) {
  const bytes context = beside.cuda_context + of.extra;
  beside.cuda_context = context > bytes{0} ? context : bytes{0};
  return beside;
}

}  // namespace gpuplan
