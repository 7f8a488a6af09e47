/// \file
/// Section gemm: times of matrix products by format and shape, with cuBLASLt.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cublasLt.h>

#include <gpuplan/model/recipe_names.hpp>

#include "part.hpp"
#include "sizes.hpp"

namespace gpuplan::probe {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw device_failure{std::string{call} + ": " + cublasLtGetStatusString(status)};
}
using probe::check;

/// How a format is stored, multiplied and added.
struct product_format {
  number_format name;
  cudaDataType_t input;
  cudaDataType_t output;
  cublasComputeType_t compute;
  number_layout in;
  number_layout out;
  int least_capability;  ///< 80 is 8.0
  double adder_step;     ///< relative, of the sum; FP8 keeps 14 bits on some devices
};

constexpr std::array formats{
    product_format{number_format::bf16, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, layout_bf16,
                   layout_bf16, 80, 0x1p-18},
    product_format{number_format::fp16, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, layout_fp16,
                   layout_fp16, 0, 0x1p-18},
    product_format{number_format::fp8_e4m3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F,
                   layout_e4m3, layout_bf16, 89, 0x1p-12},
    product_format{number_format::tf32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                   layout_tf32, layout_fp32, 80, 0x1p-18},
    product_format{number_format::int8, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, layout_int8,
                   layout_int32, 75, 0},
    product_format{number_format::fp32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, layout_fp32,
                   layout_fp32, 0, 0x1p-18}};

/// Numbers of w start here, those of x at 0: else a square product would equal its transpose.
constexpr std::uint32_t first_of_w = 0x5000'0001;

/// Bytes of the three matrices of a product, each to a multiple of what allocations start at.
struct product_sizes {
  std::size_t x;
  std::size_t w;
  std::size_t y;
};

product_sizes sizes_of(const product_format& format, product_shape shape) {
  const auto size = [](int rows, int columns, int number_size) {
    const double whole = static_cast<double>(rows) * columns * number_size;
    return (static_cast<std::size_t>(whole) + 255) / 256 * 256;
  };
  return {size(shape.m, shape.k, format.in.size), size(shape.n, shape.k, format.in.size),
          size(shape.m, shape.n, format.out.size)};
}

/// Matrices from which products take turns, so that the cache does not hold the next one's.
class matrices {
 public:
  struct place {
    void* x;
    void* w;
    void* y;
  };

  matrices(std::size_t most, std::size_t cache) : cache_{cache}, x_{most}, w_{most}, y_{most} {}

  void fill(const product_format& format, const work_stream& stream) const {
    const std::size_t count = x_.size() / static_cast<std::size_t>(format.in.size);
    check(launch_fill(x_.data(), count, 0, format.in, stream.get()), "fill");
    check(launch_fill(w_.data(), count, first_of_w, format.in, stream.get()), "fill");
    stream.wait();
  }
  /// How many products of that size may take turns: as many as make more than three times the
  /// cache, if there is room; 0 where there is no room for one.
  [[nodiscard]] std::size_t turns(product_sizes sizes) const {
    const std::size_t wanted = 3 * cache_ / (sizes.x + sizes.w + sizes.y) + 1;
    return std::min(wanted, x_.size() / std::max({sizes.x, sizes.w, sizes.y}));
  }
  [[nodiscard]] place at(product_sizes sizes, std::size_t turn) const {
    return {x_.data(turn * sizes.x), w_.data(turn * sizes.w), y_.data(turn * sizes.y)};
  }

 private:
  std::size_t cache_;
  device_memory x_;
  device_memory w_;
  device_memory y_;
};

/// cuBLASLt with a workspace.
class cublas {
 public:
  static constexpr std::size_t workspace_size = std::size_t{32} << 20;

  cublas() {
    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    handle_.reset(handle);
  }
  [[nodiscard]] cublasLtHandle_t handle() const { return handle_.get(); }
  [[nodiscard]] void* workspace() const { return workspace_.data(); }

 private:
  std::unique_ptr<cublasLtContext, releaser<cublasLtDestroy>> handle_{};
  device_memory workspace_{workspace_size};
};

