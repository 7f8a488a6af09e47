#pragma once
/// \file
/// The model of Pollux for a data-parallel step, with seven fitted parameters.

#include <algorithm>
#include <cmath>

#include <gpuplan/require.hpp>
#include <gpuplan/scaling/goodput.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What Pollux knows of the speed of a job.
struct pollux_speed {
  seconds compute_constant{};     ///< alpha_c, of one micro-batch; >= 0
  seconds compute_per_sample{};   ///< beta_c; >= 0
  seconds network_constant{};     ///< alpha_n, of a reduction between nodes; >= 0
  seconds network_per_replica{};  ///< beta_n, past the second replica; >= 0
  seconds node_constant{};        ///< alpha_r, of a reduction within a node; >= 0
  seconds node_per_replica{};     ///< beta_r; >= 0
  double overlap = 1;             ///< gamma: 1 none; the more, the less of the smaller shows; >= 1
};

/// Where a job runs, and what each replica does in a step.
struct pollux_placement {
  int nodes = 1;               ///< >= 1
  int replicas = 1;            ///< of the whole job; >= nodes
  double batch_per_replica{};  ///< samples at once; > 0
  int accumulations = 0;       ///< micro-batches before the one that is followed by the reduction
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const pollux_speed& speed) {
  for (const seconds part :
       {speed.compute_constant, speed.compute_per_sample, speed.network_constant,
        speed.network_per_replica, speed.node_constant, speed.node_per_replica})
    require(part >= seconds{0}, "pollux_speed: every time must be >= 0 s");
  require(speed.overlap >= 1, "pollux_speed.overlap must be >= 1");
}

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const pollux_placement& placement) {
  require(placement.nodes >= 1, "pollux_placement.nodes must be >= 1");
  require(placement.replicas >= placement.nodes, "pollux_placement.replicas must be >= nodes");
  require(placement.batch_per_replica > 0, "pollux_placement.batch_per_replica must be > 0");
  require(placement.accumulations >= 0, "pollux_placement.accumulations must be >= 0");
}

/// Time of a step.
///
///     T = s T_grad + (T_grad^g + T_sync^g)^(1/g)
///     T_grad = a_c + b_c m,   T_sync = 0 for K = 1, else a + b max(K - 2, 0)
///
///     a_c, b_c, a, b, g  the fields of speed; a, b of the network if there is more than one node
///     K, m, s            placement.replicas, batch_per_replica, accumulations   count
///
/// Source: A. Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep
/// Learning", OSDI (2021), section 3.2, arXiv:2008.12260.  Its program puts 1e-8 s for 0.
///
/// \throws invalid_input if an argument is invalid
inline seconds pollux_step_time(const pollux_speed& speed, const pollux_placement& placement) {
  require_valid(speed);
  require_valid(placement);
  const seconds gradient =
      speed.compute_constant + placement.batch_per_replica * speed.compute_per_sample;
  const bool networked = placement.nodes > 1;
  const double others = (std::fmax)(placement.replicas - 2, 0);
  seconds reduction;
  if (placement.replicas > 1)
    reduction = (networked ? speed.network_constant : speed.node_constant) +
                others * (networked ? speed.network_per_replica : speed.node_per_replica);

  const seconds longer = larger(gradient, reduction);
  if (longer == seconds{0}) return longer;
  const double ratio = smaller(gradient, reduction) / longer;
  const seconds update = longer * std::pow(1 + std::pow(ratio, speed.overlap), 1 / speed.overlap);
  return placement.accumulations * gradient + update;
}

/// Goodput of a placement: its samples per second, and their worth beside those of the base batch.
///
/// Source: as pollux_step_time, equation 1.
///
/// \throws invalid_input if an argument is invalid, or the step takes no time
inline goodput pollux_goodput(const pollux_speed& speed, const pollux_placement& placement,
                              double noise_scale, double base_batch) {
  const seconds step = pollux_step_time(speed, placement);
  const double batch =
      placement.replicas * placement.batch_per_replica * (placement.accumulations + 1.0);
  return goodput_of(noise_scale, base_batch, batch, step);
}

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
