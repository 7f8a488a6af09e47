#pragma once
/// \file
/// Time of matrix products with frozen weights, and of the adapters (LoRA) beside them.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// A product with frozen weights: product_time of p, and backward of the gradient of its left
/// operand alone.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023).
///
/// \throws invalid_input if a size is < 0 or the unit is invalid
template <class T>
constexpr basic_pass_time<T> frozen_product_pass_time(const matrix_product& p,
                                                      const basic_matrix_unit<T>& unit,
                                                      const product_formats& in = {}) {
  return {product_time(p, unit, in), product_time(p.left_gradient(), unit, in)};
}

/// Both passes of all adapters of a layer: of each map T x r x inputs and T x outputs x r, and
/// their two gradients each.  A sum with the map's own output is one of its kernels.
///
///     T  rows: tokens of the rank   r  how.adapters.rank
///
/// Source: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", ICLR (2022),
/// section 4.1, arXiv:2106.09685.
///
/// \throws invalid_input if rows < 0, or as adapted_maps_of does
template <class T>
constexpr basic_pass_time<T> adapters_time(const transformer& m, layer_kind kind, const recipe& how,
                                           const parallelism& cut, double rows,
                                           const basic_kernel_rates<T>& rates) {
  basic_pass_time<T> sum;
  const auto pass = [&](double columns, double depth) {
    return product_pass_time({rows, columns, depth}, rates.product_16, rates.formats_16,
                             rates.weight_gradient);
  };
  for (const linear_map& map : adapted_maps_of(m, kind, how.adapters, cut))
    sum = sum + pass(how.adapters.rank, map.inputs) + pass(map.outputs, how.adapters.rank);
  return sum;
}

/// Time to bring the weights of a product back to 16 bits, before each pass.
///
///     n k (q + 2) / W
///
///     n, k  columns and depth of the product            count, >= 0
///     q     bytes of a quantised weight                 B, > 0
///     W     bandwidth of elementwise kernels            B/s, > 0
///
/// Holds: one kernel reads the weights and writes them, as bitsandbytes has it; unpacking_time says
/// what software takes that has a kernel for each step.
///
/// Source: T. Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", NeurIPS (2023),
/// section 3, arXiv:2305.14314.
template <class T>
constexpr basic_seconds<T> dequantization_time(const matrix_product& p, bytes quantized,
                                               const basic_bytes_per_second<T>& bandwidth) {
  constexpr bytes written{2};
  return p.columns * p.depth * (quantized + written) / bandwidth;
}

/// Bytes that the steps of unpacking move for each weight, beside what is read of the packed ones:
/// 32-bit integers shifted (4), brought to 8 bits (4 + 1), masked (1 + 1), less their zero (1 + 1),
/// and times their scale (1 + 2).
///
/// Source: counted, AutoGPTQ, auto_gptq/nn_modules/qlinear/qlinear_cuda_old.py (2023).
inline constexpr bytes unpacking_bytes{16};

/// Time to unpack the weights of a product in steps, once: the backward pass reads what the forward
/// pass made.
///
///     n k (q + u) / W
///
///     n, k  columns and depth of the product            count, >= 0
///     q     bytes of a packed weight                    B, > 0
///     u     unpacking_bytes                             B
///     W     bandwidth of elementwise kernels            B/s, > 0
///
/// Source: counted, as unpacking_bytes.
template <class T>
constexpr basic_seconds<T> unpacking_time(const matrix_product& p, bytes packed,
                                          const basic_bytes_per_second<T>& bandwidth) {
  return p.columns * p.depth * (packed + unpacking_bytes) / bandwidth;
}

/// The products of a layer with frozen weights, and of its adapters.
///
/// \throws invalid_input as the parts do
template <class T>
[[gnu::cold]] constexpr basic_pass_time<T> frozen_products_time(
    const transformer& m, layer_kind kind, const recipe& how, const parallelism& cut, double rows,
    const layer_products& products, const basic_kernel_rates<T>& rates) {
  basic_pass_time<T> sum = adapters_time(m, kind, how, cut, rows, rates);
  for (const matrix_product& p : products)
    sum = sum + frozen_product_pass_time(p, rates.product, rates.formats);
  if (!dequantizes(how) && !unpacks(how)) return sum;
  const bytes weight = bytes_per_frozen_weight(how);
  for (const matrix_product& p : products) {
    if (unpacks(how)) {
      sum.forward += unpacking_time(p, weight, rates.elementwise);
      continue;
    }
    const basic_seconds<T> once = dequantization_time(p, weight, rates.elementwise);
    sum = sum + basic_pass_time<T>{once, once};
  }
  return sum;
}

}  // namespace gpuplan
