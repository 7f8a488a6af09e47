#pragma once
/// \file
/// Parallel efficiency, separately for strong and weak scaling.

#include <initializer_list>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Two runs of the same work, for strong scaling: the global batch stays, each device has less.
struct same_work {
  int base_devices = 1;  ///< >= 1
  seconds base_time{};   ///< > 0
  int devices{};         ///< >= 1
  seconds time{};        ///< > 0
};

/// Two runs in which each device has the same work, for weak scaling: the global batch grows.
struct same_work_per_device {
  int base_devices = 1;  ///< >= 1
  seconds base_time{};   ///< > 0
  int devices{};         ///< >= 1
  seconds time{};        ///< > 0
};

/// What more devices bring.
struct scaling_efficiency {
  double speed_up{};  ///< work per second over that of the base run
  double devices{};   ///< devices over those of the base run

  [[nodiscard]] constexpr double value() const { return speed_up / devices; }

  /// Is it better than ideal, beyond rounding?  Caches explain some per cent of that; what is well
  /// above 1 says that the two runs did not do the same work.
  [[nodiscard]] constexpr bool more_than_linear() const {
    constexpr double rounding = 1e-12;
    return value() > 1 + rounding;
  }
};

namespace detail {

template <class Runs>
constexpr void require_valid_runs(const Runs& runs) {
  require(runs.base_devices >= 1, "scaling_efficiency: base_devices must be >= 1");
  require(runs.devices >= 1, "scaling_efficiency: devices must be >= 1");
  require(runs.base_time > seconds{0}, "scaling_efficiency: base_time must be > 0 s");
  require(runs.time > seconds{0}, "scaling_efficiency: time must be > 0 s");
}

}  // namespace detail

/// Efficiency of the same work on more devices.
///
///     S = T_0 / T,   E = S / (n / n_0)
///
///     T_0, T  runs.base_time, runs.time         s, > 0
///     n_0, n  runs.base_devices, runs.devices   count, >= 1
///
/// Holds: the global batch stays.
///
/// Source: definition; A. Grama et al., "Introduction to Parallel Computing", 2nd ed.,
/// Addison-Wesley (2003), section 5.2.
///
/// \throws invalid_input if a time is <= 0 s or a count < 1
constexpr scaling_efficiency strong_scaling_efficiency(const same_work& runs) {
  detail::require_valid_runs(runs);
  return {.speed_up = runs.base_time / runs.time,
          .devices = static_cast<double>(runs.devices) / runs.base_devices};
}

/// Efficiency of work that grows with the devices.
///
///     S = (n / n_0) T_0 / T,   E = T_0 / T
///
///     T_0, T  runs.base_time, runs.time         s, > 0
///     n_0, n  runs.base_devices, runs.devices   count, >= 1
///
/// Holds: the batch of a device stays.
///
/// Source: definition; J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31
/// (1988) 532-533.
///
/// \throws invalid_input if a time is <= 0 s or a count < 1
constexpr scaling_efficiency weak_scaling_efficiency(const same_work_per_device& runs) {
  detail::require_valid_runs(runs);
  const double devices = static_cast<double>(runs.devices) / runs.base_devices;
  return {.speed_up = devices * (runs.base_time / runs.time), .devices = devices};
}

/// A run as it was measured, whatever the batch.
struct measured_run {
  int devices{};     ///< >= 1
  double samples{};  ///< global batch of the step that was timed; > 0
  seconds time{};    ///< of that step; > 0

  [[nodiscard]] constexpr per_second throughput() const { return samples / time; }
};

/// How the work of two runs compares.
enum class scaling_kind {
  strong,  ///< the same batch
  weak,    ///< the same batch per device
  neither  ///< E of the two is a ratio of throughputs and no more
};

/// Whether two runs are one of strong or of weak scaling; of both, where the devices are as many,
/// strong.
///
///     B = B_0
///     B n_0 = B_0 n
///
///     n_0  devices of the base run    count, >= 1
///     B_0  its batch                  count, > 0
///     n    devices                    count, >= 1
///     B    batch on n                 count, > 0
///
/// Holds: strong where the devices are as many.
///
/// Source: by definition.
constexpr scaling_kind scaling_kind_of(const measured_run& base, const measured_run& run) {
  if (base.samples == run.samples) return scaling_kind::strong;
  if (base.samples * run.devices == run.samples * base.devices) return scaling_kind::weak;
  return scaling_kind::neither;
}

/// Efficiency by throughput: that of strong scaling for one batch, that of weak scaling for one
/// batch per device.
///
///     S = (B / T) / (B_0 / T_0),   E = S / (n / n_0)
///
///     n_0  devices of the base run    count, >= 1
///     B_0  its batch                  count, > 0
///     T_0  its time                   s, > 0
///     n    devices                    count, >= 1
///     B    batch on n                 count, > 0
///     T    time on n                  s, > 0
///
///     B, T, n  samples, time and devices of a run, the base with index 0
///
/// Times of steps of different batches are no speed-up: 16 samples in 1.8 s on one device and 512
/// in 0.425 s on 32 are 135 times the throughput, and not 13% efficiency.
///
/// Holds: one batch: strong scaling; one batch a device: weak.
///
/// Source: definition.
///
/// \throws invalid_input if a count is < 1, samples are <= 0 or a time is <= 0 s
constexpr scaling_efficiency throughput_efficiency(const measured_run& base,
                                                   const measured_run& run) {
  for (const measured_run& one : {base, run}) {
    require(one.devices >= 1, "throughput_efficiency: devices must be >= 1");
    require(one.samples > 0, "throughput_efficiency: samples must be > 0");
    require(one.time > seconds{0}, "throughput_efficiency: time must be > 0 s");
  }
  return {.speed_up = run.throughput() / base.throughput(),
          .devices = static_cast<double>(run.devices) / base.devices};
}

}  // namespace gpuplan
