/// \file
/// cuBLASLt of a GPU that is not there: it computes the one element that is looked at.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <cublasLt.h>

#include <probe/pattern.hpp>

#include "device.hpp"
#include "runtime.hpp"

namespace {

using namespace gpuplan::probe;

struct layout {
  cudaDataType type;
  std::uint64_t rows;
  std::uint64_t columns;
  std::int64_t leading;
};

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
    case CUDA_R_32I: return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: return 1;
  }
}

number_layout layout_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F: return layout_fp32;
    case CUDA_R_16F: return layout_fp16;
    case CUDA_R_16BF: return layout_bf16;
    case CUDA_R_8F_E4M3: return layout_e4m3;
    default: return layout_int8;
  }
}

double load(const void* data, std::size_t index, cudaDataType type) {
  if (type == CUDA_R_8I) return static_cast<const std::int8_t*>(data)[index];
  std::uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + index * size_of(type), size_of(type));
  return number_of_bits(bits, layout_of(type));
}

/// Rounded towards zero where the type is narrower.
void store(void* data, std::size_t index, cudaDataType type, double value) {
  std::uint32_t bits = 0;
  const auto single = static_cast<float>(value);
  std::memcpy(&bits, &single, sizeof bits);
  if (type == CUDA_R_32I) bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  if (type == CUDA_R_16BF) bits >>= 16;
  if (type == CUDA_R_16F) {
    const std::uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
    bits = bits >> 31 << 15 | exponent << 10 | (bits >> 13 & 0x3ff);
  }
  std::memcpy(static_cast<char*>(data) + index * size_of(type), &bits, size_of(type));
}

template <class Opaque, class T>
cublasStatus_t give(Opaque** to, T* made) {
  *to = reinterpret_cast<Opaque*>(made);
  return CUBLAS_STATUS_SUCCESS;
}

int handles = 0;

}  // namespace

extern "C" {

size_t cublasLtGetVersion() {
  return 130001;
}
const char* cublasLtGetStatusString(cublasStatus_t) {
  return "a simulated fault";
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (simulated::has_fault("cublasLtCreate")) return CUBLAS_STATUS_ALLOC_FAILED;
  return give(handle, &handles);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t,
                                        cudaDataType_t) {
  return give(made, new int{0});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  delete reinterpret_cast<int*>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t) {
  if (which == CUBLASLT_MATMUL_DESC_TRANSA)
    *reinterpret_cast<int*>(made) = *static_cast<const cublasOperation_t*>(value);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  return give(made, new layout{type, rows, columns, leading});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  delete reinterpret_cast<layout*>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  return give(made, new int{0});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete reinterpret_cast<int*>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  const auto* first = reinterpret_cast<const layout*>(a);
  const bool narrow = size_of(first->type) == 1;
  const bool transposed = *reinterpret_cast<const int*>(operation) == CUBLAS_OP_T;
  *found = 0;
  if (narrow && simulated::has_fault("narrow products")) return CUBLAS_STATUS_INTERNAL_ERROR;
  if (narrow && (!transposed || first->leading % 16 != 0)) return CUBLAS_STATUS_NOT_SUPPORTED;
  *found = 1;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void*, const void*,
                              cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t stream) {
  const auto& w = *reinterpret_cast<const layout*>(a_layout);
  const auto& x = *reinterpret_cast<const layout*>(b_layout);
  const auto& y = *reinterpret_cast<const layout*>(d_layout);
  if (w.rows != x.rows || y.rows != w.columns || y.columns != x.columns ||
      reinterpret_cast<std::uintptr_t>(a) % 16 != 0 ||
      reinterpret_cast<std::uintptr_t>(b) % 16 != 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  simulated::of_current_device(stream, "cublasLtMatmul");
  simulated::on_device(a, w.rows * w.columns * size_of(w.type), "cublasLtMatmul");
  simulated::on_device(b, x.rows * x.columns * size_of(x.type), "cublasLtMatmul");
  simulated::on_device(d, y.rows * y.columns * size_of(y.type), "cublasLtMatmul");
  // The element of the last of its columns, in the middle of its rows.
  const std::uint64_t row = y.rows / 2;
  const std::uint64_t column = y.columns - 1;
  const auto w_leading = static_cast<std::uint64_t>(w.leading);
  const auto x_leading = static_cast<std::uint64_t>(x.leading);
  const bool turned = simulated::has_fault("transposed") && y.rows == y.columns;
  double sum = 0;
  for (std::uint64_t l = 0; l < w.rows; ++l)
    sum += load(a, l + (turned ? column : row) * w_leading, w.type) *
           load(b, l + (turned ? row : column) * x_leading, x.type);
  if (simulated::has_fault("wrong product")) sum += 100;
  store(d, row + column * static_cast<std::uint64_t>(y.leading), y.type, sum);
  const double flop = 2.0 * static_cast<double>(w.rows) * static_cast<double>(w.columns) *
                      static_cast<double>(x.columns);
  const double rate = simulated::product_rate * 2 / static_cast<double>(size_of(w.type));
  simulated::send(stream, simulated::kernel_time + flop / rate, "cublasLtMatmul");
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
