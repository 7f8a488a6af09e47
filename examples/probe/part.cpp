#include "part.hpp"

#include <array>
#include <exception>

namespace gpuplan::probe {
namespace {

/// As section_table has them.
constexpr std::array measure_section{measure_identity,  measure_launch, measure_hbm,
                                     measure_host_copy, measure_gemm,   measure_collectives};

}  // namespace

std::string bus_id_of(int device) {
  std::array<char, 64> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device),
        "cudaDeviceGetPCIBusId");
  return text.data();
}

probe_report measured_part(const part_request& request,
                           const std::function<void(const probe_report&)>& tell) {
  const management_library management;
  std::string bus_id;
  std::string problem;
  try {
    bus_id = bus_id_of(request.device);
  } catch (const device_failure& failure) {
    problem = failure.what();
  }
  part p{.request = request,
         .management = management,
         .monitor{management, bus_id},
         .budget = time_budget{request.time},
         .tell = tell};
  p.report.devices.push_back({.index = request.device});
  try {
    if (!problem.empty()) throw device_failure{problem};
    check(cudaGetDeviceProperties(&p.properties, request.device), "cudaGetDeviceProperties");
    // Identity measures the context, which is made when the device is selected.
    if (request.what != section::identity) check(cudaSetDevice(request.device), "cudaSetDevice");
    p.start_clock();
    measure_section[static_cast<std::size_t>(request.what)](p);
  } catch (const std::exception& failure) {
    p.miss(failure.what());
  }
  for (const std::string& line : p.unmeasured.lines()) p.miss(line);
  for (const std::string& line : p.impossible.lines())
    p.warn(std::string{facts_of(request.what).name} + ": " + line);
  return p.report;
}

}  // namespace gpuplan::probe
