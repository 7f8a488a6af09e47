#pragma once
/// \file
/// Time to collect on every rank what each holds a piece of; a reduce-scatter run backwards.

#include <type_traits>

#include <gpuplan/comm/hockney.hpp>

namespace gpuplan {

/// Ring all-gather, and ring reduce-scatter: p - 1 steps carrying m / p bytes.
///
///     T = (p - 1) alpha  +  (p - 1)/p  m / W
///
///     p      ranks                                     count, >= 1
///     m      bytes gathered, or bytes to be reduced    B, >= 0
///     alpha  link.latency                              s
///     W      link.bandwidth                            B/s, one direction
///
/// One rank takes no time.  Holds when every rank sends and receives at W at once.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> ring_all_gather(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "ring_all_gather: ranks must be >= 1");
  require(message >= bytes{0}, "ring_all_gather: message must be >= 0 B");
  require_valid(link);

  const double steps = ranks - 1.0;
  return {.latency = steps * link.latency, .transfer = steps / ranks * message / link.bandwidth};
}

}  // namespace gpuplan
