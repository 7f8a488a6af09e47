#pragma once
/// \file
/// Another tool's model of memory, for the benchmark that searches that tool's space: which
/// candidates Calculon counts depends on which fit by its own account.

#include <algorithm>

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::calculon {

/// What tensor ranks say to each other: all-reduces, with hops between stages whole or split; or
/// reduce-scatters and all-gathers, with what lies between blocks split too.
enum class messages { all_reduce, split_hops, scatter_gather };

/// Whether a product and its message are cut into tiles that overlap, and how tiles start.
enum class tiling { none, ring, pipe };

/// One way to train, as Calculon's search tries it.
struct execution {
  int tensor = 1;
  int pipeline = 1;
  int data = 1;
  int interleave = 1;
  int batch = 1;
  int micro_batch = 1;
  gpuplan::recompute recompute{};
  calculon::messages messages{};
  calculon::tiling tiling{};
  bool gathers_again = false;  ///< in the backward pass, where it might keep what it gathered
  bool sharded_optimizer = false;
  bool fused_activation = true;  ///< as its search has it
};

/// What a block of the model holds of one micro-batch, and its weights.
struct block_memory {
  double weights = 0;            ///< count
  bytes kept{};                  ///< for the backward pass
  bytes working{};               ///< while it runs
  bytes activation_gradients{};  ///< while it runs backward
};

/// What a GPU of the first stage holds.
struct memory {
  bytes weights{};
  bytes gradients{};
  bytes optimizer{};
  bytes activations{};
  bytes checkpoints{};
  bytes activation_gradients{};

  [[nodiscard]] constexpr bytes total() const {
    return weights + gradients + optimizer + activations + checkpoints + activation_gradients;
  }
};

/// Of one block, in 16-bit numbers and 8-bit dropout masks.  With N = micro_batch s tokens:
///
///     q  elements between blocks       N h, or N h / t where messages scatter
///     a  elements between its halves   N h
///     g  elements of one of Q, K, V    N h_a / t, h_a all heads together
///     f  inner elements                N h_f / t
///     s  attention scores              micro_batch s^2 heads / t
constexpr block_memory block_of(const transformer& m, int sequence_length, const execution& e) {
  const double t = e.tensor;
  const double tokens = static_cast<double>(e.micro_batch) * sequence_length;
  const double width =
      m.head_dim > 0 ? static_cast<double>(m.head_dim) * m.attention_heads : m.hidden_size;
  const bool scattered = e.messages == messages::scatter_gather;
  const double a = tokens * m.hidden_size;
  const double q = scattered ? a / t : a;
  const double g = tokens * width / t;
  const double f = tokens * m.ffn_size / t;
  const double s = tokens * sequence_length * m.attention_heads / t;
  const double activation = e.fused_activation ? 0 : f;

  // Halves: their inputs and dropout masks.  Attention: queries, keys and values, scores before and
  // after the softmax, the mask.
  const double masks = 2 * q + s;
  double working = 2 * q + 3 * g + 2 * s + activation;
  double kept = working;
  double gradients = 4 * q + g + 2 * s + activation;
  if (e.tiling == tiling::none) {
    const double ends = e.tensor > 1 ? q : 0;
    working += 2 * a + g + f + 2 * ends + (scattered ? 2 * ends : 0);
    kept += g + f + (scattered ? 2 * ends : 0);
    if (!e.gathers_again) kept += e.recompute == recompute::none ? 2 * a : a;
    gradients += 2 * a + 3 * g + f + (scattered ? 4 : 2) * ends;
  } else {
    const double tiles = 2 * q + (scattered ? g + f : 0);
    working += tiles;
    kept += tiles;
    gradients += 4 * q + (scattered ? 3 * g + f : 0);
  }
  const bytes element{2};
  const bytes mask{1};
  block_memory block{
      .weights = m.hidden_size * (4 * width + 2.0 * m.ffn_size) / t + 4.0 * m.hidden_size,
      .kept = kept * element + masks * mask,
      .working = working * element + masks * mask,
      .activation_gradients = gradients * element + masks * mask};
  if (e.recompute != recompute::none) block.kept -= 2 * s * element + s * mask;
  if (e.recompute == recompute::full) block.kept = bytes{0};
  return block;
}

/// Of a stage of Calculon's interleaved 1F1B: 16-bit weights and gradients, one block's gradients
/// in 32 bits, 12 bytes of optimizer a weight; every block of every micro-batch in flight.
///
/// Source: M. Isaev, N. McDonald, L. Dennison and R. Vuduc, "Calculon: a Methodology and Tool for
/// High-Level Co-Design of Systems and Large Language Models", SC23, Denver (2023), doi
/// 10.1145/3581784.3607102, and what version 0.1.0 prints.
constexpr memory memory_of(const transformer& m, int sequence_length, const execution& e) {
  const block_memory block = block_of(m, sequence_length, e);
  const double blocks = (m.layers + e.pipeline - 1) / e.pipeline;
  const double shards = e.sharded_optimizer ? e.data : 1;
  const int micro_batches = e.batch / (e.data * e.micro_batch);
  const double more = e.interleave > 1 ? (e.pipeline - 1.0) / (e.interleave * e.pipeline) : 0;
  const double in_flight = (std::min)(micro_batches, e.pipeline) * (1 + more);
  const bool full = e.recompute == recompute::full;
  const bytes input =
      2.0 * e.micro_batch * sequence_length * m.hidden_size * bytes{1};  // of a block, never split

  return {.weights = 2 * blocks * block.weights * bytes{1},
          .gradients = (4 + 2 * (blocks - 1) / shards) * block.weights * bytes{1},
          .optimizer = 12 * blocks / shards * block.weights * bytes{1},
          .activations = block.working + block.kept * (blocks * in_flight - 1),
          .checkpoints = full ? blocks * in_flight * input : bytes{0},
          .activation_gradients = block.activation_gradients};
}

}  // namespace gpuplan::calculon
