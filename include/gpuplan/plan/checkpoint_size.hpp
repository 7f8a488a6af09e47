#pragma once
/// \file
/// The state of a run that a checkpoint keeps.

#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes of a checkpoint from which training goes on, of all ranks together.
///
///     m = N (w + m + o)
///
///     N        parameters that are trained: parameters_of(m).trained(), or   count
///              those of adapters and of tables trained beside them
///     w, m, o  bytes_per_parameter(how): weight, master copy, optimizer;     B
///              of tables and vectors as of parameter_kind::embedding
///
/// Each part once, whatever the layout; gradients are made anew, and a frozen base is read from
/// where it came from.  A framework that saves no 16-bit weights beside their master copies writes
/// 2 N less; one whose replicas all write, more.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 5.10, arXiv:2104.04473: 13.8 TB of 1.008e12 parameters,
/// for which this is 14.1; of adapters Hugging Face, "PEFT", checkpoint format (2024).
///
/// \throws invalid_input if a description is invalid
constexpr bytes checkpoint_size(const transformer& m, const recipe& how) {
  require_valid(m);
  require_valid(how);
  const auto kept = [](double parameters, const recipe& by, parameter_kind kind) {
    const parameter_bytes per = bytes_per_parameter(by, kind);
    return parameters * (per.weight + per.master + per.optimizer);
  };
  if (!how.adapts()) {
    const transformer_parameters all = parameters_of(m);
    const double matrices = all.multi_token_prediction + all.layers.total() - all.layers.vectors();
    return kept(matrices, how, parameter_kind::matrix) +
           kept(all.trained() - matrices, how, parameter_kind::embedding);
  }

  const table_set& chosen = how.adapters.trained_tables;
  const int named =
      (chosen.has(trained_table::embedding) ? 1 : 0) + (chosen.has(trained_table::head) ? 1 : 0);
  const bool one = m.tied_embeddings && !adapts_with_pytorch(how);  // else copies apart
  const double tables = one && named > 1 ? 1 : named;
  const double adapters = adapters_on_rank(m, how, {}, m.dense_layers(), m.moe_layers()).dense();
  return kept(adapters, recipe_of_adapters(how), parameter_kind::matrix) +
         kept(tables * m.vocabulary_size * m.embedding_width(), recipe_of_trained_tables(how),
              parameter_kind::embedding);
}

}  // namespace gpuplan
