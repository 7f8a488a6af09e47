#pragma once
/// \file
/// What the CUDA runtime lends, given back at the end of a scope; its errors as exceptions.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace gpuplan::probe {

/// A call that the runtime, or a library on top of it, refused.
class device_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws device_failure, which names the call, unless it succeeded
inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // or the next call would report this one
  throw device_failure{std::string{call} + ": " + cudaGetErrorString(error)};
}

/// Gives a handle back with the function of its library.
template <auto give_back>
struct releaser {
  void operator()(auto* handle) const { (void)give_back(handle); }
};

/// Device memory.  Never grows, never moves.
class device_memory {
 public:
  explicit device_memory(std::size_t size) : size_{size} {
    void* data = nullptr;
    check(cudaMalloc(&data, size), "cudaMalloc");
    data_.reset(data);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] void* data(std::size_t offset = 0) const {
    return static_cast<char*>(data_.get()) + offset;
  }

 private:
  std::unique_ptr<void, releaser<cudaFree>> data_{};
  std::size_t size_;
};

/// Host memory that the device reads and writes by itself.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t size) {
    void* data = nullptr;
    check(cudaHostAlloc(&data, size, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
    data_.reset(data);
  }
  [[nodiscard]] void* data() const { return data_.get(); }
  /// The device's address of the same memory.
  [[nodiscard]] void* on_device() const {
    void* there = nullptr;
    check(cudaHostGetDevicePointer(&there, data(), 0), "cudaHostGetDevicePointer");
    return there;
  }

 private:
  std::unique_ptr<void, releaser<cudaFreeHost>> data_{};
};

/// A stream of the selected device that does not wait for the default one.
class work_stream {
 public:
  work_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    stream_.reset(stream);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_.get(); }
  void wait() const { check(cudaStreamSynchronize(get()), "cudaStreamSynchronize"); }

 private:
  std::unique_ptr<CUstream_st, releaser<cudaStreamDestroy>> stream_{};
};

/// A moment of a stream; the time between two of them can be read.
class timing_event {
 public:
  timing_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    event_.reset(event);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }
  void record(const work_stream& stream) {
    check(cudaEventRecord(get(), stream.get()), "cudaEventRecord");
  }

 private:
  std::unique_ptr<CUevent_st, releaser<cudaEventDestroy>> event_{};
};

/// Bytes of the selected device that can be allocated now.
inline std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

}  // namespace gpuplan::probe
