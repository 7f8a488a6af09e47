#pragma once
/// \file
/// Gustafson's law: work that grows with the devices.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Speed-up of work that grows so that its time on n devices stays.
///
///     S(n) = n - s (n - 1)
///
///     s  serial part of the time on n devices   1, 0 to 1
///     n  devices                                count, >= 1
///
/// Holds where the parallel part of the work grows with the devices and the serial part does not.
/// s is of the time on n devices; the parallel part of Amdahl's law is of the time on one.
///
/// Source: J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31 (1988)
/// 532-533.
///
/// \throws invalid_input if serial_part is not 0 to 1, or devices < 1
constexpr double gustafson_speed_up(double serial_part, double devices) {
  require(serial_part >= 0 && serial_part <= 1, "gustafson_speed_up: serial_part must be 0 to 1");
  require(devices >= 1, "gustafson_speed_up: devices must be >= 1");
  return devices - serial_part * (devices - 1);
}

/// The parallel part of the time on one device, as Amdahl's law counts it, of work whose serial
/// part is s of the time on n devices.
///
///     p = n (1 - s) / (s + n (1 - s))
///
///     s  serial part of the time on n devices    1, 0 to 1
///     n  devices                                 count, >= 1
///
/// With it both laws give one speed-up.
///
/// Holds: both laws then give one speed-up.
///
/// Source: Y. Shi, "Reevaluating Amdahl's Law and Gustafson's Law", Temple University (1996).
///
/// \throws invalid_input if serial_part is not 0 to 1, or devices < 1
constexpr double amdahl_parallel_part(double serial_part, double devices) {
  require(serial_part >= 0 && serial_part <= 1, "amdahl_parallel_part: serial_part must be 0 to 1");
  require(devices >= 1, "amdahl_parallel_part: devices must be >= 1");
  const double parallel = devices * (1 - serial_part);
  return parallel / (serial_part + parallel);
}

}  // namespace gpuplan
