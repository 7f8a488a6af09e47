#pragma once
/// \file
/// A network or bus as it is sold, and the interconnect that a plan uses for it.

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A fabric, by port: what joins one accelerator to the others, or what several share.  Where zero
/// is allowed it means unknown.
template <class T>
struct basic_network_fabric {
  basic_physical_link<T> port{};          ///< latency: a hop of NCCL's protocol for large messages
  int accelerators = 1;                   ///< that share the port; >= 1
  basic_seconds<T> small_message_hop{};   ///< NCCL's LL protocol, half the rate or less; >= 0
  basic_seconds<T> medium_message_hop{};  ///< NCCL's LL128 protocol, 15/16 of the rate; >= 0
  basic_seconds<T> adapter_latency{};     ///< a small message between two adapters; >= 0
};

using network_fabric = basic_network_fabric<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_network_fabric<T>& net) {
  require_valid(net.port);
  require(net.accelerators >= 1, "network_fabric.accelerators must be >= 1");
  require(net.small_message_hop >= seconds{0}, "network_fabric.small_message_hop must be >= 0 s");
  require(net.medium_message_hop >= seconds{0}, "network_fabric.medium_message_hop must be >= 0 s");
  require(net.adapter_latency >= seconds{0}, "network_fabric.adapter_latency must be >= 0 s");
}

/// The fabric as one accelerator sees it when all send: its share of planned_rate(port).
///
///     planned_rate / n
///
///     W  rate of the port, one direction    B/s, > 0
///     n  accelerators that share it         count, >= 1
///
/// Holds: all send at once.
///
/// Source: by definition.
///
/// \throws invalid_input if the fabric is invalid or has no rate of its own, as a switch
template <class T>
constexpr basic_interconnect<T> interconnect_of(const basic_network_fabric<T>& net) {
  require_valid(net);
  basic_interconnect<T> share = interconnect_of(net.port);
  share.bandwidth /= T(net.accelerators);
  return share;
}

}  // namespace gpuplan
