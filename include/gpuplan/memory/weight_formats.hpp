#pragma once
/// \file
/// Bytes of a weight that is kept in fewer than 16 bits: quantised once beside adapters, or cast
/// for the products of a run.

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Weights whose 8-bit scales share one FP32 scale, counted in blocks.
///
/// Source: T. Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", NeurIPS (2023),
/// section 3, arXiv:2305.14314.
inline constexpr double blocks_per_double_scale = 256;

/// Bytes of one 4-bit weight and its part of the scales.
///
///     1/2 + 4 / B                  scales in FP32
///     1/2 + (1 + 4 / 256) / B      scales in 8 bits, with one FP32 scale for 256 of them
///
///     B  blocks.size    weights, >= 1
///
/// 0.127 bits a weight at B = 64, against 0.5.  Formats that keep a 16-bit scale and a 4-bit zero
/// for a group (GPTQ: 128 weights) need 2.5 / B beside the half byte.
///
/// Holds: B divides the weights of a matrix.
///
/// Source: T. Dettmers et al. (2023) as above, section 3.
///
/// \throws invalid_input if blocks.size < 1
constexpr bytes bytes_per_4_bit_weight(const weight_blocks& blocks) {
  require(blocks.size >= 1, "bytes_per_4_bit_weight: blocks.size must be >= 1 weight");
  const bytes full = limits_of(number_format::fp32).storage;
  const bytes small = limits_of(number_format::int8).storage;
  const bytes scale = blocks.double_quantization ? small + full / blocks_per_double_scale : full;
  return small / 2 + scale / blocks.size;
}

/// Bytes of one weight of a frozen matrix beside adapters.
///
///     by_precision    as formats_of(precision) says
///     int8, fp8       1
///     int4            bytes_per_4_bit_weight
///
/// Source: T. Dettmers et al. (2023) as above; NVIDIA, "Transformer Engine", FP8 primary weights
/// (2025).
///
/// \throws invalid_input if the recipe's precision or base is none of its values
constexpr bytes bytes_per_frozen_weight(const recipe& how) {
  switch (how.adapters.base) {
    case base_weights::by_precision: return limits_of(formats_of(how.precision).weight).storage;
    case base_weights::int8:
    case base_weights::fp8: return limits_of(number_format::int8).storage;
    case base_weights::int4: return bytes_per_4_bit_weight(how.adapters.blocks);
  }
  require(false, "bytes_per_frozen_weight: base must be one of base_weights");
  return {};
}

/// Weights of a block of MXFP8 that share one 8-bit scale.
///
/// Source: Open Compute Project, "OCP Microscaling Formats (MX) Specification", version 1.0 (2023).
inline constexpr double mxfp8_block = 32;

/// Bytes of one weight of a matrix that products read in FP8: the FP8 values are the weight itself
/// (FP8 primary weights), beside the FP32 master copy.
///
///     tensorwise    1, and 1 for the copy that lies the other way where products need it
///     blockwise     2: a copy for each direction, as scales run along one
///     mxfp8         2 (1 + 1/32)
///
/// Holds: Transformer Engine with --fp8-param-gather, as recipes of 2025 train; scales of a tensor
/// or of 128 x 128 values are not counted.
///
/// Source: NVIDIA, "Transformer Engine", pytorch/utils.py, is_non_tn_fp8_gemm_supported, and
/// pytorch/tensor (2025).
///
/// \throws invalid_input if the recipe's fp8_recipe is none of its values
constexpr bytes bytes_per_fp8_weight(const recipe& how, const kernel_memory& kernels) {
  const bytes value = limits_of(number_format::fp8_e4m3).storage;
  switch (how.fp8_recipe) {
    case fp8_recipe::tensorwise: return kernels.fp8_transposed ? 2 * value : value;
    case fp8_recipe::blockwise: return 2 * value;
    case fp8_recipe::mxfp8: return 2 * (value + value / mxfp8_block);
  }
  require(false, "bytes_per_fp8_weight: fp8_recipe must be one of its values");
  return {};
}

}  // namespace gpuplan
