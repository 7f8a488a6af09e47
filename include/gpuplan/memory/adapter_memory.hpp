#pragma once
/// \file
/// Activations of a layer with frozen weights and trained adapters (LoRA).

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of a layer whose weights are frozen.
///
/// A product with frozen weights has no weight gradient, and keeps its input for none: of maps
/// without adapters those of the network or the experts are not kept, nor the product of gate and
/// first map.  An adapter keeps its input, and r values a token between its two maps.
///
/// Under alternate_products nothing is left out, which is too much by a little.
///
/// Source: PyTorch, torch.nn.functional.linear (2.x): saves its input for a weight that needs a
/// gradient; E. Hu et al., "LoRA", ICLR (2022), section 4.1, arXiv:2106.09685.
///
/// \throws invalid_input if the recipe's precision is none of precisions
[[gnu::cold]] constexpr layer_activations with_adapters(layer_activations kept,
                                                        const transformer& m, layer_kind kind,
                                                        const recipe& how, const parallelism& cut,
                                                        const micro_batch_tokens& seen) {
  if (how.recompute == recompute::alternate_products) return kept;
  const activation_bytes per = bytes_per_activation(how.precision);
  const bytes outputs = (m.gated_ffn ? 2 : 1) * per.value;
  const double left = outputs / (outputs + per.operand);  // of a network, without its product
  const adapted_maps maps = adapted_maps_of(m, kind, how.adapters, cut);
  kept.attention.input += static_cast<double>(maps.size) * how.adapters.rank * seen.all * per.value;
  kept.ffn.dispatched = bytes{0};
  kept.ffn.experts = left * kept.ffn.experts;
  const bool networks = how.adapters.place == adapter_place::attention_and_ffn &&
                        kept.ffn.hidden + kept.ffn.shared > bytes{0};
  if (networks) return kept;
  kept.ffn.input = bytes{0};
  kept.ffn.hidden = left * kept.ffn.hidden;
  kept.ffn.shared = left * kept.ffn.shared;
  return kept;
}

/// Parameters of the adapters of some layers on one rank, all of them matrices that data-parallel
/// ranks share.
///
/// \throws invalid_input as adapter_parameters does
[[gnu::cold]] constexpr rank_parameters adapters_on_rank(const transformer& m, const recipe& how,
                                                         const parallelism& cut,
                                                         double dense_layers, double moe_layers) {
  rank_parameters held;
  const auto add = [&](double layers, layer_kind kind) {
    if (layers > 0) held.matrices += layers * adapter_parameters(m, kind, how.adapters, cut);
  };
  add(dense_layers, layer_kind::dense);
  add(moe_layers, layer_kind::moe);
  return held;
}

/// Model states of frozen weights beside adapters: weights of both, all else of the adapters.
///
///     w P + (w + g + k + o) A
///
///     P  frozen parameters         count, >= 0
///     A  parameters of adapters    count, >= 0
///
/// Holds: 16 B a trained parameter: FP16 beside FP32 Adam.
///
/// Source: E. Hu et al. (2022) as above, section 4.2.
constexpr model_states frozen_beside(const model_states& frozen, const model_states& adapters) {
  return {.weights = frozen.weights + adapters.weights,
          .gradients = adapters.gradients,
          .master_weights = adapters.master_weights,
          .optimizer = adapters.optimizer};
}

}  // namespace gpuplan
