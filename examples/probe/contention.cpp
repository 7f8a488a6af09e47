/// \file
/// Section contention: what products lose beside copies, and copies beside products.
#include <cstddef>

#include "pair_of_works.hpp"
#include "part.hpp"
#include "product.hpp"
#include "streaming.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {

void measure_contention(part& p) {
  probe_device& device = p.device();
  stopwatch watch{p.monitor, p.budget, p.how()};
  stopwatch other{p.monitor, p.budget, p.how()};
  const square_product product{p.capability(), 4096, watch.stream()};
  const std::size_t size = largest_array(room_of_device().free, 3, std::size_t{64} << 20);
  const streaming_arrays arrays{size, device.multiprocessors};
  arrays.fill(watch.stream().get());
  watch.stream().wait();

  const timed_work multiply{"gemm", watch, [&](cudaStream_t to, std::size_t) { product.run(to); }};
  watch.warm_up(multiply.work, seconds{0.3}, seconds{0.6});
  const timed_work copy{"hbm_copy", other, [&](cudaStream_t to, std::size_t) {
                          arrays.run(memory_operation::copy, size, 0, 256, to);
                        }};
  p.attempt("gemm beside hbm_copy", watch.stream(), [&] { measure_pair(p, multiply, copy); });
  const std::size_t piece = std::size_t{4} << 20;
  const pinned_memory host{piece};
  const timed_work upload{
      "h2d", other, [&](cudaStream_t to, std::size_t) {
        check(cudaMemcpyAsync(arrays.array(0), host.data(), piece, cudaMemcpyHostToDevice, to),
              "cudaMemcpyAsync");
      }};
  p.attempt("gemm beside h2d", watch.stream(), [&] { measure_pair(p, multiply, upload); });
}

}  // namespace gpuplan::probe
