#pragma once
/// \file
/// Time of messages between two ranks by LogP and LogGP, which tell the processor's part of a
/// message from the network's.

#include <cstdint>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A network by the parameters of LogGP.  With gap_per_byte = 0 it is LogP.
template <class T>
struct basic_loggp {
  basic_seconds<T> latency{};                ///< L, on the wire; >= 0
  basic_seconds<T> overhead{};               ///< o, of a processor to send or to receive; >= 0
  basic_seconds<T> gap{};                    ///< g, between the starts of small messages; >= 0
  basic_seconds_per_byte<T> gap_per_byte{};  ///< G, of a long message; >= 0
};

using loggp = basic_loggp<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_loggp<T>& net) {
  require(net.latency >= seconds{0}, "loggp.latency must be >= 0 s");
  require(net.overhead >= seconds{0}, "loggp.overhead must be >= 0 s");
  require(net.gap >= seconds{0}, "loggp.gap must be >= 0 s");
  require(net.gap_per_byte >= seconds_per_byte{0}, "loggp.gap_per_byte must be >= 0 s/B");
}

/// Some messages of equal size from one rank to another, by LogGP.
///
///     T = (k - 1) max(o, g + (m - 1) G)  +  o + (m - 1) G + L + o
///
///     k            messages                       count, >= 1
///     m            size of each                   B, >= 1
///     L, o, g, G   net.latency, .overhead, .gap, .gap_per_byte
///
/// The result's latency is L + 2 o, what one byte takes; transfer is the rest.  With G = 0 it is
/// LogP: L + 2 o + (k - 1) max(g, o).
///
/// Holds while at most L / g messages are under way, and without contention.
///
/// Source: A. Alexandrov, M. Ionescu, K. Schauser and C. Scheiman, "LogGP: Incorporating Long
/// Messages into the LogP Model", SPAA (1995) 95-105; D. Culler et al., "LogP: Towards a Realistic
/// Model of Parallel Computation", PPoPP (1993) 1-12.
///
/// \throws invalid_input if count < 1, message < 1 B, or the network is invalid
template <class T>
constexpr basic_collective_time<T> loggp_messages_time(
    const basic_loggp<T>& net, std::int64_t count,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(count >= 1, "loggp_messages_time: count must be >= 1");
  require(message >= bytes{1}, "loggp_messages_time: message must be >= 1 B");
  require_valid(net);

  const basic_seconds<T> rest = (message - bytes{1}) * net.gap_per_byte;
  const auto between = larger(net.overhead, net.gap + rest);
  return {.latency = net.latency + 2 * net.overhead,
          .transfer = static_cast<double>(count - 1) * between + rest};
}

/// One message by LogGP.  \see loggp_messages_time
///
///     o + (m - 1) G + L + o
///
///     m  message                    B, >= 1
///     L  latency                    s, >= 0
///     o  overhead of a processor    s, >= 0
///     G  gap between bytes          s/B, >= 0
///
/// Holds: no contention.
///
/// Source: A. Alexandrov, M. Ionescu, K. Schauser and C. Scheiman, "LogGP: Incorporating Long
/// Messages into the LogP Model", SPAA (1995) 95-105.
template <class T>
constexpr basic_collective_time<T> loggp_message_time(
    const basic_loggp<T>& net, const std::type_identity_t<basic_bytes<T>>& message) {
  return loggp_messages_time(net, 1, message);
}

/// The alpha-beta model that gives the same time for every single message.
///
///     alpha = L + 2 o - G,    W = 1 / G
///
///     L  latency                    s, >= 0
///     o  overhead of a processor    s, >= 0
///     G  gap between bytes          s/B, > 0
///
/// Holds where L + 2 o >= G > 0: the first byte is no faster than the others.
///
/// Source: as loggp_message_time.
///
/// \throws invalid_input if the network is invalid, G = 0 s/B, or alpha would be < 0 s
template <class T>
constexpr basic_interconnect<T> interconnect_of(const basic_loggp<T>& net) {
  require_valid(net);
  require(net.gap_per_byte > seconds_per_byte{0},
          "interconnect_of: loggp.gap_per_byte must be > 0 s/B");
  basic_interconnect<T> link{
      .latency = net.latency + 2 * net.overhead - bytes{1} * net.gap_per_byte,
      .bandwidth = 1.0 / net.gap_per_byte};
  require(link.latency >= seconds{0},
          "interconnect_of: loggp.latency + 2 overhead must be >= that of a byte");
  return link;
}

}  // namespace gpuplan
