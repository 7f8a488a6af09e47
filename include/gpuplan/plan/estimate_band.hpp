#pragma once
/// \file
/// How far off an estimate can be, and how likely its layout fits.

#include <algorithm>
#include <cstddef>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/accuracy/error_row.hpp>
#include <gpuplan/accuracy/error_rows.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Whether a recipe has what no run had whose steps were timed: its number format, sequences of
/// that length, states or activations on the host, or a power limit below the device's own.
constexpr bool is_beyond_runs(const accelerator& gpu, const recipe& how,
                              const timed_recipes& runs = timed_runs) {
  return !runs.formats[static_cast<std::size_t>(how.precision)] ||
         how.sequence_length > runs.longest_sequence || (how.uses_host() && !runs.offloads) ||
         is_power_limited(gpu, how);
}

/// The error class of an answer's quantity.
constexpr error_class error_class_of(const estimate& answer, const accelerator& gpu,
                                     prediction of = prediction::step) {
  const footprint& job = answer.memory;
  const seconds step = answer.time.total();
  const double launches = step > seconds{0} ? answer.time[step_term::launch] / step : 0;
  return {.of = of,
          .kind = trained_kind_of(job.model, job.recipe),
          .software = job.recipe.framework,
          .launches = launch_part_of(launches),
          .many_gpus = answer.gpus > gpus_of_small_jobs,
          .gpus = answer.gpus,
          .device = gpu.operators_from,
          .beyond_runs = is_beyond_runs(gpu, job.recipe)};
}

/// What is known of the errors of an estimate's quantities.
struct estimate_errors {
  error_distribution step{};       ///< the time of a step
  error_distribution allocated{};  ///< memory, on the fullest stage
  error_distribution reserved{};
  error_distribution device{};
};

/// The bands of an estimate, each of factors on what it predicts.
struct estimate_bands {
  error_band step{};       ///< of the time of a step
  error_band allocated{};  ///< of memory, on the fullest stage
  error_band reserved{};
  error_band device{};
  double fits_probability = 0;  ///< that the fullest stage needs no more than the GPU has
};

/// The errors of the classes of an estimate.
constexpr estimate_errors errors_of(const estimate& answer, const accelerator& gpu) {
  const auto errors = [&](prediction of) {
    return error_distribution_of(error_class_of(answer, gpu, of));
  };
  return {.step = errors(prediction::step),
          .allocated = errors(prediction::allocated_memory),
          .reserved = errors(prediction::reserved_memory),
          .device = errors(prediction::device_memory)};
}

/// The band of a step's time: error_band_of these errors, but no step is shorter than its
/// operations take at the device's peak.
///
///     low  = max(error_band_of.low, u)
///
///     u  model_flop_utilization of the estimate, which is at most 1
///
/// \throws invalid_input if level is not between 0 and 1
inline error_band step_band_of(const estimate& answer, const error_distribution& errors,
                               double level = usual_level) {
  error_band band = error_band_of(errors, level);
  const double used = answer.costed() ? answer.model_flop_utilization() : 0;
  if (used > band.low) band.low = (std::min)(1.0, used);
  return band;
}

/// Bands of the three figures of memory.
struct memory_bands {
  error_band allocated{};
  error_band reserved{};
  error_band device{};
};

/// The bands of a stage's memory: error_band_of these errors, but no figure is below what it holds
/// for certain.
///
///     low of allocated  >= W
///     low of reserved   >= low of allocated
///     low of device     >= low of reserved
///
///     W  weights of the stage     bytes, >= 0
///
/// Lows are compared in bytes, and none is above what is predicted.
///
/// Source: PyTorch, "CUDA semantics", memory management (2025): the allocator reserves what tensors
/// are allocated from, and nvidia-smi shows what it reserves among the rest.
///
/// \throws invalid_input if level is not between 0 and 1
inline memory_bands memory_bands_of(const stage_footprint& stage, const estimate_errors& errors,
                                    double level = usual_level) {
  bytes least = stage.states.weights;
  const auto band_of = [&](const error_distribution& of, bytes predicted) {
    error_band band = error_band_of(of, level);
    if (!(predicted > bytes{0})) return band;
    band.low = (std::max)(band.low, (std::min)(1.0, least / predicted));
    least = band.low * predicted;
    return band;
  };
  const error_band allocated = band_of(errors.allocated, stage.allocated());
  const error_band reserved = band_of(errors.reserved, stage.reserved());
  const error_band device = band_of(errors.device, stage.device_total());
  return {allocated, reserved, device};
}

/// The bands of an estimate that hold what is measured with the probability `level`, where these
/// errors are known of it.  A layout that breaks a rule of layout_fault fits with probability 0.
///
/// \throws invalid_input if level is not between 0 and 1
inline estimate_bands bands_of(const estimate& answer, const accelerator& gpu,
                               const estimate_errors& errors, double level = usual_level) {
  const bool judged = !answer.refusal || answer.refusal.reason == reject_reason::memory;
  const memory_bands memory = memory_bands_of(
      answer.costed() ? answer.memory.worst_stage() : stage_footprint{}, errors, level);
  return {.step = step_band_of(answer, errors.step, level),
          .allocated = memory.allocated,
          .reserved = memory.reserved,
          .device = memory.device,
          .fits_probability = judged && answer.needed > bytes{0}
                                  ? probability_within(errors.device, gpu.memory / answer.needed)
                                  : 0};
}

/// The same with the errors of its classes.
inline estimate_bands bands_of(const estimate& answer, const accelerator& gpu,
                               double level = usual_level) {
  return bands_of(answer, gpu, errors_of(answer, gpu), level);
}

}  // namespace gpuplan
