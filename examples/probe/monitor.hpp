#pragma once
/// \file
/// What the driver says of a GPU: read, never set.

#include <optional>
#include <string>

#include <gpuplan/units/units.hpp>

#include "libraries.hpp"

namespace gpuplan::probe {

/// One GPU through the management library; everything is nullopt where that does not know it.
class gpu_monitor {
 public:
  struct memory_use {
    unsigned long long total, free, used;
  };

  /// The GPU at a PCI address such as "0000:3b:00.0".
  gpu_monitor(const management_library& library, const std::string& bus_id)
      : library_{library},
        device_{library.ask<void*>("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str())} {}

  /// Of the multiprocessors.
  [[nodiscard]] std::optional<per_second> clock() const {
    return megahertz("nvmlDeviceGetClockInfo");
  }
  [[nodiscard]] std::optional<per_second> highest_clock() const {
    return megahertz("nvmlDeviceGetMaxClockInfo");
  }
  [[nodiscard]] std::optional<memory_use> memory() const {
    return ask<memory_use>("nvmlDeviceGetMemoryInfo");
  }
  /// Whether the GPU is divided into slices (MIG).
  [[nodiscard]] bool is_sliced() const {
    unsigned now = 0;  // the answer after it is for the time after the next reset
    return device_ && library_.ask<unsigned>("nvmlDeviceGetMigMode", *device_, &now) && now != 0;
  }
  /// The share of time in which something ran; 0 to 1.
  [[nodiscard]] std::optional<double> utilization() const {
    struct percent {
      unsigned gpu, memory;
    };
    const auto now = ask<percent>("nvmlDeviceGetUtilizationRates");
    if (!now) return std::nullopt;
    return now->gpu / 100.0;
  }

 private:
  template <class Answer, class... Arguments>
  [[nodiscard]] std::optional<Answer> ask(const char* function, Arguments... arguments) const {
    if (!device_) return std::nullopt;
    return library_.ask<Answer>(function, *device_, arguments...);
  }
  [[nodiscard]] std::optional<per_second> megahertz(const char* function) const {
    constexpr int multiprocessors = 1;  // NVML_CLOCK_SM
    const auto value = ask<unsigned>(function, multiprocessors);
    if (!value) return std::nullopt;
    return per_second{*value * 1e6};
  }

  const management_library& library_;
  std::optional<void*> device_;
};

}  // namespace gpuplan::probe
