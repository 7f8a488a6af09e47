#pragma once
/// \file
/// What runs on the GPU: only what is behind these functions needs a CUDA compiler.  Each queues one
/// kernel and returns what the runtime said.

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "pattern.hpp"

namespace gpuplan::probe {

struct launch_shape {
  unsigned blocks;
  unsigned threads;  ///< of a block
};

/// Words in host memory that a gate on the device reads and writes.
struct gate_words {
  std::uint32_t opened;     ///< by the host: gates up to this are open
  std::uint32_t timed_out;  ///< by the device: the last gate that gave up
};

/// Waits until `words->opened` is `ticket` or more, at most `limit_ns`.
cudaError_t launch_gate(gate_words* words, std::uint32_t ticket, std::uint64_t limit_ns,
                        cudaStream_t stream);
/// Does nothing.
cudaError_t launch_empty(cudaStream_t stream);
/// stored_at(first + i, layout) to each of `count` numbers.
cudaError_t launch_fill(void* to, std::size_t count, std::uint32_t first, number_layout layout,
                        cudaStream_t stream);
/// Copies in vectors of 16 B; `bytes` is a multiple of 16.
cudaError_t launch_copy(void* to, const void* from, std::size_t bytes, launch_shape shape,
                        cudaStream_t stream);
/// a = b + scalar c in floats; `bytes`, a multiple of 16, of each of the three.
cudaError_t launch_triad(void* a, const void* b, const void* c, float scalar, std::size_t bytes,
                         launch_shape shape, cudaStream_t stream);

}  // namespace gpuplan::probe
