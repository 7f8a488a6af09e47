#pragma once
/// \file
/// Products of matrices by cuBLASLt, as a linear layer asks for them: y = x w^T, rows stored one
/// after the other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <cublasLt.h>

#include <gpuplan/units/number_format.hpp>

#include "device.hpp"
#include "pattern.hpp"
#include "product_shapes.hpp"

namespace gpuplan::probe {

/// How a format is stored, multiplied and added.
struct product_format {
  number_format format;
  cudaDataType_t input;
  cudaDataType_t output;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  float_layout layout;  ///< of the inputs; fraction_bits 7 for whole numbers
  int input_bytes;
  int output_bytes;
  const char* accumulator;  ///< as the report says it
  int least_capability;     ///< 80 is 8.0
};

/// Those that are measured, in the order of the report.
std::optional<product_format> product_format_of(number_format format);

/// One product with the algorithm that cuBLASLt proposes first.
class prepared_product;

class product_library {
 public:
  product_library();
  ~product_library();
  product_library(const product_library&) = delete;
  product_library& operator=(const product_library&) = delete;

  /// Nullptr where cuBLASLt has no algorithm for it.
  [[nodiscard]] std::unique_ptr<prepared_product> product(const product_format& format,
                                                          product_shape shape) const;
  /// A small product, for what it loads.
  void run_small(const work_stream& stream) const;

  static constexpr std::size_t workspace_size = std::size_t{32} << 20;

 private:
  friend class prepared_product;
  cublasLtHandle_t handle_ = nullptr;
  device_memory workspace_{workspace_size};
};

class prepared_product {
 public:
  prepared_product(const product_library& owner, const product_format& format, product_shape shape);
  ~prepared_product();
  prepared_product(const prepared_product&) = delete;
  prepared_product& operator=(const prepared_product&) = delete;

  [[nodiscard]] bool has_algorithm() const { return has_algorithm_; }
  void run(const void* x, const void* w, void* y, cudaStream_t stream) const;

 private:
  void release();

  const product_library& owner_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t x_ = nullptr;
  cublasLtMatrixLayout_t w_ = nullptr;
  cublasLtMatrixLayout_t y_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  bool has_algorithm_ = false;
  bool is_whole_ = false;  ///< scales are integers
};

/// A product of large squares of 16-bit numbers, to keep a device busy.
class square_product {
 public:
  /// Of `most` rows, or fewer where three matrices would take more than half of the free memory.
  /// \throws device_failure where cuBLASLt has no algorithm
  square_product(int capability, int most, const work_stream& stream);

  void run(cudaStream_t stream) const;

 private:
  int side_;
  product_library products_{};
  device_memory x_;
  device_memory w_;
  device_memory y_;
  std::unique_ptr<prepared_product> product_;
};

/// Of a matrix filled as w: another than that of x, 0, or squares would be the same transposed.
inline constexpr std::uint32_t first_of_w = 0x5000'0001;

/// Fills inputs of a format with numbers from `first`.
void fill_inputs(const product_format& format, const device_memory& to, std::uint32_t first,
                 const work_stream& stream);

/// Compares one element of y = x w^T, row and column, with the host's own sum; fill_inputs filled x
/// and w from these numbers.  Empty where they agree, else "8, not 9".
[[nodiscard]] std::string wrong_element(const product_format& format, product_shape shape,
                                        std::uint32_t x_first, std::uint32_t w_first, const void* y,
                                        int row, int column, const work_stream& stream);

}  // namespace gpuplan::probe
