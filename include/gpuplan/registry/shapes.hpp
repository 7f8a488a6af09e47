#pragma once
/// \file
/// Small descriptions that the callables of rows make of their inputs.

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Sizes of a GPT.
struct gpt_sizes {
  int layers = 1;
  int hidden_size = 1;
  int heads = 1;
  int ffn_size = 1;
  int vocabulary = 1;
};

/// A GPT: LayerNorm, biases, tied head, no position table.
constexpr transformer gpt(const gpt_sizes& of) {
  return {.layers = of.layers,
          .hidden_size = of.hidden_size,
          .attention_heads = of.heads,
          .ffn_size = of.ffn_size,
          .vocabulary_size = of.vocabulary,
          .positions = position_encoding::none,
          .norm = normalization::layer_norm,
          .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};
}

/// A GPT with a table of positions, of layers, hidden size, heads, FFN width, vocabulary, rows.
constexpr transformer gpt2_shape(inputs x) {
  transformer m = gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3]), whole(x[4])});
  m.positions = position_encoding::learned;
  m.position_rows = whole(x[5]);
  return m;
}

/// One layer of which the attention heads alone matter.
constexpr transformer heads_of(int heads, int kv_heads, int width) {
  transformer m = gpt({1, whole(1.0 * heads * width), heads, 1, 1});
  m.kv_heads = kv_heads;
  m.head_dim = width;
  return m;
}

/// No workspaces, no context, no slack: the memory of the formulas alone.
inline constexpr workspace nothing_beside{.cublas = bytes{0},
                                          .transformer_engine = bytes{0},
                                          .cuda_context = bytes{0},
                                          .communicator = bytes{0},
                                          .fragmentation = 0};

}  // namespace gpuplan::registry
