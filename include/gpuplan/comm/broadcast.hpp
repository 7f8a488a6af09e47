#pragma once
/// \file
/// Time of a broadcast: copies a buffer from one rank to all others, in one piece.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// pipelined_broadcast.hpp has those that cut the message into segments.
enum class broadcast_algorithm {
  binomial,           ///< who has it passes it on: twice as many in each round
  scatter_all_gather  ///< a piece to each by a binomial tree, then a ring all-gather
};

inline constexpr std::array broadcast_algorithms{broadcast_algorithm::binomial,
                                                 broadcast_algorithm::scatter_all_gather};

/// "binomial", "scatter, all-gather".
constexpr std::string_view name_of(broadcast_algorithm algorithm) {
  constexpr std::array<std::string_view, broadcast_algorithms.size()> names{"binomial",
                                                                            "scatter, all-gather"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// The critical path of a broadcast to p ranks.
///
///                           messages     sent
///     binomial              H            H
///     scatter_all_gather    H + p - 1    2 (p - 1)/p
///
///     H   log2 p rounded up
///
/// One rank sends nothing.
///
/// Source: M. Barnett, S. Gupta, D. Payne, L. Shuler, R. van de Geijn and J. Watts, "Interprocessor
/// Collective Communication Library (InterCom)", Scalable High Performance Computing Conf. (1994)
/// 357-364; R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
///
/// \throws invalid_input if ranks < 1
constexpr collective_cost cost_of(broadcast_algorithm algorithm, int ranks) {
  require(ranks >= 1, "broadcast: ranks must be >= 1");
  const double rounds = detail::doublings_to_reach(ranks);
  switch (algorithm) {
    case broadcast_algorithm::binomial: return {rounds, rounds, 0};
    case broadcast_algorithm::scatter_all_gather:
      return {rounds + ranks - 1, 2.0 * (ranks - 1) / ranks, 0};
  }
  require(false, "broadcast: algorithm must be one of broadcast_algorithms");
  return {};
}

/// A broadcast of `message` bytes.  \see cost_of, time_of
///
/// Source: M. Barnett et al., "Interprocessor Collective Communication Library (InterCom)",
/// Scalable High Performance Computing Conf. (1994) 357-364.
template <class T>
constexpr basic_collective_time<T> broadcast(broadcast_algorithm algorithm,
                                             const basic_interconnect<T>& link, int ranks,
                                             const std::type_identity_t<basic_bytes<T>>& message) {
  return time_of(cost_of(algorithm, ranks), link, message);
}

}  // namespace gpuplan
