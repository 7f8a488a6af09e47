#pragma once
/// \file
/// What fusing elementwise kernels saves: bytes of results in between, and launches.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Elementwise operations that follow one another, as kernels of their own and as one.
struct fusion_chain {
  std::string_view name{};   ///< to print
  double values = 0;         ///< of the tensor they work on; >= 0
  int kernels = 1;           ///< apart; one where fused; >= 1
  double separate_passes{};  ///< values read and written for each of the tensor's; >= fused_passes
  double fused_passes{};     ///< >= 0

  [[nodiscard]] constexpr int launches_saved() const { return kernels - 1; }
};

/// What runs a chain.
struct fusion_rates {
  bytes_per_second memory{};  ///< streaming; > 0
  seconds launch{};           ///< from one launch of the host to the next; >= 0
};

/// A chain in time.
struct fusion_saving {
  seconds separate{};
  seconds fused{};

  [[nodiscard]] constexpr seconds saved() const { return separate - fused; }
  [[nodiscard]] constexpr double speed_up() const { return separate / fused; }
  friend constexpr fusion_saving operator+(const fusion_saving& a, const fusion_saving& b) {
    return {a.separate + b.separate, a.fused + b.fused};
  }
};

/// Time of a chain apart and fused.
///
///     T_s = max(k t_l, n p_s b / W)
///     T_f = max(t_l, n p_f b / W)
///
///     n    values of the tensor                               count, >= 0
///     k    kernels                                            count, >= 1
///     p_s  passes of separate kernels over each value         count, >= p_f
///     p_f  passes of the fused kernel                         count, >= 0
///     b    bytes of a value                                   B, > 0
///     W    bandwidth of memory                                B/s, > 0
///     t_l  from one launch to the next                        s, >= 0
///
/// The result is T_s - T_f: bytes of large tensors, launches of small ones.
///
/// Holds: memory binds the kernels or the host does; launches run ahead of the device.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 4.2, arXiv:2104.04473, which fuses; by counting.
///
/// \throws invalid_input if a field is out of its range
constexpr fusion_saving fusion_saving_of(const fusion_chain& chain, bytes value,
                                         const fusion_rates& rates) {
  require(chain.values >= 0, "fusion_chain.values must be >= 0");
  require(chain.kernels >= 1, "fusion_chain.kernels must be >= 1");
  require(chain.fused_passes >= 0, "fusion_chain.fused_passes must be >= 0");
  require(chain.separate_passes >= chain.fused_passes,
          "fusion_chain.separate_passes must be >= fused_passes");
  require(value > bytes{0}, "fusion_saving_of: value must be > 0 B");
  require(rates.memory > bytes_per_second{0}, "fusion_rates.memory must be > 0 B/s");
  require(rates.launch >= seconds{0}, "fusion_rates.launch must be >= 0 s");
  const auto longer = [](seconds a, seconds b) { return a > b ? a : b; };
  const seconds pass = chain.values * value / rates.memory;
  return {.separate = longer(chain.kernels * rates.launch, chain.separate_passes * pass),
          .fused = longer(rates.launch, chain.fused_passes * pass)};
}

/// Which pass of a layer.
enum class layer_pass { forward, backward };

/// What a rank works on in a layer.
struct layer_extent {
  double tokens = 0;  ///< >= 0
  double keys = 0;    ///< of a token; >= 0
  int tensor = 1;     ///< tensor-parallel ranks; >= 1
};

/// The chains of a layer that training software fuses: bias and activation; bias, dropout and
/// residual, of attention and of the feed-forward network; scale, mask and softmax of scores that
/// are written to memory.
inline constexpr std::size_t layer_chains = 4;

