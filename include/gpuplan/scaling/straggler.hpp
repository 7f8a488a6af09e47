#pragma once
/// \file
/// Waiting for the slowest device: with jitter, and with devices of different speed.

#include <cmath>
#include <numbers>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The mean of the largest of n independent numbers of the standard normal distribution.
///
///     m(n) = integral of x n phi(x) Phi(x)^(n-1)
///
///     n  count, 1 to 1e12, whole or not
///
/// By the trapezoidal rule, whose error for such a function is that of rounding: about 1e-14 to
/// n = 1e12.
///
/// Holds: independent numbers.
///
/// Source: H. A. David and H. N. Nagaraja, "Order Statistics", 3rd ed., Wiley (2003), section 3.1.
///
/// \throws invalid_input if count is not from 1 to 1e12
inline double expected_normal_maximum(double count) {
  require(count >= 1 && count <= 1e12, "expected_normal_maximum: count must be from 1 to 1e12");
  if (count == 1) return 0;  // by symmetry
  constexpr double from = -9;
  constexpr int steps = 672;  // to 12
  constexpr double width = 1.0 / 32;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double x = from + i * width;
    const double beyond = std::erfc(std::abs(x) / std::numbers::sqrt2) / 2;
    const double log_below = x < 0 ? std::log(beyond) : std::log1p(-beyond);
    sum += x * std::exp(-x * x / 2 + (count - 1) * log_below);
  }
  return sum * width * count * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

/// Mean delay of a step that waits for all of n devices, each late by an independent normal jitter.
///
///     d = sigma m(n)
///
///     sigma  standard deviation of one device's step    s, >= 0
///     m      expected_normal_maximum
///     n      devices                                    count, >= 1
///
/// Beside the mean step of one device.  Where jitter has a longer tail than the normal the delay is
/// longer; where devices are slow always, see waiting_for_slowest.
///
/// Holds: independent normal jitter.
///
/// Source: as expected_normal_maximum.
///
/// \throws invalid_input if jitter < 0 s or devices < 1
inline seconds straggler_delay(seconds jitter, double devices) {
  require(jitter >= seconds{0}, "straggler_delay: jitter must be >= 0 s");
  require(devices >= 1, "straggler_delay: devices must be >= 1");
  return jitter * expected_normal_maximum(devices);
}

/// The coarse form of straggler_delay.
///
///     sigma sqrt(2 ln n)
///
///     sigma  standard deviation of one device's step    s, >= 0
///     n      devices                                    count, >= 1
///
/// Never too small; 109% too large for n = 2, 21% for 100, 9% for 1e5.
///
/// Holds: 109 % too large for n = 2, 21 % for 100.
///
/// Source: S. Boucheron, G. Lugosi and P. Massart, "Concentration Inequalities", Oxford (2013),
/// section 2.5.
///
/// \throws invalid_input if jitter < 0 s or devices < 1
inline seconds coarse_straggler_delay(seconds jitter, double devices) {
  require(jitter >= seconds{0}, "coarse_straggler_delay: jitter must be >= 0 s");
  require(devices >= 1, "coarse_straggler_delay: devices must be >= 1");
  return jitter * std::sqrt(2 * std::log(devices));
}

/// How many times as long as the mean the slowest of n devices takes for the same work, where their
/// speeds differ for good: cluster.slowest of a pool whose spread was measured.
///
///     1 + s m(n)
///
///     s  deviation of one device's time, as a part of the mean   1, >= 0
///     m  expected_normal_maximum
///     n  devices                                                 count, >= 1
///
/// GPUs of one node were seen to differ by 5 % in the rate of their products (S. Bekman, "Machine
/// Learning Engineering Open Book", github.com/stas00/ml-engineering, 2025).
///
/// Holds: independent normal speeds.
///
/// Source: as expected_normal_maximum.
///
/// \throws invalid_input if deviation < 0 or devices < 1
inline double slowest_over_mean(double deviation, double devices) {
  require(deviation >= 0, "slowest_over_mean: deviation must be >= 0");
  require(devices >= 1, "slowest_over_mean: devices must be >= 1");
  return 1 + deviation * expected_normal_maximum(devices);
}

/// A step in which everybody waits for the slowest.
struct waiting_step {
  seconds mean{};  ///< of the participants
  seconds slowest{};

  /// Share of the devices' time that they wait: 1 - mean / slowest.
  [[nodiscard]] constexpr double idle() const { return 1 - mean / slowest; }
  /// Slowest over mean, less 1: how much longer than with the same work spread evenly.
  [[nodiscard]] constexpr double imbalance() const { return slowest / mean - 1; }
};

/// The step of participants that take different times: ranks, pipeline stages, experts.
///
///     T = max_k t_k
///
///     t_k  times   s, > 0
///
/// Source: L. G. Valiant, "A bridging model for parallel computation", Communications of the ACM 33
/// (1990) 103-111.
///
/// \throws invalid_input if times is empty or one is <= 0 s
constexpr waiting_step waiting_for_slowest(std::span<const seconds> times) {
  require(!times.empty(), "waiting_for_slowest: times must not be empty");
  waiting_step step;
  for (const seconds time : times) {
    require(time > seconds{0}, "waiting_for_slowest: times must be > 0 s");
    step.mean += time / static_cast<double>(times.size());
    step.slowest = larger(step.slowest, time);
  }
  step.slowest = larger(step.slowest, step.mean);  // their mean, rounded, may be above equal times
  return step;
}

/// Throughput of devices of different speeds, under the two ways to divide a batch.
struct mixed_throughput {
  per_second equal_shares{};         ///< n min r_k: the fast wait for the slow
  per_second proportional_shares{};  ///< sum r_k: all are done at once
};

/// What devices of speeds r_k do together.
///
///     equal shares: n min_k r_k;   shares proportional to r_k: sum_k r_k
///
///     r_k  speeds   samples/s, > 0
///
/// Without communication.  Proportional shares need gradients to be weighed by the samples of each
/// device, and speeds that do not depend on the share.
///
/// Source: definition.
///
/// \throws invalid_input if speeds is empty or one is <= 0
constexpr mixed_throughput throughput_of_mixed(std::span<const per_second> speeds) {
  require(!speeds.empty(), "throughput_of_mixed: speeds must not be empty");
  per_second slowest = speeds.front();
  per_second sum;
  for (const per_second speed : speeds) {
    require(speed > per_second{0}, "throughput_of_mixed: speeds must be > 0 samples/s");
    slowest = smaller(slowest, speed);
    sum += speed;
  }
  const per_second equal = static_cast<double>(speeds.size()) * slowest;
  return {.equal_shares = smaller(equal, sum), .proportional_shares = sum};
}

}  // namespace gpuplan
