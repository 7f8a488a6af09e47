#pragma once
/// \file
/// Time of two-level collectives: within nodes, and between them.

#include <cstdint>
#include <type_traits>

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Nodes of equally many ranks, and what joins them.
template <class T>
struct basic_two_level {
  basic_interconnect<T> inside{};   ///< between ranks of a node, for each rank
  basic_interconnect<T> between{};  ///< between nodes, for each port
  int node_ranks = 1;               ///< of one node; >= 1
  int nodes = 1;                    ///< >= 1
  int ports = 1;                    ///< of one node, all in use; >= 1

  [[nodiscard]] constexpr double ranks() const { return 1.0 * node_ranks * nodes; }
};

using two_level = basic_two_level<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_two_level<T>& group) {
  require_valid(group.inside);
  require_valid(group.between);
  require(group.node_ranks >= 1, "two_level.node_ranks must be >= 1");
  require(group.nodes >= 1, "two_level.nodes must be >= 1");
  require(group.ports >= 1, "two_level.ports must be >= 1");
}

/// Time within the nodes and time between them.
template <class T>
struct basic_two_level_time {
  basic_collective_time<T> inside{};
  basic_collective_time<T> between{};

  /// One after the other: the upper bound.
  [[nodiscard]] constexpr basic_seconds<T> serial() const {
    return inside.total() + between.total();
  }
  /// All at once, piece by piece: the lower bound.
  [[nodiscard]] constexpr basic_seconds<T> pipelined() const {
    return larger(inside.total(), between.total());
  }
};

using two_level_time = basic_two_level_time<double>;

/// An all-reduce in two levels: a ring reduce-scatter in each node, ring all-reduces of the pieces
/// between nodes, a ring all-gather in each node.
///
///     inside     2 (g - 1) (alpha1 + m / (g W1))
///     between    2 (N - 1) (alpha2 + m / (N k W2))
///
///     g, N, k       group.node_ranks, .nodes, .ports
///     m             bytes to reduce, on each rank        B, >= 0
///     alpha1, W1    group.inside                         s, B/s, one direction
///     alpha2, W2    group.between: of one port           s, B/s, one direction
///
/// The truth lies between pipelined() and serial().  32 GPUs of 4 nodes took 22.1 ms for 4 GiB,
/// where 16.8 and 27.9 are the bounds.
///
/// Source: A. Sergeev and M. Del Balso, "Horovod: fast and easy distributed deep learning in
/// TensorFlow", arXiv:1802.05799 (2018), hierarchical all-reduce; measured: S. Bekman, "Machine
/// Learning Engineering Open Book", network/README.md, github.com/stas00/ml-engineering (2025).
///
/// \throws invalid_input if message < 0 B or the group is invalid
template <class T>
constexpr basic_two_level_time<T> hierarchical_all_reduce(
    const basic_two_level<T>& group, const std::type_identity_t<basic_bytes<T>>& message) {
  require_valid(group);
  const double ports = group.ports;
  return {.inside = ring_all_reduce(group.inside, group.node_ranks, message),
          .between = ring_all_reduce(group.between, group.nodes, message / ports)};
}

/// A ring all-reduce over all ranks that enters and leaves each node by every port: one ring for
/// each, on a share of the message.
///
///     T = 2 (n - N) alpha1  +  2 (N - 1) alpha2  +  2 (n - 1)/n m max(1 / W1, 1 / (k W2))
///
/// with n = g N ranks, otherwise as hierarchical_all_reduce.  Within one node: a ring.
///
/// Source: NVIDIA, "NCCL", src/graph/search.cc (2.30, 2026), one ring for each network port.
///
/// \throws invalid_input if message < 0 B or the group is invalid
template <class T>
constexpr basic_collective_time<T> flat_ring_all_reduce(
    const basic_two_level<T>& group, const std::type_identity_t<basic_bytes<T>>& message) {
  require_valid(group);
  require(message >= bytes{0}, "flat_ring_all_reduce: message must be >= 0 B");
  const double n = group.ranks();
  const double crossings = 2.0 * (group.nodes - 1);
  basic_bytes_per_second<T> slowest = group.inside.bandwidth;
  if (group.nodes > 1) {
    const basic_bytes_per_second<T> out = group.ports * group.between.bandwidth;
    slowest = group.node_ranks > 1 ? smaller(slowest, out) : out;
  }
  return {.latency =
              (2 * (n - 1) - crossings) * group.inside.latency + crossings * group.between.latency,
          .transfer = 2 * (n - 1) / n * message / slowest};
}

/// How messages of an all-to-all leave a node.
enum class aggregation {
  none,  ///< one for each rank elsewhere
  rail   ///< collected for each node elsewhere, by the rank that has the right port (PXN)
};

/// An all-to-all in two levels.
///
///     inside     (g - 1) (alpha1 + m / (n W1))
///     between    (n - g)/n m g / (k W2)  +  (n - g) alpha2, or (N - 1) alpha2 if aggregated
///
///     m   bytes that each rank sends, its own piece included    B, >= 0
///
/// otherwise as hierarchical_all_reduce, with n = g N.
///
/// Source: K. Mandakolathur and S. Jeaugey, "Doubling all2all Performance with NVIDIA Collective
/// Communication Library 2.12", developer.nvidia.com/blog (2022).
///
/// \throws invalid_input if message < 0 B or the group is invalid
template <class T>
constexpr basic_two_level_time<T> two_level_all_to_all(
    const basic_two_level<T>& group, const std::type_identity_t<basic_bytes<T>>& message,
    aggregation collected) {
  require_valid(group);
  const double n = group.ranks();
  const double g = group.node_ranks;
  const double others = collected == aggregation::rail ? group.nodes - 1.0 : n - g;
  return {.inside = time_of({g - 1, (g - 1) / n, 0}, group.inside, message),
          .between = time_of({others, (n - g) / n * g / group.ports, 0}, group.between, message)};
}

}  // namespace gpuplan
