#pragma once
/// \file
/// What the terms of a step are made from: links, rates, the stages that it waits for.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Whether embedding and head are one table on the rank that has both.  The two directions of
/// DualPipe are models of their own, which share none.
constexpr bool ties_tables(const footprint& memory) {
  return memory.model.tied_embeddings && !runs_both_ways(memory.recipe, memory.parallelism);
}

/// Tables of the vocabulary that a rank holds.
constexpr int tables_of(const footprint& memory, const stage_layers& held) {
  const bool one = held.has_embedding && held.has_head && ties_tables(memory);
  const bool copied = copies_embedding(memory.model, held.has_embedding, held.has_head);
  return (held.has_embedding ? 1 : 0) + (held.has_head && !one ? 1 : 0) + (copied ? 1 : 0);
}

/// Of both pieces of a rank that runs two, the share that a micro-batch passes: one in DualPipe.
constexpr double passed_share(const footprint& memory) {
  return runs_both_ways(memory.recipe, memory.parallelism) ? 0.5 : 1;
}

/// Calls visit(held) for each rank of a pipeline that may be like no other, in order, with all
/// layers that it holds.
template <class Visit>
constexpr void for_each_distinct_rank(const footprint& memory, const Visit& visit) {
  const transformer& m = memory.model;
  if (!folds_model(memory.recipe, memory.parallelism)) [[likely]] {
    const pipeline_layers layers{m, memory.recipe, memory.parallelism};
    return layers.for_each_distinct_stage([&](int, const stage_layers& held) { visit(held); });
  }
  for (int rank = 0; rank < memory.parallelism.pipeline; ++rank)
    visit(folded_layers_of(m, memory.recipe, memory.parallelism, rank).both());
}

/// Activations that a stage keeps of one micro-batch, encoders and predictions left out.
constexpr bytes kept_by_stage(const footprint& memory, const stage_layers& held) {
  const layer_kinds& layers = memory.layers;
  const bytes all = static_cast<double>(held.dense) * layers.dense.kept +
                    static_cast<double>(held.moe) * layers.moe.kept;
  return memory.recipe.recompute == recompute::full ? all / memory.recipe.recompute_every : all;
}

/// Parameters of a stage's layers and tables on one rank; those of an encoder are on the first
/// stage, those of further predictions on the last.
constexpr rank_parameters held_by_stage(const footprint& memory, const stage_layers& held) {
  rank_parameters sum = held.dense * memory.layers.dense.parameters;
  if (held.moe > 0) sum = sum + held.moe * memory.layers.moe.parameters;
  if (held.has_embedding && memory.model.encoder_layers > 0) [[unlikely]]
    sum = sum + memory.model.encoder_layers * memory.layers.encoder.parameters;
  if (held.has_head && memory.model.multi_token_prediction_layers > 0) [[unlikely]]
    sum = sum + memory.model.multi_token_prediction_layers * memory.layers.prediction.parameters;
  for (int i = 0; i < tables_of(memory, held); ++i) sum = sum + memory.table;
  return sum;
}

/// What a stage's rank trains beside frozen weights: adapters, and tables of the vocabulary.
[[gnu::cold]] constexpr rank_parameters trained_by_stage(const footprint& memory,
                                                         const stage_layers& held) {
  const transformer& m = memory.model;
  const bool one = held.has_embedding && held.has_head && ties_tables(memory);
  const int tables =
      trained_tables_on_rank(m, memory.recipe, held.has_embedding, held.has_head, one);
  rank_parameters trained =
      adapters_on_rank(m, memory.recipe, memory.parallelism, held.dense, held.moe);
  if (tables > 0) trained = trained + tables * memory.table;
  return trained;
}

/// The rank that is busy longest, and the one that holds most parameters: seldom the same.
struct stage_extremes {
  stage_layers slowest{};
  stage_layers fullest{};
  bytes kept{};  ///< activations of one micro-batch, of the rank that keeps most
};

template <class T>
constexpr stage_extremes extremes_of(const footprint& memory, const basic_stage_totals<T>& busy) {
  const double dense = memory.layers.dense.parameters.total();
  const double moe = memory.layers.moe.parameters.total();
  const double table = memory.table.total();
  const double predictions =
      memory.model.multi_token_prediction_layers * memory.layers.prediction.parameters.total();
  const bool offloads = memory.recipe.offloaded_activations > 0;
  stage_extremes most;
  basic_seconds<T> longest = seconds{-1};
  double most_held = 0;
  for_each_distinct_rank(memory, [&](const stage_layers& here) {
    if (const basic_seconds<T> total = busy.of(here); total > longest) {
      most.slowest = here;
      longest = total;
    }
    if (offloads) most.kept = larger(most.kept, kept_by_stage(memory, here));
    const double held = here.dense * dense + here.moe * moe + tables_of(memory, here) * table +
                        (here.has_head ? predictions : 0);
    if (held > most_held) {
      most.fullest = here;
      most_held = held;
    }
  });
  return most;
}

/// What several terms of a step share.  Refers to what it was made from.  It has a constructor
/// because g++ 12 fills an aggregate with zeros first where a member is not named.
///
/// \throws invalid_input if a description is invalid
template <class T>
struct step_parts {
  constexpr step_parts(const basic_cluster<T>& pool, const basic_framework_profile<T>& by,
                       const footprint& job);

  const footprint& memory;
  const basic_framework_profile<T>& software;
  basic_rank_links<T> links{};
  basic_kernel_rates<T> rates{};
  basic_busy_time<T> one{};    ///< of the slowest stage, with one micro-batch
  basic_seconds<T> longest{};  ///< the total of `one`
  basic_seconds<T> others{};   ///< of the other stages together, with one micro-batch
  rank_parameters trained{};   ///< on the fullest rank: all that is reduced and updated
  double dense = 0;            ///< parameters on it that data x context ranks share, frozen too
  double experts = 0;          ///< those of routed experts, likewise
  bytes kept{};                ///< activations of one micro-batch, where some are offloaded
  double micro_batches = 1;    ///< of a step, not rounded
};

template <class T>
constexpr step_parts<T>::step_parts(const basic_cluster<T>& pool,
                                    const basic_framework_profile<T>& by, const footprint& job)
    : memory{job},
      software{by},
      links{step_links_of(pool.node, job.parallelism)},
      rates{kernel_rates_of(pool.gpu(), job.model, job.recipe, by)},
      micro_batches{fractional_micro_batches_of(job.recipe, job.parallelism)} {
  const recipe& how = memory.recipe;
  const parallelism& cut = memory.parallelism;
  const transformer m = with_head_dim(memory.model);
  const basic_stage_clock<T> clock = stage_clock_of(m, how, cut, rates, software, links);
  const basic_stage_totals<T> totals{m, clock};
  const stage_extremes most = extremes_of(memory, totals);
  const double passed = passed_share(memory);
  one = passed * clock.of(most.slowest);
  longest = passed * totals.of(most.slowest);
  if (m.encoder_layers > 0) [[unlikely]] {
    one = one + clock.encoder;
    longest += clock.encoder.total();
  }
  if (cut.pipeline > 1) others = later<T>(totals.of(m) - longest, seconds{0});

  kept = passed * most.kept;
  trained = held_by_stage(memory, most.fullest);
  dense = trained.dense();
  experts = trained.experts;
  if (how.adapts()) trained = trained_by_stage(memory, most.fullest);
}

}  // namespace gpuplan::detail
