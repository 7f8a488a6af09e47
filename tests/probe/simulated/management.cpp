/// \file
/// The management library of a GPU that is not there, to be loaded as libnvidia-ml.so.1.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device.hpp"
#include "runtime.hpp"

namespace {

int first;
int second;

struct memory {
  unsigned long long total, free, used;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.00");
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  *device = std::strcmp(bus_id, "0000:01:00.0") == 0 ? &first : &second;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned* megahertz) {
  *megahertz = which == 1 ? static_cast<unsigned>(simulated::clock_hz / 1e6) : 6251;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void* device, int which, unsigned* megahertz) {
  return nvmlDeviceGetClockInfo(device, which, megahertz);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = static_cast<unsigned>(simulated::idle_power * 1e3);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  if (simulated::this_thread_sends()) {
    std::fputs("simulated: a device waits for work while its meter is read\n", stderr);
    std::abort();
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  *millijoules = static_cast<unsigned long long>(simulated::idle_power * 1e3 *
                                                 std::chrono::duration<double>(now).count());
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return *milliwatts = 72000, 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  return *bits = 0x4, 0;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  return *generation = 4, 0;
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* width) {
  return *width = 16, 0;
}
int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* later) {
  *now = *later = simulated::has_fault("sliced") ? 1 : 0;
  return 0;
}
int nvmlDeviceGetEccMode(void*, int* now, int* later) {
  return *now = *later = 1, 0;
}
int nvmlDeviceGetPersistenceMode(void*, int* mode) {
  return *mode = 0, 0;
}
int nvmlDeviceGetMemoryInfo(void*, memory* told) {
  const auto all =
      static_cast<unsigned long long>(simulated::free_bytes + simulated::context_bytes);
  const auto used = simulated::has_fault("busy") ? all / 5 : 0;
  const auto context =
      simulated::has_context() ? static_cast<unsigned long long>(simulated::context_bytes) : 0;
  *told = {all, all - used - context, used + context};
  return 0;
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* percent) {
  percent[0] = percent[1] = 0;
  return 0;
}
int nvmlDeviceGetP2PStatus(void*, void*, int, int* status) {
  return *status = 1, 0;
}
int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) {
  return *level = 10, 0;
}

}  // extern "C"
