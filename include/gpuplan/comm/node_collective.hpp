#pragma once
/// \file
/// Collectives between accelerators of one node or NVLink domain, by measured constants.

#include <type_traits>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What becomes of the piece that a rank sends to itself.
enum class own_piece {
  in_place,  ///< it lies where it belongs, as in training
  copied     ///< to a second buffer, as benchmarks do
};

namespace detail {

/// Starts and rates of one collective, by the protocol for small and the one for large messages.
template <class T>
struct collective_constants {
  basic_seconds<T> small_start{};
  basic_seconds<T> large_start{};
  basic_bytes_per_second<T> rate{};
  T small_share{};
};

template <class T>
constexpr collective_constants<T> constants_of(const basic_collective_rates<T>& rates,
                                               collective what, int ranks) {
  const auto ring = [&](double steps, const basic_bytes_per_second<T>& rate) {
    return collective_constants<T>{.small_start = rates.base + steps * rates.hop,
                                   .large_start = rates.simple_base + steps * rates.simple_hop,
                                   .rate = rate,
                                   .small_share = rates.small_share};
  };
  switch (what) {
    case collective::all_reduce: return ring(2.0 * (ranks - 1), rates.all_reduce);
    case collective::reduce_scatter:
    case collective::all_gather: return ring(ranks - 1.0, rates.gather);
    case collective::all_to_all:
      return {.small_start = rates.exchange_base,
              .large_start = rates.exchange_simple_base,
              .rate = rates.all_to_all,
              .small_share = rates.exchange_small_share};
    case collective::broadcast:
    case collective::reduce:
    case collective::send_receive: break;
  }
  require(
      false,
      "node_collective_time: what must be all_reduce, reduce_scatter, all_gather or all_to_all");
  return {};
}

}  // namespace detail

/// A collective of NCCL's inside a node.
///
///     T = min(b + s h + f m / (a W),  B + s H + f m / W)  +  m / (p C)
///
///     p     ranks                      f  2 (p - 1)/p of an all-reduce, else (p - 1)/p
///     m     message, B, >= 0           s  steps: 2 (p - 1), p - 1, and 0 of an all-to-all
///     b, h  base, hop                  B, H  simple_base, simple_hop, s
///     a     small_share                W  gather, all_reduce or all_to_all, B/s
///     C     own_copy; the last term only where the own piece is copied
///
/// The first is the protocol for small messages, LL, the second that for large ones, Simple.  The
/// first two terms of each are `latency`, the others `transfer`.  One rank takes no time.
///
/// Holds within one node or NVLink domain, within 7 % in the median of measured times of 7 GPUs.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc (2026), github.com/NVIDIA/nccl, for the protocols;
/// benchmarks/operators prints the fits and their errors.
///
/// \throws invalid_input if ranks < 1, message < 0 B, a rate is not > 0, or what is another
///         collective
template <class T>
constexpr basic_collective_time<T> node_collective_time(
    const basic_collective_rates<T>& rates, collective what, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message, own_piece own = own_piece::in_place) {
  require(ranks >= 1, "node_collective_time: ranks must be >= 1");
  require(message >= bytes{0}, "node_collective_time: message must be >= 0 B");
  const detail::collective_constants<T> of = detail::constants_of(rates, what, ranks);
  if (ranks == 1) return {};
  require(of.rate > bytes_per_second{0} && of.small_share > 0,
          "node_collective_time: collective_rates must be > 0");

  const double passes = what == collective::all_reduce ? 2 : 1;
  const auto sent = passes * (ranks - 1) / ranks * message;
  const basic_collective_time<T> few{.latency = of.small_start,
                                     .transfer = sent / (of.small_share * of.rate)};
  const basic_collective_time<T> many{.latency = of.large_start, .transfer = sent / of.rate};
  basic_collective_time<T> time = few.total() < many.total() ? few : many;
  if (own == own_piece::copied && what != collective::all_reduce) {
    require(rates.own_copy > bytes_per_second{0},
            "node_collective_time: collective_rates.own_copy must be > 0 B/s");
    time.transfer += message / (ranks * rates.own_copy);
  }
  return time;
}

}  // namespace gpuplan