namespace detail {

/// Cast to FP32, scale, mask, softmax and cast back, in passes of two bytes: 3 + 4 + 4 + 4 + 3, and
/// 3 + 6 + 4 + 4 + 3 backward, where softmax reads its output besides.
constexpr fusion_chain score_chain(double scores, layer_pass pass) {
  const bool forward = pass == layer_pass::forward;
  return {.name = "scale, mask and softmax",
          .values = scores,
          .kernels = 5,
          .separate_passes = forward ? 18.0 : 20.0,
          .fused_passes = forward ? 2.0 : 3.0};
}

/// An activation with a bias before it, or with a gate: 2 + 3 apart, and 3 + 3 + 3 backward.
constexpr fusion_chain activation_chain(const transformer& m, double values, layer_pass pass) {
  if (m.gated_ffn) {
    const bool forward = pass == layer_pass::forward;
    return {.name = "activation and gate",
            .values = values,
            .kernels = forward ? 2 : 3,
            .separate_passes = forward ? 5.0 : 9.0,
            .fused_passes = forward ? 3.0 : 5.0};
  }
  if (pass == layer_pass::backward || !m.biases.ffn) return {};
  return {.name = "bias and activation",
          .values = values,
          .kernels = 2,
          .separate_passes = 2 + 2,
          .fused_passes = 2};
}

/// A bias, dropout with a mask of a byte beside two-byte values, and the residual.
constexpr fusion_chain residual_chain(const recipe& how, bool biased, double values,
                                      layer_pass pass) {
  const int kernels = (biased ? 1 : 0) + (how.dropout ? 1 : 0) + 1;
  if (pass == layer_pass::backward || kernels == 1) return {};
  const double mask = how.dropout ? 0.5 : 0;
  return {.name = "bias, dropout and residual",
          .values = values,
          .kernels = kernels,
          .separate_passes = 2 * (kernels - 1) + 3 + mask,
          .fused_passes = 3 + mask};
}

}  // namespace detail

/// The chains of one layer on one rank, in passes over 2-byte values.
///
///                             values   kernels     apart         fused      backward
///     bias + activation       n f / t  2           4             2          nothing saved
///     activation and gate     n f / t  2; 3        5             3          9 apart, 5 fused
///     bias + dropout + sum    n h      3           7 + 1/2       3 + 1/2    nothing saved
///     scale + mask + softmax  a n k/t  5           18            2          20 apart, 3 fused
///
///     n  extent.tokens           count, >= 0
///     h  hidden size
///     f  width of the feed-forward network
///     a  heads
///     k  extent.keys             count, >= 0
///     t  extent.tensor           count, >= 1
///
/// The third stands twice.  Half a value is the byte of dropout's mask; without dropout, or without
/// biases, a kernel and its 2 passes are gone.  Scores are cast to FP32 and back apart, which a
/// fused kernel does in registers; with flash attention none are written.  A chain of one kernel
/// has no values.
///
/// Holds: dense layers, 2-byte values.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 4.2, arXiv:2104.04473, the three fusions; passes by
/// counting the kernels of NVIDIA, "Megatron-LM", megatron/model/fused_softmax.py (2021).
///
/// \throws invalid_input if tokens or keys are < 0, tensor < 1, or pass is none of layer_pass
constexpr std::array<fusion_chain, layer_chains> fusion_chains_of_layer(const transformer& m,
                                                                        const recipe& how,
                                                                        const layer_extent& extent,
                                                                        layer_pass pass) {
  require(extent.tokens >= 0, "layer_extent.tokens must be >= 0");
  require(extent.keys >= 0, "layer_extent.keys must be >= 0");
  require(extent.tensor >= 1, "layer_extent.tensor must be >= 1");
  require(pass == layer_pass::forward || pass == layer_pass::backward,
          "fusion_chains_of_layer: pass must be forward or backward");
  const double residual = extent.tokens * m.hidden_size;
  const bool written = how.attention != attention_kernel::flash;
  const double scores =
      written ? m.attention_heads * extent.tokens * extent.keys / extent.tensor : 0;
  return {detail::activation_chain(m, extent.tokens * m.ffn_size / extent.tensor, pass),
          detail::residual_chain(how, m.biases.attention_output, residual, pass),
          detail::residual_chain(how, m.biases.ffn, residual, pass),
          detail::score_chain(scores, pass)};
}

/// What fusing all chains of one pass of a layer saves.
///
///     sum of T_s - T_f over chains
///
///     n    tokens of the rank                count, >= 0
///     h    hidden size                       count, >= 1
///     a    heads                             count, >= 1
///     k    keys of a token                   count, >= 0
///     W    bandwidth of memory               B/s, > 0
///     t_l  from one launch to the next       s, >= 0
///
/// Of GPT-3 on 8 ranks it explains two thirds of what Narayanan et al. measured (142 to 169
/// TFLOP/s), at the memory's whole bandwidth and without launches.
///
/// Holds: as fusion_chains_of_layer.
///
/// Source: as fusion_chains_of_layer.
///
/// \throws invalid_input as fusion_chains_of_layer and fusion_saving_of
constexpr fusion_saving layer_fusion_saving(const transformer& m, const recipe& how,
                                            const layer_extent& extent, layer_pass pass,
                                            const fusion_rates& rates) {
  fusion_saving sum;
  for (const fusion_chain& chain : fusion_chains_of_layer(m, how, extent, pass))
    if (chain.values > 0) sum = sum + fusion_saving_of(chain, bytes{2}, rates);
  return sum;
}

}  // namespace gpuplan
