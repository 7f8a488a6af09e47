/// \file
/// Section hbm: the rate of device memory beyond the reach of its cache.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <gpuplan/calibrate/plateau_fit.hpp>

#include "part.hpp"
#include "sizes.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::array block_sizes{256U, 128U, 512U};
constexpr float scalar = 3;  // of triad

/// Where an array's numbers begin, as launch_fill counts: array 0 receives, 1 and 2 are read.
constexpr std::uint32_t first_of(int array) {
  return static_cast<std::uint32_t>(array) << 28;
}

const char* name_of(memory_operation operation) {
  return operation == memory_operation::copy ? "copy" : "triad";
}

int arrays_of(memory_operation operation) {
  return operation == memory_operation::copy ? 2 : 3;
}

std::uint32_t wanted_at(memory_operation operation, std::uint32_t index) {
  const float b = float_at(first_of(1) + index);
  const float c = float_at(first_of(2) + index);
  return std::bit_cast<std::uint32_t>(operation == memory_operation::copy ? b : b + scalar * c);
}

/// Three arrays that copy and triad stream through.
class streaming_arrays {
 public:
  streaming_arrays(std::size_t size, const part& p, const work_stream& stream)
      : threads_{static_cast<std::size_t>(p.properties.multiProcessorCount) *
                 static_cast<std::size_t>(p.properties.maxThreadsPerMultiProcessor)},
        arrays_{device_memory{size}, device_memory{size}, device_memory{size}} {
    for (int i = 0; i < 3; ++i)
      check(launch_fill(array(i), size / sizeof(float), first_of(i), layout_summed, stream.get()),
            "fill");
    stream.wait();
  }

  /// One pass over the first `size` bytes of each array, with as many blocks as the device runs at
  /// once, or as there is work for.
  void run(memory_operation operation, std::size_t size, unsigned threads,
           cudaStream_t stream) const {
    const std::size_t needed = (size / 16 + threads - 1) / threads;
    const auto blocks =
        static_cast<unsigned>(std::max<std::size_t>(1, std::min(needed, threads_ / threads)));
    const launch_shape shape{blocks, threads};
    check(operation == memory_operation::copy
              ? launch_copy(array(0), array(1), size, shape, stream)
              : launch_triad(array(0), array(1), array(2), scalar, size, shape, stream),
          name_of(operation));
  }

  /// Compares the last numbers of a pass, up to 2 MiB, with the host's own.
  /// \throws device_failure if one is wrong
  void verify(memory_operation operation, std::size_t size, unsigned threads,
              const work_stream& stream) const {
    const std::size_t words = std::min(size, std::size_t{2} << 20) / sizeof(std::uint32_t);
    const std::size_t first = size / sizeof(std::uint32_t) - words;
    void* last = arrays_[0].data(first * sizeof(std::uint32_t));
    check(cudaMemsetAsync(last, 0xff, words * sizeof(std::uint32_t), stream.get()),
          "cudaMemsetAsync");
    run(operation, size, threads, stream.get());
    std::vector<std::uint32_t> found(words);
    check(cudaMemcpyAsync(found.data(), last, words * sizeof(std::uint32_t), cudaMemcpyDeviceToHost,
                          stream.get()),
          "cudaMemcpyAsync");
    stream.wait();
    for (std::size_t i = 0; i < words; ++i)
      if (found[i] != wanted_at(operation, static_cast<std::uint32_t>(first + i)))
        throw device_failure{"the kernel writes a wrong number"};
  }

 private:
  [[nodiscard]] void* array(int which) const {
    return arrays_[static_cast<std::size_t>(which)].data();
  }

  std::size_t threads_;  ///< that the device runs at once
  std::array<device_memory, 3> arrays_;
};

/// The fastest size of blocks for an operation.
unsigned fastest_blocks(const streaming_arrays& arrays, memory_operation operation,
                        std::size_t size, stopwatch& watch, sampling how) {
  how.samples = how.least_samples;
  unsigned best = block_sizes.front();
  seconds least{};
  for (const unsigned threads : block_sizes) {
    // All numbers of an array that is no whole number of blocks.
    arrays.verify(operation, (std::size_t{1} << 20) + 48, threads, watch.stream());
    const auto time = watch.measure(
        [&](cudaStream_t to, std::size_t) { arrays.run(operation, size, threads, to); }, how);
    if (!time || (least > seconds{0} && time->median >= least)) continue;
    least = time->median;
    best = threads;
  }
  return best;
}

}  // namespace

void measure_hbm(part& p) {
  const std::size_t largest = largest_array(free_memory(), 3, std::size_t{4} << 30);
  const double beyond = beyond_cache * p.properties.l2CacheSize;
  std::vector<std::size_t> sizes =
      sizes_up_to(largest, std::max(std::size_t{1} << 20, static_cast<std::size_t>(beyond)), 2);
  if (sizes.empty()) return p.miss("no room for arrays of 8 times the last cache");
  constexpr std::size_t most_sizes = 4;
  if (sizes.size() > most_sizes) sizes.erase(sizes.begin(), sizes.end() - most_sizes);

  stopwatch watch{p.monitor, p.budget};
  const work_stream& stream = watch.stream();
  const streaming_arrays arrays{largest, p, stream};
  for (const memory_operation operation : {memory_operation::copy, memory_operation::triad}) {
    p.attempt(name_of(operation), stream, [&] {
      watch.warm_up([&](cudaStream_t to, std::size_t) {
        arrays.run(operation, largest, block_sizes.front(), to);
      });
      const unsigned threads = fastest_blocks(arrays, operation, largest, watch, sampling{});
      for (const std::size_t size : sizes) {
        const auto time = watch.measure(
            [&](cudaStream_t to, std::size_t) { arrays.run(operation, size, threads, to); },
            sampling{});
        if (!time) {
          p.unmeasured.add("no time",
                           std::string{name_of(operation)} + " of " + std::to_string(size) + " B");
          continue;
        }
        arrays.verify(operation, size, threads, stream);
        const bytes buffer{static_cast<double>(size)};
        p.device().hbm.push_back({.operation = operation,
                                  .buffer = buffer,
                                  .time = *time,
                                  .rate = arrays_of(operation) * buffer / time->median});
      }
    });
    p.publish();
  }
}

}  // namespace gpuplan::probe
