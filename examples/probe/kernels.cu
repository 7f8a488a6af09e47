/// \file
/// The kernels.  A thread takes vectors of 16 B, each a whole grid apart.
#include "kernels.hpp"

namespace gpuplan::probe {
namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void gate(volatile gate_words* words, std::uint32_t ticket, std::uint64_t limit_ns) {
  const std::uint64_t begin = nanoseconds();
  while (words->opened < ticket) {
    if (nanoseconds() - begin > limit_ns) {
      words->timed_out = ticket;
      __threadfence_system();
      return;
    }
  }
}

__global__ void empty() {}

__device__ std::size_t thread_of_grid() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::size_t threads_of_grid() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

template <class Word>
__global__ void fill(Word* to, std::size_t count, std::uint32_t first, number_layout layout) {
  for (std::size_t i = thread_of_grid(); i < count; i += threads_of_grid())
    to[i] = static_cast<Word>(stored_at(first + static_cast<std::uint32_t>(i), layout));
}

__global__ void copy(uint4* to, const uint4* from, std::size_t vectors) {
  const std::size_t stride = threads_of_grid();
  std::size_t i = thread_of_grid();
  for (; i + 3 * stride < vectors; i += 4 * stride) {
    const uint4 a = from[i];
    const uint4 b = from[i + stride];
    const uint4 c = from[i + 2 * stride];
    const uint4 d = from[i + 3 * stride];
    to[i] = a;
    to[i + stride] = b;
    to[i + 2 * stride] = c;
    to[i + 3 * stride] = d;
  }
  for (; i < vectors; i += stride) to[i] = from[i];
}

__device__ float4 multiply_add(float4 b, float scalar, float4 c) {
  return make_float4(b.x + scalar * c.x, b.y + scalar * c.y, b.z + scalar * c.z,
                     b.w + scalar * c.w);
}

__global__ void triad(float4* a, const float4* b, const float4* c, float scalar,
                      std::size_t vectors) {
  const std::size_t stride = threads_of_grid();
  std::size_t i = thread_of_grid();
  for (; i + stride < vectors; i += 2 * stride) {
    const float4 b0 = b[i];
    const float4 c0 = c[i];
    const float4 b1 = b[i + stride];
    const float4 c1 = c[i + stride];
    a[i] = multiply_add(b0, scalar, c0);
    a[i + stride] = multiply_add(b1, scalar, c1);
  }
  for (; i < vectors; i += stride) a[i] = multiply_add(b[i], scalar, c[i]);
}

template <class Word>
void start_fill(void* to, std::size_t count, std::uint32_t first, number_layout layout,
                cudaStream_t stream) {
  fill<<<1024, 256, 0, stream>>>(static_cast<Word*>(to), count, first, layout);
}

}  // namespace

cudaError_t launch_gate(gate_words* words, std::uint32_t ticket, std::uint64_t limit_ns,
                        cudaStream_t stream) {
  gate<<<1, 1, 0, stream>>>(words, ticket, limit_ns);
  return cudaGetLastError();
}

cudaError_t launch_empty(cudaStream_t stream) {
  empty<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_fill(void* to, std::size_t count, std::uint32_t first, number_layout layout,
                        cudaStream_t stream) {
  switch (layout.size) {
    case 1: start_fill<std::uint8_t>(to, count, first, layout, stream); break;
    case 2: start_fill<std::uint16_t>(to, count, first, layout, stream); break;
    default: start_fill<std::uint32_t>(to, count, first, layout, stream);
  }
  return cudaGetLastError();
}

cudaError_t launch_copy(void* to, const void* from, std::size_t bytes, launch_shape shape,
                        cudaStream_t stream) {
  copy<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<uint4*>(to),
                                                   static_cast<const uint4*>(from), bytes / 16);
  return cudaGetLastError();
}

cudaError_t launch_triad(void* a, const void* b, const void* c, float scalar, std::size_t bytes,
                         launch_shape shape, cudaStream_t stream) {
  triad<<<shape.blocks, shape.threads, 0, stream>>>(
      static_cast<float4*>(a), static_cast<const float4*>(b), static_cast<const float4*>(c), scalar,
      bytes / 16);
  return cudaGetLastError();
}

}  // namespace gpuplan::probe
