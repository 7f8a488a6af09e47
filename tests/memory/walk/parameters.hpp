#pragma once
/// \file
/// The parameter tensors of one rank, matrix by matrix.

#include <algorithm>
#include <vector>

#include <gpuplan/model/optimizer.hpp>

#include "memory/walk/adapter_maps.hpp"
#include "memory/walk/job.hpp"
#include "memory/walk/layer.hpp"

namespace gpuplan::testing {

/// How an optimizer and the ranks treat a parameter tensor.
enum class parameter_role { matrix, vector, table, expert };

/// Parameter tensors of one shape on one rank.
struct parameter_tensor {
  parameter_role role{};
  double rows = 0;
  double columns = 1;
  double count = 1;
  bool trained = true;
  bool adapter = false;

  [[nodiscard]] double values() const { return rows * columns * count; }
};

using parameter_list = std::vector<parameter_tensor>;

namespace detail {

inline double norm_values(const transformer& m, double width) {
  if (!m.norm_parameters) return 0;
  return m.norm == normalization::layer_norm ? 2 * width : width;
}

/// Collects the tensors of one part of the model.
struct parameter_collector {
  const transformer& m;
  parameter_list list{};

  void matrix(double rows, double columns, double count = 1,
              parameter_role role = parameter_role::matrix) {
    if (rows * columns * count > 0) list.push_back({role, rows, columns, count});
  }
  void vector(double values) {
    if (values > 0) list.push_back({parameter_role::vector, values});
  }
  void norm(double width) { vector(norm_values(m, width)); }
};

inline void add_attention(parameter_collector& to, const walked_job& job) {
  const transformer& m = job.model;
  const rank_heads heads = heads_of(job);
  const double h = m.hidden_size;
  const double t = job.parallelism.tensor;
  const double query = heads.queries * m.query_head_dim();
  const double output = heads.queries * m.value_head_dim();
  if (m.latent.kv_rank > 0) {
    const latent_attention& latent = m.latent;
    to.matrix(h, latent.query_rank);
    to.matrix(latent.query_rank > 0 ? latent.query_rank : h, query);
    to.matrix(h, latent.kv_rank + latent.rope_head_dim);
    to.matrix(latent.kv_rank, heads.queries * (latent.content_head_dim + latent.value_head_dim));
    to.norm(latent.query_rank);
    to.norm(latent.kv_rank);
    if (m.biases.query_key_value)
      to.vector(latent.query_rank + latent.kv_rank + latent.rope_head_dim);
  } else {
    const double key = heads.keys * m.query_head_dim();
    to.matrix(h, query);
    const double value = m.keys_as_values ? 0 : heads.keys * m.value_head_dim();
    to.matrix(h, key);
    to.matrix(h, value);
    if (m.biases.query_key_value) to.vector(query + key + value);
    const double whole =
        (static_cast<double>(m.attention_heads) + m.key_value_heads()) * m.query_head_dim();
    if (m.query_key == query_key_norm::per_head) to.vector(2 * norm_values(m, m.query_head_dim()));
    if (m.query_key == query_key_norm::all_heads) to.norm(whole);
  }
  to.matrix(output, h);
  if (m.biases.attention_output) to.vector(h);
  if (m.attention_sinks) to.vector(m.attention_heads / t);
}

inline void add_network(parameter_collector& to, double h, double width, bool biased,
                        double count = 1, parameter_role role = parameter_role::matrix) {
  const double first = to.m.gated_ffn ? 2 : 1;
  to.matrix(h, width, first * count, role);
  to.matrix(width, h, count, role);
  if (biased) to.vector(count * (first * width + h));
}

inline void add_experts(parameter_collector& to, const walked_job& job) {
  const mixture_of_experts& moe = job.model.moe;
  const parallelism& cut = job.parallelism;
  to.matrix(job.model.hidden_size, moe.experts);
  if (moe.router_bias) to.vector(moe.experts);
  const double h = job.model.hidden_size;
  const double state = moe.latent_size > 0 ? moe.latent_size : h;
  if (moe.latent_size > 0) {
    to.matrix(h, state);
    to.matrix(state, h);
  }
  add_network(to, state, static_cast<double>(moe.ffn_size) / cut.expert_tensor_ranks(), false,
              static_cast<double>(moe.experts) / cut.expert, parameter_role::expert);
  if (moe.shared_ffn_size == 0) return;
  add_network(to, h, static_cast<double>(moe.shared_ffn_size) / cut.tensor, job.model.biases.ffn);
  if (moe.shared_gate) to.vector(job.model.hidden_size);
}

}  // namespace detail

/// The parameter tensors of a layer on one rank.
inline parameter_list parameters_of_walked(const walked_job& job, walked_layer kind) {
  const transformer& m = job.model;
  detail::parameter_collector to{m};
  detail::add_attention(to, job);
  const bool crossed = m.encoder_layers > 0 && kind != walked_layer::encoder;
  if (crossed) detail::add_attention(to, job);
  if (kind == walked_layer::moe || (kind == walked_layer::prediction && m.moe.experts > 0))
    detail::add_experts(to, job);
  else
    detail::add_network(to, m.hidden_size, static_cast<double>(m.ffn_size) / job.parallelism.tensor,
                        m.biases.ffn);
  int norms = m.norms_per_layer + (crossed ? 1 : 0);
  if (kind == walked_layer::prediction) {
    norms += 3;
    to.matrix(2.0 * m.hidden_size, static_cast<double>(m.hidden_size) / job.parallelism.tensor);
  }
  for (int i = 0; i < norms; ++i) to.norm(m.hidden_size);
  for (parameter_tensor& one : to.list) one.trained = job.recipe.adapters.rank == 0;
  return to.list;
}

/// The adapters of a layer on one rank: two matrices for each adapted map.
inline parameter_list adapters_of_walked(const walked_job& job, walked_layer kind) {
  const double rank = job.recipe.adapters.rank;
  detail::parameter_collector to{job.model};
  for (const adapted_sides& map : adapted_sides_of(job, kind)) {
    to.matrix(map.inputs, rank);
    to.matrix(rank, map.outputs);
  }
  for (parameter_tensor& one : to.list) one.adapter = true;
  return to.list;
}

/// The embedding's table, or the head's.  Tied ones are one parameter, of which each end of a
/// pipeline has a replica.  One that PyTorch trains beside adapters is a copy, whose
/// original stays.
inline parameter_list table_of_walked(const walked_job& job, trained_table which) {
  const adapters& beside = job.recipe.adapters;
  parameter_tensor table{parameter_role::table,
                         static_cast<double>(job.model.vocabulary_size) / job.parallelism.tensor,
                         static_cast<double>(job.model.embedding_width())};
  const bool one_table = job.model.tied_embeddings && !plain_pytorch(job);
  table.trained = beside.rank == 0 || beside.trained_tables.has(which) ||
                  (one_table && beside.trained_tables.bits != 0);
  parameter_list all{table};
  if (beside.rank == 0 || !table.trained || !plain_pytorch(job)) return all;
  table.trained = false;
  all.push_back(table);
  return all;
}

/// What lies beside the table at the first end, and at the last.
inline parameter_list rest_of_walked_end(const walked_job& job, bool of_head) {
  const transformer& m = job.model;
  const double h = m.hidden_size;
  detail::parameter_collector to{m};
  if (m.embedding_width() != m.hidden_size)
    to.matrix(m.embedding_width(), h / job.parallelism.tensor);
  if (of_head) {
    if (m.final_norm) to.norm(m.encoder_layers > 0 ? 2 * h : h);
    if (m.biases.head) to.vector(static_cast<double>(m.vocabulary_size) / job.parallelism.tensor);
  } else {
    if (m.positions == position_encoding::learned)
      to.matrix(m.position_rows, h, 1, parameter_role::table);
    to.matrix(m.token_types, h, 1, parameter_role::table);
    if (m.embedding_norm) to.norm(h);
  }
  for (parameter_tensor& one : to.list) one.trained = job.recipe.adapters.rank == 0;
  return to.list;
}

}  // namespace gpuplan::testing
