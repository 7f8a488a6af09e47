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

/// Another process takes more than this share of the memory, or the device works more than that of
/// the time: then it is busy.
constexpr double busy_memory = 0.1;
constexpr double busy_time = 0.05;

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

/// To steps of 2 MiB, by halving what is not known.
std::size_t largest_allocation(const time_budget& budget) {
  const std::size_t step = std::size_t{2} << 20;
  std::size_t fits = 0;
  std::size_t fails = room_of_device().free / step + 1;
  while (fails - fits > 1 && budget.left() > seconds{0}) {
    const std::size_t middle = fits + (fails - fits) / 2;
    (can_allocate(middle * step) ? fits : fails) = middle;
  }
  return fits * step;
}

}  // namespace

void measure_memory(part& p) {
  probe_device& device = p.device();
  const auto before = p.monitor.memory();
  const auto worked = p.monitor.utilization();
  const bool sliced = p.monitor.is_sliced().value_or(false);
  if (before && !sliced) {
    device.memory.free_before_context = as_bytes(before->free);
    const double used = static_cast<double>(before->used) / static_cast<double>(before->total);
    device.busy = used > busy_memory || worked.value_or(0) > busy_time;
    if (*device.busy)
      p.report.warnings.push_back("device " + std::to_string(p.request.device) +
                                  ": busy with the work of others; its figures are low");
  }

  check(cudaSetDevice(p.request.device), "cudaSetDevice");
  check(cudaFree(nullptr), "the context");
  const device_room with_context = room_of_device();
  if (before && !sliced && before->free > with_context.free)
    device.memory.context = as_bytes(before->free - with_context.free);
  if (with_context.free < with_context.total / 10)
    p.miss("less than a tenth of the memory is free: some sections will not run");

  device.memory.granularity = granularity_of(p.request.device);
  if (device.busy.value_or(false))
    p.miss("the device is busy: the largest allocation is not tried");
  else
    device.memory.largest_allocation = as_bytes(largest_allocation(p.budget));

  const std::size_t free = room_of_device().free;
  {
    const work_stream stream;
    const product_library products;
    products.run_small(stream);
    const std::size_t after = room_of_device().free;
    if (free > after) device.memory.cublas = as_bytes(free - after);
  }
}

}  // namespace gpuplan::probe
