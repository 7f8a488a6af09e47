#pragma once
/// \file
/// The number formats of a training run: formats of the products, and of what is stored.

#include <array>
#include <cstddef>

#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// How a run mixes number formats.
enum class precision {
  fp32,         ///< everything in single precision
  tf32,         ///< kept in single precision, multiplied on tensor cores in TF32
  mixed_fp16,   ///< FP16 weights and activations beside an FP32 master copy; needs loss scaling
  mixed_bf16,   ///< BF16 weights and activations beside an FP32 master copy
  mixed_fp8,    ///< as mixed_bf16, with the inputs of matrix products cast to FP8
  mixed_nvfp4,  ///< as mixed_bf16, with the inputs of matrix products cast to FP4 in blocks of 16
  bf16          ///< BF16 alone: no master copy, optimizer states in BF16 too
};

/// Every precision, in the order of the enumeration.
inline constexpr std::array precisions{
    precision::fp32,      precision::tf32,        precision::mixed_fp16, precision::mixed_bf16,
    precision::mixed_fp8, precision::mixed_nvfp4, precision::bf16};

/// The format of each thing that a run keeps or multiplies.
struct precision_formats {
  number_format product{};     ///< inputs of matrix products
  number_format weight{};      ///< weights that the forward pass reads
  number_format activation{};  ///< tensors kept for the backward pass
  number_format gradient{};    ///< the accumulated gradient, unless the recipe says otherwise
  number_format state{};       ///< one optimizer state, unless the optimizer compresses it
  bool master_copy{};          ///< a separate FP32 copy of the weights for the update
};

namespace detail {

/// formats_of, in the order of the enumeration.
inline constexpr auto formats_by_precision = [] {
  using enum number_format;
  return std::array<precision_formats, precisions.size()>{{{fp32, fp32, fp32, fp32, fp32, false},
                                                           {tf32, fp32, fp32, fp32, fp32, false},
                                                           {fp16, fp16, fp16, fp16, fp32, true},
                                                           {bf16, bf16, bf16, fp32, fp32, true},
                                                           {fp8_e4m3, bf16, bf16, fp32, fp32, true},
                                                           {fp4, bf16, bf16, fp32, fp32, true},
                                                           {bf16, bf16, bf16, bf16, bf16, false}}};
}();

}  // namespace detail

/// What each precision keeps.  Gradients follow Megatron-LM: accumulated in FP32 beside BF16
/// weights, in FP16 beside FP16 weights.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), arXiv:1710.03740;
/// NVIDIA, "Megatron-LM", theoretical_memory_usage.py (2026), 18 B a parameter beside BF16.
///
/// \throws invalid_input if p is none of precisions
constexpr precision_formats formats_of(precision p) {
  const auto index = static_cast<std::size_t>(p);
  require(index < precisions.size(), "formats_of: precision must be one of precisions");
  return detail::formats_by_precision[index];
}

}  // namespace gpuplan
