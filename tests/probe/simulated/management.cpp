/// \file
/// The management library of a GPU that is not there, to be loaded as libnvidia-ml.so.1.
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
int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* later) {
  *now = *later = simulated::has_fault("sliced") ? 1 : 0;
  return 0;
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

}  // extern "C"
