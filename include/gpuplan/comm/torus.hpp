#pragma once
/// \file
/// Time of an all-reduce on an n-dimensional torus.

#include <cstddef>
#include <span>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One dimension of a torus: the rings along it.
template <class T>
struct basic_torus_dimension {
  int ranks = 1;                 ///< of one ring; >= 1
  basic_interconnect<T> link{};  ///< along the ring, one direction
};

using torus_dimension = basic_torus_dimension<double>;

namespace detail {

/// Reduce-scatter along `first`, then along the dimension after it, and all the way back.
template <class T>
constexpr basic_collective_time<T> torus_all_reduce_from(
    std::span<const basic_torus_dimension<T>> torus, std::size_t first,
    const basic_bytes<T>& message) {
  basic_collective_time<T> time;
  double parts = 1;
  for (std::size_t i = 0; i < torus.size(); ++i) {
    const auto& along = torus[(first + i) % torus.size()];
    require(along.ranks >= 1, "torus.ranks must be >= 1");
    parts *= along.ranks;
    const double steps = 2.0 * (along.ranks - 1);
    const basic_collective_time<T> both = time_of({steps, steps / parts, 0}, along.link, message);
    time.latency += both.latency;
    time.transfer += both.transfer;
  }
  return time;
}

}  // namespace detail

/// An all-reduce on a torus, one dimension after another: ring reduce-scatters in order, ring
/// all-gathers back.
///
///     T = sum_i  2 (d_i - 1) (alpha_i + m / (W_i prod_{j <= i} d_j))
///
///     d_i, alpha_i, W_i   torus[i].ranks and .link      count >= 1, s, B/s in one direction
///     m                   bytes to reduce, on each rank  B, >= 0
///
/// Only one dimension's links work at a time; a dimension of 1 takes no time.
///
/// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
/// theory, practice, and experience", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783.
///
/// \throws invalid_input if message < 0 B, or a dimension has ranks < 1 or an invalid link
template <class T>
constexpr basic_collective_time<T> torus_all_reduce(
    std::span<const basic_torus_dimension<T>> torus,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "torus_all_reduce: message must be >= 0 B");
  return detail::torus_all_reduce_from(torus, 0, message);
}

/// The same with all dimensions at work: the message is cut in D parts, part j begins with
/// dimension j and goes round, in step with the others.
///
///     T = sum_i max_j  2 (d_k - 1) (alpha_k + m / (D W_k prod d)),   k = (i + j) mod D
///
/// where the product is over the dimensions that part j has been through, this one included.  For D
/// equal dimensions it is the latency of torus_all_reduce and 1/D of its transfer; both directions
/// of a ring, where the links allow it, halve the transfer again.
///
/// Source: P. Sack and W. Gropp, "Collective Algorithms for Multiported Torus Networks", ACM Trans.
/// Parallel Computing 1 (2015) 12:1-12:33.
///
/// \throws invalid_input if message < 0 B, or a dimension has ranks < 1 or an invalid link
template <class T>
constexpr basic_collective_time<T> concurrent_torus_all_reduce(
    std::span<const basic_torus_dimension<T>> torus,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "concurrent_torus_all_reduce: message must be >= 0 B");
  basic_collective_time<T> time;
  const std::size_t dimensions = torus.size();
  for (std::size_t phase = 0; phase < dimensions; ++phase) {
    basic_collective_time<T> slowest;
    for (std::size_t part = 0; part < dimensions; ++part) {
      auto pieces = static_cast<double>(dimensions);
      for (std::size_t i = 0; i <= phase; ++i) pieces *= torus[(part + i) % dimensions].ranks;
      const auto& along = torus[(part + phase) % dimensions];
      require(along.ranks >= 1, "torus.ranks must be >= 1");
      const double steps = 2.0 * (along.ranks - 1);
      const auto both = time_of({steps, steps / pieces, 0}, along.link, message);
      if (both.total() > slowest.total()) slowest = both;
    }
    time.latency += slowest.latency;
    time.transfer += slowest.transfer;
  }
  return time;
}

}  // namespace gpuplan
