#pragma once
/// \file
/// Bytes of a weight that products read in FP8.

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
