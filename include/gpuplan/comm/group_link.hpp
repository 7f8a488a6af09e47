#pragma once
/// \file
/// The links that a group of ranks uses, by the placement of its members.

#include <cstdint>
#include <numeric>

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

/// What joins the slowest of the groups of contiguous ranks that a job is cut into.
///
///     g divides by p, or p <= n <= g    scale_up: no group leaves its node
///     otherwise                         fabric, gcd(p, g) times its bandwidth, at most that of
///                                       scale_up: some group has no more members in one of its
///                                       nodes, and each drives a port
///
///     p  ranks of a group     count, >= 1
///     g  GPUs of a node       count, >= 1
///     n  GPUs of the job      count, >= p
///
/// Groups begin at multiples of p and nodes at multiples of g, so that a part of a group is a
/// multiple of gcd(p, g).  Holds for n of lcm(p, g) and more; a job of fewer GPUs may be faster.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/parallel_state.py (2026), the order of ranks.
///
/// \throws invalid_input if ranks < 1
template <class T>
constexpr basic_interconnect<T> contiguous_group_link(const basic_node_links<T>& box,
                                                      std::int64_t ranks, std::int64_t job) {
  require(ranks >= 1, "contiguous_group_link: ranks must be >= 1");
  const bool whole = box.gpus % ranks == 0 || (ranks <= job && job <= box.gpus);
  if (whole) return box.scale_up;
  return link_across_nodes(box, std::gcd(ranks, std::int64_t{box.gpus}));
}

}  // namespace gpuplan
