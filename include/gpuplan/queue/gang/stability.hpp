#pragma once
/// \file
/// The largest load of gangs that a pool can take, first come first served.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/saturated.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a pool does while jobs never run out.
struct saturation {
  per_second rate{};      ///< lambda*, jobs that start: the most that may come
  double busy = 0;        ///< c_e = lambda* E b S, GPUs that they hold
  double dispersion = 1;  ///< 1 + 2 Delta: variance over mean of the jobs that start in a long time

  /// Delta: how many more jobs than on average follow one that ends.
  [[nodiscard]] constexpr double delta() const { return (dispersion - 1) / 2; }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const saturation& limit) {
  require(limit.rate >= per_second{0}, "saturation.rate must be >= 0 /s");
  require(limit.busy >= 0, "saturation.busy must be >= 0");
  require(limit.dispersion >= 0, "saturation.dispersion must be >= 0");
}

/// The saturation that a run has found.  GPUs that were busy all the time are a whole number, which
/// the sum over time misses by rounding.
constexpr saturation saturation_of(const saturated_throughput& run) {
  const double busy = run.busy_gpus.mean;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(busy + 0.5));
  const bool rounded = busy - whole < 1e-12 * whole && whole - busy < 1e-12 * whole;
  return {run.completions(), rounded ? whole : busy, run.dispersion};
}

/// The largest arrival rate of gangs that all run equally long, first come first served: above it
/// the queue grows without bound.
///
///     lambda* = 1 / (S E[1 / N]),   N = max {n: b_1 + ... + b_n <= c}
///
///     b   gpus of jobs, independent, of the shares of the classes
///     c   gpus of the pool            count, >= 1
///     S   mean_duration of every job  s, > 0; those of the classes do not count
///
/// Exact for exponential durations.  Not for others, nor where classes differ: by up to 40% there.
/// A job larger than the pool holds up all others: 0.  O(c^2 x classes).
///
/// Source: I. Grosof, M. Harchol-Balter and A. Scheller-Wolf, "Stability for two-class
/// multiserver-job systems", arXiv:2010.00631 (2020), for the system; that weights of p/n for each
/// list of jobs are its stationary law gives the closed form.
///
/// \throws invalid_input if a class is invalid, gpus < 1 or mean_duration is not > 0 s
inline per_second saturation_rate(std::span<const gang_class> classes, int gpus,
                                  seconds mean_duration) {
  require_valid(classes);
  require(gpus >= 1, "saturation_rate: gpus must be >= 1");
  require(mean_duration > seconds{0}, "saturation_rate: mean_duration must be > 0 s");
  double all = 0;
  for (const gang_class& jobs : classes) {
    if (jobs.gpus > gpus) return per_second{0};
    all += jobs.share;
  }
  const auto size = static_cast<std::size_t>(gpus) + 1;
  std::vector<double> sum(size, 0.0);  // law of b_1 + ... + b_n, as far as it fits
  sum[0] = 1;
  std::vector<double> next(size);
  double mean = 0;  // E 1/N
  double fits = 1;
  for (int n = 0; fits > 0; ++n) {
    double ends = 0;  // P(N = n)
    for (std::size_t held = 0; held < size; ++held) next[held] = 0;
    fits = 0;
    for (std::size_t held = 0; held < size; ++held) {
      if (sum[held] == 0) continue;
      for (const gang_class& jobs : classes) {
        const double p = jobs.share / all * sum[held];
        const std::size_t with = held + static_cast<std::size_t>(jobs.gpus);
        (with < size ? next[with] : ends) += p;
        if (with < size) fits += p;
      }
    }
    if (n > 0) mean += ends / n;
    sum.swap(next);
  }
  return 1 / (mean * mean_duration);
}

}  // namespace gpuplan
