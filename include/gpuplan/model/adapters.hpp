#pragma once
/// \file
/// Low-rank adapters (LoRA): which matrices of a layer have them, and their parameters.

#include <array>
#include <cstddef>

#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A linear map on one rank: what it reads and what it writes.
struct linear_map {
  double inputs{};   ///< >= 1
  double outputs{};  ///< >= 1
};

/// The adapted maps of one layer.
struct adapted_maps {
  static constexpr std::size_t capacity = 8;  ///< a latent attention's five, a network's three
  std::array<linear_map, capacity> list{};
  std::size_t size = 0;

  [[nodiscard]] constexpr auto begin() const { return list.begin(); }
  [[nodiscard]] constexpr auto end() const {
    return list.begin() + static_cast<std::ptrdiff_t>(size);
  }
  constexpr void add(double inputs, double outputs) { list[size++] = {inputs, outputs}; }

  /// Inputs and outputs of all: parameters for each rank of the adapters.
  [[nodiscard]] constexpr double sides() const {
    double sum = 0;
    for (const linear_map& map : *this) sum += map.inputs + map.outputs;
    return sum;
  }
  /// The narrowest side: no adapter has a higher rank.
  [[nodiscard]] constexpr double narrowest() const {
    double least = size == 0 ? 0 : list[0].inputs;
    for (const linear_map& map : *this) {
      if (map.inputs < least) least = map.inputs;
      if (map.outputs < least) least = map.outputs;
    }
    return least;
  }
};

namespace detail {

/// The maps that a recipe chose one by one, each with an adapter of its own: attention's by heads,
/// latent ones whole.
constexpr adapted_maps chosen_maps_of(const transformer& m, const map_set& chosen, double width,
                                      const parallelism& cut) {
  using enum adapted_map;
  const double t = cut.tensor;
  const double h = m.hidden_size;
  const double key_heads = m.key_value_heads() / t;
  adapted_maps all;
  const auto add = [&](adapted_map one, double inputs, double outputs) {
    if (chosen.has(one) && outputs > 0) all.add(inputs, outputs);
  };
  visit_attention_maps(m, m.attention_heads / t, key_heads > 1 ? key_heads : 1,
                       [&](const attention_map& map) {
                         const bool last = map.name == "attention output";
                         if (last) return add(output, map.inputs, map.query_outputs);
                         add(query, map.inputs, map.query_outputs);
                         if (attention_kind_of(m) == attention_kind::latent) {
                           if (chosen.has(key) || chosen.has(value))
                             if (map.key_outputs > 0) all.add(map.inputs, map.key_outputs);
                           return;
                         }
                         add(key, map.inputs, map.key_outputs / 2);
                         add(value, map.inputs, map.key_outputs / 2);
                       });
  if (width == 0) return all;
  if (m.gated_ffn) add(gate, h, width / t);
  add(up, h, width / t);
  add(down, width / t, h);
  return all;
}

}  // namespace detail

/// The maps of a layer that have adapters, on one rank: those of attention, queries, keys and
/// values as one; and where the recipe says so those of the dense network, or of the shared
/// experts, gate and first map as one.  Routed experts, the router, embedding and head have none.
///
///     (h, (a + 2 g) d / t), (a d / t, h);  (h, n f / t), (f / t, h)
///
///     h, f  hidden_size, width of the network   a, g  query and key-value heads, of width d
///     n     2 gated, 1 plain                    t     cut.tensor
///
/// The side of a map that ranks share is cut with it, the other is whole on each.  Maps that the
/// recipe names one by one have one each: queries, keys and values apart, gate and first map apart.
///
/// Source: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", ICLR (2022),
/// section 4, arXiv:2106.09685; NVIDIA, "NeMo", nemo/collections/llm/peft/lora.py (2025); Hugging
/// Face, "PEFT", LoraConfig, target_modules (2025).
///
/// \throws invalid_input if cut.tensor < 1
constexpr adapted_maps adapted_maps_of(const transformer& m, layer_kind kind,
                                       const adapters& beside, const parallelism& cut) {
  require(cut.tensor >= 1, "adapted_maps_of: parallelism.tensor must be >= 1");
  const double t = cut.tensor;
  const double width = kind == layer_kind::moe ? m.moe.shared_ffn_size : m.ffn_size;
  if (beside.maps.bits != 0) return detail::chosen_maps_of(m, beside.maps, width, cut);
  adapted_maps all;
  const double key_heads = m.key_value_heads() / t;
  visit_attention_maps(m, m.attention_heads / t, key_heads > 1 ? key_heads : 1,
                       [&](const attention_map& map) { all.add(map.inputs, map.outputs()); });
  if (beside.place == adapter_place::attention || width == 0) return all;
  all.add(m.hidden_size, (m.gated_ffn ? 2 : 1) * width / t);
  all.add(width / t, m.hidden_size);
  return all;
}

/// Parameters of the adapters of one layer, on one rank: r (inputs + outputs) of each map.
///
/// Source: E. Hu et al. (2022) as above, section 4.1.
///
/// \throws invalid_input as adapted_maps_of does, or if adapters.rank < 0
constexpr double adapter_parameters(const transformer& m, layer_kind kind, const adapters& beside,
                                    const parallelism& cut) {
  require(beside.rank >= 0, "adapter_parameters: adapters.rank must be >= 0");
  return beside.rank * adapted_maps_of(m, kind, beside, cut).sides();
}

/// Whether PyTorch alone trains: adapters are FP32 beside a 16-bit base, and a table that is
/// trained beside them is a copy, in the base's format as all that belongs to it.
///
/// Source: Hugging Face, "PEFT", autocast_adapter_dtype and modules_to_save (2024).
constexpr bool adapts_with_pytorch(const recipe& how) {
  return how.framework == framework::fsdp || how.framework == framework::fsdp2;
}

/// Whether a table of the vocabulary is trained: without adapters, or beside them where it is
/// named; tied tables are one, of which PyTorch alone trains copies apart.
///
/// Source: as adapts_with_pytorch.
constexpr bool trains_table(const transformer& m, const recipe& how, trained_table which) {
  if (!how.adapts()) return true;
  const table_set& chosen = how.adapters.trained_tables;
  const bool by_the_other = m.tied_embeddings && !adapts_with_pytorch(how) && chosen.bits != 0;
  return chosen.has(which) || by_the_other;
}

/// How many tables of the vocabulary a rank trains that has these ends of the model; where one
/// table is both, it counts once.
///
/// Source: as adapts_with_pytorch.
constexpr int trained_tables_on_rank(const transformer& m, const recipe& how, bool has_embedding,
                                     bool has_head, bool one_table) {
  const bool first = has_embedding && trains_table(m, how, trained_table::embedding);
  const bool last = has_head && trains_table(m, how, trained_table::head);
  return one_table ? (first || last ? 1 : 0) : (first ? 1 : 0) + (last ? 1 : 0);
}

}  // namespace gpuplan
