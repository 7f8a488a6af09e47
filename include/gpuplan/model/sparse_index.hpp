#pragma once
/// \file
/// The index of sparse attention: small heads that score which tokens a query attends to.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// An index of tokens beside latent attention.
struct sparse_index {
  int heads = 0;       ///< of its queries; >= 1
  int head_dim = 0;    ///< of queries and of the one key; >= 1
  int query_rank = 0;  ///< width of the latent that its queries are made of; >= 1
};

/// Parameters of the index in one layer: queries, keys, weights of heads, a LayerNorm of the keys.
///
///     q a d + h d + h a + 2 d
///
///     q  query_rank                count, >= 1
///     a  heads                     count, >= 1
///     d  head_dim                  count, >= 1
///     h  hidden_size, of the model count, >= 1
///
/// Holds: queries are made of the latent of latent attention, keys of the hidden state.
///
/// Source: DeepSeek-AI, "DeepSeek-V3.2: Pushing the Frontier of Open Large Language Models" (2025),
/// section 2.1, arXiv:2512.02556.
///
/// \throws invalid_input if a size is < 1
constexpr double sparse_index_parameters(const sparse_index& index, int hidden_size) {
  require(index.heads >= 1, "sparse_index_parameters: heads must be >= 1");
  require(index.head_dim >= 1, "sparse_index_parameters: head_dim must be >= 1");
  require(index.query_rank >= 1, "sparse_index_parameters: query_rank must be >= 1");
  require(hidden_size >= 1, "sparse_index_parameters: hidden_size must be >= 1");
  const double q = index.query_rank;
  const double a = index.heads;
  const double d = index.head_dim;
  const double h = hidden_size;
  return q * a * d + h * d + h * a + 2 * d;
}

}  // namespace gpuplan
