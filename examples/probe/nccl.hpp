#pragma once
/// \file
/// NVIDIA's library of collectives, where it is installed.

#include <cstddef>
#include <string>

#include "shared_library.hpp"

namespace gpuplan::probe {

/// 22707 is "2.27.7"; before 2.9 thousands count: 2804 is "2.8.4".
inline std::string nccl_version_text(int version) {
  const int thousands = version < 10000 ? 1000 : 10000;
  return std::to_string(version / thousands) + "." + std::to_string(version % thousands / 100) +
         "." + std::to_string(version % 100);
}

/// The functions that are called; 0 is success.  Either all are there, or none is called.
///
/// Source: NVIDIA, "NCCL API" (2025), docs.nvidia.com/deeplearning/nccl.
class nccl_library {
 public:
  using communicator = void*;
  using stream = void*;  ///< a cudaStream_t
  static constexpr int float32 = 7;
  static constexpr int sum = 0;

  explicit nccl_library(const char* name = "libnccl.so.2") : library_{name} {
    is_there_ =
        library_.find(get_version_, "ncclGetVersion") &&
        library_.find(init_all, "ncclCommInitAll") && library_.find(destroy, "ncclCommDestroy") &&
        library_.find(error_text, "ncclGetErrorString") &&
        library_.find(group_start, "ncclGroupStart") && library_.find(group_end, "ncclGroupEnd") &&
        library_.find(all_reduce, "ncclAllReduce") && library_.find(all_gather, "ncclAllGather") &&
        library_.find(reduce_scatter, "ncclReduceScatter") && library_.find(send, "ncclSend") &&
        library_.find(receive, "ncclRecv");
  }

  [[nodiscard]] bool is_there() const { return is_there_; }
  /// As "2.27.7"; empty: not installed.
  [[nodiscard]] std::string version() const {
    int version = 0;
    if (!is_there_ || get_version_(&version) != 0) return {};
    return nccl_version_text(version);
  }

  int (*init_all)(communicator*, int, const int*) = nullptr;
  int (*destroy)(communicator) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int, communicator, stream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*send)(const void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*receive)(void*, std::size_t, int, int, communicator, stream) = nullptr;

 private:
  shared_library library_;
  int (*get_version_)(int*) = nullptr;
  bool is_there_ = false;
};

}  // namespace gpuplan::probe
