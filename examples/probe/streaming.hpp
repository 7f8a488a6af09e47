#pragma once
/// \file
/// Kernels that stream through device memory: what each reads and writes, and how it is started.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/calibrate/probe_report_device.hpp>

#include "device.hpp"
#include "kernels.hpp"

namespace gpuplan::probe {

/// Arrays that an operation goes through, each byte of them once.
constexpr int arrays_of(memory_operation operation) {
  switch (operation) {
    case memory_operation::read:
    case memory_operation::write: return 1;
    case memory_operation::copy: return 2;
    case memory_operation::triad: return 3;
  }
  return 0;
}

/// Three arrays of the same size in one allocation, and a place for sums.
class streaming_arrays {
 public:
  static constexpr unsigned most_blocks = 1U << 14;
  static constexpr float scalar = 3;

  explicit streaming_arrays(std::size_t size, int multiprocessors)
      : size_{size},
        threads_{static_cast<std::size_t>(multiprocessors) * threads_of_multiprocessor()},
        data_{3 * size},
        sums_{most_blocks * sizeof(std::uint32_t)} {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] void* array(int which, std::size_t offset = 0) const {
    return data_.data(static_cast<std::size_t>(which) * size_ + offset);
  }
  [[nodiscard]] const std::uint32_t* sums() const { return sums_.as<std::uint32_t>(); }

  /// Small whole floats to all of it.
  void fill(cudaStream_t stream) const {
    for (int i = 0; i < 3; ++i)
      check(launch_fill_floats(static_cast<float*>(array(i)), size_ / sizeof(float), stream),
            "fill");
  }

  /// Words that look random in all their bits to all of it: what moves draws power as data do.
  void fill_words(cudaStream_t stream) const {
    for (int i = 0; i < 3; ++i)
      check(launch_fill(static_cast<std::uint32_t*>(array(i)), size_ / sizeof(std::uint32_t),
                        static_cast<std::uint32_t>(i), stream),
            "fill");
  }

  /// As many blocks as the device runs at once, or fewer where there is no work for them.
  [[nodiscard]] launch_shape shape(unsigned threads, std::size_t bytes) const {
    const std::size_t vectors = bytes / 16;
    const std::size_t needed = (vectors + threads - 1) / threads;
    const std::size_t full = threads_ / threads;
    const std::size_t most = most_blocks;
    return {static_cast<unsigned>(std::max<std::size_t>(1, std::min({needed, full, most}))),
            threads};
  }

  /// One pass over `bytes` of each array from `offset`.
  void run(memory_operation operation, std::size_t bytes, std::size_t offset, unsigned threads,
           cudaStream_t stream) const {
    const launch_shape blocks = shape(threads, bytes);
    switch (operation) {
      case memory_operation::read:
        check(launch_read(array(1, offset), bytes, sums_.as<std::uint32_t>(), blocks, stream),
              "read");
        break;
      case memory_operation::write:
        check(launch_write(array(0, offset), bytes, 0x3f800000, blocks, stream), "write");
        break;
      case memory_operation::copy:
        check(launch_copy(array(0, offset), array(1, offset), bytes, blocks, stream), "copy");
        break;
      case memory_operation::triad:
        check(launch_triad(static_cast<float*>(array(0, offset)),
                           static_cast<const float*>(array(1, offset)),
                           static_cast<const float*>(array(2, offset)), scalar, bytes, blocks,
                           stream),
              "triad");
        break;
    }
  }

 private:
  /// Of the device that is selected: 1024 to 2048.
  static std::size_t threads_of_multiprocessor() {
    int device = 0;
    int threads = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device),
          "cudaDeviceGetAttribute");
    return static_cast<std::size_t>(threads);
  }

  std::size_t size_;
  std::size_t threads_;  ///< that the device runs at once
  device_memory data_;
  device_memory sums_;
};

}  // namespace gpuplan::probe
