#pragma once
/// \file
/// Weight gradients that nobody reads: what a product returns to the framework where it has added
/// its result to the accumulated gradient.

#include <algorithm>
#include <array>
#include <cstddef>

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The shapes of the matrices of a model's layers on one rank, each once.
struct weight_shapes {
  /// Of what a stage may hold.
  enum part : unsigned { dense_layers = 1, moe_layers = 2 };
  /// One shape, in values.
  struct shape {
    double rows{};
    double columns{};
    unsigned parts{};  ///< whose layers have a matrix of that shape
  };
  static constexpr std::size_t capacity = 18;  ///< attention's five, two of windowed layers, an
                                               ///< index' three, two of each network, two latent
  std::array<shape, capacity> list{};
  std::size_t size = 0;

  constexpr void add(double rows, double columns, unsigned parts) {
    if (parts == 0 || rows == 0 || columns == 0) return;
    for (std::size_t i = 0; i < size; ++i)
      if (list[i].rows == rows && list[i].columns == columns) {
        list[i].parts |= parts;
        return;
      }
    list[size++] = {rows, columns, parts};
  }
  /// Values of one matrix of each shape that layers of these parts have.
  [[nodiscard]] constexpr double values(unsigned parts) const {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i)
      if ((list[i].parts & parts) != 0) sum += list[i].rows * list[i].columns;
    return sum;
  }
};

/// The shapes of a model: the linear maps of attention; of each network the first map, gate and up
/// as one, and the second.
constexpr weight_shapes weight_shapes_of(const transformer& m, const parallelism& cut) {
  const double t = cut.tensor;
  const double key_heads = m.key_value_heads() / t;
  const unsigned dense = m.dense_layers() > 0 ? weight_shapes::dense_layers : 0U;
  const unsigned moe = m.moe_layers() > 0 ? weight_shapes::moe_layers : 0U;
  weight_shapes all;
  visit_attention_maps(
      m, m.attention_heads / t, key_heads > 1 ? key_heads : 1,
      [&](const attention_map& map) { all.add(map.outputs(), map.inputs, dense | moe); });
  if (has_two_head_sizes(m)) [[unlikely]]
    visit_attention_maps(
        all_windowed(m), m.windowed.attention_heads / t, (std::max)(m.windowed.kv_heads / t, 1.0),
        [&](const attention_map& map) { all.add(map.outputs(), map.inputs, dense | moe); });
  if (m.sparse.heads > 0) [[unlikely]]
    visit_index_maps(m.sparse, m.hidden_size,
                     [&](const index_map& map) { all.add(map.outputs, map.inputs, dense | moe); });
  const double state = m.expert_state_size();
  if (m.moe.latent_size > 0) [[unlikely]] {
    all.add(state, m.hidden_size, moe);
    all.add(m.hidden_size, state, moe);
  }
  const auto add_network = [&](double width, unsigned parts, double side) {
    all.add((m.gated_ffn ? 2 : 1) * width, side, parts);
    all.add(side, width, parts);
  };
  add_network(m.ffn_size / t, dense, m.hidden_size);
  add_network(static_cast<double>(m.moe.ffn_size) / cut.expert_tensor_ranks(), moe, state);
  add_network(m.moe.shared_ffn_size / t, moe, m.hidden_size);
  return all;
}

namespace detail {

/// Values of the four matrices of a dense layer with plain heads, one of each shape; 0 where two of
/// them have the same, or the model has other layers.
constexpr double distinct_dense_values(const transformer& m, const parallelism& cut) {
  if (m.moe.experts > 0 || attention_kind_of(m) != attention_kind::heads) return 0;
  if (m.value_dim > 0 || m.keys_as_values || m.sparse.heads > 0 || has_two_head_sizes(m)) return 0;
  const double t = cut.tensor;
  const double h = m.hidden_size;
  const double key_heads = m.key_value_heads() / t;
  const double queries = m.attention_heads / t * m.query_head_dim();
  const double all =
      queries + 2 * (key_heads > 1 ? key_heads : 1) * static_cast<double>(m.query_head_dim());
  const double width = m.ffn_size / t;
  const double first = (m.gated_ffn ? 2 : 1) * width;
  const bool alike = all == first || queries == width || (all == h && width == h) ||
                     (first == h && (queries == h || width == h));
  return alike ? 0 : h * (all + queries + first + width);
}

}  // namespace detail

/// Whether products add weight gradients to the accumulated ones, and return one that nobody reads.
constexpr bool returns_unused_gradients(const recipe& how, const kernel_memory& kernels) {
  return how.framework == framework::transformer_engine && kernels.gradients_unused &&
         how.gradient_accumulation_fusion != software_choice::off && !how.adapts();
}

/// Gradients that nobody reads, by the layers that a stage holds.
struct unused_by_layers {
  bytes dense{};
  bytes moe{};
  bytes both{};

  [[nodiscard]] constexpr bytes of(bool has_dense, bool has_moe) const {
    if (has_dense) return has_moe ? both : dense;
    return has_moe ? moe : bytes{0};
  }
};

/// Gradients that nobody reads: one of each distinct shape of the layers that a stage holds, kept
/// from the first backward pass on.
///
///     2 sum of R C    over distinct shapes R x C of the matrices on a rank
///
/// in bytes, for 16-bit weights; 4 beside weights kept in FP32, whose format they have.
///
/// Holds: gradient accumulation fused into the products of Transformer Engine.
///
/// Source: NVIDIA, "Transformer Engine", pytorch/module/base.py, get_dummy_wgrad (2025).
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr unused_by_layers unused_gradients_of(const transformer& m, const recipe& how,
                                               const parallelism& cut,
                                               const kernel_memory& kernels) {
  if (!returns_unused_gradients(how, kernels)) return {};
  const activation_bytes per = bytes_per_activation(how.precision);
  const bytes value = how.weights == weight_storage::fp32 ? per.statistic : per.value;
  if (const double dense = detail::distinct_dense_values(m, cut); dense > 0) [[likely]]
    return {.dense = dense * value, .moe = {}, .both = dense * value};
  const weight_shapes shapes = weight_shapes_of(m, cut);
  return {.dense = shapes.values(weight_shapes::dense_layers) * value,
          .moe = shapes.values(weight_shapes::moe_layers) * value,
          .both = shapes.values(weight_shapes::dense_layers | weight_shapes::moe_layers) * value};
}

}  // namespace gpuplan
