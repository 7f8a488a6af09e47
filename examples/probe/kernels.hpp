#pragma once
/// \file
/// What runs on the GPU: the only file that a CUDA compiler must build is behind these functions.
/// Each puts one kernel on the stream and says what the runtime said.

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "pattern.hpp"

namespace gpuplan::probe {

/// Threads of a block, and blocks.
struct launch_shape {
  unsigned blocks;
  unsigned threads;  ///< 128, 256 or 512
};

/// A word in host memory that a kernel on the device waits for.
struct gate_words {
  std::uint32_t opened;     ///< the host's: gates up to this are open
  std::uint32_t timed_out;  ///< the device's: the last gate that did not wait any longer
};

/// Waits until `words->opened` is `ticket` or more, at most `limit_ns`.
cudaError_t launch_gate(gate_words* words, std::uint32_t ticket, std::uint64_t limit_ns,
                        cudaStream_t stream);
/// Nothing at all.
cudaError_t launch_empty(cudaStream_t stream);

/// word_at(first + i) to each of `words` words.
cudaError_t launch_fill(std::uint32_t* to, std::size_t words, std::uint32_t first,
                        cudaStream_t stream);
/// numerator_at(first + i) / 2^f in `layout` to each of `count` numbers of `bytes_each`: 1, 2 or 4.
cudaError_t launch_fill_fractions(void* to, std::size_t count, std::uint32_t first, int bytes_each,
                                  float_layout layout, cudaStream_t stream);
/// numerator_at(first + i, 7), -128 to 127, to each of `count` bytes.
cudaError_t launch_fill_int8(void* to, std::size_t count, std::uint32_t first, cudaStream_t stream);
/// The low byte of word_at(i) as a float, 0 to 255, to each of `count`.
cudaError_t launch_fill_floats(float* to, std::size_t count, cudaStream_t stream);

// Memory, in vectors of 16 B; `bytes` is a multiple of 16.

/// To sums[block] the sum modulo 2^32 of the words that the block read.
cudaError_t launch_read(const void* from, std::size_t bytes, std::uint32_t* sums,
                        launch_shape shape, cudaStream_t stream);
/// `value` to every word.
cudaError_t launch_write(void* to, std::size_t bytes, std::uint32_t value, launch_shape shape,
                         cudaStream_t stream);
cudaError_t launch_copy(void* to, const void* from, std::size_t bytes, launch_shape shape,
                        cudaStream_t stream);
/// a = b + scalar c, floats; `bytes` of each of the three.
cudaError_t launch_triad(float* a, const float* b, const float* c, float scalar, std::size_t bytes,
                         launch_shape shape, cudaStream_t stream);

}  // namespace gpuplan::probe
