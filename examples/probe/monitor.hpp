#pragma once
/// \file
/// What the driver tells of a GPU while it works, by NVIDIA's management library: read, never set.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/units/units.hpp>

#include "shared_library.hpp"

namespace gpuplan::probe {

/// The functions of the management library that are called, as its documentation declares them; 0
/// is success.  Each is nullptr where the library, or the function, is not there.
///
/// Source: NVIDIA, "NVML API Reference Guide" (2025).
class management_library {
 public:
  using device = void*;
  struct memory {
    unsigned long long total, free, used;
  };
  struct utilization {
    unsigned gpu, memory;  ///< percent
  };

  explicit management_library(const char* name = "libnvidia-ml.so.1") : library_{name} {
    library_.find(start_, "nvmlInit_v2");
    library_.find(stop_, "nvmlShutdown");
    library_.find(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    library_.find(driver_version, "nvmlSystemGetDriverVersion");
    library_.find(clock, "nvmlDeviceGetClockInfo");
    library_.find(highest_clock, "nvmlDeviceGetMaxClockInfo");
    library_.find(power, "nvmlDeviceGetPowerUsage");
    library_.find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    library_.find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    library_.find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (throttle == nullptr)  // its name since version 12.2
      library_.find(throttle, "nvmlDeviceGetCurrentClocksEventReasons");
    library_.find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    library_.find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
    library_.find(mig, "nvmlDeviceGetMigMode");
    library_.find(ecc, "nvmlDeviceGetEccMode");
    library_.find(persistence, "nvmlDeviceGetPersistenceMode");
    library_.find(memory_of, "nvmlDeviceGetMemoryInfo");
    library_.find(utilization_of, "nvmlDeviceGetUtilizationRates");
    library_.find(peer_status, "nvmlDeviceGetP2PStatus");
    library_.find(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
    started_ = start_ != nullptr && start_() == 0;
  }
  ~management_library() {
    if (started_ && stop_ != nullptr) (void)stop_();
  }
  management_library(const management_library&) = delete;
  management_library& operator=(const management_library&) = delete;

  [[nodiscard]] bool is_there() const { return started_; }

  /// As "560.35.03"; empty: not known.
  [[nodiscard]] std::string driver() const {
    std::array<char, 96> text{};
    if (!started_ || driver_version == nullptr ||
        driver_version(text.data(), static_cast<unsigned>(text.size()) - 1) != 0)
      return {};
    return text.data();
  }

  int (*by_bus_id)(const char*, device*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(device, int, unsigned*) = nullptr;  ///< MHz; 1: multiprocessors, 2: memory
  int (*highest_clock)(device, int, unsigned*) = nullptr;
  int (*power)(device, unsigned*) = nullptr;             ///< mW
  int (*energy)(device, unsigned long long*) = nullptr;  ///< mJ since the driver was loaded
  int (*power_limit)(device, unsigned*) = nullptr;       ///< mW
  int (*throttle)(device, unsigned long long*) = nullptr;
  int (*pcie_generation)(device, unsigned*) = nullptr;
  int (*pcie_width)(device, unsigned*) = nullptr;
  int (*mig)(device, unsigned*, unsigned*) = nullptr;  ///< now, and after the next reset
  int (*ecc)(device, int*, int*) = nullptr;
  int (*persistence)(device, int*) = nullptr;
  int (*memory_of)(device, memory*) = nullptr;
  int (*utilization_of)(device, utilization*) = nullptr;
  int (*peer_status)(device, device, int, int*) = nullptr;  ///< 2: of NVLink; 0 is yes
  int (*common_ancestor)(device, device, int*) = nullptr;

 private:
  shared_library library_;
  int (*start_)() = nullptr;
  int (*stop_)() = nullptr;
  bool started_ = false;
};

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
