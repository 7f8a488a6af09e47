#pragma once
/// \file
/// What the driver tells of a GPU while it works, by NVIDIA's management library: read, never set.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/units/units.hpp>

#include "management_library.hpp"

namespace gpuplan::probe {

/// One GPU through that library; everything is nullopt where the library does not know it.
class gpu_monitor {
 public:
  /// The GPU at a PCI address such as "0000:3b:00.0"; a slice of one has no power of its own.
  gpu_monitor(const management_library& library, const std::string& bus_id) : library_{library} {
    if (!library.is_there() || library.by_bus_id == nullptr ||
        library.by_bus_id(bus_id.c_str(), &device_) != 0)
      device_ = nullptr;
    is_slice_ = is_sliced().value_or(false);
  }

  [[nodiscard]] std::optional<per_second> clock() const {
    return megahertz(library_.clock, multiprocessors);
  }
  [[nodiscard]] std::optional<per_second> highest_clock() const {
    return megahertz(library_.highest_clock, multiprocessors);
  }
  [[nodiscard]] std::optional<per_second> highest_memory_clock() const {
    return megahertz(library_.highest_clock, memory_bus);
  }
  [[nodiscard]] std::optional<watts> power() const {
    const auto milliwatts = asked<unsigned>(library_.power);
    if (!milliwatts || is_slice_) return std::nullopt;
    return watts{*milliwatts / 1e3};
  }
  [[nodiscard]] std::optional<watts> power_limit() const {
    const auto milliwatts = asked<unsigned>(library_.power_limit);
    if (!milliwatts) return std::nullopt;
    return watts{*milliwatts / 1e3};
  }
  /// Since the driver was loaded; a difference of two is what was used between them.
  [[nodiscard]] std::optional<joules> energy() const {
    const auto millijoules = asked<unsigned long long>(library_.energy);
    if (!millijoules || is_slice_) return std::nullopt;
    return joules{static_cast<double>(*millijoules) / 1e3};
  }
  [[nodiscard]] std::optional<std::uint64_t> throttle() const {
    return asked<unsigned long long>(library_.throttle);
  }
  [[nodiscard]] std::optional<int> pcie_generation() const {
    return whole(asked<unsigned>(library_.pcie_generation));
  }
  [[nodiscard]] std::optional<int> pcie_width() const {
    return whole(asked<unsigned>(library_.pcie_width));
  }
  [[nodiscard]] std::optional<bool> is_sliced() const { return pair<unsigned>(library_.mig); }
  [[nodiscard]] std::optional<bool> corrects_errors() const { return pair<int>(library_.ecc); }
  [[nodiscard]] std::optional<bool> persists() const {
    const auto mode = asked<int>(library_.persistence);
    if (!mode) return std::nullopt;
    return *mode != 0;
  }
  [[nodiscard]] std::optional<management_library::memory> memory() const {
    return asked<management_library::memory>(library_.memory_of);
  }
  /// The share of time in which something ran; 0 to 1.
  [[nodiscard]] std::optional<double> utilization() const {
    const auto now = asked<management_library::utilization>(library_.utilization_of);
    if (!now) return std::nullopt;
    return now->gpu / 100.0;
  }
  /// What joins two GPUs: "nvlink", or where their ways through PCIe meet; empty: not known.
  ///
  /// Source: NVIDIA, "NVML API Reference Guide" (2025), nvmlGpuTopologyLevel_t and
  /// nvmlGpuP2PCapsIndex_t.
  [[nodiscard]] std::string joined_to(const gpu_monitor& other) const {
    constexpr int by_nvlink = 2;
    int level = -1;
    int status = -1;
    if (device_ != nullptr && other.device_ != nullptr && library_.peer_status != nullptr &&
        library_.peer_status(device_, other.device_, by_nvlink, &status) == 0 && status == 0)
      return "nvlink";
    if (device_ == nullptr || other.device_ == nullptr || library_.common_ancestor == nullptr ||
        library_.common_ancestor(device_, other.device_, &level) != 0)
      return {};
    switch (level) {
      case 0: return "board";
      case 10: return "pcie_switch";
      case 20: return "pcie_switches";
      case 30: return "root_complex";
      case 40: return "numa_node";
      case 50: return "system";
      default: return {};
    }
  }

 private:
  static constexpr int multiprocessors = 1;  ///< NVML_CLOCK_SM
  static constexpr int memory_bus = 2;       ///< NVML_CLOCK_MEM

  template <class T, class F>
  [[nodiscard]] std::optional<T> asked(F* function) const {
    T value{};
    if (device_ == nullptr || function == nullptr || function(device_, &value) != 0)
      return std::nullopt;
    return value;
  }
  template <class T, class F>
  [[nodiscard]] std::optional<bool> pair(F* function) const {
    T now{};
    T later{};
    if (device_ == nullptr || function == nullptr || function(device_, &now, &later) != 0)
      return std::nullopt;
    return now != T{};
  }
  template <class F>
  [[nodiscard]] std::optional<per_second> megahertz(F* function, int which) const {
    unsigned value = 0;
    if (device_ == nullptr || function == nullptr || function(device_, which, &value) != 0)
      return std::nullopt;
    return per_second{value * 1e6};
  }
  static std::optional<int> whole(std::optional<unsigned> value) {
    if (!value || *value > 1'000'000) return std::nullopt;  // the library's "not known"
    return static_cast<int>(*value);
  }

  const management_library& library_;
  management_library::device device_ = nullptr;
  bool is_slice_ = false;  ///< a process sees no change of that
};

/// Power, clock and reasons of throttling as they were seen in the course of a work.
struct monitored {
  std::vector<watts> power{};
  std::vector<per_second> clocks{};
  std::uint64_t throttle = 0;
};

/// Adds what can be seen now.
inline void look(const gpu_monitor& monitor, monitored& seen) {
  if (const auto power = monitor.power()) seen.power.push_back(*power);
  if (const auto clock = monitor.clock()) seen.clocks.push_back(*clock);
  seen.throttle |= monitor.throttle().value_or(0);
}

}  // namespace gpuplan::probe
