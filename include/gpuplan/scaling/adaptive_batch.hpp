#pragma once
/// \file
/// Batch sizes that grow during a run.

#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/scaling/batch_size.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A part of a run with one batch.
struct batch_phase {
  double samples{};  ///< to train on; >= 0
  double batch{};    ///< of one update, all devices together; > 0
};

/// What a schedule takes.
struct schedule_length {
  double updates{};
  seconds time{};
};

/// Updates and time of a schedule of batches.
///
///     U = sum_i N_i / B_i,   T = sum_i U_i (t(B_i / n) + t_c)
///
///     N_i, B_i  phase.samples, phase.batch              samples
///     n         devices that share a batch              count, >= 1
///     t         batch_time of a device, on its share    s
///     t_c       of_update: exposed communication, ...   s, >= 0
///
/// AdaBatch doubles B every so many
/// epochs and takes fewer, fuller updates than the first batch would.  Whole epochs are assumed: a
/// last, smaller batch counts as the part of an update that it is.
///
/// Source: A. Devarakonda, M. Naumov and M. Garland, "AdaBatch: Adaptive Batch Sizes for Training
/// Deep Neural Networks" (2017), arXiv:1712.02029.
///
/// \throws invalid_input if the curve is invalid, a phase has samples < 0 or batch <= 0, devices <
///         1 or of_update < 0 s
constexpr schedule_length batch_schedule_length(std::span<const batch_phase> phases,
                                                const batch_curve& curve, int devices = 1,
                                                seconds of_update = {}) {
  require_valid(curve);
  require(devices >= 1, "batch_schedule_length: devices must be >= 1");
  require(of_update >= seconds{0}, "batch_schedule_length: of_update must be >= 0 s");
  schedule_length sum;
  for (const batch_phase& phase : phases) {
    require(phase.samples >= 0, "batch_phase.samples must be >= 0");
    require(phase.batch > 0, "batch_phase.batch must be > 0 samples");
    const double updates = phase.samples / phase.batch;
    sum.updates += updates;
    sum.time += updates * (batch_time(curve, phase.batch / devices) + of_update);
  }
  return sum;
}

}  // namespace gpuplan
