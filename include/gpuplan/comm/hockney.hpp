#pragma once
/// \file
/// Time of one message between two ranks.

#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One message between two ranks: the alpha-beta, or Hockney, model.
///
///     T = alpha  +  m / W
///
///     m      message                                     B, >= 0
///     alpha  start-up time of a message, link.latency    s, >= 0
///     W      bandwidth, one direction, link.bandwidth    B/s, > 0
///
/// Holds when nothing else uses the link, and alpha does not depend on m: across a change of
/// protocol (eager, rendezvous) it is off by the difference in latency.
///
/// Source: R. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2",
/// Parallel Computing 20 (1994) 389-398.
///
/// \throws invalid_input if message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> message_time(
    const basic_interconnect<T>& link, const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "message_time: message must be >= 0 B");
  require_valid(link);
  return {.latency = link.latency, .transfer = message / link.bandwidth};
}

}  // namespace gpuplan
