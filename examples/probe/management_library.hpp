#pragma once
/// \file
/// NVIDIA's management library, where it is there.

#include <array>
#include <string>

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

}  // namespace gpuplan::probe
