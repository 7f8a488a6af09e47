#pragma once
/// \file
/// The linear maps of a layer that have low-rank adapters.

#include <vector>

#include <gpuplan/model/adapter_choice.hpp>

#include "memory/walk/job.hpp"
#include "memory/walk/tensor.hpp"

namespace gpuplan::testing {

/// A map with an adapter: what it reads and writes on one rank.
struct adapted_sides {
  double inputs = 0;
  double outputs = 0;
  bool of_network = false;
};

namespace detail {

/// The maps that a recipe adapts as one: queries, keys and values; gate and up.
inline std::vector<adapted_sides> joint_maps(const walked_job& job, double width) {
  const transformer& m = job.model;
  const latent_attention& latent = m.latent;
  const rank_heads heads = heads_of(job);
  const double h = m.hidden_size;
  const double query = heads.queries * m.query_head_dim();
  std::vector<adapted_sides> all;
  if (latent.kv_rank > 0) {
    const double expanded = heads.queries * (latent.content_head_dim + latent.value_head_dim);
    if (latent.query_rank > 0) all.push_back({h, 1.0 * latent.query_rank});
    all.push_back({latent.query_rank > 0 ? latent.query_rank : h, query});
    all.push_back({h, 1.0 * latent.kv_rank + latent.rope_head_dim});
    all.push_back({1.0 * latent.kv_rank, expanded});
  } else {
    all.push_back({h, query + 2 * heads.keys * m.query_head_dim()});
  }
  all.push_back({heads.queries * m.value_head_dim(), h});
  if (job.recipe.adapters.place == adapter_place::attention || width == 0) return all;
  all.push_back({h, (m.gated_ffn ? 2 : 1) * width, true});
  all.push_back({width, h, true});
  return all;
}

/// The maps that a recipe names one by one.  A latent map serves keys and values at once.
inline std::vector<adapted_sides> named_maps(const walked_job& job, double width) {
  using enum adapted_map;
  const transformer& m = job.model;
  const latent_attention& latent = m.latent;
  const map_set& chosen = job.recipe.adapters.maps;
  const rank_heads heads = heads_of(job);
  const double h = m.hidden_size;
  const double queries = heads.queries * m.query_head_dim();
  std::vector<adapted_sides> all;
  if (latent.kv_rank > 0) {
    const double expanded = heads.queries * (latent.content_head_dim + latent.value_head_dim);
    if (chosen.has(query) && latent.query_rank > 0) all.push_back({h, 1.0 * latent.query_rank});
    if (chosen.has(query)) all.push_back({latent.query_rank > 0 ? latent.query_rank : h, queries});
    if (chosen.has(key) || chosen.has(value)) {
      all.push_back({h, 1.0 * latent.kv_rank + latent.rope_head_dim});
      all.push_back({1.0 * latent.kv_rank, expanded});
    }
  } else {
    if (chosen.has(query)) all.push_back({h, queries});
    if (chosen.has(key)) all.push_back({h, heads.keys * m.query_head_dim()});
    if (chosen.has(value)) all.push_back({h, heads.keys * m.query_head_dim()});
  }
  if (chosen.has(output)) all.push_back({heads.queries * m.value_head_dim(), h});
  if (width == 0) return all;
  if (chosen.has(gate) && m.gated_ffn) all.push_back({h, width, true});
  if (chosen.has(up)) all.push_back({h, width, true});
  if (chosen.has(down)) all.push_back({width, h, true});
  return all;
}

}  // namespace detail

/// The adapted maps of a layer, whose network is the dense one or that of the shared experts.
inline std::vector<adapted_sides> adapted_sides_of(const walked_job& job, walked_layer kind) {
  if (job.recipe.adapters.rank == 0) return {};
  if (kind == walked_layer::encoder || kind == walked_layer::prediction) return {};
  const transformer& m = job.model;
  const double width =
      static_cast<double>(kind == walked_layer::moe ? m.moe.shared_ffn_size : m.ffn_size) /
      job.parallelism.tensor;
  return job.recipe.adapters.maps.bits != 0 ? detail::named_maps(job, width)
                                            : detail::joint_maps(job, width);
}

}  // namespace gpuplan::testing
