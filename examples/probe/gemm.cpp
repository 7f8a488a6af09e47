/// \file
/// Section gemm: times of matrix products by format and shape.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <gpuplan/model/recipe_names.hpp>

#include "part.hpp"
#include "product.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::array measured_formats{number_format::bf16,     number_format::fp16,
                                      number_format::fp8_e4m3, number_format::tf32,
                                      number_format::int8,     number_format::fp32};

/// Bytes of the three matrices.
struct product_sizes {
  std::size_t x;
  std::size_t w;
  std::size_t y;
};

product_sizes sizes_of(const product_format& format, product_shape shape) {
  const auto m = static_cast<std::size_t>(shape.m);
  const auto n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  const auto in = static_cast<std::size_t>(format.input_bytes);
  const auto out = static_cast<std::size_t>(format.output_bytes);
  return {m * k * in, n * k * in, m * n * out};
}

/// Matrices start at multiples of this, as allocations do.
std::size_t aligned(std::size_t size) {
  return (size + 255) / 256 * 256;
}

/// Room for inputs and outputs, from which products take turns.
class product_room {
 public:
  product_room(std::size_t most, std::size_t cache) : cache_{cache}, x_{most}, w_{most}, y_{most} {}

  [[nodiscard]] bool holds(const product_sizes& sizes) const {
    return sizes.x <= x_.size() && sizes.w <= w_.size() && sizes.y <= y_.size();
  }
  [[nodiscard]] std::size_t turns(const product_sizes& sizes) const {
    const std::size_t each = aligned(sizes.x) + aligned(sizes.w) + aligned(sizes.y);
    const std::size_t room = std::min(
        {x_.size() / aligned(sizes.x), w_.size() / aligned(sizes.w), y_.size() / aligned(sizes.y)});
    return std::max<std::size_t>(1, std::min(3 * cache_ / each + 1, room));
  }
  void fill(const product_format& format, const work_stream& stream) const {
    fill_inputs(format, x_, 0, stream);
    fill_inputs(format, w_, first_of_w, stream);
    stream.wait();
  }
  [[nodiscard]] void* x(std::size_t offset) const { return x_.data(offset); }
  [[nodiscard]] void* w(std::size_t offset) const { return w_.data(offset); }
  [[nodiscard]] void* y(std::size_t offset) const { return y_.data(offset); }

 private:
  std::size_t cache_;
  device_memory x_;
  device_memory w_;
  device_memory y_;
};

}  // namespace

void measure_gemm(part& p) {
  probe_device& device = p.device();
  const auto l2 = static_cast<std::size_t>(device.l2.in_base_units());
  // 16384 x 16384 numbers of 4 B, or what a smaller device has room for.
  const std::size_t most = largest_array(room_of_device().free, 3, std::size_t{1} << 30);
  const product_room room{most, l2};
  const product_library products;
  stopwatch watch{p.monitor, p.budget, p.how()};
  const work_stream& stream = watch.stream();
  const int capability = p.capability();

  int left = 0;
  for (const number_format format : measured_formats)
    left += capability >= product_format_of(format)->least_capability ? 1 : 0;
  for (const number_format name : measured_formats) {
    const product_format format = *product_format_of(name);
    if (capability < format.least_capability) continue;
    const time_budget share{p.budget.left() / left--};
    room.fill(format, stream);
    const std::string of{spelled(number_format_names, name)};
    flop_per_second best{};
    const product_shape warm{4096, 4096, 4096};
    p.attempt(of + " to warm up", stream, [&] {
      const auto product = products.product(format, warm);
      if (product == nullptr || !room.holds(sizes_of(format, warm))) return;
      watch.warm_up(
          [&](cudaStream_t to, std::size_t) { product->run(room.x(0), room.w(0), room.y(0), to); });
    });
    for (const product_question& question : product_questions(p.request.quick)) {
      const product_shape shape = question.shape;
      const product_sizes sizes = sizes_of(format, shape);
      const std::string named = of + " " + std::to_string(shape.m) + " x " +
                                std::to_string(shape.n) + " x " + std::to_string(shape.k);
      if (!room.holds(sizes)) {
        p.impossible.add("no room", named);
        continue;
      }
      // One to compare, two to see how long it takes, and the least number of samples.
      const int runs = 3 + p.how().least_samples;
      if (best > flop_per_second{0} && runs * (flop{shape.flop()} / best) > share.left()) {
        p.leave_out("no time", named);
        continue;
      }
      p.attempt(named, stream, [&] {
        const auto product = products.product(format, shape);
        if (product == nullptr) {
          p.impossible.add("cuBLASLt has no algorithm", named);
          return;
        }
        const std::size_t turns = room.turns(sizes);
        const auto run = [&](cudaStream_t to, std::size_t turn) {
          const std::size_t at = turn % turns;
          product->run(room.x(at * aligned(sizes.x)), room.w(at * aligned(sizes.w)),
                       room.y(at * aligned(sizes.y)), to);
        };
        run(stream.get(), 0);
        stream.wait();
        const std::string wrong = wrong_element(format, shape, 0, first_of_w, room.y(0),
                                                shape.m - 1, shape.n / 2, stream);
        if (!wrong.empty()) {
          p.leave_out("a wrong element", named + " (" + wrong + ")");
          return;
        }
        sampling how = p.how();
        how.most_works = 150;  // a product may be several launches
        how.most_time = share.left();
        const timing time = watch.measure(run, how);
        if (time.empty()) {
          p.leave_out("no time", named);
          return;
        }
        probe_gemm_row row{.format = name,
                           .accumulator = format.accumulator,
                           .shape = question.why,
                           .rows = shape.m,
                           .columns = shape.n,
                           .depth = shape.k,
                           .time = time.time(),
                           .clock = time.clock()};
        row.rate = flop{shape.flop()} / row.time.median;
        best = std::max(best, row.rate);
        if (p.datasheet != nullptr && p.datasheet->peak[name] > flop_per_second{0})
          row.datasheet_share = row.rate / p.datasheet->peak[name];
        device.gemm.push_back(row);
      });
    }
    p.publish();
  }
}

}  // namespace gpuplan::probe
