#pragma once
/// \file
/// The links that a group of ranks uses, by the placement of its members.

#include <cstdint>

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The link across nodes of a group that has `in_node` members in each: their ports together, at
/// most scale_up.
template <class T>
constexpr basic_interconnect<T> link_across_nodes(const basic_node_links<T>& box,
                                                  std::int64_t in_node) {
  basic_interconnect<T> link = box.fabric;
  link.bandwidth *= T(static_cast<double>(in_node));
  if (in_node > 1 && link.bandwidth > box.scale_up.bandwidth)
    link.bandwidth = box.scale_up.bandwidth;
  return link;
}

/// link_across_nodes of a whole node.
template <class T>
constexpr basic_interconnect<T> link_across_nodes(const basic_node<T>& box, std::int64_t in_node) {
  return link_across_nodes(box.links(), in_node);
}

/// What joins a group of ranks that lie `stride` GPUs apart.
///
///     inside a node    scale_up
///     across nodes     fabric, k times its bandwidth, at most that of scale_up
///
///     k  members of the group in one node: each drives a port of the fabric   count, >= 1
///
/// Holds for rings that enter and leave a node by each member's port in turn, as NCCL builds them.
///
/// Source: NVIDIA, "NCCL", src/graph/search.cc (2.30, 2026), one ring for each network port.
///
/// \throws invalid_input if stride or ranks < 1
template <class T>
constexpr basic_interconnect<T> group_link(const basic_node_links<T>& box, std::int64_t stride,
                                           std::int64_t ranks) {
  require(stride >= 1, "group_link: stride must be >= 1");
  require(ranks >= 1, "group_link: ranks must be >= 1");
  if (stride * ranks <= box.gpus) return box.scale_up;
  return link_across_nodes(box, stride < box.gpus ? box.gpus / stride : 1);
}

/// \throws invalid_input as group_link of node_links does
template <class T>
constexpr basic_interconnect<T> group_link(const basic_node<T>& box, std::int64_t stride,
                                           std::int64_t ranks) {
  return group_link(box.links(), stride, ranks);
}

}  // namespace gpuplan
