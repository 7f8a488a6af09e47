/// \file
/// Section identity: what the device is, and the memory that its context takes.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <cublasLt.h>

#include "part.hpp"

namespace gpuplan::probe {
namespace {

/// A device is busy where other programs use more than this share of its memory, or of its time.
constexpr double busy_memory = 0.1;
constexpr double busy_time = 0.05;

/// Whether other programs use the device; nullopt where it does not say, as a slice does not.  The
/// least of several looks, since the start of the driver is work, too.
std::optional<bool> is_busy(const gpu_monitor& monitor) {
  const auto memory = monitor.memory();
  if (!memory || memory->total == 0 || monitor.is_sliced()) return std::nullopt;
  if (static_cast<double>(memory->used) / static_cast<double>(memory->total) > busy_memory)
    return true;
  double least = 1;
  for (int look = 0; look < 5 && least > busy_time; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds{200});
    least = std::min(least, monitor.utilization().value_or(0));
  }
  return least > busy_time;
}

/// Bytes that a context takes, made here; nullopt where the driver does not say what is free.
std::optional<bytes> context_size(const part& p) {
  const auto before = p.monitor.memory();
  check(cudaSetDevice(p.request.device), "cudaSetDevice");
  check(cudaFree(nullptr), "cudaFree");
  const auto after = p.monitor.memory();
  if (!before || !after || before->free <= after->free) return std::nullopt;
  return bytes{static_cast<double>(before->free - after->free)};
}

/// 120304 is "12.3.4".
std::string cublas_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

void measure_identity(part& p) {
  probe_device& device = p.device();
  device.name = p.properties.name;
  device.multiprocessors = p.properties.multiProcessorCount;
  device.l2 = bytes{static_cast<double>(p.properties.l2CacheSize)};
  device.memory_size = bytes{static_cast<double>(p.properties.totalGlobalMem)};
  p.report.software = {.driver = p.management.driver(),
                       .cublas = cublas_version_text(cublasLtGetVersion())};
  if (!p.management.is_there()) p.warn("no management library: clocks and the context are unknown");

  device.busy = is_busy(p.monitor);
  p.publish();
  const bool busy = device.busy.value_or(false);
  if (busy) p.warn("other programs use it or hold its memory");
  if (busy && !p.request.busy_too) return;
  if (p.monitor.is_sliced())
    p.warn("a slice of a GPU (MIG): the size of its context is unknown");
  else
    device.memory.context = context_size(p);
}

}  // namespace gpuplan::probe
