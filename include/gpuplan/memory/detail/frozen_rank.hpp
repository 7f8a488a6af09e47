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

/// Tables that a rank trains beside adapters: of embedding and head, which are one where they are
/// tied and of the same chunk.
template <class Footprint>
constexpr rank_parameters trained_tables(const Footprint& job, const rank_sum& rank) {
  const int tables = trained_tables_on_rank(job.model, job.recipe, rank.has_embedding,
                                            rank.has_head, rank.has_embedding && !rank.head_apart);
  return tables > 0 ? tables * job.table : rank_parameters{};
}

/// What a rank trains beside frozen weights, and at what rates.
struct trained_beside {
  rank_parameters adapters{};
  rank_parameters tables{};
  double largest_layer{};  ///< adapters of one layer
  double largest_table{};
  state_rates of_adapters{};
  state_rates of_tables{};

  /// Gradients of the unit at work: the larger of a layer's adapters and a table.
  [[nodiscard]] constexpr bytes unit_gradients() const {
    return (std::max)(largest_layer * of_adapters.per.gradient,
                      largest_table * of_tables.per.gradient);
  }
  /// Of all gradients those that other ranks keep, where ranks divide them.
  [[nodiscard]] constexpr bytes gradients_elsewhere() const {
    return (adapters.total() - updated_on_rank(adapters, of_adapters)) * of_adapters.per.gradient +
           (tables.total() - updated_on_rank(tables, of_tables)) * of_tables.per.gradient;
  }
};

template <class Footprint>
[[gnu::cold]] constexpr trained_beside trained_on_rank(const Footprint& job, const rank_sum& rank) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const auto adapters = [&](double dense, double moe) {
    return adapters_on_rank(job.model, how, cut, dense, moe);
  };
  trained_beside trained{.adapters = adapters(rank.layers.dense, rank.layers.moe),
                         .tables = trained_tables(job, rank),
                         .of_adapters = state_rates_of(recipe_of_adapters(how), cut),
                         .of_tables = state_rates_of(recipe_of_trained_tables(how), cut)};
  trained.largest_layer = (std::max)(adapters(rank.layers.dense > 0 ? 1 : 0, 0).matrices,
                                     adapters(0, rank.layers.moe > 0 ? 1 : 0).matrices);
  trained.largest_table = trained.tables.largest_table;
  return trained;
}

/// States, gathered parameters and gradients of frozen weights beside adapters, in place of those
/// of all weights.
template <class Footprint>
[[gnu::cold]] constexpr void freeze(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                                    const rank_parameters& held) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const trained_beside trained = trained_on_rank(job, rank);
  const bool copies = adapts_with_pytorch(how);

  model_states states = states_on_rank(trained.adapters, trained.of_adapters, how, cut);
  model_states of_table = trained.tables.tables * trained.of_tables.other;
  if (!copies) of_table.weights = bytes{0};  // trained in place
  states += of_table;
  at.states.weights = frozen_weights_on_rank(held, how, job.rates);
  at.states = frozen_beside(at.states, states);
  at.gradient_copy = gradient_copy_on_rank(trained.adapters, trained.of_adapters) +
                     gradient_copy_on_rank(trained.tables, trained.of_tables);
  at.optimizer_temporaries =
      updated_on_rank(trained.adapters + trained.tables, trained.of_adapters) *
      job.workspace.update_temporary;
  at.deferred_gradient = bytes{0};
  const rank_parameters all = held + trained.adapters;
  add_gathered(at, job, rank, copies ? all + trained.tables : all);
  at.whole_gradients = bytes{0};
  if (how.offload == offloaded_states::all)
    at.whole_gradients = trained.unit_gradients();
  else if (how.zero >= zero_stage::gradients)
    at.whole_gradients = (std::min)(trained.unit_gradients(), trained.gradients_elsewhere());
  add_gradients(at, job, rank, trained.adapters + trained.tables,
                [&] { return trained.unit_gradients(); });
}

}  // namespace gpuplan::detail
