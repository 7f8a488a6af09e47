#pragma once
/// \file
/// Time of an all-to-all: every rank sends a piece to every other rank.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How each rank sends each other rank a piece of its own.
enum class all_to_all_algorithm {
  pairwise,  ///< one exchange after another
  direct,    ///< all sends at once: they share the bandwidth, and start together
  bruck      ///< pieces passed on, between ranks 1, 2, 4, ... apart
};

inline constexpr std::array all_to_all_algorithms{
    all_to_all_algorithm::pairwise, all_to_all_algorithm::direct, all_to_all_algorithm::bruck};

/// "pairwise", "direct", "Bruck".
constexpr std::string_view name_of(all_to_all_algorithm algorithm) {
  constexpr std::array<std::string_view, all_to_all_algorithms.size()> names{"pairwise", "direct",
                                                                             "Bruck"};
  return names[static_cast<std::size_t>(algorithm)];
}

namespace detail {

/// Ones in the binary digits of 0, 1, ..., n - 1, all together.
constexpr double ones_below(std::int64_t n) {
  double ones = 0;
  for (std::int64_t half = 1; half < n; half *= 2) {
    const std::int64_t rest = n % (2 * half);
    const std::int64_t whole = n / (2 * half) * half;
    ones += static_cast<double>(whole + (rest > half ? rest - half : 0));
  }
  return ones;
}

}  // namespace detail

/// The critical path of an all-to-all of p ranks.
///
///                 messages    sent
///     pairwise    p - 1       (p - 1)/p
///     direct      1           (p - 1)/p
///     bruck       H           S/p,  near H/2
///
///     H   log2 p rounded up
///     S   ones in the binary digits of 0 to p - 1: a piece travels once for each in its distance
///
/// One rank sends nothing.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66;
/// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient Algorithms for All-to-All
/// Communications in Multiport Message-Passing Systems", IEEE Trans. Parallel Distributed Systems 8
/// (1997) 1143-1156.
///
/// \throws invalid_input if ranks < 1
constexpr collective_cost cost_of(all_to_all_algorithm algorithm, int ranks) {
  require(ranks >= 1, "all_to_all: ranks must be >= 1");
  if (ranks == 1) return {};
  const double steps = ranks - 1.0;
  switch (algorithm) {
    case all_to_all_algorithm::pairwise: return {steps, steps / ranks, 0};
    case all_to_all_algorithm::direct: return {1, steps / ranks, 0};
    case all_to_all_algorithm::bruck:
      return {static_cast<double>(detail::doublings_to_reach(ranks)),
              detail::ones_below(ranks) / ranks, 0};
  }
  require(false, "all_to_all: algorithm must be one of all_to_all_algorithms");
  return {};
}

/// An all-to-all of `message` bytes on each rank, its own piece included.  \see cost_of, time_of
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
template <class T>
constexpr basic_collective_time<T> all_to_all(all_to_all_algorithm algorithm,
                                              const basic_interconnect<T>& link, int ranks,
                                              const std::type_identity_t<basic_bytes<T>>& message) {
  return time_of(cost_of(algorithm, ranks), link, message);
}

/// Pairwise all-to-all: p - 1 exchanges carrying m / p bytes.
///
///     T = (p - 1) alpha  +  (p - 1)/p  m / W
///
///     p      ranks                                       count, >= 1
///     m      message: what each rank sends, its own too  B, >= 0
///     alpha  start-up time of a message, link.latency    s, >= 0
///     W      bandwidth, one direction, link.bandwidth    B/s, > 0
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
  return all_to_all(all_to_all_algorithm::pairwise, link, ranks, message);
}

}  // namespace gpuplan
