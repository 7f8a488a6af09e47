#pragma once
/// \file
/// A group of ranks as NCCL knows it, and which of its algorithms the group can have.

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

}  // namespace detail

}  // namespace gpuplan
