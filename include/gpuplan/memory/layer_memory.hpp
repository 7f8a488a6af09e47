#pragma once
/// \file
/// The memory that one layer adds to its rank.

#include <algorithm>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/recomputed_modules.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/unused_gradients.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One layer on one rank: its parameters, and bytes of one micro-batch.
struct layer_memory {
  rank_parameters parameters{};
  layer_activations activations{};  ///< nothing computed again
  bytes kept{};                     ///< from the forward to the backward pass, as the recipe says
  bytes until_weight_gradient{};    ///< of them, what weight gradients wait for
  bytes computed_again{};           ///< in the backward pass
  bytes gradients{};                ///< of activations, in the backward pass
};

namespace detail {

/// What follows from the activations of a layer.
constexpr void add_kept(layer_memory& layer, const transformer& m, const recipe& how,
                        const parallelism& cut, const attention_tokens& seen) {
  const layer_activations& activations = layer.activations;
  layer.kept = kept_by(m, how, activations);
  layer.computed_again = computed_again(m, how, activations);
  layer.gradients = layer_gradients(m, how, cut, activations, seen);
  layer.until_weight_gradient = activations.until_weight_gradient();
}

/// What a layer whose weights are frozen keeps, in place of what it would; beside its gradients it
/// has its largest matrix in 16 bits where the base is quantised, or keeps all of them where they
/// are unpacked in steps.
[[gnu::cold]] constexpr layer_activations keep_for_adapters(layer_memory& layer,
                                                            const transformer& m, layer_kind kind,
                                                            const recipe& how,
                                                            const parallelism& cut,
                                                            const micro_batch_tokens& seen) {
  layer_activations less = with_adapters(layer.activations, m, kind, how, cut, seen);
  const bytes value = bytes_per_activation(how.precision).value;
  if (unpacks(how))
    less.unpacked_weights = (layer.parameters.matrices + layer.parameters.experts) * value;
  layer.kept = kept_by(m, how, less);
  layer.computed_again = computed_again(m, how, less);
  layer.until_weight_gradient = read_by_adapters(how, less);
  if (dequantizes(how)) {
    const auto part =
        kind == layer_kind::moe ? weight_shapes::moe_layers : weight_shapes::dense_layers;
    layer.gradients += largest_matrix(weight_shapes_of(m, cut), part) * value;
  }
  return less;
}

/// Takes away what the recipe's recomputed modules would keep of these activations; one of them at
/// a time is made again.
[[gnu::cold]] constexpr void recompute_parts(layer_memory& layer,
                                             const layer_activations& activations,
                                             const transformer& m, layer_kind kind,
                                             const recipe& how) {
  if (how.recompute == recompute::full || how.recompute == recompute::alternate_products) return;
  const recomputed_parts parts = recomputed_parts_of(m, kind, how, activations);
  layer.kept -= parts.all;
  layer.computed_again = (std::max)(layer.computed_again, parts.largest);
}

}  // namespace detail

/// What a layer adds, from its parameters and activations.
///
/// \throws invalid_input if the recipe's precision or recompute is none of its values
constexpr layer_memory memory_of_layer(const transformer& m, const recipe& how,
                                       const parallelism& cut, const rank_parameters& parameters,
                                       const layer_activations& activations,
                                       const attention_tokens& seen) {
  layer_memory layer{.parameters = parameters, .activations = activations};
  detail::add_kept(layer, m, how, cut, seen);
  return layer;
}

/// The kinds of layer that a model has; those it lacks are zero.
struct layer_kinds {
  layer_memory dense{};
  layer_memory moe{};
  layer_memory encoder{};
  layer_memory prediction{};  ///< of a further token, on the last stage
};

