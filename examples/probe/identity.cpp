/// \file
/// Section identity: what the device is, and which software drives it.
#include <array>
#include <cstdint>

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
  if (!p.library.is_there())
    p.report.warnings.emplace_back("no management library: no clocks, no power");

  probe_software& software = p.report.software;
  software.driver = p.library.driver();
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  software.cuda_driver = cuda_version_text(version);
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  software.cuda_runtime = cuda_version_text(version);
  software.cublas = cublas_version_text(cublasLtGetVersion());
  software.nccl = nccl_library{}.version();
}

}  // namespace gpuplan::probe
