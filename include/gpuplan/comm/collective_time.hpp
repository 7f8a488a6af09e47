#pragma once
/// \file
/// The parts of a collective's time, and the cost of an algorithm in these parts.

#include <bit>
#include <type_traits>

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How long the sum of one byte takes: gamma.  Zero where the arithmetic hides behind the transfer.
template <class T>
using basic_seconds_per_byte = quantity<dimension{.byte = -1, .second = 1}, T>;
using seconds_per_byte = basic_seconds_per_byte<double>;

/// A transfer's time, kept apart by cause: the sum alone cannot say what to buy.
template <class T>
struct basic_collective_time {
  basic_seconds<T> latency{};   ///< grows with ranks, not with the message
  basic_seconds<T> transfer{};  ///< grows with the message
  basic_seconds<T> compute{};   ///< of the sum, where it does not hide behind the transfer

  [[nodiscard]] constexpr basic_seconds<T> total() const { return latency + transfer + compute; }
};

using collective_time = basic_collective_time<double>;

/// An algorithm's critical path, for a message of m bytes: a property of the algorithm and the
/// number of ranks, whatever joins them.
struct collective_cost {
  double messages = 0;  ///< one after another
  double sent = 0;      ///< bytes, in units of m
  double reduced = 0;   ///< bytes summed, in units of m

  friend constexpr bool operator==(const collective_cost&, const collective_cost&) = default;
  friend constexpr collective_cost operator+(const collective_cost& a, const collective_cost& b) {
    return {a.messages + b.messages, a.sent + b.sent, a.reduced + b.reduced};
  }
};

/// Time of an algorithm on a link.
///
///     T = A alpha  +  B m / W  +  C gamma m
///
///     A, B, C  cost.messages, .sent, .reduced                    >= 0
///     m        message                                           B, >= 0
///     alpha    link.latency                                      s
///     W        link.bandwidth                                    B/s, one direction
///     gamma    reduction: time of the sum of one byte            s/B, >= 0
///
/// The terms of the result in this order are latency, transfer and compute.
///
/// Holds when every rank can send and receive one message at once, and any two ranks are joined by
/// such a link that nobody else uses; m / p need not be whole.
///
/// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
/// theory, practice, and experience", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783.
///
/// \throws invalid_input if message < 0 B, reduction < 0 s/B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> time_of(
    const collective_cost& cost, const basic_interconnect<T>& link,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  require(message >= bytes{0}, "collective: message must be >= 0 B");
  require(reduction >= seconds_per_byte{0}, "collective: reduction must be >= 0 s/B");
  require_valid(link);
  return {.latency = cost.messages * link.latency,
          .transfer = cost.sent * message / link.bandwidth,
          .compute = cost.reduced * message * reduction};
}

namespace detail {

/// Rounds in which a set that doubles each time grows to n: ceil(log2 n).
constexpr int doublings_to_reach(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n) - 1));
}
/// Rounds of doubling that stay within n: floor(log2 n).
constexpr int doublings_within(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
}
constexpr bool is_power_of_two(int n) {
  return std::has_single_bit(static_cast<unsigned>(n));
}

}  // namespace detail

}  // namespace gpuplan
