#pragma once
/// \file
/// Collectives that switches compute, such as NVLS and SHARP.

#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An all-reduce in a switch that all ranks hang on, as NVLink SHARP does it.
///
///     T = alpha  +  (p + 1)/p  m / W
///
///     p      ranks                                                 count, >= 1
///     m      message: bytes to reduce, on each rank                B, >= 0
///     alpha  start-up time of a message: of the whole operation    s, >= 0
///     W      bandwidth, one direction, link.bandwidth              B/s, > 0
///
/// Each rank sends m, as the switch reads it, and the m / p of the sum that it stores for all; it
/// receives as much.  That is less than the 2 (p - 1)/p m that ranks need among themselves: the bus
/// bandwidth can exceed W, up to 2 (p - 1)/(p + 1) W.  One rank takes no time.
///
/// Holds: p >= 2; NVLink SHARP.
///
/// Source: A. Ishii and R. Wells, "The NVLink-Network Switch: NVIDIA's Switch Chip for High
/// Communication-Bandwidth SuperPODs", Hot Chips 34 (2022); NVIDIA, "NCCL", src/graph/tuning.cc
/// (2.30, 2026), where alpha is 25 us.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> nvls_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "nvls_all_reduce: ranks must be >= 1");
  return time_of(ranks == 1 ? collective_cost{} : collective_cost{1, (ranks + 1.0) / ranks, 0},
                 link, message);
}

/// A reduce-scatter of m bytes, or an all-gather to m bytes, in such a switch, since each rank
/// sends all of m, or receives it.  No quicker than a ring for large m.
///
///     alpha + m / W
///
///     p      ranks                         count, >= 1
///     m      message                       B, >= 0
///     alpha  start-up time of a message    s, >= 0
///     W      bandwidth, one direction      B/s, > 0
///
/// Holds: p >= 2; no quicker than a ring for large m.
///
/// Source: A. Ishii and R. Wells, "The NVLink-Network Switch", Hot Chips 34 (2022).
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> nvls_all_gather(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "nvls_all_gather: ranks must be >= 1");
  return time_of(ranks == 1 ? collective_cost{} : collective_cost{1, 1, 0}, link, message);
}

/// The way of a sum through the switches of a network: up their tree and down again.
template <class T>
struct basic_switch_path {
  int hops = 1;             ///< switches passed, up and down; >= 1
  basic_seconds<T> each{};  ///< in one switch; 0.2 to 0.4 us on InfiniBand; >= 0
};

using switch_path = basic_switch_path<double>;

/// An all-reduce in the switches of a network, as SHARP does it.
///
///     T = 2 alpha  +  h s  +  m / W
///
///     m      message: bytes to reduce, on each rank         B, >= 0
///     alpha  start-up time of a message: of one endpoint    s, >= 0
///     W      bandwidth, one direction, link.bandwidth       B/s, > 0
///     p      ranks                                          count, >= 1
///     h      switches passed                                count, >= 1
///     s      in one switch                                  s, >= 0
///
/// Each rank sends m and receives m.  One rank takes no time.  Holds where the switches sum at W.
///
/// Source: R. Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP): A Hardware
/// Architecture for Efficient Data Reduction", COM-HPC (2016) 1-10.
///
/// \throws invalid_input if ranks < 1, message < 0 B, path.hops < 1, path.each < 0 s, or the link
///         is invalid
template <class T>
constexpr basic_collective_time<T> sharp_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_switch_path<T>>& path) {
  require(ranks >= 1, "sharp_all_reduce: ranks must be >= 1");
  require(path.hops >= 1, "sharp_all_reduce: path.hops must be >= 1");
  require(path.each >= seconds{0}, "sharp_all_reduce: path.each must be >= 0 s");
  if (ranks == 1) return time_of(collective_cost{}, link, message);
  basic_collective_time<T> time = time_of({2, 1, 0}, link, message);
  time.latency += path.hops * path.each;
  return time;
}

/// The same where one number is known for the latency of the whole operation: alpha + m / W.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> sharp_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "sharp_all_reduce: ranks must be >= 1");
  return time_of(ranks == 1 ? collective_cost{} : collective_cost{1, 1, 0}, link, message);
}

}  // namespace gpuplan
