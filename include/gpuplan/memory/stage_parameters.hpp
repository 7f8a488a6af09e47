#pragma once
/// \file
/// The parameters of one rank, by the ranks that share them and by optimizer treatment.

#include <algorithm>

#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Parameters on one rank, of a layer or of many.
struct rank_parameters {
  double matrices{};       ///< of layers, but for routed experts
  double vectors{};        ///< norms, biases, sinks
  double tables{};         ///< embeddings and the head
  double experts{};        ///< routed experts, held by parallelism.expert_replicas() ranks
  double sides{};          ///< rows and columns of the matrices and tables
  double expert_sides{};   ///< rows and columns of the routed experts
  double tensors{};        ///< how many tensors, but for routed experts
  double largest_table{};  ///< the largest tensor that is not divided by layers

  /// Held by every one of data x context ranks.
  [[nodiscard]] constexpr double dense() const { return matrices + vectors + tables; }
  [[nodiscard]] constexpr double total() const { return dense() + experts; }

  friend constexpr rank_parameters operator+(const rank_parameters& a, const rank_parameters& b) {
    return {a.matrices + b.matrices, a.vectors + b.vectors,
            a.tables + b.tables,     a.experts + b.experts,
            a.sides + b.sides,       a.expert_sides + b.expert_sides,
            a.tensors + b.tensors,   (std::max)(a.largest_table, b.largest_table)};
  }
  friend constexpr rank_parameters operator*(double n, const rank_parameters& a) {
    return {n * a.matrices, n * a.vectors,      n * a.tables,  n * a.experts,
            n * a.sides,    n * a.expert_sides, n * a.tensors, a.largest_table};
  }
};

namespace detail {

/// Matrices of a layer, each of which has hidden_size rows or columns, or a latent's.
constexpr double matrices_of_layer(const transformer& m, const layer_parameters& layer) {
  const double attention = attention_maps(m);
  const double ffn = layer.ffn_weights > 0 ? 2 : 0;
  const double latent = m.moe.latent_size > 0 ? 3 : 1;  // the router, maps to a narrower state
  return attention * (layer.cross_attention > 0 ? 2 : 1) + ffn + (layer.router > 0 ? latent : 0) +
         (layer.shared_experts > 0 ? 2 : 0);
}

/// Weights that a rank of t has of keys and values beside its share, as it has a whole head.
constexpr double whole_head_weights(const transformer& m, double t) {
  if (has_two_head_sizes(m)) [[unlikely]]
    return mean_over_windows(m, [&](const transformer& one) { return whole_head_weights(one, t); });
  const double value_heads = expanded_key_heads(m);
  return (std::max)(1 - value_heads / t, 0.0) * m.hidden_size * mapped_key_width(m);
}

}  // namespace detail

/// Parameters of one layer on one rank: what is divided over t, what is replicated whole, the
/// routed experts over e x.  With fewer key-value heads than ranks each rank holds a whole one.
///
///     t  cut.tensor, e  cut.expert, x  cut.expert_tensor_ranks()
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
[[gnu::always_inline]] constexpr rank_parameters parameters_on_rank(const transformer& m,
                                                                    const layer_parameters& layer,
                                                                    const tensor_split& split,
                                                                    const parallelism& cut) {
  const double h = m.hidden_size;
  const double t = cut.tensor;
  const double norms = layer.norms + layer.query_key_norms + layer.latent_norms;
  const double biases = layer.attention_biases + layer.ffn_biases + layer.attention_sinks;
  const double blocks = layer.cross_attention > 0 ? 2 : 1;

  rank_parameters held{.vectors = norms + biases / t,
                       .experts = split.experts / cut.expert / cut.expert_tensor_ranks()};
  held.matrices = split.replicated + split.divided / t - held.vectors +
                  blocks * detail::whole_head_weights(m, t);
  held.tensors = detail::matrices_of_layer(m, layer) + norms / h + (biases > 0 ? 2 : 0);
  held.sides = held.matrices / h + detail::matrices_of_layer(m, layer) * h;
  const double expert_matrices = (m.gated_ffn ? 3 : 2) * static_cast<double>(m.moe.experts);
  if (held.experts > 0) held.expert_sides = held.experts / h + expert_matrices / cut.expert * h;
  return held;
}

/// Parameters of one layer of the decoder on one rank.
///
/// Source: as parameters_on_rank.
///
/// \throws invalid_input if kind is moe and the model has no experts
constexpr rank_parameters layer_on_rank(const transformer& m, layer_kind kind,
                                        const parallelism& cut) {
  const layer_parameters layer = parameters_of_layer(m, kind);
  return parameters_on_rank(m, layer, tensor_split_of_layer(m, kind, layer), cut);
}

/// A table of the vocabulary on one rank: embedding or head.
///
///     V h / t
///
///     V  vocabulary, padded       count, >= 1
///     h  hidden size              count, >= 1
///     t  tensor-parallel ranks    count, >= 1
///
/// Holds: t divides V.
///
/// Source: NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
constexpr rank_parameters table_on_rank(const transformer& m, const parallelism& cut) {
  const double rows = static_cast<double>(m.vocabulary_size) / cut.tensor;
  const double width = m.embedding_width();
  return {
      .tables = rows * width, .sides = rows + width, .tensors = 1, .largest_table = rows * width};
}

/// What the first stage holds beside its layers: the embeddings of tokens, positions and types.
///
/// Source: as table_on_rank.
constexpr rank_parameters first_stage_on_rank(const transformer& m,
                                              const transformer_parameters& count,
                                              const parallelism& cut) {
  rank_parameters held = table_on_rank(m, cut);
  const double h = m.hidden_size;
  for (const double table : {count.position_embedding, count.type_embedding}) {
    if (table == 0) continue;
    held.tables += table;
    held.sides += table / h + h;
    held.tensors += 1;
    held.largest_table = (std::max)(held.largest_table, table);
  }
  held.vectors += count.embedding_norm;
  held.matrices += count.embedding_projection / 2 / cut.tensor;
  return held;
}

/// What the last stage holds beside its layers and the head: final norms, pooler, transforms.
///
/// Source: as table_on_rank.
constexpr rank_parameters last_stage_on_rank(const transformer& m,
                                             const transformer_parameters& count,
                                             const parallelism& cut) {
  return {
      .matrices = count.pooler + count.head_transform + count.embedding_projection / 2 / cut.tensor,
      .vectors = count.final_norms + count.head_bias / cut.tensor,
      .tensors = count.final_norms / m.hidden_size};
}

}  // namespace gpuplan
