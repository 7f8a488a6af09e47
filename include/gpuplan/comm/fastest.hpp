#pragma once
/// \file
/// The fastest algorithm for a collective, by name, with its time.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>
#include <gpuplan/comm/reduce.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An algorithm and what it takes.
template <class Algorithm, class T>
struct basic_fastest {
  Algorithm algorithm{};
  basic_collective_time<T> time{};
};

namespace detail {

/// Whether there is such an algorithm for so many ranks; those that do not say are for any number.
template <class Algorithm>
constexpr bool is_defined(Algorithm algorithm, int ranks) {
  if constexpr (requires { defined_for(algorithm, ranks); })
    return defined_for(algorithm, ranks);
  else
    return true;
}

template <class Algorithm, class T>
constexpr basic_fastest<Algorithm, T> fastest_of(std::span<const Algorithm> candidates,
                                                 const basic_interconnect<T>& link, int ranks,
                                                 const basic_bytes<T>& message,
                                                 const basic_seconds_per_byte<T>& reduction) {
  require(ranks >= 1, "fastest: ranks must be >= 1");
  bool found = false;
  basic_fastest<Algorithm, T> best;
  for (const Algorithm algorithm : candidates) {
    if (!is_defined(algorithm, ranks)) continue;
    const auto time = time_of(cost_of(algorithm, ranks), link, message, reduction);
    if (!found || time.total() < best.time.total()) best = {algorithm, time};
    found = true;
  }
  require(found, "fastest: one candidate must be defined for this number of ranks");
  return best;
}

}  // namespace detail

/// The quickest all-reduce among the candidates; of equals the first.
///
/// Without contention, where all pairs of ranks are equally near, it is recursive doubling for
/// short messages, and for long ones Rabenseifner's, or the circulant one where p is no power of
/// two.  A library that has only rings and trees is asked about by its own list.
///
/// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
/// theory, practice, and experience", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783.
///
/// \throws invalid_input if ranks < 1, message < 0 B, reduction < 0 s/B, the link is invalid, or no
///         candidate is defined for so many ranks
template <class T>
constexpr basic_fastest<all_reduce_algorithm, T> fastest_all_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {},
    std::span<const all_reduce_algorithm> candidates = all_reduce_algorithms) {
  return detail::fastest_of(candidates, link, ranks, message, reduction);
}

/// The quickest reduce-scatter among the candidates.  \see fastest_all_reduce
///
/// Source: as fastest_all_reduce.
template <class T>
constexpr basic_fastest<reduce_scatter_algorithm, T> fastest_reduce_scatter(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {},
    std::span<const reduce_scatter_algorithm> candidates = reduce_scatter_algorithms) {
  return detail::fastest_of(candidates, link, ranks, message, reduction);
}

/// The quickest all-gather among the candidates.  \see fastest_all_reduce
///
/// Source: as fastest_all_reduce.
template <class T>
constexpr basic_fastest<all_gather_algorithm, T> fastest_all_gather(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    std::span<const all_gather_algorithm> candidates = all_gather_algorithms) {
  return detail::fastest_of<all_gather_algorithm, T>(candidates, link, ranks, message, {});
}

/// The quickest all-to-all among the candidates.  \see fastest_all_reduce
///
/// Source: as fastest_all_reduce.
template <class T>
constexpr basic_fastest<all_to_all_algorithm, T> fastest_all_to_all(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    std::span<const all_to_all_algorithm> candidates = all_to_all_algorithms) {
  return detail::fastest_of<all_to_all_algorithm, T>(candidates, link, ranks, message, {});
}

/// The quickest reduce among the candidates.  \see fastest_all_reduce
///
/// Source: as fastest_all_reduce.
template <class T>
constexpr basic_fastest<reduce_algorithm, T> fastest_reduce(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {},
    std::span<const reduce_algorithm> candidates = reduce_algorithms) {
  return detail::fastest_of(candidates, link, ranks, message, reduction);
}

/// A broadcast in one piece, or in segments.
enum class broadcast_choice { binomial, scatter_all_gather, chain, two_tree };

/// "binomial", "scatter, all-gather", "chain", "two trees".
constexpr std::string_view name_of(broadcast_choice choice) {
  constexpr std::array<std::string_view, 4> names{"binomial", "scatter, all-gather", "chain",
                                                  "two trees"};
  return names[static_cast<std::size_t>(choice)];
}

/// The quickest broadcast, and into how many segments it cuts the message.
template <class T>
struct basic_fastest_broadcast {
  broadcast_choice algorithm{};
  double segments = 1;
  basic_collective_time<T> time{};
};

/// The quickest of all broadcasts, those in segments with their best number; of equals the first.
///
/// Source: as fastest_all_reduce.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_fastest_broadcast<T> fastest_broadcast(
    const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  basic_fastest_broadcast<T> best{
      .algorithm = broadcast_choice::binomial,
      .time = broadcast(broadcast_algorithm::binomial, link, ranks, message)};
  const auto consider = [&](broadcast_choice algorithm, double segments, const auto& time) {
    if (time.total() < best.time.total()) best = {algorithm, segments, time};
  };
  consider(broadcast_choice::scatter_all_gather, 1,
           broadcast(broadcast_algorithm::scatter_all_gather, link, ranks, message));
  for (const auto& [algorithm, shape] :
       {std::pair{broadcast_choice::chain, pipeline_shape::chain},
        std::pair{broadcast_choice::two_tree, pipeline_shape::two_tree}}) {
    const double segments = best_segments(shape, link, ranks, message);
    consider(algorithm, segments, pipelined_broadcast(shape, link, ranks, message, segments));
  }
  return best;
}

}  // namespace gpuplan
