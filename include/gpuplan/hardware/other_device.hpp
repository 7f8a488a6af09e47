#pragma once
/// \file
/// A device that is known by name and not planned with: no law of operators here fits it.

#include <string_view>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What is printed of such a device, and why it is not planned with.  Zero: not known.
struct other_device {
  std::string_view name;
  std::string_view vendor;
  int year = 0;  ///< of its release
  bytes memory{};
  bytes_per_second memory_bandwidth{};
  flop_per_second peak_16{};  ///< in 16 bits
  flop_per_second peak_8{};   ///< of 8-bit integers
  watts thermal_design_power{};
  std::string_view why;  ///< after "cannot be planned with: "
};

}  // namespace gpuplan
