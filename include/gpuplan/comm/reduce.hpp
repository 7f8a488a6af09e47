#pragma once
/// \file
/// Time of a reduce: leaves the sum on one rank; a reversed broadcast.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How a sum over ranks comes to one of them.
enum class reduce_algorithm {
  binomial,     ///< whole vectors, half of the ranks in each round
  rabenseifner  ///< a reduce-scatter, then a gather by a binomial tree
};

inline constexpr std::array reduce_algorithms{reduce_algorithm::binomial,
                                              reduce_algorithm::rabenseifner};

/// "binomial", "Rabenseifner".
constexpr std::string_view name_of(reduce_algorithm algorithm) {
  constexpr std::array<std::string_view, reduce_algorithms.size()> names{"binomial",
                                                                         "Rabenseifner"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// The critical path of a reduce over p ranks.
///
///                     messages    sent           reduced
///     binomial        H           H              H
///     rabenseifner    2 H         2 (p - 1)/p    (p - 1)/p
///
///     H   log2 p rounded up
///
/// One rank sends nothing.  Where p is no power of two, rabenseifner takes the circulant
/// reduce-scatter.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
///
/// \throws invalid_input if ranks < 1
constexpr collective_cost cost_of(reduce_algorithm algorithm, int ranks) {
  require(ranks >= 1, "reduce: ranks must be >= 1");
  const double rounds = detail::doublings_to_reach(ranks);
  switch (algorithm) {
    case reduce_algorithm::binomial: return {rounds, rounds, rounds};
    case reduce_algorithm::rabenseifner: {
      const collective_cost gather{rounds, (ranks - 1.0) / ranks, 0};
      return cost_of(reduce_scatter_algorithm::circulant, ranks) + gather;
    }
  }
  require(false, "reduce: algorithm must be one of reduce_algorithms");
  return {};
}

/// A reduce of a vector of `message` bytes on each rank.  \see cost_of, time_of
///
/// Source: as cost_of.
template <class T>
constexpr basic_collective_time<T> reduce(
    reduce_algorithm algorithm, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  return time_of(cost_of(algorithm, ranks), link, message, reduction);
}

}  // namespace gpuplan
