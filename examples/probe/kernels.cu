/// \file
/// The kernels: a thread takes vectors of 16 B, each a whole grid apart.
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

__global__ void fill(std::uint32_t* to, std::size_t words, std::uint32_t first) {
  for (std::size_t i = thread_of_grid(); i < words; i += threads_of_grid())
    to[i] = word_at(first + static_cast<std::uint32_t>(i));
}

template <class Bits>
__global__ void fill_fractions(Bits* to, std::size_t count, std::uint32_t first,
                               float_layout layout, int shift) {
  for (std::size_t i = thread_of_grid(); i < count; i += threads_of_grid()) {
    const std::int32_t numerator =
        numerator_at(first + static_cast<std::uint32_t>(i), layout.fraction_bits);
    to[i] = static_cast<Bits>(bits_of_fraction(numerator, layout) << shift);
  }
}

__global__ void fill_int8(std::int8_t* to, std::size_t count, std::uint32_t first) {
  for (std::size_t i = thread_of_grid(); i < count; i += threads_of_grid())
    to[i] = static_cast<std::int8_t>(numerator_at(first + static_cast<std::uint32_t>(i), 7));
}

__global__ void fill_floats(float* to, std::size_t count) {
  for (std::size_t i = thread_of_grid(); i < count; i += threads_of_grid())
    to[i] = static_cast<float>(word_at(static_cast<std::uint32_t>(i)) & 0xff);
}

__device__ std::uint32_t sum_of(uint4 v) {
  return v.x + v.y + v.z + v.w;
}

__global__ void read(const uint4* from, std::size_t vectors, std::uint32_t* sums) {
  const std::size_t stride = threads_of_grid();
  std::size_t i = thread_of_grid();
  std::uint32_t sum = 0;
  for (; i + 3 * stride < vectors; i += 4 * stride) {
    const uint4 a = from[i];
    const uint4 b = from[i + stride];
    const uint4 c = from[i + 2 * stride];
    const uint4 d = from[i + 3 * stride];
    sum += sum_of(a) + sum_of(b) + sum_of(c) + sum_of(d);
  }
  for (; i < vectors; i += stride) sum += sum_of(from[i]);

  __shared__ std::uint32_t part[32];
  for (int reach = 16; reach > 0; reach /= 2) sum += __shfl_down_sync(0xffffffffU, sum, reach);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) sum += part[warp];
    sums[blockIdx.x] = sum;
  }
}

__global__ void write(uint4* to, std::size_t vectors, std::uint32_t value) {
  for (std::size_t i = thread_of_grid(); i < vectors; i += threads_of_grid())
    to[i] = make_uint4(value, value, value, value);
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

constexpr launch_shape fills{1024, 256};

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

cudaError_t launch_fill(std::uint32_t* to, std::size_t words, std::uint32_t first,
                        cudaStream_t stream) {
  fill<<<fills.blocks, fills.threads, 0, stream>>>(to, words, first);
  return cudaGetLastError();
}

cudaError_t launch_fill_fractions(void* to, std::size_t count, std::uint32_t first, int bytes_each,
                                  float_layout layout, cudaStream_t stream) {
  const int shift = 8 * bytes_each - 1 - layout.exponent_bits - layout.fraction_bits;
  if (bytes_each == 1)
    fill_fractions<<<fills.blocks, fills.threads, 0, stream>>>(static_cast<std::uint8_t*>(to),
                                                               count, first, layout, shift);
  else if (bytes_each == 2)
    fill_fractions<<<fills.blocks, fills.threads, 0, stream>>>(static_cast<std::uint16_t*>(to),
                                                               count, first, layout, shift);
  else
    fill_fractions<<<fills.blocks, fills.threads, 0, stream>>>(static_cast<std::uint32_t*>(to),
                                                               count, first, layout, shift);
  return cudaGetLastError();
}

cudaError_t launch_fill_int8(void* to, std::size_t count, std::uint32_t first,
                             cudaStream_t stream) {
  fill_int8<<<fills.blocks, fills.threads, 0, stream>>>(static_cast<std::int8_t*>(to), count,
                                                        first);
  return cudaGetLastError();
}

cudaError_t launch_fill_floats(float* to, std::size_t count, cudaStream_t stream) {
  fill_floats<<<fills.blocks, fills.threads, 0, stream>>>(to, count);
  return cudaGetLastError();
}

cudaError_t launch_read(const void* from, std::size_t bytes, std::uint32_t* sums,
                        launch_shape shape, cudaStream_t stream) {
  read<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<const uint4*>(from), bytes / 16,
                                                   sums);
  return cudaGetLastError();
}

cudaError_t launch_write(void* to, std::size_t bytes, std::uint32_t value, launch_shape shape,
                         cudaStream_t stream) {
  write<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<uint4*>(to), bytes / 16, value);
  return cudaGetLastError();
}

cudaError_t launch_copy(void* to, const void* from, std::size_t bytes, launch_shape shape,
                        cudaStream_t stream) {
  copy<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<uint4*>(to),
                                                   static_cast<const uint4*>(from), bytes / 16);
  return cudaGetLastError();
}

cudaError_t launch_triad(float* a, const float* b, const float* c, float scalar, std::size_t bytes,
                         launch_shape shape, cudaStream_t stream) {
  triad<<<shape.blocks, shape.threads, 0, stream>>>(
      reinterpret_cast<float4*>(a), reinterpret_cast<const float4*>(b),
      reinterpret_cast<const float4*>(c), scalar, bytes / 16);
  return cudaGetLastError();
}

}  // namespace gpuplan::probe
