#pragma once
/// \file
/// The universal scalability law (USL): contention, and coherence between pairs of devices.

#include <cmath>
#include <limits>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The two coefficients of the universal scalability law.
struct usl {
  double contention{};  ///< alpha, share of the work done by one at a time; 0 to 1
  double coherency{};   ///< beta, cost of one pair of devices that must agree; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const usl& law) {
  require(law.contention >= 0 && law.contention <= 1, "usl.contention must be 0 to 1");
  require(law.coherency >= 0 && law.coherency < HUGE_VAL, "usl.coherency must be >= 0 and finite");
}

/// Throughput of n devices over that of one.
///
///     C(n) = n / (1 + alpha (n - 1) + beta n (n - 1))
///
///     alpha, beta  law.contention, law.coherency   1
///     n            devices                         count, >= 1
///
/// With beta = 0 it is Amdahl's law for p = 1 - alpha.  With beta > 0 it has a peak, after which
/// more devices do less.
///
/// Source: N. J. Gunther, "A General Theory of Computational Scalability Based on Rational
/// Functions" (2008), arXiv:0808.1431.
///
/// \throws invalid_input if the law is invalid, or devices < 1 or infinite
constexpr double usl_speed_up(const usl& law, double devices) {
  require_valid(law);
  require(devices >= 1 && devices < HUGE_VAL, "usl_speed_up: devices must be >= 1 and finite");
  const double others = devices - 1;
  return devices / (1 + law.contention * others + law.coherency * devices * others);
}

/// Devices at which the throughput is largest: sqrt((1 - alpha) / beta), a fraction as a rule; 1
/// where a second device already does harm; infinite for beta = 0, where more never do less.
///
/// Source: as usl_speed_up, section 3.
///
/// \throws invalid_input if the law is invalid
inline double usl_peak(const usl& law) {
  require_valid(law);
  if (law.coherency == 0) return std::numeric_limits<double>::infinity();
  return (std::fmax)(1, std::sqrt((1 - law.contention) / law.coherency));
}

}  // namespace gpuplan
