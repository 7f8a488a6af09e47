#pragma once
/// \file
/// Lower bounds for the time of collectives.

#include <type_traits>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The least messages, bytes and sums on the critical path of a collective over p ranks.  Each is a
/// bound of its own; no algorithm need meet all three.
///
///                        messages    sent           reduced
///     all_reduce         H           2 (p - 1)/p    (p - 1)/p
///     reduce_scatter     H           (p - 1)/p      (p - 1)/p
///     all_gather         H           (p - 1)/p
///     all_to_all         1           (p - 1)/p
///     broadcast          H           1
///     reduce             H           1              (p - 1)/p
///     send_receive       1           1
///
///     H   log2 p rounded up
///
/// One rank needs nothing, but for send_receive.  Holds where ranks alone sum, and send one message
/// at a time; sums in a switch go below the bytes of all_reduce, and an all-to-all whose messages
/// all start at once has one start-up time (with one message at a time it needs H).
///
/// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
/// theory, practice, and experience", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783.
///
/// \throws invalid_input if ranks < 1
constexpr collective_cost lower_bound_cost(collective what, int ranks) {
  require(ranks >= 1, "lower_bound: ranks must be >= 1");
  if (what == collective::send_receive) return {1, 1, 0};
  if (ranks == 1) return {};
  const double rounds = detail::doublings_to_reach(ranks);
  const double piece = (ranks - 1.0) / ranks;
  switch (what) {
    case collective::all_reduce: return {rounds, 2 * piece, piece};
    case collective::reduce_scatter: return {rounds, piece, piece};
    case collective::all_gather: return {rounds, piece, 0};
    case collective::all_to_all: return {1, piece, 0};
    case collective::broadcast: return {rounds, 1, 0};
    case collective::reduce: return {rounds, 1, piece};
    case collective::send_receive: break;
  }
  require(false, "lower_bound: what must be one of collectives");
  return {};
}

/// The time that no algorithm can beat.  \see lower_bound_cost, time_of
///
/// Source: as lower_bound_cost.
template <class T>
constexpr basic_collective_time<T> lower_bound(
    collective what, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  return time_of(lower_bound_cost(what, ranks), link, message, reduction);
}

}  // namespace gpuplan
