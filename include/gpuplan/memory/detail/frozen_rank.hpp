#pragma once
/// \file
/// The memory of a rank whose weights are frozen beside adapters.

#include <algorithm>

#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/detail/rank_memory.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/unused_gradients.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Tables that a rank trains beside adapters, and of them those that are copies.
template <class Footprint>
constexpr rank_parameters trained_tables(const Footprint& job, const rank_sum& rank) {
  const table_set chosen = job.recipe.adapters.trained_tables;
  rank_parameters tables;
  if (chosen.has(trained_table::embedding) && rank.has_embedding) tables = tables + job.table;
  const bool tied = job.model.tied_embeddings && rank.has_embedding;
  if (chosen.has(trained_table::head) && rank.has_head &&
      !(tied && chosen.has(trained_table::embedding)))
    tables = tables + job.table;
  return tables;
}

/// States and gradients of frozen weights beside adapters, in place of those of all weights.
template <class Footprint>
[[gnu::cold]] constexpr void freeze(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                                    const rank_parameters& held) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const auto adapters = [&](double dense, double moe) {
    return adapters_on_rank(job.model, how, cut, dense, moe);
  };
  const rank_parameters adapted = adapters(rank.layers.dense, rank.layers.moe);
  const rank_parameters tables = trained_tables(job, rank);
  const state_rates own = state_rates_of(recipe_of_adapters(how), cut);
  const state_rates of_tables = state_rates_of(recipe_of_trained_tables(how), cut);

  model_states trained = states_on_rank(adapted, own, how, cut);
  model_states of_table = tables.tables * of_tables.other;
  if (!adapts_with_pytorch(how)) of_table.weights = bytes{0};  // trained in place
  trained += of_table;
  at.states.weights = frozen_weights_on_rank(held, how, job.rates);
  at.states = frozen_beside(at.states, trained);
  at.gradient_copy = gradient_copy_on_rank(adapted, own) + gradient_copy_on_rank(tables, of_tables);
  at.optimizer_temporaries =
      updated_on_rank(adapted + tables, own) * job.workspace.update_temporary;
  at.deferred_gradient = bytes{0};
  if (dequantizes(how))
    at.layer_gradients += largest_matrix(weight_shapes_of(job.model, cut)) *
                          bytes_per_activation(how.precision).value;
  const double layer = (std::max)(adapters(rank.layers.dense > 0 ? 1 : 0, 0).matrices,
                                  adapters(0, rank.layers.moe > 0 ? 1 : 0).matrices);
  const double unit = (std::max)(layer, tables.tables);
  if (how.zero >= zero_stage::gradients) at.whole_gradients = unit * own.per.gradient;
  add_gradients(at, job, rank, adapted + tables, [&] { return unit; });
}

}  // namespace gpuplan::detail
