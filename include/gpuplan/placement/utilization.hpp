#pragma once
/// \file
/// Utilisation of each node by resource, its imbalance, and the use of GPUs over time.

#include <algorithm>
#include <array>
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

/// A row for each node, a column for each kind of resource_kind: parts in use, above 1 where more
/// is asked than there is.
using utilization_matrix = Eigen::Matrix<double, Eigen::Dynamic, resource_kinds>;

/// The utilisation matrix U of nodes.
///
///     U_ik = used_ik / capacity_ik
///
///     used_ik      of kind k on node i        any unit, >= 0
///     capacity_ik  of kind k that node i has  that unit, >= 0
///
/// Source: definition.
///
/// \throws invalid_input if an amount is out of range, or asked of a kind that the node lacks
inline utilization_matrix utilization_of(std::span<const node_usage> nodes) {
  utilization_matrix use(static_cast<Eigen::Index>(nodes.size()), resource_kinds);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const resource_shares part = shares_of(nodes[i].used, nodes[i].capacity);
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

/// The kinds of resource of a utilisation matrix, all of them.
inline constexpr std::array every_resource{resource_kind::compute, resource_kind::memory,
                                           resource_kind::cores, resource_kind::network};

/// Fragmentation as imbalance: the standard deviation over the kinds of a node's utilisation, mean
/// over the nodes. 0 where every node is used alike in every kind, at most 1/2 (population).
///
///     F = 1/n sum_i sqrt(sum_k (U_ik - mean_i)^2 / K)
///
///     n     nodes                                                 count, >= 1
///     U_ik  part of kind k of node i in use                       1, 0 .. 1
///     K     kinds that are known; one less for the sample form    count, >= 1
///
/// Kinds that nobody measured are left out by `kinds`; an unknown is no 0.
///
/// It says how lopsided nodes are, not whether a job could be placed: two half-used GPUs of one
/// node and two whole ones of which one is free look alike. See fragmentation.hpp for that.
///
/// Source: definition.
///
/// \throws invalid_input if there are no nodes, or no kinds, or one for the sample form
inline double resource_imbalance(const utilization_matrix& use,
                                 deviation form = deviation::population,
                                 std::span<const resource_kind> kinds = every_resource) {
  require(use.rows() >= 1, "resource_imbalance: nodes must be >= 1");
  const double count =
      static_cast<double>(kinds.size()) - (form == deviation::population ? 0.0 : 1.0);
  require(count >= 1, "resource_imbalance: kinds must be >= 1, or >= 2 for the sample form");
  Eigen::MatrixXd known(use.rows(), static_cast<Eigen::Index>(kinds.size()));
  for (std::size_t k = 0; k < kinds.size(); ++k)
    known.col(static_cast<Eigen::Index>(k)) = use.col(static_cast<Eigen::Index>(kinds[k]));
  const Eigen::VectorXd mean = known.rowwise().mean();
  const Eigen::VectorXd squares = (known.colwise() - mean).rowwise().squaredNorm();
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

namespace detail {

/// Calls `pause(length)` for the time between each job of a GPU and the one before it.
/// \throws invalid_input if a hold ends before it starts, or starts before the one before has ended
template <class Pause>
void each_gap(std::span<const gpu_hold> holds, const Pause& pause) {
  const gpu_hold* before = nullptr;
  for (const gpu_hold& hold : holds) {
    require(hold.end >= hold.start, "gpu_hold: end must be >= start");
    require(before == nullptr || hold.start >= before->end,
            "gpu_hold: holds of one GPU must be sorted and not overlap");
    if (before != nullptr) pause(hold.start - before->end);
    before = &hold;
  }
}

}  // namespace detail

/// Fragmentation in time: the gaps between the jobs of a GPU, as a part of the time.
///
///     F_time = sum_k (start_k - end_(k-1)) / T        mean over the GPUs
///
///     start_k, end_k  of the k-th job of a GPU, k = 0 .. K    s
///     T               the whole time                          s, > 0
///
/// The time before the first and after the last job of a GPU is no gap. One GPU gives the formula
/// as it is written; of several it is the mean, so that it stays 0 .. 1.
///
/// Source: definition.
///
/// \throws invalid_input if there is no GPU, the time is not > 0 s, or a hold is out of range or
///         overlaps the one before on its GPU
inline double time_fragmentation(std::span<const std::vector<gpu_hold>> gpus, seconds total) {
  require(!gpus.empty(), "time_fragmentation: gpus must be >= 1");
  require(total > seconds{0}, "time_fragmentation: total must be > 0 s");
  seconds gaps{};
  for (const std::vector<gpu_hold>& holds : gpus)
    detail::each_gap(holds, [&](seconds gap) { gaps += gap; });
  return gaps / (static_cast<double>(gpus.size()) * total);
}

/// Idle time of no use: the part of the idle GPU time, over the stretch, that lies in pauses of a
/// GPU shorter than a job of this length needs. 0 where nothing is idle.
///
/// Source: ours.
///
/// \throws invalid_input if until is not after from, a job is not > 0 s, or a hold is out of range
///         or overlaps the one before on its GPU
inline double short_idle_share(std::span<const std::vector<gpu_hold>> gpus, seconds from,
                               seconds until, seconds job) {
  require(until > from, "short_idle_share: until must be > from");
  require(job > seconds{0}, "short_idle_share: job must be > 0 s");
  seconds idle{};
  seconds too_short{};
  const auto pause = [&](seconds length) {
    if (!(length > seconds{0})) return;
    idle += length;
    if (length < job) too_short += length;
  };
  for (const std::vector<gpu_hold>& holds : gpus) {
    seconds free_since = from;
    detail::each_gap(holds, [](seconds) {});  // refuses what is out of order
    for (const gpu_hold& hold : holds) {
      pause(std::min(hold.start, until) - free_since);
      free_since = std::max(free_since, hold.end);
    }
    pause(until - free_since);
  }
  return idle > seconds{0} ? too_short / idle : 0;
}

}  // namespace gpuplan
