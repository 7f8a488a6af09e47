#pragma once
/// \file
/// Algorithm bandwidth (algbw) and bus bandwidth (busbw) of collectives.

#include <type_traits>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What bus bandwidth is of algorithm bandwidth: bytes that each rank must send, in units of m.
///
///     all-reduce                                2 (p - 1)/p
///     reduce-scatter, all-gather, all-to-all    (p - 1)/p
///     broadcast, reduce, send and receive       1
///
///     c  collective    one of collective
///     p  ranks         count, >= 1
///
/// Source: NVIDIA, "NCCL Tests", doc/PERFORMANCE.md, github.com/NVIDIA/nccl-tests (2025).
///
/// \throws invalid_input if ranks < 1
constexpr double bus_factor(collective what, int ranks) {
  require(ranks >= 1, "bus_factor: ranks must be >= 1");
  const double piece = (ranks - 1.0) / ranks;
  switch (what) {
    case collective::all_reduce: return 2 * piece;
    case collective::reduce_scatter:
    case collective::all_gather:
    case collective::all_to_all: return piece;
    case collective::broadcast:
    case collective::reduce:
    case collective::send_receive: return 1;
  }
  require(false, "bus_factor: what must be one of collectives");
  return 0;
}

/// Algorithm bandwidth.
///
///     m / t
///
///     m  message    B, >= 0
///     t  time       s, > 0
///
/// Holds: m as NCCL's tests count it.
///
/// Source: as bus_factor.
///
/// \throws invalid_input if message < 0 B or time <= 0 s
template <class T>
constexpr basic_bytes_per_second<T> algorithm_bandwidth(
    const basic_bytes<T>& message, const std::type_identity_t<basic_seconds<T>>& time) {
  require(message >= bytes{0}, "algorithm_bandwidth: message must be >= 0 B");
  require(time > seconds{0}, "algorithm_bandwidth: time must be > 0 s");
  return message / time;
}

/// Bus bandwidth: bus_factor m / t.  It is the rate of a wire only where the algorithm moves just
/// the bytes of bus_factor; sums in a switch move fewer, and can exceed the wire.
///
///     2 (p - 1)/p m / t
///
///     p  ranks      count, >= 1
///     m  message    B, >= 0
///     t  time       s, > 0
///
/// Holds: the rate of a wire only where the algorithm moves just those bytes.
///
/// Source: as bus_factor.
///
/// \throws invalid_input if ranks < 1, message < 0 B or time <= 0 s
template <class T>
constexpr basic_bytes_per_second<T> bus_bandwidth(
    collective what, int ranks, const basic_bytes<T>& message,
    const std::type_identity_t<basic_seconds<T>>& time) {
  return bus_factor(what, ranks) * algorithm_bandwidth(message, time);
}

/// The time that goes with a bus bandwidth: bus_factor m / W.
///
///     2 (p - 1)/p m / W
///
///     p  ranks                       count, >= 1
///     m  message                     B, >= 0
///     W  bandwidth, one direction    B/s, > 0
///
/// Holds: large messages.
///
/// Source: as bus_factor.
///
/// \throws invalid_input if ranks < 1, message < 0 B or bandwidth <= 0 B/s
template <class T>
constexpr basic_seconds<T> time_at_bus_bandwidth(
    collective what, int ranks, const basic_bytes<T>& message,
    const std::type_identity_t<basic_bytes_per_second<T>>& bandwidth) {
  require(message >= bytes{0}, "time_at_bus_bandwidth: message must be >= 0 B");
  require(bandwidth > bytes_per_second{0}, "time_at_bus_bandwidth: bandwidth must be > 0 B/s");
  return bus_factor(what, ranks) * message / bandwidth;
}

/// The most that the bus bandwidth of an all-reduce in a switch can be, where W is a rank's link,
/// one direction.  \see nvls_all_reduce
///
///     2 (p - 1)/(p + 1) W
///
///     p  ranks                       count, >= 2
///     W  bandwidth, one direction    B/s, > 0
///
/// Holds: NVLink SHARP.
///
/// Source: A. Ishii and R. Wells, "The NVLink-Network Switch: NVIDIA's Switch Chip for High
/// Communication-Bandwidth SuperPODs", Hot Chips 34 (2022).
///
/// \throws invalid_input if ranks < 2 or link < 0 B/s
template <class T>
constexpr basic_bytes_per_second<T> nvls_bus_bandwidth_limit(const basic_bytes_per_second<T>& link,
                                                             int ranks) {
  require(ranks >= 2, "nvls_bus_bandwidth_limit: ranks must be >= 2");
  require(link >= bytes_per_second{0}, "nvls_bus_bandwidth_limit: link must be >= 0 B/s");
  return 2.0 * (ranks - 1) / (ranks + 1.0) * link;
}

/// What each port of a node carries in an all-reduce over N nodes, from its bus bandwidth.
///
///     W = (N - 1)/(N k)  n/(n - 1)  W_bus,      (N - 1)/(n - 1) W_bus for a port to each rank
///
///     g      ranks of a node    count, >= 1
///     N      nodes              count, >= 1
///     k      ports of a node    count, >= 1
///     W_bus  bus bandwidth      B/s, >= 0
///
/// with n ranks in all, as a hierarchical all-reduce moves 2 (N - 1)/N m / k by each of k ports.
///
/// Holds: hierarchical all-reduce, n = g N.
///
/// Source: as bus_factor.
///
/// \throws invalid_input if node_ranks, nodes or ports < 1, ranks < 2, or bandwidth < 0 B/s
template <class T>
constexpr basic_bytes_per_second<T> port_bandwidth(const basic_bytes_per_second<T>& bus,
                                                   int node_ranks, int nodes, int ports) {
  require(node_ranks >= 1, "port_bandwidth: node_ranks must be >= 1");
  require(nodes >= 1, "port_bandwidth: nodes must be >= 1");
  require(ports >= 1, "port_bandwidth: ports must be >= 1");
  require(bus >= bytes_per_second{0}, "port_bandwidth: bus must be >= 0 B/s");
  const double ranks = 1.0 * node_ranks * nodes;
  require(ranks >= 2, "port_bandwidth: ranks must be >= 2");
  return (nodes - 1.0) / nodes * ranks / (ranks - 1) / ports * bus;
}

}  // namespace gpuplan
