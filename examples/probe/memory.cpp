/// \file
/// Section memory: what is taken before the first tensor, and what the largest tensor may be.
#include <algorithm>
#include <cstdint>
#include <optional>

#include <cuda.h>

#include "part.hpp"
#include "product.hpp"

namespace gpuplan::probe {
namespace {

bytes as_bytes(std::size_t count) {
  return bytes{static_cast<double>(count)};
}

/// Steps in which device memory is mapped, from the driver; nullopt where it does not say.
std::optional<bytes> granularity_of(int device) {
  const shared_library driver{"libcuda.so.1"};
  CUresult (*granularity)(std::size_t*, const CUmemAllocationProp*,
                          CUmemAllocationGranularity_flags) = nullptr;
  driver.find(granularity, "cuMemGetAllocationGranularity");
  if (granularity == nullptr) return std::nullopt;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  std::size_t size = 0;
  if (granularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS)
    return std::nullopt;
  return as_bytes(size);
}

bool can_allocate(std::size_t size) {
  void* data = nullptr;
  if (cudaMalloc(&data, size) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  check(cudaFree(data), "cudaFree");
  return true;
}

/// To steps of 2 MiB: down from what is free by steps that double, then by halving what is not
/// known; nullopt if the time does not do.
std::optional<std::size_t> largest_allocation(const time_budget& budget) {
  const std::size_t step = std::size_t{2} << 20;
  std::size_t fails = room_of_device().free / step + 1;
  std::size_t fits = 0;
  for (std::size_t gap = 1; fits == 0 && fails > 1 && budget.left() > seconds{0}; gap *= 2) {
    const std::size_t next = fails > gap ? fails - gap : 1;
    (can_allocate(next * step) ? fits : fails) = next;
  }
  while (fails - fits > 1 && budget.left() > seconds{0}) {
    const std::size_t middle = fits + (fails - fits) / 2;
    (can_allocate(middle * step) ? fits : fails) = middle;
  }
  if (fails - fits > 1) return std::nullopt;
  return fits * step;
}

}  // namespace

void measure_memory(part& p) {
  probe_device& device = p.device();
  const auto before = p.monitor.memory();
  const bool sliced = p.monitor.is_sliced().value_or(false);
  if (before && !sliced) device.memory.free_before_context = as_bytes(before->free);

  check(cudaSetDevice(p.request.device), "cudaSetDevice");
  check(cudaFree(nullptr), "the context");
  const auto after = p.monitor.memory();
  if (before && after && !sliced && before->free > after->free)
    device.memory.context = as_bytes(before->free - after->free);
  const device_room with_context = room_of_device();
  if (with_context.free < with_context.total / 10)
    p.miss("less than a tenth of the memory is free: some sections will not run");

  device.memory.granularity = granularity_of(p.request.device);
  const std::size_t free = room_of_device().free;
  {
    const work_stream stream;
    const product_library products;
    products.run_small(stream);
    const std::size_t left = room_of_device().free;
    if (free > left) device.memory.cublas = as_bytes(free - left);
  }

  // All of it for a moment: not where others may want it just then.
  if (p.request.beside_others)
    p.miss("others work on the device: the largest allocation is not tried");
  else if (const auto largest = largest_allocation(p.budget))
    device.memory.largest_allocation = as_bytes(*largest);
  else
    p.miss("no time for the largest allocation");
}

}  // namespace gpuplan::probe
