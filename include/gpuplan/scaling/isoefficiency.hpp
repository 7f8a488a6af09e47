#pragma once
/// \file
/// Isoefficiency: how fast work must grow with the devices to keep them busy.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The useful work at which an overhead leaves a given efficiency.
///
///     E = W / (W + T_o)   gives   W = E / (1 - E) T_o
///
///     W    useful time, of all devices or of each    s
///     T_o  overhead, counted likewise                s, >= 0
///     E    efficiency to keep                        1, >= 0, < 1
///
/// In data-parallel training W is the computing of one device and step, T_o its exposed
/// communication: the smallest batch per device with that efficiency follows.
///
/// Holds: work and overhead counted likewise.
///
/// Source: A. Y. Grama, A. Gupta and V. Kumar, "Isoefficiency: measuring the scalability of
/// parallel algorithms and architectures", IEEE Parallel & Distributed Technology 1 (1993) 12-21.
///
/// \throws invalid_input if overhead < 0 s or efficiency is not 0 to 1, or is 1
constexpr seconds isoefficiency(seconds overhead, double efficiency) {
  require(overhead >= seconds{0}, "isoefficiency: overhead must be >= 0 s");
  require(efficiency >= 0 && efficiency < 1, "isoefficiency: efficiency must be 0 to below 1");
  return efficiency / (1 - efficiency) * overhead;
}

}  // namespace gpuplan
