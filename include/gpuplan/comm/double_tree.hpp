#pragma once
/// \file
/// Time of an all-reduce by two binary trees, counted in blocks.

#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An all-reduce by two trees: a reduce in k blocks on each, and then a broadcast the same way.
///
///     T = 2 (2 h + 2 k - 2) (alpha + m / (2 k W))  +  gamma m
///
///     p      ranks                                      count, >= 1
///     k      blocks on each tree                        count, >= 1
///     h      height of the trees: log2 p rounded up
///     m      bytes to reduce, on each rank              B, >= 0
///     alpha  link.latency                               s
///     W      link.bandwidth                             B/s, one direction
///     gamma  reduction: time of the sum of one byte     s/B, >= 0
///
/// One rank takes no time.  As k grows and alpha goes to 0, T goes to 2 m / W.
///
/// Source: P. Sanders, J. Speck and J. Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35 (2009) 581-594; NVIDIA, "Massively Scale Your Deep
/// Learning Training with NCCL 2.4", developer.nvidia.com/blog (2019).
///
/// \throws invalid_input if ranks < 1, blocks < 1, message < 0 B, reduction < 0 s/B, or the link is
///         invalid
template <class T>
constexpr basic_collective_time<T> double_tree_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message, double blocks,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  require(ranks >= 1, "double_tree_all_reduce: ranks must be >= 1");
  require(blocks >= 1, "double_tree_all_reduce: blocks must be >= 1");
  if (ranks == 1) return time_of(collective_cost{}, link, message, reduction);
  const collective_cost down = steps_of(pipeline_shape::two_tree, ranks).cost(blocks);
  return time_of({2 * down.messages, 2 * down.sent, 1}, link, message, reduction);
}

/// The same with the number of blocks that makes it quickest: best_segments() of the broadcast.
///
/// Source: P. Sanders, J. Speck and J. Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35 (2009) 581-594.
template <class T>
constexpr basic_collective_time<T> best_double_tree_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  return double_tree_all_reduce(link, ranks, message,
                                best_segments(pipeline_shape::two_tree, link, ranks, message),
                                reduction);
}

}  // namespace gpuplan
