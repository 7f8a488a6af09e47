#include "product.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <gpuplan/units/number_format.hpp>

#include "kernels.hpp"
#include "reference.hpp"

namespace gpuplan::probe {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw device_failure{std::string{call} + ": " + cublasLtGetStatusString(status)};
}
using probe::check;

constexpr std::array formats{
    product_format{number_format::fp32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F,
                   layout_fp32, 4, 4, "f32", 0},
    product_format{number_format::tf32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                   CUDA_R_32F, layout_tf32, 4, 4, "f32", 80},
    product_format{number_format::fp16, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F,
                   layout_fp16, 2, 2, "f32", 0},
    product_format{number_format::bf16, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F,
                   layout_bf16, 2, 2, "f32", 80},
    product_format{number_format::fp8_e4m3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F,
                   CUDA_R_32F, layout_e4m3, 1, 2, "f32 fast", 89},
    product_format{number_format::int8, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I,
                   float_layout{0, 7}, 1, 4, "s32", 75}};

}  // namespace

std::optional<product_format> product_format_of(number_format format) {
  for (const product_format& known : formats)
    if (known.format == format) return known;
  return std::nullopt;
}

product_library::product_library() {
  check(cublasLtCreate(&handle_), "cublasLtCreate");
}

product_library::~product_library() {
  (void)cublasLtDestroy(handle_);
}

std::unique_ptr<prepared_product> product_library::product(const product_format& format,
                                                           product_shape shape) const {
  auto made = std::make_unique<prepared_product>(*this, format, shape);
  if (!made->has_algorithm()) return nullptr;
  return made;
}

void product_library::run_small(const work_stream& stream) const {
  const product_shape shape{256, 256, 256};
  const product_format& format = formats[2];
  const device_memory data{3 * 256 * 256 * sizeof(std::uint16_t)};
  probe::check(cudaMemsetAsync(data.data(), 0, data.size(), stream.get()), "cudaMemsetAsync");
  const std::size_t each = data.size() / 3;
  if (const auto one = product(format, shape))
    one->run(data.data(), data.data(each), data.data(2 * each), stream.get());
  stream.wait();
}

// cuBLASLt stores columns one after the other: its first matrix is w, k x n, taken transposed; its
// second x, k x m; and its result n x m, which is y, m rows of n.  8-bit formats need this order.
prepared_product::prepared_product(const product_library& owner, const product_format& format,
                                   product_shape shape)
    : owner_{owner}, is_whole_{format.scale == CUDA_R_32I} {
  const auto m = static_cast<std::uint64_t>(shape.m);
  const auto n = static_cast<std::uint64_t>(shape.n);
  const auto k = static_cast<std::uint64_t>(shape.k);
  try {
    check(cublasLtMatmulDescCreate(&operation_, format.compute, format.scale),
          "cublasLtMatmulDescCreate");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                         sizeof transposed),
          "CUBLASLT_MATMUL_DESC_TRANSA");
    if (format.format == number_format::fp8_e4m3) {
      // As training does it in the forward pass.
      const std::int8_t fast = 1;
      check(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast,
                                           sizeof fast),
            "CUBLASLT_MATMUL_DESC_FAST_ACCUM");
    }
    check(cublasLtMatrixLayoutCreate(&w_, format.input, k, n, static_cast<std::int64_t>(k)),
          "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&x_, format.input, k, m, static_cast<std::int64_t>(k)),
          "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&y_, format.output, n, m, static_cast<std::int64_t>(n)),
          "cublasLtMatrixLayoutCreate");

    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    const std::size_t workspace = product_library::workspace_size;
    const cublasStatus_t set = cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    cublasLtMatmulHeuristicResult_t proposed{};
    int found = 0;
    const cublasStatus_t asked =
        set == CUBLAS_STATUS_SUCCESS
            ? cublasLtMatmulAlgoGetHeuristic(owner.handle_, operation_, w_, x_, y_, y_, preference,
                                             1, &proposed, &found)
            : set;
    (void)cublasLtMatmulPreferenceDestroy(preference);
    // Some versions say in these words, too, that they have none.
    if (asked != CUBLAS_STATUS_NOT_SUPPORTED && asked != CUBLAS_STATUS_INVALID_VALUE &&
        asked != CUBLAS_STATUS_ARCH_MISMATCH)
      check(asked, "cublasLtMatmulAlgoGetHeuristic");
    has_algorithm_ = found > 0 && proposed.state == CUBLAS_STATUS_SUCCESS;
    algorithm_ = proposed.algo;
  } catch (...) {
    release();
    throw;
  }
}

