#pragma once
/// \file
/// The stages that a step waits for: the slowest, and the one with the most parameters.

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/stage_time.hpp>

namespace gpuplan::detail {

/// What the parameters of every stage are made from, on one rank.
struct stage_holdings {
  rank_parameters dense{};
  rank_parameters moe{};
  rank_parameters table{};
  bool tied = true;
  parameter_bytes per{};  ///< what the recipe keeps for each parameter
  bytes dense_kept{};     ///< by a layer, of one micro-batch; where activations are offloaded
  bytes moe_kept{};

  [[nodiscard]] constexpr int tables(const stage_layers& held) const {
    return (held.has_embedding ? 1 : 0) + (held.has_head && !(held.has_embedding && tied) ? 1 : 0);
  }
  /// Activations that a stage keeps of one micro-batch, encoders and predictions left out.
  [[nodiscard]] constexpr bytes kept(const stage_layers& held, const recipe& how) const {
    const bytes all =
        static_cast<double>(held.dense) * dense_kept + static_cast<double>(held.moe) * moe_kept;
    return how.recompute == recompute::full ? all / how.recompute_every : all;
  }
  [[nodiscard]] constexpr rank_parameters of(const stage_layers& held) const {
    rank_parameters sum = held.dense * dense;
    if (held.moe > 0) sum = sum + held.moe * moe;
    for (int i = 0; i < tables(held); ++i) sum = sum + table;
    return sum;
  }
};

/// What the layers and tables of a footprint put on a rank.
constexpr stage_holdings holdings_of(const footprint& memory) {
  return {.dense = memory.layers.dense.parameters,
          .moe = memory.layers.moe.parameters,
          .table = memory.table,
          .tied = memory.model.tied_embeddings,
          .per = memory.rates.per,
          .dense_kept = memory.layers.dense.kept,
          .moe_kept = memory.layers.moe.kept};
}

/// The stage that is busy longest, and the one that holds most parameters: seldom the same.
struct stage_extremes {
  stage_layers slowest{};
  stage_layers fullest{};
  bytes kept{};  ///< activations of one micro-batch, of the stage that keeps most
};

template <class T>
constexpr stage_extremes extremes_of(const transformer& m, const recipe& how,
                                     const parallelism& cut, const basic_stage_totals<T>& busy,
                                     const stage_holdings& holdings) {
  const double dense = holdings.dense.total();
  const double moe = holdings.moe.total();
  const double table = holdings.table.total();
  const pipeline_layers layers{m, how, cut};
  stage_extremes most;
  basic_seconds<T> longest{};
  double most_held = 0;
  layers.for_each_distinct_stage([&](int stage, const stage_layers& here) {
    if (const basic_seconds<T> total = busy.of(here); stage == 0 || total > longest) {
      most.slowest = here;
      longest = total;
    }
    if (how.offloaded_activations > 0) most.kept = larger(most.kept, holdings.kept(here, how));
    const double held = here.dense * dense + here.moe * moe + holdings.tables(here) * table;
    if (held > most_held) {
      most.fullest = here;
      most_held = held;
    }
  });
  return most;
}

}  // namespace gpuplan::detail
