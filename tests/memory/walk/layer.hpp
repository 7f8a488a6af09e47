#pragma once
/// \file
/// The layers of a model as lists of tensors, and the layers of each chunk of a pipeline.

#include <algorithm>
#include <vector>

#include "memory/walk/adapter_maps.hpp"
#include "memory/walk/attention_block.hpp"
#include "memory/walk/ffn_block.hpp"
#include "memory/walk/job.hpp"
#include "memory/walk/tensor.hpp"

namespace gpuplan::testing {

namespace detail {

/// The norms beyond two: after attention, and after the network.
inline void add_further_norms(block& of, const walked_job& job, const tokens& seen, int norms) {
  const bytes size = sizes_of(job).norm;
  if (norms > 0) of.add("norm input after network", job.model.hidden_size * seen.own, size);
  if (norms > 1) of.add("norm input after attention", job.model.hidden_size * seen.own, size);
}

/// What joins the state and the embedding of the next token: two norms and a map of both.
inline block joined_tensors(const walked_job& job) {
  const value_sizes size = sizes_of(job);
  const double stream = job.model.hidden_size * decoder_tokens(job).own;
  block all;
  all.add("norm input of state", stream, size.activation);
  all.add("norm input of next embedding", stream, size.activation);
  all.add("input of joining map", 2 * stream, size.product, {.product_input = true});
  return all;
}

/// A low-rank adapter of a map keeps, beside the map's input, what lies between its two maps.
inline void add_adapters(block& of, const walked_job& job, int maps, double all_tokens) {
  const double between = static_cast<double>(job.recipe.adapters.rank) * all_tokens;
  for (int i = 0; i < maps; ++i)
    of.add("between maps of adapter", between, sizes_of(job).activation,
           {.product_input = true, .of_adapter = true});
}

}  // namespace detail

/// The blocks of a layer, in the order of the forward pass.
inline std::vector<block> blocks_of(const walked_job& job, walked_layer kind) {
  const transformer& m = job.model;
  const recipe& how = job.recipe;
  const bool of_encoder = kind == walked_layer::encoder;
  const tokens seen = of_encoder ? encoder_tokens(job) : decoder_tokens(job);
  const bool experts =
      kind == walked_layer::moe || (kind == walked_layer::prediction && m.moe.experts > 0);
  const layer_kind network = experts ? layer_kind::moe : layer_kind::dense;

  std::vector<block> all;
  if (kind == walked_layer::prediction) all.push_back(detail::joined_tensors(job));
  all.push_back(attention_tensors(job, {seen, seen}, true));
  if (m.encoder_layers > 0 && !of_encoder)
    all.push_back(attention_tensors(job, {seen, encoder_tokens(job)}, false));
  all.push_back(ffn_tensors(job, seen, network));
  detail::add_further_norms(all.back(), job, seen, m.norms_per_layer - 2);
  if (how.adapters.rank > 0) {
    int of_network = 0;
    int of_attention = 0;
    for (const adapted_sides& map : adapted_sides_of(job, kind))
      ++(map.of_network ? of_network : of_attention);
    detail::add_adapters(all[all.size() - 2], job, of_attention, seen.all);
    detail::add_adapters(all.back(), job, of_network, seen.all);
  }
  return all;
}

/// A piece of the model that one rank holds: consecutive layers, and perhaps an end.
struct piece {
  std::vector<walked_layer> layers;
  bool has_embedding = false;
  bool has_head = false;
};

namespace detail {

/// The decoder's layers in order: the first dense ones, then the others as evenly as they can be.
inline std::vector<walked_layer> decoder_layers(const transformer& m) {
  std::vector<walked_layer> all(static_cast<std::size_t>(m.layers), walked_layer::dense);
  if (m.moe.experts == 0) return all;
  const long long rest = m.layers - m.moe.first_dense_layers;
  const long long moe = m.layers - m.moe.dense_layers;
  for (long long i = 0; i < rest; ++i)
    if ((i + 1) * moe / rest > i * moe / rest)
      all[static_cast<std::size_t>(m.moe.first_dense_layers + i)] = walked_layer::moe;
  return all;
}

/// How many layers each of so many pieces has: equal; else with both ends counted as layers, where
/// only that is equal; else one more in the first ones.
inline std::vector<int> layers_of_pieces(const transformer& m, int pieces) {
  std::vector<int> counts(static_cast<std::size_t>(pieces), m.layers / pieces);
  const int tail = 1 + m.multi_token_prediction_layers;
  const int units = m.layers + 1 + tail;
  if (m.layers % pieces == 0) return counts;
  if (units % pieces == 0 && units / pieces >= tail) {
    std::fill(counts.begin(), counts.end(), units / pieces);
    counts.front() -= 1;
    counts.back() -= tail;
    return counts;
  }
  for (int i = 0; i < m.layers % pieces; ++i) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

}  // namespace detail

/// The model in so many pieces, in the order of the forward pass.
inline std::vector<piece> pieces_of(const walked_job& job, int pieces) {
  const transformer& m = job.model;
  const std::vector<walked_layer> layers = detail::decoder_layers(m);
  std::vector<piece> all(static_cast<std::size_t>(pieces));
  auto next = layers.begin();
  const std::vector<int> counts = detail::layers_of_pieces(m, pieces);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].layers.assign(next, next + counts[i]);
    next += counts[i];
  }
  all.front().has_embedding = true;
  all.back().has_head = true;
  auto& last = all.back().layers;
  last.insert(last.end(), static_cast<std::size_t>(m.multi_token_prediction_layers),
              walked_layer::prediction);
  if (m.encoder_layers > 0)
    all.front().layers.insert(all.front().layers.begin(),
                              static_cast<std::size_t>(m.encoder_layers), walked_layer::encoder);
  return all;
}

}  // namespace gpuplan::testing
