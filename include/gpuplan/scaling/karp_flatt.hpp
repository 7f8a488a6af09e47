#pragma once
/// \file
/// The Karp-Flatt metric: what a measured speed-up says about the serial part.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The serial part that Amdahl's law would need to explain a measured speed-up.
///
///     e = (1/S - 1/n) / (1 - 1/n)
///
///     S  measured speed-up   1, > 0
///     n  devices             count, > 1
///
/// The same e at every n speaks for serial work; an e that grows with n for overhead, such as
/// communication; a negative e for a speed-up of more than n.
///
/// Holds: growing with n it speaks for overhead.
///
/// Source: A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", Communications
/// of the ACM 33 (1990) 539-543.
///
/// \throws invalid_input if speed_up <= 0 or devices <= 1
constexpr double karp_flatt(double speed_up, double devices) {
  require(speed_up > 0, "karp_flatt: speed_up must be > 0");
  require(devices > 1, "karp_flatt: devices must be > 1");
  return (1 / speed_up - 1 / devices) / (1 - 1 / devices);
}

}  // namespace gpuplan
