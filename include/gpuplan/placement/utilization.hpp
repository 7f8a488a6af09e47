#pragma once
/// \file
/// Utilisation of each node by resource, its imbalance, and the use of GPUs over time.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/placement/resources.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A node, and how much of it is taken.
struct node_usage {
  resources capacity{};
  resources used{};
};

/// A row for each node, a column for each kind of resource_kind: parts in use, 0 .. 1.
using utilization_matrix = Eigen::Matrix<double, Eigen::Dynamic, resource_kinds>;

/// The utilisation matrix U of nodes.
///
///     U_ik = used_ik / capacity_ik
///
/// Source: definition.
///
/// \throws invalid_input if an amount is out of range, or more is used than there is
inline utilization_matrix utilization_of(std::span<const node_usage> nodes) {
  utilization_matrix use(static_cast<Eigen::Index>(nodes.size()), resource_kinds);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const resource_shares part = shares_of(nodes[i].used, nodes[i].capacity);
    require(part.largest() <= 1 + 1e-12, "utilization_of: used must be <= capacity");
    const auto row = static_cast<Eigen::Index>(i);
    use(row, 0) = part.compute;
    use(row, 1) = part.memory;
    use(row, 2) = part.cores;
    use(row, 3) = part.network;
  }
  return use;
}

/// By what the sum of squares is divided.
enum class deviation : std::uint8_t {
  population,  ///< by the number of values
  sample       ///< by one less
};

/// Fragmentation as imbalance: the standard deviation over the kinds of a node's utilisation, mean
/// over the nodes. 0 where every node is used alike in every kind, at most 1/2 (population).
///
///     F = 1/n sum_i sqrt(sum_k (U_ik - mean_i)^2 / K)        K = 4, or 3 for the sample form
///
/// It says how lopsided nodes are, not whether a job could be placed: two half-used GPUs of one
/// node and two whole ones of which one is free look alike. See fragmentation.hpp for that.
///
/// \throws invalid_input if there are no nodes
inline double resource_imbalance(const utilization_matrix& use,
                                 deviation form = deviation::population) {
  require(use.rows() >= 1, "resource_imbalance: nodes must be >= 1");
  const Eigen::VectorXd mean = use.rowwise().mean();
  const Eigen::VectorXd squares = (use.colwise() - mean).rowwise().squaredNorm();
  const double count = form == deviation::population ? resource_kinds : resource_kinds - 1;
  return (squares / count).cwiseSqrt().mean();
}

/// A stretch of time in which a job held GPUs.
struct gpu_hold {
  seconds start{};
  seconds end{};    ///< >= start
  double gpus = 0;  ///< >= 0, shares of a GPU too
};

/// Mean part of the GPUs in use over a stretch of time.
///
///     U = 1/(T C) integral over T of busy(t) dt = sum gpus_j |[start_j, end_j] with T| / (T C)
///
/// Source: definition.
///
/// \throws invalid_input if there are no GPUs, until is not after from, or a hold is out of range
inline double mean_utilization(std::span<const gpu_hold> holds, double gpus, seconds from,
                               seconds until) {
  require(gpus > 0, "mean_utilization: gpus must be > 0");
  require(until > from, "mean_utilization: until must be > from");
  seconds busy{};
  for (const gpu_hold& hold : holds) {
    require(hold.end >= hold.start, "mean_utilization: end must be >= start");
    require(hold.gpus >= 0, "mean_utilization: gpus of a hold must be >= 0");
    const seconds inside = std::min(hold.end, until) - std::max(hold.start, from);
    if (inside > seconds{0}) busy += hold.gpus * inside;
  }
  return busy / (gpus * (until - from));
}

/// Fragmentation in time: the part of the idle GPU time, over the stretch, that lies in pauses of a
/// GPU shorter than a job of this length needs. 0 where nothing is idle.
///
/// Source: definition.
///
/// \throws invalid_input if until is not after from, a job is not > 0 s, or a hold is out of range
///         or overlaps the one before on its GPU
inline double time_fragmentation(std::span<const std::vector<gpu_hold>> gpus, seconds from,
                                 seconds until, seconds job) {
  require(until > from, "time_fragmentation: until must be > from");
  require(job > seconds{0}, "time_fragmentation: job must be > 0 s");
  seconds idle{};
  seconds too_short{};
  const auto pause = [&](seconds length) {
    if (!(length > seconds{0})) return;
    idle += length;
    if (length < job) too_short += length;
  };
  for (const std::vector<gpu_hold>& holds : gpus) {
    seconds free_since = from;
    const gpu_hold* before = nullptr;
    for (const gpu_hold& hold : holds) {
      require(hold.end >= hold.start, "time_fragmentation: end must be >= start");
      require(before == nullptr || hold.start >= before->end,
              "time_fragmentation: holds of one GPU must be sorted and not overlap");
      pause(std::min(hold.start, until) - free_since);
      free_since = std::max(free_since, hold.end);
      before = &hold;
    }
    pause(until - free_since);
  }
  return idle > seconds{0} ? too_short / idle : 0;
}

}  // namespace gpuplan
