#pragma once
/// \file
/// The bandwidth that NCCL expects of its algorithms.

#include <cstddef>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/comm/nccl_tables.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

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
