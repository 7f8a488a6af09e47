#pragma once
/// \file
/// Time of messages of several ranks that leave a node through one port.

#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Ranks of a node that each send a message by the same port: the max-rate model.
///
///     T = alpha  +  k m / min(R, k W)
///
///     k      ranks that send                             count, >= 1
///     m      message, of each                            B, >= 0
///     alpha  start-up time of a message, rank.latency    s, >= 0
///     W      what one rank can send                      B/s, > 0; one direction
///     R      what the port can send                      B/s, > 0
///
/// With k = 1 and R >= W it is the alpha-beta model.
///
/// Holds: all start at once.
///
/// Source: W. Gropp, L. Olson and P. Samfass, "Modeling MPI Communication Performance on SMP
/// Nodes: Is it Time to Retire the Ping Pong Test", EuroMPI (2016) 41-50.
///
/// \throws invalid_input if ranks < 1, port <= 0 B/s, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> max_rate_message_time(
    const basic_interconnect<T>& rank, int ranks,
    const std::type_identity_t<basic_bytes_per_second<T>>& port,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "max_rate_message_time: ranks must be >= 1");
  require(port > bytes_per_second{0}, "max_rate_message_time: port must be > 0 B/s");
  require(message >= bytes{0}, "max_rate_message_time: message must be >= 0 B");
  require_valid(rank);

  const double sending = ranks;
  return {.latency = rank.latency,
          .transfer = sending * message / smaller(port, sending * rank.bandwidth)};
}

}  // namespace gpuplan
