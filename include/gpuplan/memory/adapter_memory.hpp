#pragma once
/// \file
/// Activations of a layer with frozen weights and trained adapters (LoRA).

#include <algorithm>
#include <cstddef>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/unused_gradients.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/frozen_weights.hpp>
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
/// Source: PyTorch, torch.nn.functional.linear (2.x): saves its input for a weight that needs a
/// gradient; E. Hu et al., "LoRA", ICLR (2022), section 4.1, arXiv:2106.09685.
///
/// \throws invalid_input if the recipe's precision is none of precisions
[[gnu::cold]] constexpr layer_activations with_adapters(layer_activations kept,
                                                        const transformer& m, layer_kind kind,
                                                        const recipe& how, const parallelism& cut,
                                                        const micro_batch_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double product = per.operand / per.value;  // as the last map reads it, of a width
  const adapted_maps maps = adapted_maps_of(m, kind, how.adapters, cut);
  kept.between_maps = static_cast<double>(maps.size) * how.adapters.rank * seen.all * per.value;
  kept.ffn.dispatched = bytes{0};
  kept.ffn.experts -= product * kept.ffn.expert_width;
  kept.ffn.activated -= product * kept.ffn.expert_width;
  if (!how.adapters.read_attention_input()) kept.attention.input = bytes{0};
  const bool has_network = kept.ffn.hidden + kept.ffn.shared > bytes{0};
  if (!(has_network && how.adapters.read_ffn_input())) kept.ffn.input = bytes{0};
  if (has_network && how.adapters.read_ffn_product()) return kept;
  const bytes others = product * (kept.ffn.width - kept.ffn.expert_width);
  (kind == layer_kind::moe ? kept.ffn.shared : kept.ffn.hidden) -= others;
  return kept;
}

/// What the weight gradients of adapters read, of what a layer keeps: inputs of adapted maps, and
/// what lies between the maps of adapters.  Routed experts have none.
constexpr bytes read_by_adapters(const recipe& how, const layer_activations& kept) {
  const activation_bytes per = bytes_per_activation(how.precision);
  bytes read = kept.attention.input + kept.between_maps;
  if (how.adapters.read_ffn_input()) read += kept.ffn.input;
  if (how.adapters.read_ffn_product())
    read += per.operand / per.value * (kept.ffn.width - kept.ffn.expert_width);
  return read;
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

/// The recipe by which adapters are trained: with PyTorch alone, FP32 in all.
constexpr recipe recipe_of_adapters(const recipe& how) {
  recipe own = how;
  if (adapts_with_pytorch(how)) {
    own.weights = weight_storage::fp32;
    own.gradient = gradient_format::fp32;
  }
  return own;
}

/// The recipe by which tables beside adapters are trained: with PyTorch alone, 16 bits in all where
/// the base has them.
constexpr recipe recipe_of_trained_tables(const recipe& how) {
  recipe own = how;
  if (adapts_with_pytorch(how) && bytes_per_parameter(how).weight < bytes{4}) {
    own.precision = precision::bf16;
    own.gradient = gradient_format::bf16;
  }
  return own;
}

/// Weights of frozen parameters on one rank: matrices and experts as the recipe's base says, tables
/// and vectors as they are.
///
/// Source: T. Dettmers et al., "QLoRA", NeurIPS (2023), arXiv:2305.14314.
///
/// \throws invalid_input if the recipe's base is none of its values
constexpr bytes frozen_weights_on_rank(const rank_parameters& held, const recipe& how,
                                       const state_rates& rates) {
  bytes matrix = rates.matrix.weights;
  bytes expert = rates.expert.weights;
  if (how.adapters.base != base_weights::by_precision) {
    const bytes one = bytes_per_frozen_weight(how);
    matrix *= one / rates.per.weight;
    expert *= one / rates.per.weight;
  }
  return held.matrices * matrix + held.experts * expert +
         (held.vectors + held.tables) * rates.other.weights;
}

/// The largest matrix of layers of these parts on one rank, in values: what is made of 4-bit
/// weights for a product.
constexpr double largest_matrix(const weight_shapes& shapes,
                                unsigned parts = weight_shapes::dense_layers |
                                                 weight_shapes::moe_layers) {
  double most = 0;
  for (std::size_t i = 0; i < shapes.size; ++i)
    if ((shapes.list[i].parts & parts) != 0)
      most = (std::max)(most, shapes.list[i].rows * shapes.list[i].columns);
  return most;
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
