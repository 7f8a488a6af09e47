#pragma once
/// \file
/// What a feed-forward network, or a choice of experts, keeps for its backward pass.

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of one feed-forward block on one rank, for one micro-batch.
struct ffn_activations {
  bytes norm_input{};
  bytes input{};
  bytes hidden{};      ///< of a dense network: before and after its activation function
  bytes router{};      ///< scores of the experts
  bytes dispatched{};  ///< tokens that arrive at this rank's experts
  bytes experts{};     ///< as hidden, of the routed experts
  bytes shared{};      ///< as hidden, of the shared experts
  bytes mask{};        ///< dropout after the network

  [[nodiscard]] constexpr bytes total() const {
    return norm_input + input + hidden + router + dispatched + experts + shared + mask;
  }
};

namespace detail {

/// Before and after the activation function: up and gate, then their product.
constexpr bytes ffn_hidden(const transformer& m, const activation_bytes& per, double width,
                           double tokens) {
  return width * tokens * ((m.gated_ffn ? 2 : 1) * per.value + per.operand);
}

constexpr ffn_activations ffn_frame(const transformer& m, const recipe& how,
                                    const micro_batch_tokens& queries) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double h = m.hidden_size;
  const bool own_input = !(m.parallel_residual && m.norms_per_layer < 2);
  return {.norm_input = own_input ? h * queries.residual * per.value : bytes{0},
          .input = own_input ? h * queries.residual * per.operand : bytes{0},
          .mask = how.dropout ? h * queries.residual * per.mask : bytes{0}};
}

}  // namespace detail

/// Activations of a dense feed-forward block.
///
///     norm input, input   2 h each, of every residual token
///     hidden              4 f / t plain, 6 f / t gated (gate, up and product)
///     mask                h, of every residual token, with dropout
///
///     h  hidden_size, f  ffn_size, t  tensor-parallel ranks
///
/// in bytes a token, for 2-byte activations.  A kernel that fuses gate and product keeps 6 f; one
/// that keeps silu(gate) too, 8 f.  With f = 4 h it is 19 s b h of the source, beside its norm.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.1, arXiv:2205.05198.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr ffn_activations dense_ffn(const transformer& m, const recipe& how, const parallelism& cut,
                                    const micro_batch_tokens& queries) {
  ffn_activations kept = detail::ffn_frame(m, how, queries);
  kept.hidden = detail::ffn_hidden(m, bytes_per_activation(how.precision),
                                   static_cast<double>(m.ffn_size) / cut.tensor, queries.all);
  return kept;
}

/// Activations of a block of experts, each rank serving as many tokens as it sends.
///
///     router       4 E, of every residual token (FP32 scores)
///     dispatched   2 h k x / t
///     experts      as a dense network of width k f_moe, over t
///     shared       as a dense network of width f_shared, over t
///
///     E  experts, k  experts_per_token, x  tensor-parallel ranks within an expert
///
/// Balanced: a rank whose experts draw r times the mean number of tokens keeps r times as much of
/// dispatched and experts.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/transformer/moe (2026); D. Lepikhin et al.,
/// "GShard", ICLR (2021), arXiv:2006.16668.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr ffn_activations moe_ffn(const transformer& m, const recipe& how, const parallelism& cut,
                                  const micro_batch_tokens& queries) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double share = queries.all / cut.tensor;
  const double visits = m.moe.experts_per_token;

  ffn_activations kept = detail::ffn_frame(m, how, queries);
  kept.router = m.moe.experts * queries.residual * per.softmax_statistic;
  kept.dispatched = visits * m.hidden_size * share * cut.expert_tensor_ranks() * per.operand;
  kept.experts = detail::ffn_hidden(m, per, visits * m.moe.ffn_size, share);
  kept.shared = detail::ffn_hidden(m, per, m.moe.shared_ffn_size, share);
  return kept;
}

}  // namespace gpuplan
