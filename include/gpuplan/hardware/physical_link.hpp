#pragma once
/// \file
/// What is published about a link, and what of it a plan may count on.

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The rate of a link, both directions added, as brochures print it.  It is no bytes_per_second, so
/// it cannot stand where one direction is meant.
template <class T>
struct basic_duplex_rate {
  basic_bytes_per_second<T> sum{};  ///< of the two directions, which are equal
  [[nodiscard]] constexpr basic_bytes_per_second<T> one_direction() const { return sum / 2; }
};

using duplex_rate = basic_duplex_rate<double>;

/// A link by the three rates people quote for it, which differ by up to a third.  All are of one
/// direction while the other is busy too.  Zero: nothing known is published.
template <class T>
struct basic_physical_link {
  basic_seconds<T> latency{};              ///< of one message of a large transfer; >= 0
  basic_bytes_per_second<T> signalling{};  ///< bits on the wire, with coding and headers; >= 0
  basic_bytes_per_second<T> advertised{};  ///< the vendor's figure, halved if it was a sum; >= 0
  basic_bytes_per_second<T> achievable{};  ///< payload measured in large transfers; >= 0

  /// What the brochure calls the bandwidth: both directions of `advertised`.
  [[nodiscard]] constexpr basic_duplex_rate<T> advertised_total() const { return {2 * advertised}; }
};

using physical_link = basic_physical_link<double>;

template <class T>
constexpr void require_valid(const basic_physical_link<T>& wire) {
  require(wire.latency >= seconds{0}, "physical_link.latency must be >= 0 s");
  require(wire.signalling >= bytes_per_second{0}, "physical_link.signalling must be >= 0 B/s");
  require(wire.advertised >= bytes_per_second{0}, "physical_link.advertised must be >= 0 B/s");
  require(wire.achievable >= bytes_per_second{0}, "physical_link.achievable must be >= 0 B/s");
}

/// The rate a plan should count on: achievable where somebody measured it, else advertised.  Zero
/// if neither is known.
template <class T>
constexpr basic_bytes_per_second<T> planned_rate(const basic_physical_link<T>& wire) {
  return wire.achievable > bytes_per_second{0} ? wire.achievable : wire.advertised;
}

/// The link as a plan sees it: its latency, and planned_rate as bandwidth.
///
/// \throws invalid_input if neither the achievable nor the advertised rate is known
template <class T>
constexpr basic_interconnect<T> interconnect_of(const basic_physical_link<T>& wire) {
  require_valid(wire);
  require(planned_rate(wire) > bytes_per_second{0},
          "interconnect_of: physical_link.achievable or .advertised must be > 0 B/s");
  return {.latency = wire.latency, .bandwidth = planned_rate(wire)};
}

}  // namespace gpuplan
