#include "part.hpp"

#include <exception>
#include <optional>

#include "datasheet.hpp"

namespace gpuplan::probe {
namespace {

void measure(part& p) {
  switch (p.request.what) {
    case section::identity: return measure_identity(p);
    case section::memory: return measure_memory(p);
    case section::launch: return measure_launch(p);
    case section::hbm: return measure_hbm(p);
    case section::host_copy: return measure_host_copy(p);
    case section::gemm: return measure_gemm(p);
    case section::power: return measure_power(p);
    case section::contention: return measure_contention(p);
    case section::peers: return measure_peers(p);
    case section::collectives: return measure_collectives(p);
  }
}

/// What sections need to know of the device; asked without making a context.
void know_device(part& p) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, p.request.device), "cudaGetDeviceProperties");
  probe_device& device = p.device();
  device.name = properties.name;
  device.compute_capability =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  device.multiprocessors = properties.multiProcessorCount;
  device.l2 = bytes{static_cast<double>(properties.l2CacheSize)};
  device.memory_size = bytes{static_cast<double>(properties.totalGlobalMem)};
  if (!p.monitor.is_sliced().value_or(false))
    p.datasheet = datasheet_of(device.name, device.memory_size);
}

}  // namespace

probe_report measured_part(const part_request& request,
                           const std::function<void(const probe_report&)>& tell) {
  const management_library management;
  std::string bus_id;
  std::string problem;
  try {
    bus_id = bus_id_of(request.device);
  } catch (const std::exception& failure) {
    problem = failure.what();
  }
  part p{.request = request,
         .management = management,
         .monitor{management, bus_id},
         .budget = time_budget{request.time},
         .datasheet = nullptr,
         .tell = tell};
  p.report.devices.push_back({.index = request.device});
  if (!problem.empty()) {
    p.miss(problem);
    return p.report;
  }
  try {
    know_device(p);
    // These two come before the context, which is made when the device is selected.
    if (request.what != section::identity && request.what != section::memory)
      check(cudaSetDevice(request.device), "cudaSetDevice");
    p.start_clock();
    measure(p);
  } catch (const std::exception& failure) {
    p.miss(failure.what());
  }
  for (const std::string& line : p.unmeasured.lines()) p.miss(line);
  for (const std::string& line : p.impossible.lines())
    p.report.warnings.push_back("device " + std::to_string(request.device) + ": " +
                                std::string{facts_of(request.what).name} + ": " + line);
  return p.report;
}

}  // namespace gpuplan::probe