/// A product with the algorithm that cuBLASLt proposes first.
///
/// cuBLASLt stores columns one after the other: its first matrix is w, k x n, transposed; its second
/// x, k x m; its result n x m, which is y, m rows of n.  8-bit formats need this order.
class product {
 public:
  product(const cublas& library, const product_format& format, product_shape shape)
      : library_{library},
        w_{layout_of(format.input, shape.k, shape.n)},
        x_{layout_of(format.input, shape.k, shape.m)},
        y_{layout_of(format.output, shape.n, shape.m)},
        is_whole_{format.input == CUDA_R_8I} {
    cublasLtMatmulDesc_t made = nullptr;
    check(cublasLtMatmulDescCreate(&made, format.compute, is_whole_ ? CUDA_R_32I : CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    operation_.reset(made);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                         sizeof transposed),
          "CUBLASLT_MATMUL_DESC_TRANSA");
    if (format.name == number_format::fp8_e4m3) {
      // As the forward pass of a training does.
      const std::int8_t fast = 1;
      check(
          cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast),
          "CUBLASLT_MATMUL_DESC_FAST_ACCUM");
    }
    choose_algorithm();
  }

  [[nodiscard]] bool has_algorithm() const { return has_algorithm_; }

  void run(matrices::place at, cudaStream_t stream) const {
    constexpr std::array<float, 2> scales{1, 0};
    constexpr std::array<std::int32_t, 2> whole_scales{1, 0};
    const void* alpha = is_whole_ ? static_cast<const void*>(whole_scales.data()) : scales.data();
    const void* beta =
        is_whole_ ? static_cast<const void*>(whole_scales.data() + 1) : scales.data() + 1;
    check(cublasLtMatmul(library_.handle(), operation_.get(), alpha, at.w, w_.get(), at.x, x_.get(),
                         beta, at.y, y_.get(), at.y, y_.get(), &algorithm_, library_.workspace(),
                         cublas::workspace_size, stream),
          "cublasLtMatmul");
  }

 private:
  using layout =
      std::unique_ptr<cublasLtMatrixLayoutOpaque_t, releaser<cublasLtMatrixLayoutDestroy>>;

  static layout layout_of(cudaDataType_t type, int rows, int columns) {
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    return layout{made};
  }

  void choose_algorithm() {
    cublasLtMatmulPreference_t made = nullptr;
    check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t,
                          releaser<cublasLtMatmulPreferenceDestroy>>
        preference{made};
    const std::size_t workspace = cublas::workspace_size;
    check(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace, sizeof workspace),
          "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES");
    cublasLtMatmulHeuristicResult_t proposed{};
    int found = 0;
    const cublasStatus_t asked =
        cublasLtMatmulAlgoGetHeuristic(library_.handle(), operation_.get(), w_.get(), x_.get(),
                                       y_.get(), y_.get(), made, 1, &proposed, &found);
    // Some versions also say in these words that they have none.
    if (asked != CUBLAS_STATUS_NOT_SUPPORTED && asked != CUBLAS_STATUS_INVALID_VALUE &&
        asked != CUBLAS_STATUS_ARCH_MISMATCH)
      check(asked, "cublasLtMatmulAlgoGetHeuristic");
    has_algorithm_ = found > 0 && proposed.state == CUBLAS_STATUS_SUCCESS;
    algorithm_ = proposed.algo;
  }

  const cublas& library_;
  std::unique_ptr<cublasLtMatmulDescOpaque_t, releaser<cublasLtMatmulDescDestroy>> operation_{};
  layout w_;
  layout x_;
  layout y_;
  bool is_whole_;  ///< scales are integers
  cublasLtMatmulAlgo_t algorithm_{};
  bool has_algorithm_ = false;
};

