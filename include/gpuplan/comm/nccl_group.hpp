#pragma once
/// \file
/// A group of ranks as NCCL sees it, and the algorithms that it can use.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl_tables.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// As NCCL prints it: "Tree", "Ring", "CollNetDirect", ...
constexpr std::string_view name_of(nccl_algorithm algorithm) {
  constexpr std::array<std::string_view, nccl_algorithms.size()> names{
      "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// As NCCL prints it: "LL", "LL128", "Simple".
constexpr std::string_view name_of(nccl_protocol protocol) {
  constexpr std::array<std::string_view, nccl_protocols.size()> names{"LL", "LL128", "Simple"};
  return names[static_cast<std::size_t>(protocol)];
}

/// What NCCL's search of the topology found for an algorithm; NCCL_DEBUG=INFO prints it.
struct nccl_graph {
  int channels = 0;            ///< 0: it cannot be done; >= 0
  bytes_per_second inside{};   ///< of a channel, in a node; >= 0
  bytes_per_second between{};  ///< of a channel, between nodes; >= 0
};

/// Whether all channels of the ring run the same way round.
enum class nccl_channels { different, same };
/// Whether a tree enters and leaves a node by one GPU.
enum class nccl_tree_shape { split, plain };

/// A communicator.
struct nccl_group {
  nccl_version version = nccl_version::v2_30_7;
  nccl_generation generation = nccl_generation::hopper;
  nccl_host host = nccl_host::intel;
  nccl_wire wire = nccl_wire::nvlink;  ///< in the node: nvlink or pci
  int ranks = 1;                       ///< >= 1
  int nodes = 1;                       ///< >= 1, at most ranks
  seconds network_latency{};           ///< what the network's plugin adds to a hop; >= 0
  nccl_graph ring{};
  nccl_graph tree{};     ///< of PAT, too
  nccl_graph nvls{};     ///< where the switch of the node can sum
  nccl_graph collnet{};  ///< where the switches of the network can sum
  nccl_tree_shape tree_shape = nccl_tree_shape::split;
  nccl_channels channels = nccl_channels::different;
  bool ll128 = true;  ///< paths between nodes keep 128 byte together
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const nccl_group& group) {
  require(group.ranks >= 1, "nccl_group.ranks must be >= 1");
  require(group.nodes >= 1, "nccl_group.nodes must be >= 1");
  require(group.nodes <= group.ranks, "nccl_group.nodes must be <= ranks");
  require(group.wire != nccl_wire::network, "nccl_group.wire must be nvlink or pci");
  require(group.network_latency >= seconds{0}, "nccl_group.network_latency must be >= 0 s");
  for (const nccl_graph* graph : {&group.ring, &group.tree, &group.nvls, &group.collnet}) {
    require(graph->channels >= 0, "nccl_graph.channels must be >= 0");
    require(graph->inside >= bytes_per_second{0}, "nccl_graph.inside must be >= 0 B/s");
    require(graph->between >= bytes_per_second{0}, "nccl_graph.between must be >= 0 B/s");
  }
}

namespace detail {

constexpr const nccl_graph& graph_of(const nccl_group& group, nccl_algorithm algorithm) {
  switch (algorithm) {
    case nccl_algorithm::ring: return group.ring;
    case nccl_algorithm::tree:
    case nccl_algorithm::pat: return group.tree;
    case nccl_algorithm::nvls:
    case nccl_algorithm::nvls_tree: return group.nvls;
    case nccl_algorithm::collnet_direct:
    case nccl_algorithm::collnet_chain: return group.collnet;
  }
  require(false, "nccl: algorithm must be one of nccl_algorithms");
  return group.ring;
}

/// Whether NCCL has such a collective, and lets the group have it.
constexpr bool nccl_offers(const nccl_group& group, collective what, nccl_algorithm algorithm,
                           nccl_protocol protocol) {
  const bool old = group.version == nccl_version::v2_21_5;
  const bool simple = protocol == nccl_protocol::simple;
  const int channels = graph_of(group, algorithm).channels;
  if (channels == 0) return false;
  if (protocol == nccl_protocol::ll128 && (group.wire != nccl_wire::nvlink || !group.ll128 ||
                                           (old && group.generation == nccl_generation::blackwell)))
    return false;

  const bool pieces = what == collective::reduce_scatter || what == collective::all_gather;
  const bool rooted = what == collective::broadcast || what == collective::reduce;
  if (!pieces && !rooted && what != collective::all_reduce) return false;
  switch (algorithm) {
    case nccl_algorithm::ring: return true;
    case nccl_algorithm::tree: return what == collective::all_reduce;
    case nccl_algorithm::collnet_chain: return simple && what == collective::all_reduce;
    case nccl_algorithm::collnet_direct:
      return simple && (what == collective::all_reduce || (pieces && group.nodes == 1));
    case nccl_algorithm::nvls:
      if (!simple || rooted || (!old && channels < 2)) return false;
      return group.nodes == 1 || (group.collnet.channels > 0 && !pieces);
    case nccl_algorithm::nvls_tree:
      return simple && what == collective::all_reduce && group.nodes > 1 && (old || channels >= 2);
    case nccl_algorithm::pat: return simple && pieces && !old && group.nodes == group.ranks;
  }
  return false;
}

/// Of a channel, before anything is taken off.
constexpr bytes_per_second nccl_channel_rate(const nccl_group& group, collective what,
                                             nccl_algorithm algorithm) {
  const nccl_graph& graph = graph_of(group, algorithm);
  const bool in_tree = algorithm == nccl_algorithm::nvls_tree;
  if (!in_tree && algorithm != nccl_algorithm::nvls) {
    const bool collnet =
        algorithm == nccl_algorithm::collnet_direct || algorithm == nccl_algorithm::collnet_chain;
    return group.nodes <= 2 || collnet ? graph.inside : graph.between;
  }
  if (group.version == nccl_version::v2_21_5)
    return smaller(graph.inside, (in_tree && group.nodes > 2 ? .5 : 1) * graph.between);

  const nccl_constants& table = nccl_constants_of(group.version);
  const auto generation = static_cast<std::size_t>(group.generation);
  const double local = 1.0 * group.ranks / group.nodes;
  const double shared = what == collective::all_reduce ? 2 : (local - 1) / local;
  const bytes_per_second inside = table.nvls_efficiency[generation] * (graph.channels - 1.0) /
                                  graph.channels * shared * graph.inside;
  const bytes_per_second between = (in_tree && group.nodes <= 2 ? 2 : 1) * graph.between;
  const bytes_per_second least = smaller(inside, between);
  if (!in_tree) return least;
  return smaller(least, table.nvls_tree[generation][group.nodes <= 2 ? 1 : 2]);
}

}  // namespace detail

/// The algorithm bandwidth that NCCL expects for large messages, 0 where it would not take such an
/// algorithm.  Of an all-gather or a reduce-scatter over several nodes, those in a switch are left
/// out: they need a network plugin with collectives of its own.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc, ncclTopoTuneModel.
///
/// \throws invalid_input if the group is invalid
constexpr bytes_per_second nccl_bandwidth(const nccl_group& group, collective what,
                                          nccl_algorithm algorithm, nccl_protocol protocol) {
  require_valid(group);
  if (group.ranks == 1 || !detail::nccl_offers(group, what, algorithm, protocol)) return {};

  const nccl_constants& table = nccl_constants_of(group.version);
  const bool old = group.version == nccl_version::v2_21_5;
  const auto generation = static_cast<std::size_t>(group.generation);
  const std::size_t extent = group.nodes == 1 ? 0 : group.nodes == 2 ? 1 : 2;
  const std::size_t host =
      group.host == nccl_host::amd || (group.host == nccl_host::mixed && !old) ? 1 : 0;
  const bytes_per_second ll = table.ll[group.nodes == 1 ? generation : host][extent];
  const double channels = detail::graph_of(group, algorithm).channels;
  const double n = group.ranks;
  const double local = n / group.nodes;
  const bool pieces = what == collective::reduce_scatter || what == collective::all_gather;

  bytes_per_second bus = channels * detail::nccl_channel_rate(group, what, algorithm);
  switch (algorithm) {
    case nccl_algorithm::ring:
      if (protocol == nccl_protocol::ll) bus = smaller(ll, bus * .5);
      if (protocol == nccl_protocol::ll128)
        bus = smaller(bus * (old && local < 2 ? .7 : .92),
                      channels * table.ring_ll128[generation][extent]);
      break;
    case nccl_algorithm::tree:
      bus = smaller(bus * .92, channels * table.tree[generation][extent]);
      if (protocol == nccl_protocol::ll) bus = smaller(bus / 3.8, ll);
      if (protocol == nccl_protocol::ll128)
        bus = smaller(bus * (group.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                      channels * table.tree_ll128[generation][extent]);
      if (group.tree_shape == nccl_tree_shape::plain) bus *= .85;
      break;
    case nccl_algorithm::collnet_direct:
      if (pieces) {
        const nccl_graph& graph = group.collnet;
        const double share = (local - 1) / 7;
        bus = old ? local * (share * .85 + (1 - share) * .95) * graph.inside
                  : local * smaller(graph.inside, .9 * graph.between);
        return bus;
      }
      bus /= local / channels - (local / channels - 1) / 2;
      if (group.generation >= nccl_generation::hopper) bus *= .85;
      break;
    case nccl_algorithm::pat: bus *= .75; break;
    case nccl_algorithm::collnet_chain:
    case nccl_algorithm::nvls:
    case nccl_algorithm::nvls_tree: break;
  }

  // From bus to algorithm bandwidth.
  const bool in_node_switch =
      algorithm == nccl_algorithm::nvls || algorithm == nccl_algorithm::nvls_tree;
  if (in_node_switch && old) return bus * (5.0 / 6);
  if (algorithm != nccl_algorithm::ring && pieces) return bus;
  if (algorithm != nccl_algorithm::ring && !in_node_switch) return bus * .5;
  const double steps = what == collective::all_reduce ? 2 * (n - 1) : pieces ? n - 1 : n;
  return bus * (n / steps);
}

}  // namespace gpuplan
