#pragma once
/// \file
/// NCCL's own model of its collectives, by which it chooses algorithm and protocol.

#include <cstddef>
#include <optional>
#include <span>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/lower_bound.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/comm/nccl_tables.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Time of nothing: of an algorithm and a protocol that nccl_bandwidth() knows.
constexpr seconds nccl_latency(const nccl_group& group, collective what, nccl_algorithm algorithm,
                               nccl_protocol protocol) {
  const nccl_constants& table = nccl_constants_of(group.version);
  const auto a = static_cast<std::size_t>(algorithm);
  const auto p = static_cast<std::size_t>(protocol);
  const auto tree = static_cast<std::size_t>(nccl_algorithm::tree);
  const auto network = static_cast<std::size_t>(nccl_wire::network);
  const bool simple = protocol == nccl_protocol::simple;
  const bool old = group.version == nccl_version::v2_21_5;
  const double n = group.ranks;
  const double nodes = group.nodes;
  const int ranks_of_node = group.ranks / group.nodes;  // NCCL, too, rounds down
  const double local = ranks_of_node - 1;
  const double levels = doublings_within(group.nodes);

  const seconds base = table.base[a][p];
  const seconds inside = table.hop[static_cast<std::size_t>(group.wire)][a][p];
  const bool alone = group.ranks == group.nodes && !old;
  const seconds between =
      table.hop[network][alone ? tree : a][p] + (simple ? 2 : 1) * group.network_latency;

  switch (algorithm) {
    case nccl_algorithm::ring: {
      if (what == collective::broadcast || what == collective::reduce) {
        const auto wire = group.nodes == 1 ? static_cast<std::size_t>(group.wire) : network;
        if (group.channels == nccl_channels::same) return base + table.hop[wire][a][p];
        return base + n * table.hop[wire][simple ? tree : a][p];
      }
      const double passes = what == collective::all_reduce ? 2 : 1;
      double crossings = group.nodes > 1 ? passes * (nodes - 1) : 0;
      if (old && what == collective::all_reduce && group.nodes > 1) crossings = 2 * nodes;
      seconds post;
      if (group.nodes > 1)
        post = (group.host == nccl_host::amd ? 2 : 1) * (simple ? 3 : 1) * units::us;
      return base + (passes * (n - 1) - crossings) * larger(inside, post) + crossings * between;
    }
    case nccl_algorithm::tree: return base + 2 * (local * inside + levels * between);
    case nccl_algorithm::collnet_direct:
      return base + 2 * ((local < 1 ? local : 1) * inside + local * (.4 * units::us)) + between;
    case nccl_algorithm::collnet_chain: return base + 2 * local * inside + between;
    case nccl_algorithm::nvls: return group.nodes > 1 ? inside + between : inside;
    case nccl_algorithm::nvls_tree: return base + inside + 2 * levels * between;
    case nccl_algorithm::pat: return base + levels * (between / 3.5) + n * (2.8 * units::us);
  }
  require(false, "nccl: algorithm must be one of nccl_algorithms");
  return {};
}

/// What a tree reaches of its bandwidth with this message.
constexpr double nccl_correction(const nccl_group& group, nccl_algorithm algorithm,
                                 nccl_protocol protocol, const bytes& message) {
  const bool blackwell_tree =
      algorithm == nccl_algorithm::nvls_tree && group.version == nccl_version::v2_30_7 &&
      group.generation == nccl_generation::blackwell && group.host != nccl_host::other;
  if (algorithm != nccl_algorithm::tree && !blackwell_tree) return 1;
  const int sizes = blackwell_tree ? 24 : 23;
  const double lines = message / (64 * units::byte);
  if (lines >= static_cast<double>(1 << sizes)) return 1;
  if (lines < 1 && group.version != nccl_version::v2_21_5) return 1;
  const int size = lines < 1 ? 0 : doublings_within(static_cast<int>(lines));
  return nccl_tree_correction[static_cast<std::size_t>(protocol)][static_cast<std::size_t>(size)];
}

}  // namespace detail

/// A collective as NCCL sees it: latency + m / bandwidth.
struct nccl_time {
  nccl_algorithm algorithm{};
  nccl_protocol protocol{};
  seconds latency{};
  seconds transfer{};
  [[nodiscard]] constexpr seconds total() const { return latency + transfer; }
};

/// The time that NCCL expects of a collective by an algorithm and a protocol; none if it would not
/// take them.
///
///     T = latency + m / (c W)
///
///     W   nccl_bandwidth(), of the algorithm
///     c   for trees, what they reach with a message of this size: 0.4 to 1
///
/// The latency of a ring all-reduce by the protocol for large messages, over several nodes, counts
/// 1.4 times (1.9 before Ampere) from 64 B for each rank and channel on.
///
/// Holds for a collective on its own, not one of a batch, without NCCL_* in the environment.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc, ncclTopoTuneModel and ncclTopoGetAlgoTime.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nccl_estimate(const nccl_group& group, collective what,
                                                 nccl_algorithm algorithm, nccl_protocol protocol,
                                                 const bytes& message) {
  require_valid(group);
  require(message >= bytes{0}, "nccl_estimate: message must be >= 0 B");
  if (group.ranks == 1) return nccl_time{.algorithm = algorithm, .protocol = protocol};
  const bytes_per_second bandwidth = nccl_bandwidth(group, what, algorithm, protocol);
  if (!(bandwidth > bytes_per_second{0})) return std::nullopt;

  seconds latency = detail::nccl_latency(group, what, algorithm, protocol);
  if (algorithm == nccl_algorithm::ring && protocol == nccl_protocol::simple && group.nodes > 1 &&
      what == collective::all_reduce &&
      message >= 64.0 * group.ring.channels * group.ranks * units::byte)
    latency *= group.generation == nccl_generation::volta ? 1.9 : 1.4;
  const double reached = detail::nccl_correction(group, algorithm, protocol, message);
  return nccl_time{.algorithm = algorithm,
                   .protocol = protocol,
                   .latency = latency,
                   .transfer = message / (reached * bandwidth)};
}

