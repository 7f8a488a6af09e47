#pragma once
/// \file
/// The batch that Pollux gives a job on a placement: that of the most goodput.

#include <algorithm>
#include <cmath>

#include <gpuplan/require.hpp>
#include <gpuplan/scaling/pollux.hpp>

namespace gpuplan {

/// A job's batches, as Pollux may choose them.
struct pollux_batches {
  double base{};               ///< M_0, of which the learning rate is known; samples, > 0
  double largest{};            ///< of all replicas, accumulation included; >= base
  double least_per_replica{};  ///< at once; > 0
  double most_per_replica{};   ///< at once, what fits into memory; >= least_per_replica
};

/// A batch chosen, and what it brings.
struct pollux_choice {
  pollux_placement placement{};
  goodput value{};
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const pollux_batches& batches) {
  require(batches.base > 0, "pollux_batches.base must be > 0 samples");
  require(batches.largest >= batches.base, "pollux_batches.largest must be >= base");
  require(batches.least_per_replica > 0, "pollux_batches.least_per_replica must be > 0 samples");
  require(batches.most_per_replica >= batches.least_per_replica,
          "pollux_batches.most_per_replica must be >= least_per_replica");
}

/// The batch of most goodput among 50 that Pollux tries, in geometric steps from the least that the
/// replicas take, or M_0, to the largest.
///
///     s = ceil(M / (K m_max)) - 1,   m = ceil(M / (K (s + 1)))
///
///     M     the batch tried            samples
///     K     on.replicas                count
///     m, s  samples at once of a replica, accumulations that come out
///
/// One replica past M_0 accumulates at least once, as its noise scale is measured between
/// micro-batches.  Ties go to the smaller batch.  Where even the least of all replicas is above the
/// largest, that least alone is tried.
///
/// Source: A. Qiao et al., "Pollux", OSDI (2021), and its program: petuum/adaptdl, goodput.py,
/// commit 542e123.
///
/// \throws invalid_input if an argument is invalid; on.batch_per_replica and on.accumulations play
///         no part
inline pollux_choice pollux_best_batch(const pollux_speed& speed, const pollux_placement& on,
                                       double noise_scale, const pollux_batches& batches) {
  require_valid(batches);
  require(on.replicas >= 1, "pollux_placement.replicas must be >= 1");
  constexpr int tries = 50;
  constexpr double rounding = 1e-8;  // 3.00000001 samples are 3
  const double replicas = on.replicas;
  const double least = (std::max)(batches.base, batches.least_per_replica * replicas);
  const double growth = (std::max)(1.0, batches.largest / least);

  pollux_choice best;
  for (int i = 0; i < tries; ++i) {
    const double batch = least * std::pow(growth, i / (tries - 1.0));
    const double share = batch / replicas;
    pollux_placement tried = on;
    tried.accumulations =
        (std::max)(0, static_cast<int>(std::ceil(share / batches.most_per_replica - rounding)) - 1);
    if (on.replicas == 1 && batch > batches.base)
      tried.accumulations = (std::max)(1, tried.accumulations);
    tried.batch_per_replica = std::clamp(std::ceil(share / (tried.accumulations + 1) - rounding),
                                         batches.least_per_replica, batches.most_per_replica);
    const goodput value = pollux_goodput(speed, tried, noise_scale, batches.base);
    if (i == 0 || value.rate() > best.value.rate()) best = {tried, value};
  }
  return best;
}

}  // namespace gpuplan
