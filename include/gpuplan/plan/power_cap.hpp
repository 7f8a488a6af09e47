#pragma once
/// \file
/// Power limits: how many GPUs a site can feed, and how much speed a capped GPU loses.

#include <cmath>
#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// GPUs that a site can feed.
///
///     floor(P / (u p))
///
///     P  power of the site: the power there is                        W, >= 0
///     p  of one GPU, with its share of the host                       W, > 0
///     u  power_usage_effectiveness: of the site over its computers    1, >= 1
///
/// Holds: all at full power.
///
/// Source: power usage effectiveness is ISO/IEC 30134-2:2016.
///
/// \throws invalid_input if an argument is out of its range, or more than 2^53 GPUs come out
constexpr std::int64_t gpus_under_power(watts site, watts each,
                                        double power_usage_effectiveness = 1) {
  require(site >= watts{0}, "gpus_under_power: site must be >= 0 W");
  require(each > watts{0}, "gpus_under_power: each must be > 0 W");
  require(power_usage_effectiveness >= 1,
          "gpus_under_power: power_usage_effectiveness must be >= 1");
  const double gpus = site / (power_usage_effectiveness * each);
  require(gpus <= 0x1p53, "gpus_under_power: site must be <= 2^53 GPUs");
  return static_cast<std::int64_t>(gpus);
}

/// Power of a GPU at idle and at full clock.
struct power_range {
  watts idle{};  ///< static: whatever the clock; >= 0
  watts full{};  ///< at full clock; > idle
};

/// The coarse form of what a power cap leaves of the clock.
///
///     f = ((P - P_0) / (P_1 - P_0))^(1/3), at most 1
///
///     P         cap                      W, > P_0
///     P_0, P_1  range.idle, range.full   W
///
/// As dynamic power is proportional to f V^2 and the voltage falls with the clock.  At the lowest
/// voltage it falls no more, and power with f alone: real clocks are then lower than this says.
///
/// Holds: voltage falls with the clock; at most 1.
///
/// Source: T. Mudge, "Power: A First-Class Architectural Design Constraint", Computer 34 (2001)
/// 52-58.
///
/// \throws invalid_input if range.idle < 0 W, range.full <= idle or cap <= idle
inline double coarse_capped_clock(watts cap, const power_range& range) {
  require(range.idle >= watts{0}, "power_range.idle must be >= 0 W");
  require(range.full > range.idle, "power_range.full must be > idle");
  require(cap > range.idle, "coarse_capped_clock: cap must be > range.idle");
  if (cap >= range.full) return 1;
  return std::cbrt((cap - range.idle) / (range.full - range.idle));
}

/// A step at a lower clock.
///
///     t_c / f + t_o
///
///     t_c  what follows the clock                                    s, >= 0
///     t_o  what does not: memory traffic, network, which does not    s, >= 0
///     f    clock over its full value                                 1, > 0, <= 1
///
/// Holds: memory and network keep their clocks.
///
/// Source: definition.
///
/// \throws invalid_input if a time is < 0 s, or clock is not 0 to 1, or is 0
constexpr seconds capped_step(seconds compute, seconds other, double clock) {
  require(compute >= seconds{0}, "capped_step: compute must be >= 0 s");
  require(other >= seconds{0}, "capped_step: other must be >= 0 s");
  require(clock > 0 && clock <= 1, "capped_step: clock must be above 0 and at most 1");
  return compute / clock + other;
}

}  // namespace gpuplan