prepared_product::~prepared_product() {
  release();
}

void prepared_product::release() {
  if (y_ != nullptr) (void)cublasLtMatrixLayoutDestroy(y_);
  if (x_ != nullptr) (void)cublasLtMatrixLayoutDestroy(x_);
  if (w_ != nullptr) (void)cublasLtMatrixLayoutDestroy(w_);
  if (operation_ != nullptr) (void)cublasLtMatmulDescDestroy(operation_);
}

void prepared_product::run(const void* x, const void* w, void* y, cudaStream_t stream) const {
  const float one = 1;
  const float zero = 0;
  const std::int32_t whole_one = 1;
  const std::int32_t whole_zero = 0;
  const void* alpha = is_whole_ ? static_cast<const void*>(&whole_one) : &one;
  const void* beta = is_whole_ ? static_cast<const void*>(&whole_zero) : &zero;
  check(cublasLtMatmul(owner_.handle_, operation_, alpha, w, w_, x, x_, beta, y, y_, y, y_,
                       &algorithm_, owner_.workspace_.data(), product_library::workspace_size,
                       stream),
        "cublasLtMatmul");
}

namespace {

const product_format& half_format(int capability) {
  return *std::find_if(formats.begin(), formats.end(), [&](const product_format& format) {
    return format.format == (capability >= 80 ? number_format::bf16 : number_format::fp16);
  });
}

std::size_t half_square(int side) {
  return 2 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
}

}  // namespace

square_product::square_product(int capability, int most, const work_stream& stream)
    : side_{std::min(most, largest_square(room_of_device().free, 2))},
      x_{half_square(side_)},
      w_{half_square(side_)},
      y_{half_square(side_)},
      product_{products_.product(half_format(capability), {side_, side_, side_})} {
  if (product_ == nullptr) throw device_failure{"cuBLASLt has no algorithm"};
  fill_inputs(half_format(capability), x_, 0, stream);
  fill_inputs(half_format(capability), w_, first_of_w, stream);
  stream.wait();
}

void square_product::run(cudaStream_t stream) const {
  product_->run(x_.data(), w_.data(), y_.data(), stream);
}

void fill_inputs(const product_format& format, const device_memory& to, std::uint32_t first,
                 const work_stream& stream) {
  const std::size_t count = to.size() / static_cast<std::size_t>(format.input_bytes);
  if (format.format == number_format::int8)
    check(launch_fill_int8(to.data(), count, first, stream.get()), "fill");
  else
    check(launch_fill_fractions(to.data(), count, first, format.input_bytes, format.layout,
                                stream.get()),
          "fill");
}

std::string wrong_element(const product_format& format, product_shape shape, std::uint32_t x_first,
                          std::uint32_t w_first, const void* y, int row, int column,
                          const work_stream& stream) {
  const auto k = static_cast<std::size_t>(shape.k);
  const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.n) +
                         static_cast<std::size_t>(column);
  const auto size = static_cast<std::size_t>(format.output_bytes);
  std::uint32_t bits = 0;
  check(cudaMemcpyAsync(&bits, static_cast<const char*>(y) + at * size, size,
                        cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync");
  stream.wait();
  const bool whole = format.format == number_format::int8;
  const product_element wanted =
      product_of(x_first + static_cast<std::uint32_t>(static_cast<std::size_t>(row) * k),
                 w_first + static_cast<std::uint32_t>(static_cast<std::size_t>(column) * k),
                 shape.k, format.layout.fraction_bits, whole);
  double found = 0;
  double of_result = 0;
  // An adder of FP8 keeps 14 bits on some devices; others keep 20 and more.
  const double of_sum = whole ? 0 : format.format == number_format::fp8_e4m3 ? 0x1p-12 : 0x1p-18;
  switch (format.output) {
    case CUDA_R_32I: {
      std::int32_t number = 0;
      std::memcpy(&number, &bits, sizeof number);
      found = number;
      break;
    }
    case CUDA_R_32F:
      found = number_of_bits(bits, layout_fp32);
      of_result = limits_of(number_format::fp32).epsilon();
      break;
    case CUDA_R_16F:
      found = number_of_bits(bits, layout_fp16);
      of_result = limits_of(number_format::fp16).epsilon();
      break;
    default:
      found = number_of_bits(bits, layout_bf16);
      of_result = limits_of(number_format::bf16).epsilon();
  }
  if (agrees(found, wanted, of_result, of_sum)) return {};
  return std::to_string(found) + ", not " + std::to_string(wanted.value);
}

}  // namespace gpuplan::probe
