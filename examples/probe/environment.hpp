#pragma once
/// \file
/// Variables of the environment under which times would be those of something else.

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace gpuplan::probe {

/// Takes them out of this process's environment, and so out of those of its children; to be called
/// before the first call of the CUDA runtime, which reads them once.  A line for each that was set.
///
/// Source: NVIDIA, "CUDA C++ Programming Guide" (2025), CUDA environment variables; "cuBLAS"
/// (2025), section on NVIDIA_TF32_OVERRIDE.
inline std::vector<std::string> unset_hindrances() {
  struct hindrance {
    const char* name;
    const char* effect;
  };
  constexpr std::array known{
      hindrance{"CUDA_LAUNCH_BLOCKING", "the host would wait for each kernel, and NCCL for itself"},
      hindrance{"CUDA_DEVICE_MAX_CONNECTIONS", "streams would wait for each other"},
      hindrance{"NVIDIA_TF32_OVERRIDE", "products would be of another format"}};
  std::vector<std::string> lines;
  for (const hindrance& one : known) {
    if (std::getenv(one.name) == nullptr) continue;
    unsetenv(one.name);
    lines.push_back(std::string{one.name} + " is not heeded: " + one.effect);
  }
  return lines;
}

}  // namespace gpuplan::probe
