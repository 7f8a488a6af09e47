#pragma once
/// \file
/// Activation checkpointing: keep every k-th input and recompute the rest.

#include <algorithm>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A chain of equal layers whose activations are checkpointed.
struct checkpointed_chain {
  int layers = 1;  ///< >= 1
  bytes input{};   ///< of one layer: what a checkpoint keeps; >= 0
  bytes layer{};   ///< all that one layer keeps without checkpointing, its input too; >= 0
};

/// What checkpointing keeps, and what it costs.
struct checkpointing {
  bytes checkpoints{};     ///< inputs of the blocks, through the whole step
  bytes block{};           ///< of the block being computed again
  double forward_again{};  ///< forward passes added, of the whole chain: 0 to 1
  [[nodiscard]] constexpr bytes total() const { return checkpoints + block; }
  /// Operations added, of a step without checkpointing: a forward pass is a third of a step, for
  /// the backward pass multiplies twice for each product of the forward pass.
  [[nodiscard]] constexpr double extra_flop() const { return forward_again / 3; }
};

namespace detail {

constexpr void require_valid_chain(const checkpointed_chain& chain) {
  require(chain.layers >= 1, "checkpointed_chain.layers must be >= 1");
  require(chain.input >= bytes{0}, "checkpointed_chain.input must be >= 0 B");
  require(chain.layer >= chain.input, "checkpointed_chain.layer must be >= input");
}

}  // namespace detail

/// Activations of a chain of layers checkpointed every k layers.
///
///     M = ceil(n / k) x  +  min(k, n) a - x
///
///     n  chain.layers, x  chain.input, a  chain.layer    B
///     k  every                                           layers, >= 1
///
/// The second part is the block that is computed again, less the checkpoint that it starts from.
/// All of the chain is computed again, once.  k = sqrt(n) with x = a is the O(sqrt n) of the
/// source.
///
/// Holds: equal layers; a block starts from its own checkpoint.
///
/// Source: T. Chen et al., "Training Deep Nets with Sublinear Memory Cost" (2016),
/// arXiv:1604.06174, section 4.
///
/// \throws invalid_input if the chain is invalid or every < 1
constexpr checkpointing checkpoint_every(const checkpointed_chain& chain, int every) {
  detail::require_valid_chain(chain);
  require(every >= 1, "checkpoint_every: every must be >= 1 layer");
  const int blocks = chain.layers / every + (chain.layers % every != 0);
  return {.checkpoints = blocks * chain.input,
          .block = (std::min)(every, chain.layers) * chain.layer - chain.input,
          .forward_again = 1};
}

/// Activations of the same chain, nothing computed again.
///
///     M = n a
///
///     n  layers                      count, >= 1
///     a  all that one layer keeps    B, >= 0
///
/// Holds: equal layers.
///
/// Source: by definition.
///
/// \throws invalid_input if the chain is invalid
constexpr checkpointing checkpoint_nothing(const checkpointed_chain& chain) {
  detail::require_valid_chain(chain);
  return {.checkpoints = bytes{0}, .block = chain.layers * chain.layer, .forward_again = 0};
}

/// Checkpoint the first `layers` of the chain one by one, keep all of the others: what
/// Megatron-LM's block method does.
///
///     M = r x  +  (n - r) a  +  (a - x, while one is computed again)
///
///     n  layers                      count, >= 1
///     x  input of one layer          B, >= 0
///     a  all that one layer keeps    B, >= x
///     r  layers checkpointed         count, 0 to n
///
/// Holds: Megatron-LM's block method.
///
/// Source: NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
///
/// \throws invalid_input if the chain is invalid, or layers is not 0 to chain.layers
constexpr checkpointing checkpoint_first(const checkpointed_chain& chain, int layers) {
  detail::require_valid_chain(chain);
  require(layers >= 0 && layers <= chain.layers,
          "checkpoint_first: layers must be 0 to chain.layers");
  const bytes again = layers > 0 ? chain.layer - chain.input : bytes{0};
  return {.checkpoints = layers * chain.input,
          .block = (std::max)((chain.layers - layers) * chain.layer, again),
          .forward_again = static_cast<double>(layers) / chain.layers};
}

/// The k of checkpoint_every that keeps least; of equals the largest, which keeps least through the
/// forward pass.  Near sqrt(n x / a); found by trying all, O(n).
///
///     k* = argmin_k M(k)
///
///     n  layers                      count, 1 to 1e6
///     x  input of one layer          B, >= 0
///     a  all that one layer keeps    B, >= x
///
/// Holds: equal layers.
///
/// Source: T. Chen et al., "Training Deep Nets with Sublinear Memory Cost" (2016),
/// arXiv:1604.06174.
///
/// \throws invalid_input if the chain is invalid
constexpr int best_checkpoint_interval(const checkpointed_chain& chain) {
  detail::require_valid_chain(chain);
  int best = 1;
  for (int every = 2; every <= chain.layers; ++every)
    if (checkpoint_every(chain, every).total() <= checkpoint_every(chain, best).total())
      best = every;
  return best;
}

}  // namespace gpuplan
