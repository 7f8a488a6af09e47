#pragma once
/// \file
/// NVIDIA's library of collectives, where it is there.

#include <array>
#include <cstddef>
#include <string>

#include "shared_library.hpp"
#include "version_text.hpp"

namespace gpuplan::probe {

/// Its functions as its documentation declares them; 0 is success.  All are there, or none is
/// called.
///
/// Source: NVIDIA, "NCCL API" (2025), docs.nvidia.com/deeplearning/nccl.
class nccl_library {
 public:
  using communicator = void*;
  using stream = void*;  ///< a cudaStream_t
  static constexpr int float32 = 7;
  static constexpr int sum = 0;

  explicit nccl_library(const char* name = "libnccl.so.2") : library_{name} {
    library_.find(get_version, "ncclGetVersion");
    library_.find(init_all, "ncclCommInitAll");
    library_.find(destroy, "ncclCommDestroy");
    library_.find(error_text, "ncclGetErrorString");
    library_.find(group_start, "ncclGroupStart");
    library_.find(group_end, "ncclGroupEnd");
    library_.find(all_reduce, "ncclAllReduce");
    library_.find(all_gather, "ncclAllGather");
    library_.find(reduce_scatter, "ncclReduceScatter");
    library_.find(send, "ncclSend");
    library_.find(receive, "ncclRecv");
  }

  [[nodiscard]] bool is_there() const {
    return get_version != nullptr && init_all != nullptr && destroy != nullptr &&
           error_text != nullptr && group_start != nullptr && group_end != nullptr &&
           all_reduce != nullptr && all_gather != nullptr && reduce_scatter != nullptr &&
           send != nullptr && receive != nullptr;
  }

  /// As "2.27.7"; empty: not there.
  [[nodiscard]] std::string version() const {
    int version = 0;
    if (!is_there() || get_version(&version) != 0) return {};
    return nccl_version_text(version);
  }

  int (*get_version)(int*) = nullptr;
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
};

}  // namespace gpuplan::probe
