#pragma once
/// \file
/// Why a clock is below its highest.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuplan::probe {

/// Reasons of a clock below the highest, by the bits of the management library; "none" for no bit.
///
/// Source: NVIDIA, "NVML API Reference Guide" (2025), nvmlClocksEventReasons.
inline std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  struct named_bit {
    std::uint64_t bit;
    const char* name;
  };
  constexpr std::array names{named_bit{0x1, "idle"},           named_bit{0x2, "application_clocks"},
                             named_bit{0x4, "power_cap"},      named_bit{0x8, "hw_slowdown"},
                             named_bit{0x10, "sync_boost"},    named_bit{0x20, "sw_thermal"},
                             named_bit{0x40, "hw_thermal"},    named_bit{0x80, "hw_power_brake"},
                             named_bit{0x100, "display_clock"}};
  std::vector<std::string> reasons;
  for (const named_bit& named : names) {
    if ((bits & named.bit) != 0) reasons.emplace_back(named.name);
    bits &= ~named.bit;
  }
  if (bits != 0) reasons.emplace_back("other");
  if (reasons.empty()) reasons.emplace_back("none");
  return reasons;
}

}  // namespace gpuplan::probe
