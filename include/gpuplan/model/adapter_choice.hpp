#pragma once
/// \file
/// What a recipe says of low-rank adapters (LoRA): where they are, what their frozen base is kept
/// as, and what is trained beside them.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Which maps of a layer have adapters.
enum class adapter_place { attention, attention_and_ffn };

/// A linear map that has an adapter of its own, as model code names its matrices.
enum class adapted_map : unsigned {
  query = 1,
  key = 2,
  value = 4,
  output = 8,  ///< of attention
  gate = 16,
  up = 32,
  down = 64
};

/// Some of them.
struct map_set {
  unsigned bits = 0;

  [[nodiscard]] constexpr bool has(adapted_map one) const {
    return (bits & static_cast<unsigned>(one)) != 0;
  }
  friend constexpr bool operator==(const map_set&, const map_set&) = default;
};
inline constexpr unsigned all_maps = 127;

/// What frozen matrices beside adapters are kept as; tables and vectors stay as they are.
enum class base_weights {
  by_precision,  ///< as formats_of(precision) says
  int8,          ///< one FP32 scale for each row, which is not counted (LLM.int8)
  fp8,           ///< one FP32 scale a matrix, likewise
  int4,          ///< integers in blocks with a scale each, unpacked step by step (GPTQ)
  nf4            ///< quantiles in such blocks, brought back by one kernel (QLoRA)
};

/// How 4-bit weights are scaled.
struct weight_blocks {
  int size = 64;                    ///< weights that share one scale; >= 1
  bool double_quantization = true;  ///< scales in 8 bits, with one FP32 scale for 256 of them
};

/// Tables that are trained in full beside adapters.
enum class trained_table : unsigned { embedding = 1, head = 2 };

/// Some of them.
struct table_set {
  unsigned bits = 0;

  [[nodiscard]] constexpr bool has(trained_table one) const {
    return (bits & static_cast<unsigned>(one)) != 0;
  }
  friend constexpr bool operator==(const table_set&, const table_set&) = default;
};
inline constexpr unsigned all_tables = 3;

/// Low-rank adapters beside weights that are frozen (LoRA).
struct adapters {
  int rank = 0;  ///< of each adapter; 0: none, and every parameter is trained
  adapter_place place = adapter_place::attention;
  map_set maps{};  ///< one adapter each, in place of what `place` says; none: as `place` says
  gpuplan::base_weights base = base_weights::by_precision;
  weight_blocks blocks{};
  table_set trained_tables{};

  /// Whether an adapter reads what a map reads: of attention; of the network; of its last map.
  [[nodiscard]] constexpr bool read_attention_input() const {
    using enum adapted_map;
    return maps.bits == 0 || maps.has(query) || maps.has(key) || maps.has(value);
  }
  [[nodiscard]] constexpr bool read_ffn_input() const {
    using enum adapted_map;
    if (maps.bits == 0) return place == adapter_place::attention_and_ffn;
    return maps.has(gate) || maps.has(up);
  }
  [[nodiscard]] constexpr bool read_ffn_product() const {
    if (maps.bits == 0) return place == adapter_place::attention_and_ffn;
    return maps.has(adapted_map::down);
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const adapters& chosen) {
  require(chosen.rank >= 0, "recipe.adapters.rank must be >= 0");
  require(chosen.maps.bits <= all_maps, "recipe.adapters.maps must be a set of adapted_map");
  require(chosen.blocks.size >= 1, "recipe.adapters.blocks.size must be >= 1 weight");
  require(chosen.trained_tables.bits <= all_tables,
          "recipe.adapters.trained_tables must be a set of trained_table");
}

}  // namespace gpuplan
