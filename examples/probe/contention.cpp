/// \file
/// Section contention: what products lose beside copies, and copies beside products.
#include <algorithm>
#include <string>

#include "part.hpp"
#include "product.hpp"
#include "streaming.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {
namespace {

/// Measures both alone, then each beside the other.
void add_pair(part& p, stopwatch& watch, const std::string& second, const stream_work& product,
              const stream_work& other, const work_stream& other_stream) {
  sampling how = p.how();
  how.samples = 9;
  how.length = seconds{3e-3};
  how.most_works = 40;
  const timing first_alone = watch.measure(product, how);
  const timing second_alone = watch.measure(other, how);
  if (first_alone.empty() || second_alone.empty()) {
    p.miss("no time for products beside " + second);
    return;
  }
  // Twice as much as would be needed alone, so that it does not end first; a whole number of
  // launches more is no harm, thousands of them would not be queued.
  const double ratio = first_alone.time().median / second_alone.time().median;
  const double most = 10;
  const auto enough = [&](double each) { return std::min(2 * each + 0.1, most); };
  const timing first_beside =
      watch.measure_beside(product, other, enough(ratio), other_stream, how);
  const timing second_beside =
      watch.measure_beside(other, product, enough(1 / ratio), other_stream, how);
  if (first_beside.empty() || second_beside.empty()) {
    p.miss("no time for products beside " + second);
    return;
  }
  p.device().contention.push_back({.first = "gemm",
                                   .second = second,
                                   .first_alone = first_alone.time(),
                                   .second_alone = second_alone.time(),
                                   .first_beside = first_beside.time(),
                                   .second_beside = second_beside.time()});
}

}  // namespace

void measure_contention(part& p) {
  check(cudaSetDevice(p.request.device), "cudaSetDevice");
  probe_device& device = p.device();
  stopwatch watch{p.monitor, p.budget, p.how()};
  const work_stream& stream = watch.stream();
  const work_stream other;
  const product_format format =
      *product_format_of(p.capability() >= 80 ? number_format::bf16 : number_format::fp16);
  const int side = std::min(4096, largest_square(room_of_device().free / 2, 2));
  const std::size_t matrix =
      std::size_t{2} * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  const product_library products;
  const auto product = products.product(format, {side, side, side});
  if (product == nullptr) {
    p.miss("cuBLASLt has no algorithm");
    return;
  }
  const device_memory x{matrix};
  const device_memory w{matrix};
  const device_memory y{matrix};
  fill_inputs(format, x, stream);
  fill_inputs(format, w, stream);
  const std::size_t size = largest_array(room_of_device().free, 3, std::size_t{64} << 20);
  const streaming_arrays arrays{size, device.multiprocessors};
  arrays.fill(stream.get());
  stream.wait();

  const stream_work multiply = [&](cudaStream_t to, std::size_t) {
    product->run(x.data(), w.data(), y.data(), to);
  };
  watch.warm_up(multiply, seconds{0.3}, seconds{0.6});
  add_pair(
      p, watch, "hbm_copy", multiply,
      [&](cudaStream_t to, std::size_t) { arrays.run(memory_operation::copy, size, 0, 256, to); },
      other);
  const std::size_t piece = std::size_t{4} << 20;
  const pinned_memory host{piece};
  add_pair(
      p, watch, "h2d", multiply,
      [&](cudaStream_t to, std::size_t) {
        check(cudaMemcpyAsync(arrays.array(0), host.data(), piece, cudaMemcpyHostToDevice, to),
              "cudaMemcpyAsync");
      },
      other);
}

}  // namespace gpuplan::probe
