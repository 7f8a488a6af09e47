#pragma once
/// \file
/// The weight matrices that products of a layer read, by shape.

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "memory/walk/job.hpp"
#include "memory/walk/layer.hpp"

namespace gpuplan::testing {

/// Rows and columns of a matrix on one rank.
using matrix_sides = std::pair<double, double>;

namespace detail {

inline void add_attention_shapes(std::set<matrix_sides>& to, const walked_job& job) {
  const transformer& m = job.model;
  const rank_heads heads = heads_of(job);
  const double h = m.hidden_size;
  const double query = heads.queries * m.query_head_dim();
  if (const latent_attention& latent = m.latent; latent.kv_rank > 0) {
    if (latent.query_rank > 0) to.insert({latent.query_rank, h});
    to.insert({query, latent.query_rank > 0 ? latent.query_rank : h});
    to.insert({latent.kv_rank + latent.rope_head_dim, h});
    to.insert({heads.queries * (latent.content_head_dim + latent.value_head_dim), latent.kv_rank});
  } else {
    to.insert({query + heads.keys * (m.query_head_dim() + m.value_head_dim()), h});
  }
  to.insert({h, heads.queries * m.value_head_dim()});
}

inline void add_network_shapes(std::set<matrix_sides>& to, const transformer& m, double side,
                               double width) {
  if (width == 0) return;
  to.insert({(m.gated_ffn ? 2 : 1) * width, side});
  to.insert({side, width});
}

}  // namespace detail

/// The distinct shapes of a layer's linear maps: queries, keys and values as one map, gate and up as
/// one, each expert apart.  Not of the router, which is no linear map of those that are quantised.
inline std::set<matrix_sides> product_shapes(const walked_job& job, walked_layer kind) {
  const transformer& m = job.model;
  const double ranks_of_tensor = job.parallelism.tensor;
  std::set<matrix_sides> all;
  detail::add_attention_shapes(all, job);
  if (kind == walked_layer::moe || (kind == walked_layer::prediction && m.moe.experts > 0)) {
    const double ranks = job.parallelism.expert_tensor_ranks();
    const double h = m.hidden_size;
    const double state = m.moe.latent_size > 0 ? m.moe.latent_size : h;
    if (state < h) all.insert({{state, h}, {h, state}});
    detail::add_network_shapes(all, m, state, m.moe.ffn_size / ranks);
    detail::add_network_shapes(all, m, h, m.moe.shared_ffn_size / ranks_of_tensor);
  } else {
    detail::add_network_shapes(all, m, m.hidden_size, m.ffn_size / ranks_of_tensor);
  }
  return all;
}

/// Gradients that nobody reads: Transformer Engine's products add to the accumulated gradient and
/// return one of each shape, in the weights' format, which it keeps for all matrices of that shape.
inline bytes unused_gradient_size(const walked_job& job, const std::vector<piece>& held) {
  const recipe& how = job.recipe;
  if (how.framework != framework::transformer_engine || how.adapters.rank > 0) return bytes{0};
  if (!job.workspace.kernels.gradients_unused) return bytes{0};
  if (how.gradient_accumulation_fusion == software_choice::off) return bytes{0};
  std::set<matrix_sides> shapes;
  for (const piece& one : held)
    for (const walked_layer kind : one.layers) shapes.merge(product_shapes(job, kind));
  double values = 0;
  for (const auto& [rows, columns] : shapes) values += rows * columns;
  return values *
         (how.weights == weight_storage::fp32 ? sizes_of(job).full : sizes_of(job).activation);
}

/// The 16-bit copy of a quantised frozen matrix that its product reads, of the largest one.
inline bytes dequantised_size(const walked_job& job, walked_layer kind) {
  const base_weights base = job.recipe.adapters.base;
  const bool needed = base == base_weights::nf4 || base == base_weights::int8;
  if (job.recipe.adapters.rank == 0 || !needed) return bytes{0};
  double largest = 0;
  for (const auto& [rows, columns] : product_shapes(job, kind))
    largest = (std::max)(largest, rows * columns);
  return largest * sizes_of(job).activation;
}

}  // namespace gpuplan::testing
