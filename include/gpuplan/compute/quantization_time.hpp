#pragma once
/// \file
/// Time to cast values to a narrow format before they are multiplied.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How values of 16 bits become 8 or 4.
enum class quantization {
  tensorwise,  ///< FP8, one scale for a tensor, from its largest value
  blockwise,   ///< FP8, one FP32 scale for each 128 values of a row
  mxfp8,       ///< FP8, one 8-bit scale for each 32 values
  nvfp4        ///< FP4, one 8-bit scale for each 16 values, and one for the tensor
};

/// Bytes that a scheme moves for each value.
struct quantized_value {
  bytes read{};     ///< of the 16-bit value, once or twice
  bytes written{};  ///< of one copy, with its share of a scale
  int kernels = 1;  ///< launched one after another
};

/// What a scheme reads and writes.
///
///                 read   written        kernels
///     tensorwise  4      1              3         largest value, scale, cast
///     blockwise   2      1 + 4/128      1
///     mxfp8       2      1 + 1/32       1
///     nvfp4       4      1/2 + 1/16     2         largest value, cast
///
/// A scale of the whole tensor is known once all of it was read: a second pass reads it again.
///
/// Source: P. Micikevicius et al., "FP8 Formats for Deep Learning" (2022), arXiv:2209.05433;
/// DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.3, arXiv:2412.19437; Open Compute
/// Project, "OCP Microscaling Formats (MX) Specification", version 1.0 (2023); NVIDIA,
/// "Pretraining Large Language Models with NVFP4" (2025), arXiv:2509.25149.
///
/// \throws invalid_input if scheme is none of quantization
constexpr quantized_value quantized_value_of(quantization scheme) {
  switch (scheme) {
    case quantization::tensorwise: return {bytes{4}, bytes{1}, 3};
    case quantization::blockwise: return {bytes{2}, bytes{1 + 4.0 / 128}};
    case quantization::mxfp8: return {bytes{2}, bytes{1 + 1.0 / 32}};
    case quantization::nvfp4: return {bytes{4}, bytes{0.5 + 1.0 / 16}, 2};
  }
  require(false, "quantized_value_of: scheme must be one of quantization");
  return {};
}

/// What casts.
template <class T>
struct basic_cast_unit {
  basic_bytes_per_second<T> bandwidth{};  ///< of elementwise kernels; > 0
  basic_seconds<T> start{};               ///< of one kernel; >= 0
};

/// Time to cast a tensor.
///
///     t = p t_0 + n (r + c w) / W
///
///     n     values                          count, >= 0
///     r, w  read and written                B, of quantized_value_of the scheme
///     p     its kernels                     count
///     c     copies: 1, or 2 where the backward pass needs rows along the other side
///     t_0   unit.start, s                   W  unit.bandwidth, B/s
///
/// Holds for casts that no other kernel makes on its way.
///
/// Source: as quantized_value_of.
///
/// \throws invalid_input if values < 0, copies < 1, or the unit or the scheme is invalid
template <class T>
constexpr basic_seconds<T> quantization_time(double values, quantization scheme, int copies,
                                             const basic_cast_unit<T>& unit) {
  require(values >= 0, "quantization_time: values must be >= 0");
  require(copies >= 1, "quantization_time: copies must be >= 1");
  require(unit.bandwidth > bytes_per_second{0}, "cast_unit.bandwidth must be > 0 B/s");
  require(unit.start >= seconds{0}, "cast_unit.start must be >= 0 s");
  const quantized_value value = quantized_value_of(scheme);
  return value.kernels * unit.start +
         values * (value.read + copies * value.written) / unit.bandwidth;
}

}  // namespace gpuplan
