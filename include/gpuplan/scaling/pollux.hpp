#pragma once
/// \file
/// Pollux's model of a data-parallel step, whose seven numbers are fitted to a running job.

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

}  // namespace gpuplan