/// Compares one element of the product of the first matrices with the host's own sum: of the last
/// row, so that an unfinished product is found.  Empty where they agree, else "8, not 9".
std::string wrong_element(const product_format& format, product_shape shape, const void* y,
                          const work_stream& stream) {
  const int row = shape.m - 1;
  const int column = shape.n / 2;
  const auto start_of = [&](int line) {
    return static_cast<std::uint32_t>(line) * static_cast<std::uint32_t>(shape.k);
  };
  const auto size = static_cast<std::size_t>(format.out.size);
  const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.n) +
                         static_cast<std::size_t>(column);
  std::uint32_t bits = 0;
  check(cudaMemcpyAsync(&bits, static_cast<const char*>(y) + at * size, size,
                        cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync");
  stream.wait();
  const double found = number_of_bits(bits, format.out);
  const product_element wanted =
      product_of(start_of(row), first_of_w + start_of(column), shape.k, format.in);
  const bool is_whole = format.out.exponent_bits == 0;
  const double of_result = is_whole ? 0 : std::ldexp(1.0, -format.out.fraction_bits);
  if (agrees(found, wanted, of_result, format.adder_step)) return {};
  return std::to_string(found) + ", not " + std::to_string(wanted.value);
}

/// The products of one format.
class format_sweep {
 public:
  format_sweep(part& p, const product_format& format, const cublas& library, const matrices& room,
               stopwatch& watch, seconds time)
      : p_{p}, format_{format}, library_{library}, room_{room}, watch_{watch}, budget_{time} {}

  void warm_up() const {
    const product_shape shape{4096, 4096, 4096};
    if (room_.turns(sizes_of(format_, shape)) == 0) return;
    p_.attempt(name_ + " to warm up", watch_.stream(), [&] {
      const product one{library_, format_, shape};
      if (one.has_algorithm()) watch_.warm_up(in_turns(one, shape));
    });
  }

  void measure(product_shape shape) {
    const std::string name = name_ + " " + shape.text();
    // One to compare, two to see how long it takes, and the least number of samples.
    const int runs = 3 + sampling{}.least_samples;
    if (room_.turns(sizes_of(format_, shape)) == 0)
      p_.impossible.add("no room", name);
    else if (best_ > flop_per_second{0} && !budget_.has(runs * (flop{shape.flop()} / best_)))
      p_.unmeasured.add("no time", name);
    else
      p_.attempt(name, watch_.stream(), [&] { measure_in_time(shape, name); });
  }

 private:
  [[nodiscard]] stream_work in_turns(const product& one, product_shape shape) const {
    const product_sizes sizes = sizes_of(format_, shape);
    return [this, &one, sizes, turns = room_.turns(sizes)](cudaStream_t to, std::size_t turn) {
      one.run(room_.at(sizes, turn % turns), to);
    };
  }

  void measure_in_time(product_shape shape, const std::string& name) {
    const product one{library_, format_, shape};
    if (!one.has_algorithm()) return p_.impossible.add("cuBLASLt has no algorithm", name);
    const stream_work run = in_turns(one, shape);
    run(watch_.stream().get(), 0);
    const void* y = room_.at({}, 0).y;
    const std::string wrong = wrong_element(format_, shape, y, watch_.stream());
    if (!wrong.empty()) return p_.unmeasured.add("a wrong element", name + " (" + wrong + ")");
    // A product may be several launches.
    const auto time = watch_.measure(run, {.most_runs = 150, .most_time = budget_.left()});
    if (!time) return p_.unmeasured.add("no time", name);
    best_ = std::max(best_, flop{shape.flop()} / time->median);
    p_.device().gemm.push_back({.format = format_.name,
                                .rows = shape.m,
                                .columns = shape.n,
                                .depth = shape.k,
                                .time = *time});
  }

  part& p_;
  const product_format& format_;
  const cublas& library_;
  const matrices& room_;
  stopwatch& watch_;
  time_budget budget_;
  std::string name_{spelled(number_format_names, format_.name)};
  flop_per_second best_{};
};

}  // namespace

void measure_gemm(part& p) {
  // 16384 x 16384 numbers of 4 B, or what a smaller device has room for.
  const std::size_t most = largest_array(free_memory(), 3, std::size_t{1} << 30);
  const matrices room{most, static_cast<std::size_t>(p.properties.l2CacheSize)};
  const cublas library;
  stopwatch watch{p.monitor, p.budget};
  std::vector<const product_format*> known;
  for (const product_format& format : formats)
    if (10 * p.properties.major + p.properties.minor >= format.least_capability)
      known.push_back(&format);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const product_format& format = *known[i];
    room.fill(format, watch.stream());
    format_sweep sweep{p,    format, library,
                       room, watch,  p.budget.left() / static_cast<double>(known.size() - i)};
    sweep.warm_up();
    for (const product_shape& shape : product_shapes) sweep.measure(shape);
    p.publish();
  }
}

}  // namespace gpuplan::probe
