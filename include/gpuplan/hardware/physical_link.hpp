#pragma once
/// \file
/// Published figures of a link, and the part that a plan may count on.

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A link by the three rates people quote for it, which differ by up to a third.  Zero: unknown.
template <class T>
struct basic_physical_link {
  basic_seconds<T> latency{};       ///< of one message of a large transfer; >= 0
  basic_link_rate<T> signalling{};  ///< bits on the wire, with coding and headers; >= 0
  basic_link_rate<T> advertised{};  ///< the vendor's figure; >= 0
  basic_link_rate<T> achievable{};  ///< payload measured in large transfers, both ways busy; >= 0
};

using physical_link = basic_physical_link<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_physical_link<T>& wire) {
  require(wire.latency >= seconds{0}, "physical_link.latency must be >= 0 s");
  require(wire.signalling.per_direction() >= bytes_per_second{0},
          "physical_link.signalling must be >= 0 B/s");
  require(wire.advertised.per_direction() >= bytes_per_second{0},
          "physical_link.advertised must be >= 0 B/s");
  require(wire.achievable.per_direction() >= bytes_per_second{0},
          "physical_link.achievable must be >= 0 B/s");
}

/// The rate a plan should count on: achievable where somebody measured it, else advertised.  Zero
/// if neither is known.
///
///     achievable where measured, else advertised
///
///     W_adv  advertised, one direction                     B/s, >= 0
///     W_ach  achievable, one direction; 0: not measured    B/s, >= 0
///
/// Holds: large messages.
///
/// Source: S. Bekman, "Machine Learning Engineering Open Book", network/README.md,
/// github.com/stas00/ml-engineering (2025).
template <class T>
constexpr basic_link_rate<T> planned_rate(const basic_physical_link<T>& wire) {
  return wire.achievable.per_direction() > bytes_per_second{0} ? wire.achievable : wire.advertised;
}

/// The link as a plan sees it: its latency, and one direction of planned_rate as bandwidth.
///
/// Source: as planned_rate.
///
/// \throws invalid_input if neither the achievable nor the advertised rate is known
template <class T>
constexpr basic_interconnect<T> interconnect_of(const basic_physical_link<T>& wire) {
  require_valid(wire);
  const auto bandwidth = planned_rate(wire).per_direction();
  require(bandwidth > bytes_per_second{0},
          "interconnect_of: physical_link.achievable or .advertised must be > 0 B/s");
  return {.latency = wire.latency, .bandwidth = bandwidth};
}

}  // namespace gpuplan