/// Every kind of layer of a model.
///
/// \throws invalid_input if the recipe's precision or recompute is none of its values
constexpr layer_kinds memory_of_layers(const transformer& m, const recipe& how,
                                       const parallelism& cut, const stream_tokens& seen,
                                       const kernel_memory& kernels) {
  const attention_tokens decoder{seen.decoder, seen.decoder};
  const attention_tokens encoder{seen.encoder, seen.encoder};
  const auto of_decoder = [&](layer_kind kind) {
    layer_memory layer{.parameters = layer_on_rank(m, kind, cut),
                       .activations = decoder_layer(m, kind, how, cut, seen, kernels)};
    detail::add_kept(layer, m, how, cut, decoder);
    if (how.adapts()) {
      const layer_activations less =
          detail::keep_for_adapters(layer, m, kind, how, cut, seen.decoder);
      if (how.recompute_modules.bits != 0) detail::recompute_parts(layer, less, m, kind, how);
    } else if (how.recompute_modules.bits != 0) [[unlikely]] {
      detail::recompute_parts(layer, layer.activations, m, kind, how);
    }
    return layer;
  };
  const auto of_encoder = [&] {
    layer_memory layer = memory_of_layer(m, how, cut,
                                         parameters_on_rank(m, parameters_of_encoder_layer(m),
                                                            tensor_split_of_encoder_layer(m), cut),
                                         encoder_layer(m, how, cut, seen, kernels), encoder);
    if (how.recompute_modules.bits != 0) [[unlikely]]
      detail::recompute_parts(layer, layer.activations, m, layer_kind::dense, how);
    return layer;
  };
  const auto of_prediction = [&] {
    layer_memory layer =
        memory_of_layer(m, how, cut,
                        parameters_on_rank(m, parameters_of_prediction_layer(m),
                                           tensor_split_of_prediction_layer(m), cut),
                        prediction_layer(m, how, cut, seen, kernels), decoder);
    if (how.recompute_modules.bits != 0) [[unlikely]]
      detail::recompute_parts(layer, layer.activations, m,
                              m.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense, how);
    return layer;
  };
  return {.dense = m.dense_layers() > 0 ? of_decoder(layer_kind::dense) : layer_memory{},
          .moe = m.moe_layers() > 0 ? of_decoder(layer_kind::moe) : layer_memory{},
          .encoder = m.encoder_layers > 0 ? of_encoder() : layer_memory{},
          .prediction = m.multi_token_prediction_layers > 0 ? of_prediction() : layer_memory{}};
}

/// How many layers of each kind.
struct layer_counts {
  double dense{};
  double moe{};
  double encoder{};
  double prediction{};

  [[nodiscard]] constexpr double total() const { return dense + moe + encoder + prediction; }
  friend constexpr layer_counts operator+(const layer_counts& a, const layer_counts& b) {
    return {a.dense + b.dense, a.moe + b.moe, a.encoder + b.encoder, a.prediction + b.prediction};
  }
};

/// A field of all these layers together.
template <class Field>
[[gnu::always_inline]] constexpr Field sum_over(const layer_kinds& kinds, const layer_counts& held,
                                                Field layer_memory::*field) {
  Field sum = held.dense * kinds.dense.*field;
  if (held.moe > 0) sum = sum + held.moe * kinds.moe.*field;
  if (held.encoder > 0) sum = sum + held.encoder * kinds.encoder.*field;
  if (held.prediction > 0) sum = sum + held.prediction * kinds.prediction.*field;
  return sum;
}

namespace detail {

/// What one of some layers holds in its backward pass alone: of the kind that holds the most.
struct layer_peaks {
  bytes computed_again{};
  bytes gradients{};

  [[nodiscard]] constexpr bytes total() const { return computed_again + gradients; }
};

constexpr layer_peaks peaks_of(const layer_kinds& kinds, const layer_counts& held) {
  layer_peaks most;
  const auto add = [&](double count, const layer_memory& kind) {
    if (!(count > 0)) return;
    const layer_peaks next{kind.computed_again, kind.gradients};
    if (most.total() < next.total()) most = next;
  };
  add(held.dense, kinds.dense);
  add(held.moe, kinds.moe);
  add(held.encoder, kinds.encoder);
  add(held.prediction, kinds.prediction);
  return most;
}

}  // namespace detail

/// What a measure finds largest among these layers.
template <class Measure>
constexpr auto largest_of(const layer_kinds& kinds, const layer_counts& held,
                          const Measure& measure) {
  auto most = decltype(measure(kinds.dense)){};
  const auto add = [&](double count, const layer_memory& kind) {
    if (!(count > 0)) return;
    const auto next = measure(kind);
    if (most < next) most = next;
  };
  add(held.dense, kinds.dense);
  add(held.moe, kinds.moe);
  add(held.encoder, kinds.encoder);
  add(held.prediction, kinds.prediction);
  return most;
}

namespace detail {

/// Blocks of full recomputation among some layers, the last of which may be cut short.
constexpr double blocks_of(double layers, int every) {
  return layers > 0 ? static_cast<int>((layers - 1) / every) + 1 : 0;
}

/// The input of a block that full recomputation keeps, where it is one with that of the block's
/// first norm: it is not made again.
constexpr bytes kept_input(const layer_memory& first) {
  const attention_activations& block = first.activations.attention;
  return block.stream == block.norm_input ? block.stream : bytes{0};
}

/// A block of full recomputation: all that its layers make again, and the most gradients of one.
constexpr layer_peaks block_of(const layer_kinds& kinds, const layer_counts& held) {
  const layer_memory& first = held.encoder > 0 ? kinds.encoder
                              : held.dense > 0 ? kinds.dense
                              : held.moe > 0   ? kinds.moe
                                               : kinds.prediction;
  return {sum_over(kinds, held, &layer_memory::computed_again) - kept_input(first),
          largest_of(kinds, held, [](const layer_memory& one) { return one.gradients; })};
}

/// The larger of two backward passes.
constexpr layer_peaks larger_of(const layer_peaks& a, const layer_peaks& b) {
  return a.total() < b.total() ? b : a;
}

}  // namespace detail

}  // namespace gpuplan
