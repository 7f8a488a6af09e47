#pragma once
/// \file
/// Amdahl's law: the same work on more devices, with a serial part.

#include <limits>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Speed-up of fixed work of which a part runs on all devices and the rest on one.
///
///     S(n) = 1 / ((1 - p) + p / n)
///
///     p  parallel part of the time on one device   1, 0 to 1
///     n  devices                                   count, >= 1
///
/// Holds for work that stays the same and costs nothing to divide: communication makes it less.
/// p is of the time on one device; the serial part of Gustafson's law is of the time on n.
///
/// Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale
/// computing capabilities", AFIPS Spring Joint Computer Conference (1967), 483-485.
///
/// \throws invalid_input if parallel_part is not 0 to 1, or devices < 1
constexpr double amdahl_speed_up(double parallel_part, double devices) {
  require(parallel_part >= 0 && parallel_part <= 1,
          "amdahl_speed_up: parallel_part must be 0 to 1");
  require(devices >= 1, "amdahl_speed_up: devices must be >= 1");
  return 1 / ((1 - parallel_part) + parallel_part / devices);
}

/// What amdahl_speed_up tends to with ever more devices, infinite for p = 1.
///
///     1 / (1 - p)
///
///     p  parallel part of the time on one device    1, 0 to 1
///
/// Holds: infinite for p = 1.
///
/// Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale
/// computing capabilities", AFIPS Spring Joint Computer Conference (1967) 483-485.
///
/// \throws invalid_input if parallel_part is not 0 to 1
constexpr double amdahl_limit(double parallel_part) {
  require(parallel_part >= 0 && parallel_part <= 1, "amdahl_limit: parallel_part must be 0 to 1");
  if (parallel_part == 1) return std::numeric_limits<double>::infinity();
  return 1 / (1 - parallel_part);
}

/// Devices that a speed-up takes.
///
///     n = p / (1/S - (1 - p))
///
///     S  speed-up                                   1, >= 1
///     p  parallel part of the time on one device    1, 0 to 1
///
/// Holds: infinite at and above the limit.
///
/// Source: as amdahl_limit.
///
/// \throws invalid_input if parallel_part is not 0 to 1, or speed_up < 1
constexpr double amdahl_devices(double parallel_part, double speed_up) {
  require(parallel_part >= 0 && parallel_part <= 1, "amdahl_devices: parallel_part must be 0 to 1");
  require(speed_up >= 1, "amdahl_devices: speed_up must be >= 1");
  if (speed_up == 1) return 1;
  // The difference of two numbers that are rounded: nothing is left of it at the limit.
  constexpr double rounding = 1e-15;
  const double divided = 1 / speed_up - (1 - parallel_part);
  if (!(divided > rounding / speed_up)) return std::numeric_limits<double>::infinity();
  return parallel_part / divided;
}

}  // namespace gpuplan
