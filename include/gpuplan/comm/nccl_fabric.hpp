#pragma once
/// \file
/// The paths that NCCL would find on nodes with known links, without its topology search.

#include <optional>

#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What NCCL counts for a hop of a short message over a network (src/graph/tuning.cc, LL).
inline constexpr seconds nccl_hop = 5 * units::us;

/// What a hop over EFA takes beyond what NCCL counts for a network.  AWS's tuner reckons with 20 us
/// for a hop of a p5 (aws-ofi-nccl, src/tuner/nccl_ofi_model.cpp, 2025).
inline constexpr seconds efa_beyond_nccl = 20 * units::us - nccl_hop;

/// Launch of a collective's kernel by a process that has no other to launch: 3 to 5 us; no source.
inline constexpr seconds collective_launch = 4 * units::us;

/// Nodes of one kind, by the fabrics of the catalog.
struct nccl_machine {
  nccl_generation generation = nccl_generation::hopper;
  nccl_host host = nccl_host::intel;
  nccl_wire wire = nccl_wire::nvlink;
  network_fabric inside{};    ///< between GPUs of a node; achievable or advertised > 0
  network_fabric between{};   ///< between nodes, by port; may be left out for one node
  double ports_of_node = 0;   ///< of `between`; >= 0, > 0 for more than one node
  seconds network_latency{};  ///< of a hop, beyond what NCCL counts; >= 0
  bool sums_in_node = false;  ///< the node's switch does (NVLink SHARP), and is allowed to
};

/// The group of ranks on such nodes, all links in use by all channels alike.
///
///     ring, several nodes    a channel goes at min(W, P) / c, inside and between
///     else                   at W / c inside, min(W, P) / c between; sums in the switch at P / c
///
///     W   planned rate of `inside`, one direction
///     P   ports_of_node times that of a port
///     c   channels: 16, which keep within NCCL's limits for a channel
///
/// Switches sum where more than two ranks of a node take part (src/transport/nvls.cc).
///
/// Holds for nodes whose GPUs all reach all ports, and one rank on each GPU.
///
/// Source: NVIDIA, "NCCL", src/graph/search.cc (2.30, 2026): rings have one speed throughout, trees
/// are given what is left inside a node.
///
/// \throws invalid_input if a count is out of its range or a rate that is needed is unknown
constexpr nccl_group nccl_group_on(const nccl_machine& machine, int ranks, int nodes,
                                   nccl_version version = nccl_version::v2_30_7) {
  require(nodes >= 1, "nccl_group_on: nodes must be >= 1");
  require(ranks >= nodes, "nccl_group_on: ranks must be >= nodes");
  constexpr int channels = 16;
  const bytes_per_second inside = interconnect_of(machine.inside.port).bandwidth;
  bytes_per_second out = inside;
  if (nodes > 1) {
    require(machine.ports_of_node > 0, "nccl_machine.ports_of_node must be > 0");
    out = machine.ports_of_node * interconnect_of(machine.between.port).bandwidth;
  }
  const bytes_per_second both = smaller(inside, out);

  nccl_group group{.version = version,
                   .generation = machine.generation,
                   .host = machine.host,
                   .wire = machine.wire,
                   .ranks = ranks,
                   .nodes = nodes,
                   .network_latency = machine.network_latency};
  group.ring = {channels, both / channels, both / channels};
  group.tree = {channels, inside / channels, both / channels};
  if (machine.sums_in_node && ranks > 2 * nodes)
    group.nvls = {channels, inside / channels, (nodes > 1 ? out : inside) / channels};
  return group;
}

/// A collective on its own.
struct lone_collective {
  std::optional<nccl_time> choice{};    ///< of NCCL; none of an all-to-all
  seconds network{};                    ///< were launches free
  seconds launches{collective_launch};  ///< of its kernels, by a process of one GPU
  seconds least{};                      ///< what the ports' signalling rate leaves possible

  /// The host launches while the network works: the longer of the two.
  [[nodiscard]] constexpr seconds total() const { return larger(network, launches); }
};

/// A collective on such nodes: nccl_expected, or pairwise messages for an all-to-all in one node.
/// None where neither speaks of it.  benchmarks/accuracy_collectives measures its errors.
///
/// \throws invalid_input as nccl_group_on does, or if message < 0 B
constexpr std::optional<lone_collective> lone_collective_on(const nccl_machine& machine,
                                                            collective what, int ranks, int nodes,
                                                            const bytes& message,
                                                            const nccl_allowed& allowed = {}) {
  if (what == collective::all_to_all) {
    if (nodes > 1) return std::nullopt;
    const interconnect inside = interconnect_of(machine.inside.port);
    return lone_collective{.network = pairwise_all_to_all(inside, ranks, message).total()};
  }
  const auto choice = nccl_expected(nccl_group_on(machine, ranks, nodes), what, message, allowed);
  if (!choice) return std::nullopt;
  const bytes_per_second port = machine.between.port.advertised.per_direction();
  return lone_collective{
      .choice = choice,
      .network = choice->total(),
      .least = detail::least_of_ports(what, nodes, message, machine.ports_of_node * port)};
}

}  // namespace gpuplan
