/// \file
/// Section hbm: rates of streaming through device memory, by operation and size.
#include <array>
#include <cstring>
#include <vector>

#include "part.hpp"
#include "reference.hpp"
#include "streaming.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::array operations{memory_operation::read, memory_operation::write,
                                memory_operation::copy, memory_operation::triad};
constexpr std::array block_sizes{256U, 128U, 512U};

constexpr const char* name_of(memory_operation operation) {
  switch (operation) {
    case memory_operation::read: return "read";
    case memory_operation::write: return "write";
    case memory_operation::copy: return "copy";
    case memory_operation::triad: return "triad";
  }
  return "";
}

/// Every kernel on arrays that fill no whole number of blocks, against the host's own results.
/// \throws device_failure, which names the kernel, if one is wrong
void verify(const streaming_arrays& arrays, const work_stream& stream) {
  const std::size_t bytes = (std::size_t{1} << 20) + 48;
  const std::size_t words = bytes / sizeof(std::uint32_t);
  std::vector<std::uint32_t> found(words);
  const auto fetch = [&](const void* from, std::size_t size) {
    check(cudaMemcpyAsync(found.data(), from, size, cudaMemcpyDeviceToHost, stream.get()),
          "cudaMemcpyAsync");
    stream.wait();
  };
  for (const unsigned threads : block_sizes) {
    const launch_shape blocks = arrays.shape(threads, bytes);
    check(launch_fill(static_cast<std::uint32_t*>(arrays.array(1)), words, 7, stream.get()),
          "fill");
    arrays.run(memory_operation::read, bytes, 0, threads, stream.get());
    fetch(arrays.sums(), blocks.blocks * sizeof(std::uint32_t));
    if (sum_of({found.data(), blocks.blocks}) != sum_of_words(words, 7))
      throw device_failure{"the read kernel gives a wrong sum"};

    arrays.run(memory_operation::copy, bytes, 0, threads, stream.get());
    fetch(arrays.array(0), bytes);
    for (std::size_t i = 0; i < words; ++i)
      if (found[i] != word_at(7 + static_cast<std::uint32_t>(i)))
        throw device_failure{"the copy kernel writes a wrong word"};

    arrays.run(memory_operation::write, bytes, 0, threads, stream.get());
    fetch(arrays.array(0), bytes);
    for (const std::uint32_t word : found)
      if (word != 0x3f800000) throw device_failure{"the write kernel writes a wrong word"};

    for (int i = 1; i < 3; ++i)
      check(launch_fill_floats(static_cast<float*>(arrays.array(i)), words, stream.get()), "fill");
    arrays.run(memory_operation::triad, bytes, 0, threads, stream.get());
    fetch(arrays.array(0), bytes);
    for (std::size_t i = 0; i < words; ++i) {
      float number = 0;
      std::memcpy(&number, &found[i], sizeof number);
      const float wanted = triad_at(static_cast<std::uint32_t>(i), streaming_arrays::scalar);
      if (number != wanted) throw device_failure{"the triad kernel writes a wrong number"};
    }
  }
}

/// The last number that a copy or triad wrote.
void verify_last(const streaming_arrays& arrays, memory_operation operation, std::size_t bytes,
                 const work_stream& stream) {
  if (arrays_of(operation) == 1) return;
  const auto last = static_cast<std::uint32_t>(bytes / sizeof(float) - 1);
  float found = 0;
  check(cudaMemcpyAsync(&found, arrays.array(0, last * sizeof(float)), sizeof found,
                        cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync");
  stream.wait();
  const float wanted = operation == memory_operation::copy
                           ? float_at(last)
                           : triad_at(last, streaming_arrays::scalar);
  if (found != wanted) throw device_failure{"the last number of a copy or triad is wrong"};
}

}  // namespace

void measure_hbm(part& p) {
  probe_device& device = p.device();
  const auto l2 = static_cast<std::size_t>(device.l2.in_base_units());
  const std::size_t largest = largest_array(room_of_device().free, 3, std::size_t{4} << 30);
  const streaming_arrays arrays{largest, device.multiprocessors};
  stopwatch watch{p.monitor, p.budget, p.how()};
  const work_stream& stream = watch.stream();
  verify(arrays, stream);
  arrays.fill(stream.get());
  stream.wait();
  const std::vector<std::size_t> sizes = powers_of_four(std::size_t{64} << 10, largest);

  for (const memory_operation operation : operations) {
    p.attempt(name_of(operation), stream, [&] {
      const auto run = [&](std::size_t bytes, std::size_t offset, unsigned threads) {
        return [&arrays, operation, bytes, offset, threads](cudaStream_t to, std::size_t) {
          arrays.run(operation, bytes, offset, threads, to);
        };
      };
      watch.warm_up(run(sizes.back(), 0, block_sizes.front()),
                    operation == operations.front() ? seconds{0.5} : seconds{0.15});
      unsigned best = block_sizes.front();
      seconds least{};
      for (const unsigned threads : block_sizes) {
        const timing time = watch.measure(run(sizes.back(), 0, threads),
                                          sampling{.samples = 3, .length = p.how().length});
        if (time.empty()) continue;
        if (least == seconds{0} || time.time().median < least) {
          least = time.time().median;
          best = threads;
        }
      }
      const auto keep = [&](std::size_t bytes, const timing& time, const char* turns) {
        if (time.empty()) {
          p.leave_out("no time",
                      std::string{name_of(operation)} + " of " + std::to_string(bytes) + " B");
          return;
        }
        probe_hbm_row row{.operation = operation,
                          .buffer = gpuplan::bytes{static_cast<double>(bytes)},
                          .time = time.time(),
                          .method = "sm_v16_b" + std::to_string(best) + turns};
        row.rate = arrays_of(operation) * row.buffer / row.time.median;
        if (p.datasheet != nullptr) row.datasheet_share = row.rate / p.datasheet->memory_bandwidth;
        device.hbm.push_back(row);
      };
      for (const std::size_t bytes : sizes) {
        const timing time = watch.measure(run(bytes, 0, best));
        keep(bytes, time, "");
        if (!time.empty()) verify_last(arrays, operation, bytes, stream);
        // The same where the cache cannot hold what comes next.
        const std::size_t turns = turns_past_cache(bytes, arrays_of(operation), l2, largest);
        if (turns < 2) continue;
        keep(bytes, watch.measure([&](cudaStream_t to, std::size_t turn) {
          arrays.run(operation, bytes, turn % turns * bytes, best, to);
        }),
             "_rotated");
      }
    });
    p.publish();
  }
}

}  // namespace gpuplan::probe
