#pragma once
/// \file
/// A GPU that is not there: its constants, and the faults that it can be told to have.  What is
/// measured of it must come out as these constants.

#include <cstdlib>
#include <cstring>
#include <string>

namespace simulated {

constexpr double free_bytes = 512.0 * (1 << 20);
constexpr double context_bytes = 300.0 * (1 << 20);
constexpr double nccl_bytes = 24.0 * (1 << 20);  ///< of each rank, at the first collective
constexpr double l2_bytes = 1 << 20;
constexpr int multiprocessors = 58;
constexpr int most_threads = 1536;           ///< of a multiprocessor
constexpr double memory_rate = 0.9 * 300e9;  ///< B/s; the name is that of an L4, with 300 GB/s
constexpr double cache_rate = 5 * memory_rate;
constexpr double kernel_time = 2e-6;  ///< s, of any kernel
constexpr double copy_time = 8e-6;    ///< s, of any copy
constexpr double host_rate = 25e9;    ///< B/s, each way
constexpr double pageable_rate = 8e9;
constexpr double peer_rate = 20e9;
constexpr double product_rate = 0.8 * 121e12;  ///< FLOP/s of 16-bit inputs
constexpr double clock_hz = 2.04e9;

inline int device_count() {
  const char* text = std::getenv("SIMULATED_DEVICES");
  return text != nullptr ? std::atoi(text) : 1;
}

/// Whether a call is told to fail: SIMULATED_FAULT is its name; or to end the process, with
/// SIMULATED_CRASH.
inline bool has_fault(const char* call) {
  const char* crash = std::getenv("SIMULATED_CRASH");
  if (crash != nullptr && std::strcmp(crash, call) == 0) std::abort();
  const char* fault = std::getenv("SIMULATED_FAULT");
  return fault != nullptr && std::strcmp(fault, call) == 0;
}

}  // namespace simulated