/// What NCCL may choose from, as NCCL_ALGO and NCCL_PROTO say.
struct nccl_allowed {
  std::span<const nccl_algorithm> algorithms = nccl_algorithms;
  std::span<const nccl_protocol> protocols = nccl_protocols;
};

namespace detail {

/// The least time that `estimate` gives for an algorithm and a protocol; of equals the first.
template <class Estimate>
constexpr std::optional<nccl_time> quickest(const nccl_allowed& allowed, const Estimate& estimate) {
  std::optional<nccl_time> best;
  for (const nccl_algorithm algorithm : allowed.algorithms)
    for (const nccl_protocol protocol : allowed.protocols) {
      const std::optional<nccl_time> candidate = estimate(algorithm, protocol);
      if (candidate && (!best || candidate->total() < best->total())) best = candidate;
    }
  return best;
}

}  // namespace detail

/// The algorithm and protocol that NCCL would take: those of the least time; of equals the first.
/// None for what is no collective of NCCL's, or where nothing that it could take is allowed.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc (2.28.3, 2025), github.com/NVIDIA/nccl.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nccl_choice(const nccl_group& group, collective what,
                                               const bytes& message,
                                               const nccl_allowed& allowed = {}) {
  return detail::quickest(allowed, [&](nccl_algorithm algorithm, nccl_protocol protocol) {
    return nccl_estimate(group, what, algorithm, protocol, message);
  });
}

/// An all-reduce that sums in the switches of nodes, and by a tree between them.
///
///     m max((g + 1)/(g e W), t / P)
///
///     g       ranks of a node
///     W, e    a rank's links into the switch, and what NCCL reckons can be had of them: 0.85 on
///             Hopper, 0.74 on Blackwell
///     P       all ports of a node
///     t       what they carry of m each way: 0 on one node, 1 on two, else 2
///
/// with the latency of nccl_estimate.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc (2.30.7, 2026), github.com/NVIDIA/nccl.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nvls_expected(const nccl_group& group, nccl_algorithm algorithm,
                                                 const bytes& message) {
  auto time =
      nccl_estimate(group, collective::all_reduce, algorithm, nccl_protocol::simple, message);
  if (!time || group.ranks == 1) return time;

  const double efficiency =
      nccl_constants_of(group.version).nvls_efficiency[static_cast<std::size_t>(group.generation)];
  const double channels = group.nvls.channels;
  const interconnect inside{.bandwidth = efficiency * channels * group.nvls.inside};
  if (!(inside.bandwidth > bytes_per_second{0})) return time;
  const int local = group.ranks / group.nodes;
  time->transfer = time_of({0, (local + 1.0) / local, 0}, inside, message).transfer;
  if (group.nodes > 1) {
    const double carried = group.nodes == 2 ? 1 : 2;
    time->transfer = larger(time->transfer, carried * message / (channels * group.nvls.between));
  }
  return time;
}

namespace detail {

/// What a protocol sends for each byte of a message: flags beside 4 byte of 8, or 120 of 128.
constexpr double sent_by(nccl_protocol protocol) {
  if (protocol == nccl_protocol::ll) return 2;
  return protocol == nccl_protocol::ll128 ? 128.0 / 120 : 1;
}

/// What the ports of a node, together of a rate, take at least for a collective: lower_bound_cost
/// of one rank a node.  0 s on one node, or where the rate is not known.
constexpr seconds least_of_ports(collective what, int nodes, const bytes& message,
                                 const bytes_per_second& ports) {
  if (nodes == 1 || !(ports > bytes_per_second{0})) return seconds{0};
  return lower_bound_cost(what, nodes).sent * message / ports;
}

}  // namespace detail

/// The quickest that NCCL may choose.  NCCL reckons a tree over two nodes at the rate inside a
/// node; here the ports of a node bound its transfer, as they bound every other, with the flags
/// that a protocol sends.
///
/// Within 17% in the median of 400 measured times of six collectives on 2 to 1440 GPUs, with
/// catalogue rates and the longer of this and the host's launches (32% were they free); small
/// messages on networks of the cloud take up to several times as long.
/// benchmarks/accuracy_collectives prints the table.
///
/// Holds for a collective on its own, when launches by the host do not hold it up.
///
/// Source: as nvls_expected.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nccl_expected(const nccl_group& group, collective what,
                                                 const bytes& message,
                                                 const nccl_allowed& allowed = {}) {
  return detail::quickest(
      allowed, [&](nccl_algorithm algorithm, nccl_protocol protocol) -> std::optional<nccl_time> {
        const bool in_switch =
            algorithm == nccl_algorithm::nvls || algorithm == nccl_algorithm::nvls_tree;
        if (in_switch && protocol != nccl_protocol::simple) return std::nullopt;
        auto time = in_switch && what == collective::all_reduce
                        ? nvls_expected(group, algorithm, message)
                        : nccl_estimate(group, what, algorithm, protocol, message);
        if (!time) return time;
        const nccl_graph& graph = detail::graph_of(group, algorithm);
        const bytes_per_second ports = double(graph.channels) * graph.between;
        time->transfer = larger(
            time->transfer,
            detail::least_of_ports(what, group.nodes, detail::sent_by(protocol) * message, ports));
        return time;
      });
}

}  // namespace gpuplan
