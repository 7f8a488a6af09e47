#pragma once
/// \file
/// Time of one message if short and long messages use different protocols.

#include <type_traits>

#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// When a message is sent.
enum class message_protocol {
  eager,      ///< sent at once, and copied by the receiver
  rendezvous  ///< sent when the receiver has said where to: a round trip more, a copy less
};

/// A link with two protocols.
template <class T>
struct basic_eager_rendezvous {
  basic_bytes<T> limit{};  ///< messages up to this are eager; >= 0
  basic_interconnect<T> eager{};
  basic_interconnect<T> rendezvous{};  ///< latency includes the round trip
};

using eager_rendezvous = basic_eager_rendezvous<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_eager_rendezvous<T>& link) {
  require(link.limit >= bytes{0}, "eager_rendezvous.limit must be >= 0 B");
  require_valid(link.eager);
  require_valid(link.rendezvous);
}

/// Which protocol a message takes: eager up to the limit, itself included.
template <class T>
constexpr message_protocol protocol_of(const basic_eager_rendezvous<T>& link,
                                       const std::type_identity_t<basic_bytes<T>>& message) {
  return message <= link.limit ? message_protocol::eager : message_protocol::rendezvous;
}

/// One message by the protocol of its size: alpha-beta in two pieces.
///
///     T = alpha_e + m / W_e    for m <= S
///         alpha_r + m / W_r    else
///
///     m         message                                   B, >= 0
///     S         link.limit                                B
///     alpha, W  latency and bandwidth of each protocol    s, B/s, one direction
///
/// It may jump at S, also down.
///
/// Source: T. Hoefler, T. Schneider and A. Lumsdaine, "LogGP in Theory and Practice", Simulation
/// Modelling Practice and Theory 17 (2009) 1511-1521, on the protocols of MPI libraries.
///
/// \throws invalid_input if message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> message_time(
    const basic_eager_rendezvous<T>& link, const std::type_identity_t<basic_bytes<T>>& message) {
  require_valid(link);
  return message_time(
      protocol_of(link, message) == message_protocol::eager ? link.eager : link.rendezvous,
      message);
}

}  // namespace gpuplan
