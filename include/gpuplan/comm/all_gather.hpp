#pragma once
/// \file
/// Time of an all-gather: every rank collects the pieces of all; a reversed reduce-scatter.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How pieces of all ranks come to every rank.
enum class all_gather_algorithm {
  ring,                ///< pieces passed on round the ring
  recursive_doubling,  ///< all that a rank has, between ranks 1, 2, 4, ... apart
  bruck                ///< the same round a circle: any p
};

inline constexpr std::array all_gather_algorithms{all_gather_algorithm::ring,
                                                  all_gather_algorithm::recursive_doubling,
                                                  all_gather_algorithm::bruck};

/// "ring", "recursive doubling", "Bruck".
constexpr std::string_view name_of(all_gather_algorithm algorithm) {
  constexpr std::array<std::string_view, all_gather_algorithms.size()> names{
      "ring", "recursive doubling", "Bruck"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// Whether there is such an algorithm for so many ranks: recursive doubling needs a power of two.
constexpr bool defined_for(all_gather_algorithm algorithm, int ranks) {
  return ranks >= 1 &&
         (algorithm != all_gather_algorithm::recursive_doubling || detail::is_power_of_two(ranks));
}

/// The critical path of an all-gather over p ranks.
///
///                           messages    sent
///     ring                  p - 1       (p - 1)/p
///     recursive_doubling    log2 p      (p - 1)/p     p a power of two
///     bruck                 H           (p - 1)/p
///
///     H   log2 p rounded up
///
/// One rank sends nothing.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66 (ring,
/// doubling); J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient Algorithms for
/// All-to-All Communications in Multiport Message-Passing Systems", IEEE Trans. Parallel
/// Distributed Systems 8 (1997) 1143-1156.
///
/// \throws invalid_input if ranks < 1, or the algorithm is not defined for so many
constexpr collective_cost cost_of(all_gather_algorithm algorithm, int ranks) {
  require(ranks >= 1, "all_gather: ranks must be >= 1");
  const double steps = ranks - 1.0;
  switch (algorithm) {
    case all_gather_algorithm::ring: return {steps, steps / ranks, 0};
    case all_gather_algorithm::recursive_doubling:
      require(detail::is_power_of_two(ranks),
              "all_gather: ranks must be a power of 2 for recursive doubling");
      [[fallthrough]];
    case all_gather_algorithm::bruck:
      return {static_cast<double>(detail::doublings_to_reach(ranks)), steps / ranks, 0};
  }
  require(false, "all_gather: algorithm must be one of all_gather_algorithms");
  return {};
}

/// An all-gather that leaves `message` bytes on each rank.  \see cost_of, time_of
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
template <class T>
constexpr basic_collective_time<T> all_gather(all_gather_algorithm algorithm,
                                              const basic_interconnect<T>& link, int ranks,
                                              const std::type_identity_t<basic_bytes<T>>& message) {
  return time_of(cost_of(algorithm, ranks), link, message);
}

/// Ring all-gather, and ring reduce-scatter whose sums are free: p - 1 steps carrying m / p bytes.
///
///     T = (p - 1) alpha  +  (p - 1)/p  m / W
///
///     p      ranks                                              count, >= 1
///     m      message: bytes gathered, or bytes to be reduced    B, >= 0
///     alpha  start-up time of a message, link.latency           s, >= 0
///     W      bandwidth, one direction, link.bandwidth           B/s, > 0
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
  return all_gather(all_gather_algorithm::ring, link, ranks, message);
}

}  // namespace gpuplan
