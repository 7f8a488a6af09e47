/// \file
/// Section identity: what the device is, and which software drives it.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include <cublasLt.h>

#include "datasheet.hpp"
#include "nccl.hpp"
#include "part.hpp"
#include "version_text.hpp"

namespace gpuplan::probe {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// Others take more than this share of the memory, or of the time: then the device is busy.
constexpr double busy_memory = 0.1;
constexpr double busy_time = 0.05;

/// Whether others use the device; nullopt where it does not say, as a slice does not.  The least of
/// some looks, since the start of the driver is itself work.
std::optional<bool> is_busy(const gpu_monitor& monitor) {
  const auto memory = monitor.memory();
  if (!memory || memory->total == 0 || monitor.is_sliced().value_or(false)) return std::nullopt;
  if (static_cast<double>(memory->used) / static_cast<double>(memory->total) > busy_memory)
    return true;
  double least = 1;
  for (int look = 0; look < 5 && least > busy_time; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds{200});
    least = std::min(least, monitor.utilization().value_or(0));
  }
  return least > busy_time;
}

}  // namespace

std::string bus_id_of(int device) {
  std::array<char, 64> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device),
        "cudaDeviceGetPCIBusId");
  return text.data();
}

void measure_identity(part& p) {
  probe_device& device = p.device();
  const int index = p.request.device;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  device.name = properties.name;
  device.uuid_hash = hash_text(properties.uuid.bytes, sizeof properties.uuid.bytes);
  device.compute_capability =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  device.multiprocessors = properties.multiProcessorCount;
  device.l2 = bytes{static_cast<double>(properties.l2CacheSize)};
  device.memory_size = bytes{static_cast<double>(properties.totalGlobalMem)};
  device.bus_width = attribute(cudaDevAttrGlobalMemoryBusWidth, index);
  const auto optional_bool = [](std::optional<bool> told, bool otherwise) {
    return told ? *told : otherwise;
  };
  device.ecc = optional_bool(p.monitor.corrects_errors(), properties.ECCEnabled != 0);
  device.mig = p.monitor.is_sliced();
  device.persistence = p.monitor.persists();
  device.limits.power = p.monitor.power_limit();
  device.limits.clock = p.monitor.highest_clock();
  device.limits.memory_clock = p.monitor.highest_memory_clock();
  if (!device.limits.clock) {
    const int kilohertz = attribute(cudaDevAttrClockRate, index);
    if (kilohertz > 0) device.limits.clock = per_second{kilohertz * 1e3};
  }
  if (!device.limits.memory_clock) {
    const int kilohertz = attribute(cudaDevAttrMemoryClockRate, index);
    if (kilohertz > 0) device.limits.memory_clock = per_second{kilohertz * 1e3};
  }
  if (device.mig.value_or(false))
    p.report.warnings.push_back("device " + std::to_string(index) +
                                ": a slice of a GPU (MIG): no power, no share of a datasheet");
  device.busy = is_busy(p.monitor);
  if (device.busy.value_or(false))
    p.report.warnings.push_back("device " + std::to_string(index) +
                                ": others work on it or hold its memory");
  if (!p.management.is_there())
    p.report.warnings.emplace_back("no management library: no clocks, no power");

  probe_software& software = p.report.software;
  software.driver = p.management.driver();
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  software.cuda_driver = cuda_version_text(version);
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  software.cuda_runtime = cuda_version_text(version);
  software.cublas = cublas_version_text(cublasLtGetVersion());
  software.nccl = nccl_library{}.version();
}

}  // namespace gpuplan::probe
