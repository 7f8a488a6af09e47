#pragma once
/// \file
/// Kernels that the host launches for a layer's forward pass, by what the layer is made of.

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Kernels of one forward pass, messages left out.
///
///     attention   norm, map to queries, keys and values, heads of queries copied together, two
///                 rotations, core, output map, residual
///     network     norm, two maps, activation, residual
///     latent      norm, map to queries (with compressed queries two, and a norm), map to the
///                 latent, its norm, map to keys and values, core, output map, residual
///     fused       one kernel rotates and joins queries, one keys and values
///     stepwise    of queries, and of the shared part of keys: even and odd places joined, cosine
///                 and sine (each of angles, scaled, to 16 bits), half negated, half joined, two
///                 products, sum, joined with the rest; then queries joined, keys joined, values
///                 copied
///     shared      two maps, activation, sum; with a gate its map, sigmoid and product
///
/// Source: counted, NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM, megatron/core/
/// transformer/attention.py, mlp.py, multi_latent_attention.py, moe/shared_experts.py, and
/// models/common/embeddings/rope_utils.py (2026).
inline constexpr double kernels_of_attention = 8;
inline constexpr double kernels_of_network = 5;
inline constexpr double kernels_of_latent_attention = 8;
inline constexpr double kernels_of_compressed_queries = 2;
inline constexpr double kernels_of_fused_rotations = 2;
inline constexpr double kernels_of_stepwise_rotations = 2 * 13 + 3;
inline constexpr double kernels_of_shared_experts = 4;
inline constexpr double kernels_of_shared_gate = 3;

/// Kernels of a layer's forward pass beyond those of a layer that has plain heads, and no shared
/// experts.
constexpr double further_kernels(const transformer& m, layer_kind kind, const recipe& how) {
  double more = 0;
  if (m.latent.kv_rank > 0)
    more +=
        kernels_of_latent_attention - kernels_of_attention +
        (m.latent.query_rank > 0 ? kernels_of_compressed_queries : 0) +
        (how.fuses_latent_rotary() ? kernels_of_fused_rotations : kernels_of_stepwise_rotations);
  if (kind == layer_kind::moe && m.moe.shared_ffn_size > 0)
    more += kernels_of_shared_experts + (m.moe.shared_gate ? kernels_of_shared_gate : 0);
  return more;
}

}  // namespace gpuplan
