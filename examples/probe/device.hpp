#pragma once
/// \file
/// What the CUDA runtime lends, given back at the end of a scope; and its refusals as exceptions.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

namespace gpuplan::probe {

/// A call that the runtime, or a library on top of it, refused.
class device_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws device_failure, which names the call, unless it went well
inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // or the next call would be told of this one
  throw device_failure{std::string{call} + ": " + cudaGetErrorString(error)};
}

/// Memory of the device.  Never grows, never moves.
class device_memory {
 public:
  explicit device_memory(std::size_t size) : size_{size} {
    check(cudaMalloc(&data_, size), "cudaMalloc");
  }
  ~device_memory() { (void)cudaFree(data_); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] void* data(std::size_t offset = 0) const {
    return static_cast<char*>(data_) + offset;
  }
  template <class T>
  [[nodiscard]] T* as(std::size_t offset = 0) const {
    return static_cast<T*>(data(offset));
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// Memory of the host that the device reads and writes by itself.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t size) {
    check(cudaHostAlloc(&data_, size, cudaHostAllocPortable | cudaHostAllocMapped),
          "cudaHostAlloc");
  }
  ~pinned_memory() { (void)cudaFreeHost(data_); }
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  /// The same memory as the device calls it.
  [[nodiscard]] void* on_device() const {
    void* there = nullptr;
    check(cudaHostGetDevicePointer(&there, data_, 0), "cudaHostGetDevicePointer");
    return there;
  }

 private:
  void* data_ = nullptr;
};

/// A stream that does not wait for the default one.
class work_stream {
 public:
  work_stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~work_stream() { (void)cudaStreamDestroy(stream_); }
  work_stream(const work_stream&) = delete;
  work_stream& operator=(const work_stream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A moment in a stream that can be told from another by its time.
class moment {
 public:
  moment() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~moment() { (void)cudaEventDestroy(event_); }
  moment(const moment&) = delete;
  moment& operator=(const moment&) = delete;

  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Bytes that can be had now, and all that the device has.
struct device_room {
  std::size_t free = 0;
  std::size_t total = 0;
};

inline device_room room_of_device() {
  device_room room;
  check(cudaMemGetInfo(&room.free, &room.total), "cudaMemGetInfo");
  return room;
}

}  // namespace gpuplan::probe
