#pragma once
/// \file
/// The index of sparse attention: small heads that score which tokens a query attends to.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// An index of tokens in some layers of a model; none where heads is 0.
struct sparse_index {
  int heads = 0;             ///< of its queries; 0: no index
  int head_dim = 0;          ///< of queries and of the one key; >= 1
  int query_rank = 0;        ///< of the latent that queries are made of; 0: of the hidden state
  bool head_weights = true;  ///< each head's score is weighed by a map of the hidden state
  int tokens = 0;            ///< that a query attends to at most; >= 1
  int block = 1;             ///< tokens that are chosen together; >= 1
  int layers = 0;            ///< that have an index of their own; >= 1
  int attending_layers = 0;  ///< that attend to what an index chose; >= layers

  friend constexpr bool operator==(const sparse_index&, const sparse_index&) = default;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const sparse_index& index) {
  require(index.heads >= 0, "sparse_index.heads must be >= 0");
  if (index.heads == 0) return;
  require(index.head_dim >= 1, "sparse_index.head_dim must be >= 1");
  require(index.query_rank >= 0, "sparse_index.query_rank must be >= 0");
  require(index.tokens >= 1, "sparse_index.tokens must be >= 1");
  require(index.block >= 1, "sparse_index.block must be >= 1");
  require(index.layers >= 1, "sparse_index.layers must be >= 1");
  require(index.attending_layers >= index.layers,
          "sparse_index.attending_layers must be >= sparse_index.layers");
}

/// A linear map of an index, whole on every tensor-parallel rank.
struct index_map {
  double inputs{};
  double outputs{};
};

/// Calls visit(map) for each linear map of an index: to queries, to the key, to the weights of
/// heads.
///
///     q -> a d,  h -> d,  h -> a
///
///     q, a, d, h  as in sparse_index_parameters
///
/// Source: that of sparse_index_parameters.
template <class Visit>
constexpr void visit_index_maps(const sparse_index& index, int hidden_size, Visit&& visit) {
  const double h = hidden_size;
  const double width = index.head_dim;
  visit(index_map{index.query_rank > 0 ? index.query_rank : h, index.heads * width});
  visit(index_map{h, width});
  if (index.head_weights) visit(index_map{h, static_cast<double>(index.heads)});
}

/// What norms of an index learn: a LayerNorm of its keys, or a scale of queries and one of keys.
constexpr double index_norms(const sparse_index& index) {
  return 2.0 * index.head_dim;
}

/// Parameters of the index in one layer: queries, keys, weights of heads, a LayerNorm of the keys.
///
///     q a d + h d + h a + 2 d
///
///     q  query_rank                count, >= 0
///     a  heads                     count, >= 1
///     d  head_dim                  count, >= 1
///     h  hidden_size, of the model count, >= 1
///
/// Holds: keys are made of the hidden state, queries of the latent of latent attention; where q is
/// 0, of the hidden state, and q is h.  Without head_weights h a is left out.
///
/// Source: DeepSeek-AI, "DeepSeek-V3.2: Pushing the Frontier of Open Large Language Models" (2025),
/// section 2.1, arXiv:2512.02556.
///
/// \throws invalid_input if a size is < 1, or query_rank < 0
constexpr double sparse_index_parameters(const sparse_index& index, int hidden_size) {
  require(index.heads >= 1, "sparse_index_parameters: heads must be >= 1");
  require(index.head_dim >= 1, "sparse_index_parameters: head_dim must be >= 1");
  require(index.query_rank >= 0, "sparse_index_parameters: query_rank must be >= 0");
  require(hidden_size >= 1, "sparse_index_parameters: hidden_size must be >= 1");
  double sum = index_norms(index);
  visit_index_maps(index, hidden_size,
                   [&](const index_map& map) { sum += map.inputs * map.outputs; });
  return sum;
}

/// Operations of the scores of one token, forward: a product with each earlier token's key in each
/// head, and the weighted sum of heads.
///
///     2 k a (d + 1)
///
///     k  tokens that are scored    count, >= 0
///     a  heads                     count, >= 1
///     d  head_dim                  count, >= 1
///
/// Source: DeepSeek-AI, "DeepSeek-V3.2" (2025), equation 1, arXiv:2512.02556.
///
/// \throws invalid_input if span < 0
constexpr double index_operations(const sparse_index& index, double span) {
  require(span >= 0, "index_operations: span must be >= 0 tokens");
  return 2 * span * index.heads * (index.head_dim + 1.0);
}

}  // namespace gpuplan
