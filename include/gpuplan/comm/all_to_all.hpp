#pragma once
/// \file
/// Time for every rank to send a piece of its own to every other.

#include <type_traits>

#include <gpuplan/comm/hockney.hpp>

namespace gpuplan {

/// Pairwise all-to-all: p - 1 exchanges carrying m / p bytes.
///
///     T = (p - 1) alpha  +  (p - 1)/p  m / W
///
///     p      ranks                          count, >= 1
///     m      bytes that each rank sends,    B, >= 0
///            its own piece included
///     alpha  link.latency                   s
///     W      link.bandwidth                 B/s, one direction
///
/// One rank takes no time.  Holds for equal pieces on a network without contention.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> pairwise_all_to_all(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "pairwise_all_to_all: ranks must be >= 1");
  require(message >= bytes{0}, "pairwise_all_to_all: message must be >= 0 B");
  require_valid(link);

  const double steps = ranks - 1.0;
  return {.latency = steps * link.latency, .transfer = steps / ranks * message / link.bandwidth};
}

}  // namespace gpuplan
