#pragma once
/// \file
/// Bytes of a weight that is quantised once and frozen beside adapters.

#include <gpuplan/model/adapter_choice.hpp>
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
///     int4, nf4       bytes_per_4_bit_weight
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
    case base_weights::int4:
    case base_weights::nf4: return bytes_per_4_bit_weight(how.adapters.blocks);
  }
  require(false, "bytes_per_frozen_weight: base must be one of base_weights");
  return {};
}

/// Whether a kernel brings frozen weights back to 16 bits for each product, of either pass.
///
/// Source: T. Dettmers et al., "LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale",
/// NeurIPS (2022), arXiv:2208.07339; T. Dettmers et al. (2023) as above.
constexpr bool dequantizes(const recipe& how) {
  return how.adapts() &&
         (how.adapters.base == base_weights::nf4 || how.adapters.base == base_weights::int8);
}

/// Whether frozen weights are unpacked in steps of the framework, whose result the backward pass
/// keeps as it keeps what any step makes.
///
/// Source: AutoGPTQ, auto_gptq/nn_modules/qlinear/qlinear_cuda_old.py, forward (2023): what trains
/// with GPTQ weights; PyTorch, torch.matmul saves its right operand for the gradient of the left.
constexpr bool unpacks(const recipe& how) {
  return how.adapts() && how.adapters.base == base_weights::int4;
}

}  // namespace gpuplan
