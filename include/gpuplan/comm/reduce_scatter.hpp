#pragma once
/// \file
/// Time of a reduce-scatter: each rank gets a piece of the sum; a reversed all-gather.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How each rank gets its piece of a sum over ranks.
enum class reduce_scatter_algorithm {
  ring,               ///< pieces passed on round the ring, summed on the way
  recursive_halving,  ///< half of what is left, between ranks p / 2, p / 4, ... apart
  circulant           ///< the same between ranks ceil(p / 2), ceil(p / 4), ... apart: any p
};

inline constexpr std::array reduce_scatter_algorithms{reduce_scatter_algorithm::ring,
                                                      reduce_scatter_algorithm::recursive_halving,
                                                      reduce_scatter_algorithm::circulant};

/// "ring", "recursive halving", "circulant".
constexpr std::string_view name_of(reduce_scatter_algorithm algorithm) {
  constexpr std::array<std::string_view, reduce_scatter_algorithms.size()> names{
      "ring", "recursive halving", "circulant"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// Whether there is such an algorithm for so many ranks: recursive halving needs a power of two.
constexpr bool defined_for(reduce_scatter_algorithm algorithm, int ranks) {
  return ranks >= 1 && (algorithm != reduce_scatter_algorithm::recursive_halving ||
                        detail::is_power_of_two(ranks));
}

/// The critical path of a reduce-scatter over p ranks.
///
///                          messages    sent         reduced
///     ring                 p - 1       (p - 1)/p    (p - 1)/p
///     recursive_halving    log2 p      (p - 1)/p    (p - 1)/p     p a power of two
///     circulant            H           (p - 1)/p    (p - 1)/p
///
///     H   log2 p rounded up
///
/// One rank sends nothing.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66 (ring,
/// halving); J. Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", TU Wien
/// (2025) (circulant).
///
/// \throws invalid_input if ranks < 1, or the algorithm is not defined for so many
constexpr collective_cost cost_of(reduce_scatter_algorithm algorithm, int ranks) {
  require(ranks >= 1, "reduce_scatter: ranks must be >= 1");
  const double piece = (ranks - 1.0) / ranks;
  switch (algorithm) {
    case reduce_scatter_algorithm::ring: return {ranks - 1.0, piece, piece};
    case reduce_scatter_algorithm::recursive_halving:
      require(detail::is_power_of_two(ranks),
              "reduce_scatter: ranks must be a power of 2 for recursive halving");
      [[fallthrough]];
    case reduce_scatter_algorithm::circulant:
      return {static_cast<double>(detail::doublings_to_reach(ranks)), piece, piece};
  }
  require(false, "reduce_scatter: algorithm must be one of reduce_scatter_algorithms");
  return {};
}

/// A reduce-scatter of a vector of `message` bytes on each rank.  \see cost_of, time_of
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
template <class T>
constexpr basic_collective_time<T> reduce_scatter(
    reduce_scatter_algorithm algorithm, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  return time_of(cost_of(algorithm, ranks), link, message, reduction);
}

/// Ring reduce-scatter: (p - 1) alpha + (p - 1)/p m / W + (p - 1)/p gamma m.  \see cost_of, time_of
///
/// Source: as reduce_scatter.
template <class T>
constexpr basic_collective_time<T> ring_reduce_scatter(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  return reduce_scatter(reduce_scatter_algorithm::ring, link, ranks, message, reduction);
}

}  // namespace gpuplan
