#pragma once
/// \file
/// A GPU as nvidia-smi sees it, in one row or in many.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Samples of one figure: how many, the least, the mean and the most.
template <class Quantity>
struct sampled {
  std::int64_t samples = 0;
  Quantity least{};
  Quantity mean{};
  Quantity most{};

  constexpr void add(const sampled& more) {
    if (more.samples == 0) return;
    least = samples == 0 ? more.least : std::min(least, more.least);
    most = samples == 0 ? more.most : std::max(most, more.most);
    samples += more.samples;
    mean += static_cast<double>(more.samples) / static_cast<double>(samples) * (more.mean - mean);
  }
};

/// What rows about one GPU say together; what was not asked for has no samples, or is empty or 0.
struct nvidia_smi_gpu {
  std::string name{};
  std::string uuid{};
  std::string bus{};  ///< of PCI, "00000000:1B:00.0"
  int index = -1;     ///< -1: not said
  std::int64_t rows = 0;
  bytes memory_total{};
  sampled<bytes> memory_used{};
  watts power_limit{};
  sampled<watts> power{};
  per_second sm_clock_most{};  ///< that the device allows
  sampled<per_second> sm_clock{};
  per_second memory_clock_most{};
  sampled<per_second> memory_clock{};
  sampled<double> utilization{};  ///< part of the time that a kernel ran, 0 .. 1
  sampled<double> temperature{};  ///< degrees Celsius
  int pcie_generation = 0;        ///< in use, the most of all samples: at rest it is less
  int pcie_width = 0;             ///< lanes in use, likewise

  void add(const nvidia_smi_gpu& more) {
    ++rows;
    memory_used.add(more.memory_used);
    power.add(more.power);
    sm_clock.add(more.sm_clock);
    memory_clock.add(more.memory_clock);
    utilization.add(more.utilization);
    temperature.add(more.temperature);
    pcie_generation = std::max(pcie_generation, more.pcie_generation);
    pcie_width = std::max(pcie_width, more.pcie_width);
  }
};

}  // namespace gpuplan
