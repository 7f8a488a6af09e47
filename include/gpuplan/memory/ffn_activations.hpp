#pragma once
/// \file
/// Activations that a feed-forward network or its experts keep for the backward pass.

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/workspace.hpp>
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
  bytes router{};      ///< probabilities of the experts
  bytes dispatched{};  ///< tokens that arrive at this rank's experts
  bytes exchanged{};   ///< what all-to-alls return, where it lies beside `dispatched`
  bytes experts{};     ///< as hidden, of the routed experts
  bytes returned{};    ///< outputs of experts, where a kernel of its own weighs them
  bytes shared{};      ///< as hidden, of the shared experts
  bytes latents{};     ///< the sum of what experts return, where they work on a narrower state
  bytes mask{};        ///< dropout after the network

  // In no sum: what one tensor of the networks' width has, as it is computed.
  bytes width{};
  bytes expert_width{};  ///< of it, the routed experts'
  bytes activated{};     ///< of `experts`, what the activation function and its products make

  [[nodiscard]] constexpr bytes total() const {
    return norm_input + input + hidden + router + dispatched + exchanged + experts + returned +
           shared + latents + mask;
  }
};

namespace detail {

/// Before and after the activation function: up, gate where there is one, the gate's activation
/// where that is a step of its own, then the product.
constexpr bytes ffn_hidden(const transformer& m, const recipe& how, const activation_bytes& per,
                           const kernel_memory& kernels, double values) {
  const int tensors = !m.gated_ffn ? 1 : kernels.activation_fused ? 2 : 3;
  return values * (tensors * stored_value_bytes(how, per) + per.operand);
}

/// What both kinds of block keep.  In a block that runs beside attention behind one common norm,
/// attention has kept the inputs already.
constexpr ffn_activations ffn_frame(const transformer& m, const recipe& how,
                                    const micro_batch_tokens& seen, const kernel_memory& kernels) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double stream = m.hidden_size * seen.residual;
  const bool own_input = !(m.parallel_residual && m.norms_per_layer < 2);
  return {.norm_input = own_input ? stream * norm_input_bytes(per, kernels) : bytes{0},
          .input = own_input ? stream * per.operand : bytes{0},
          .mask = how.dropout ? stream * per.mask : bytes{0}};
}

}  // namespace detail

/// Activations of a dense feed-forward block.
///
///     norm input, input   2 h each, of every residual token
///     hidden              4 f / t plain, 6 f / t gated (gate, up and product)
///     mask                h, of every residual token, with dropout
///
/// in bytes a token, for 2-byte activations.
///
///     h  hidden_size, f  ffn_size, t  cut.tensor
///
/// With f = 4 h it is the 19 s b h of the source, and its norm.  Where silu(gate) is a step of its
/// own (kernels.activation_fused), it is 8 f.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.1, arXiv:2205.05198.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr ffn_activations dense_ffn(const transformer& m, const recipe& how, const parallelism& cut,
                                    const micro_batch_tokens& seen,
                                    const kernel_memory& kernels = {}) {
  ffn_activations kept = detail::ffn_frame(m, how, seen, kernels);
  const double width = static_cast<double>(m.ffn_size) / cut.tensor;
  kept.hidden =
      detail::ffn_hidden(m, how, bytes_per_activation(how.precision), kernels, width * seen.all);
  kept.width = width * seen.all * bytes_per_activation(how.precision).value;
  return kept;
}

/// Activations of a block of experts.
///
///     router       4 E, of every residual token
///     dispatched   2 h, of every token that arrives
///     experts      4 f / x plain, 6 f / x gated, of every token that arrives; 2 f / x more where
///                  the product with the routing probability is a kernel of its own
///     exchanged    4 h, of every token that arrives, where permuted copies are kept and e > 1
///     returned     6 h, likewise, for any e: the outputs, and their product in FP32
///     shared       as a dense network of the shared width
///     latents      2 w, of every residual token, where experts work on a state of width w, and 2 w
///                  more with a norm of it; then w stands for h in what is dispatched, exchanged
///                  and returned
///     arriving     residual tokens  x k r
///
///     E  experts, k  experts_per_token, f  width of an expert
///     e  cut.expert, x  cut.expert_tensor_ranks()
///     r  how.expert_load()
///
/// in bytes, for 2-byte activations.  Without sequence parallelism every rank of a tensor-parallel
/// group dispatches the same tokens, as Megatron-Core would; a layout that trains so is refused:
/// see reject_reason::expert_tokens.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/transformer/moe (2026); D. Lepikhin et al.,
/// "GShard", ICLR (2021), arXiv:2006.16668; PyTorch, torchtitan, models/moe (2025), for the
/// permuted copies.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr ffn_activations moe_ffn(const transformer& m, const recipe& how, const parallelism& cut,
                                  const micro_batch_tokens& seen,
                                  const kernel_memory& kernels = {}) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const mixture_of_experts& moe = m.moe;
  const double state = m.expert_state_size();
  const double ranks = cut.expert_tensor_ranks();
  const double arriving = seen.residual * ranks * moe.experts_per_token * how.expert_load();
  const double values = arriving * moe.ffn_size / ranks;
  const double shared = static_cast<double>(moe.shared_ffn_size) / cut.tensor * seen.all;

  ffn_activations kept = detail::ffn_frame(m, how, seen, kernels);
  kept.router = moe.experts * seen.residual * per.statistic;
  kept.dispatched = state * arriving * per.operand;
  if (moe.latent_size > 0) [[unlikely]]
    kept.latents = state * seen.residual * (per.operand + (moe.latent_norm ? per.value : bytes{0}));
  const bool fused = m.gated_ffn && kernels.activation_fused;
  const bytes weighed = fused ? bytes{0} : values * stored_value_bytes(how, per);
  const bytes first_maps = values * (m.gated_ffn ? 2 : 1) * stored_value_bytes(how, per);
  kept.experts = detail::ffn_hidden(m, how, per, kernels, values) + weighed;
  kept.activated = kept.experts - first_maps;
  kept.shared = detail::ffn_hidden(m, how, per, kernels, shared);
  kept.expert_width = values * per.value;
  kept.width = kept.expert_width + shared * per.value;
  if (kernels.experts_permuted) [[unlikely]] {
    if (cut.expert > 1) kept.exchanged = 2 * state * arriving * per.value;
    kept.returned = state * arriving * (per.value + per.statistic);
  }
  return kept;
}

}  // namespace gpuplan
