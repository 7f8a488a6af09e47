#pragma once
/// \file
/// Several jobs on one GPU: whether their memory fits, and how much slower each becomes.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <gpuplan/queue/share/opportunistic.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a job on a shared GPU is promised.
enum class gpu_service : std::uint8_t {
  equal,         ///< as much as the others: Gandiva's packing
  guaranteed,    ///< its own speed, whatever others do: AntMan's resource-guarantee jobs
  opportunistic  ///< what is left
};

/// A job on a shared GPU.
struct gpu_tenant {
  seconds step{};   ///< alone on the GPU; > 0
  bytes memory{};   ///< at its peak; >= 0
  double busy = 1;  ///< share of the step in which it computes; > 0 and <= 1
  gpu_service service = gpu_service::equal;
};

/// The GPU, and the way to the host's memory for what has to leave.
struct shared_gpu {
  bytes memory{};                     ///< > 0
  bytes_per_second host_bandwidth{};  ///< one way; > 0
};

/// What all tenants together ask for.
struct sharing_load {
  bytes memory{};             ///< sum of the peaks
  bytes guaranteed_memory{};  ///< of it, of those that may not spill
  double busy = 0;            ///< sum of the shares of the time
  double guaranteed_busy = 0;

  /// Whether everybody's memory fits at once.
  [[nodiscard]] constexpr bool fits(const shared_gpu& gpu) const { return memory <= gpu.memory; }
  /// Whether those fit that may not spill, in memory and in time.
  [[nodiscard]] constexpr bool keeps_promises(const shared_gpu& gpu) const {
    return guaranteed_memory <= gpu.memory && guaranteed_busy <= 1;
  }
};

/// \throws invalid_input if a tenant is out of range
constexpr sharing_load sharing_load_of(std::span<const gpu_tenant> tenants) {
  sharing_load sum;
  for (const gpu_tenant& tenant : tenants) {
    require(tenant.step > seconds{0}, "gpu_tenant: step must be > 0 s");
    require(tenant.memory >= bytes{0}, "gpu_tenant: memory must be >= 0 B");
    require(tenant.busy > 0 && tenant.busy <= 1, "gpu_tenant: busy must be > 0 and <= 1");
    sum.memory += tenant.memory;
    sum.busy += tenant.busy;
    if (tenant.service == gpu_service::opportunistic) continue;
    sum.guaranteed_memory += tenant.memory;
    sum.guaranteed_busy += tenant.busy;
  }
  return sum;
}

/// How much longer a tenant's step takes on the shared GPU than alone: 1 is no slower; infinite
/// where it gets nothing.
///
///     guaranteed     1
///     equal          max(1, sum of busy of the equal ones / what the guaranteed ones leave)
///     opportunistic  opportunistic_step_time of what those leave, shared evenly, over its step
///
/// Coarse, as queue/share/opportunistic.hpp says; memory bandwidth and caches are not looked at.
///
/// Sources: W. Xiao et al., "Gandiva", OSDI (2018); W. Xiao et al., "AntMan", OSDI (2020).
///
/// Source: W. Xiao et al., "Gandiva", OSDI (2018); W. Xiao et al., "AntMan", OSDI (2020).
///
/// \throws invalid_input if a tenant or the GPU is out of range, or there is no such tenant
constexpr double sharing_slowdown(std::span<const gpu_tenant> tenants, std::size_t who,
                                  const shared_gpu& gpu) {
  require(who < tenants.size(), "sharing_slowdown: who must be < tenants");
  require(gpu.memory > bytes{0}, "shared_gpu: memory must be > 0 B");
  require(gpu.host_bandwidth > bytes_per_second{0}, "shared_gpu: host_bandwidth must be > 0 B/s");
  const sharing_load load = sharing_load_of(tenants);
  const gpu_tenant& tenant = tenants[who];
  if (tenant.service == gpu_service::guaranteed) return 1;
  double equal_busy = 0;
  double first_busy = 0;
  int others = 0;
  for (const gpu_tenant& each : tenants) {
    if (each.service == gpu_service::equal) equal_busy += each.busy;
    if (each.service == gpu_service::guaranteed) first_busy += each.busy;
    if (each.service == gpu_service::opportunistic) ++others;
  }
  if (tenant.service == gpu_service::equal)
    return first_busy < 1 ? 1 / packed_speed(equal_busy / (1 - first_busy))
                          : std::numeric_limits<double>::infinity();
  const bytes left = gpu.memory - load.guaranteed_memory;
  const double idle = 1 - load.guaranteed_busy;
  const leftover share{.memory = left > bytes{0} ? left / others : bytes{0},
                       .idle = idle > 0 ? idle / others : 0};
  const opportunistic_step step = opportunistic_step_time({.step = tenant.step,
                                                           .memory = tenant.memory,
                                                           .busy = tenant.busy,
                                                           .host_bandwidth = gpu.host_bandwidth},
                                                          share);
  return step.total() / tenant.step;
}

/// Whether packing equal tenants pays: their speeds, each over its own alone, sum to more than 1.
///
/// \throws invalid_input if a tenant is out of range
constexpr bool packing_pays(std::span<const gpu_tenant> tenants) {
  const sharing_load load = sharing_load_of(tenants);
  return !tenants.empty() && static_cast<double>(tenants.size()) * packed_speed(load.busy) > 1;
}

}  // namespace gpuplan
