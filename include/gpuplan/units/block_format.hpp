#pragma once
/// \file
/// Block-scaled number formats: numbers that share a scale factor, and what the scale adds.

#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A block-scaled format: value = element x scale of its block (x scale of its tensor).
struct block_format {
  number_format element{};
  int block{};           ///< elements that share a scale; >= 1
  bytes scale{};         ///< of a block
  bytes tensor_scale{};  ///< of the whole tensor; zero where there is none
};

// Open Compute Project, "OCP Microscaling Formats (MX) Specification" 1.0 (2023), table 1: blocks
// of 32 with a scale of 8 bits that is a power of two (E8M0).
inline constexpr block_format mxfp8_e4m3{number_format::fp8_e4m3, 32, 1 * units::byte, {}};
inline constexpr block_format mxfp8_e5m2{number_format::fp8_e5m2, 32, 1 * units::byte, {}};
inline constexpr block_format mxfp4{number_format::fp4, 32, 1 * units::byte, {}};
inline constexpr block_format mxint8{number_format::int8, 32, 1 * units::byte, {}};

// NVIDIA, "Pretraining Large Language Models with NVFP4" (2025), arXiv:2509.25149: blocks of 16
// with a scale in FP8 E4M3, and one in FP32 for the tensor.
inline constexpr block_format nvfp4{number_format::fp4, 16, 1 * units::byte, 4 * units::byte};

// DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), 3.3.2, arXiv:2412.19437: FP32 scales for 1 x
// 128 activations and for 128 x 128 weights.
inline constexpr block_format fp8_tile_128{number_format::fp8_e4m3, 128, 4 * units::byte, {}};
inline constexpr block_format fp8_block_128x128{
    number_format::fp8_e4m3, 128 * 128, 4 * units::byte, {}};

/// Storage of a tensor in a block-scaled format.
///
///     m = n e  +  ceil(n / b) s  +  t
///
///     n  elements               count, >= 0
///     e  limits_of(element)     B
///     b  block                  count, >= 1
///     s  scale                  B, >= 0
///     t  tensor_scale           B, >= 0
///
/// Exact where the scales are packed and b divides each row; a matrix product may want its scales
/// padded to whole tiles.
///
/// Source: as named at each format.
///
/// \throws invalid_input if elements < 0, or a field of the format is not in its range
constexpr bytes block_storage(const block_format& format, std::int64_t elements) {
  require(elements >= 0, "block_storage: elements must be >= 0");
  require(format.block >= 1, "block_format.block must be >= 1");
  require(format.scale >= bytes{0}, "block_format.scale must be >= 0 B");
  require(format.tensor_scale >= bytes{0}, "block_format.tensor_scale must be >= 0 B");

  const std::int64_t blocks = elements / format.block + (elements % format.block != 0);
  return static_cast<double>(elements) * limits_of(format.element).storage +
         static_cast<double>(blocks) * format.scale + format.tensor_scale;
}

/// Storage of one element of a large tensor: 8.25 bits in MXFP8, 4.5 in NVFP4.
///
///     e + s / b
///
///     b  elements of a block    count, >= 1
///     s  scale of a block       B, >= 0
///
/// Holds: 4-bit elements.
///
/// Source: NVIDIA, "Pretraining Large Language Models with NVFP4" (2025), arXiv:2509.25149.
///
/// \throws invalid_input if format.block < 1
constexpr bytes storage_per_element(const block_format& format) {
  require(format.block >= 1, "block_format.block must be >= 1");
  return limits_of(format.element).storage + format.scale / format.block;
}

}  // namespace gpuplan
