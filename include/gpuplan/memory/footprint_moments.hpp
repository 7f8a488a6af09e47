#pragma once
/// \file
/// What a rank holds at some moments of a step alone: whole tensors, the ends, gradients.

#include <algorithm>

#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/footprint_chunks.hpp>
#include <gpuplan/memory/footprint_job.hpp>
#include <gpuplan/memory/host_offload.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// What sharding makes whole: parameters of the unit at work, the larger of a layer and a table,
/// and of the layer fetched ahead; gradients of the unit at work, whose reduction runs beside the
/// next unit's work.  Never more than the rank lacks.  Likewise where weights are fetched from the
/// host.  Without either, weights kept in FP32 have
/// their 16-bit copies through the step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// VLDB (2023), section 3.2, arXiv:2304.11277.
constexpr void add_gathered(stage_footprint& at, const footprint& job, const rank_sum& rank,
                            const rank_parameters& held) {
  const recipe& how = job.recipe;
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.weights == weight_storage::fp32 && how.zero != zero_stage::parameters &&
      value < job.rates.per.weight)
    at.gathered_parameters = held.total() * value;
  if (how.zero < zero_stage::gradients && how.offload != offloaded_states::all) return;

  const bool fetched = how.offload == offloaded_states::all;
  const double lacking = fetched ? held.total() : held.total() - updated_on_rank(held, job.rates);
  const double layer = largest_of(job.layers, rank.layers,
                                  [](const layer_memory& one) { return one.parameters.total(); });
  const bool has_table = rank.has_embedding || rank.has_head;
  const double unit = has_table ? (std::max)(layer, job.table.tables) : layer;
  at.whole_gradients = (std::min)(unit, lacking) * job.rates.per.gradient;
  if (how.zero == zero_stage::parameters || fetched)
    at.gathered_parameters = (std::min)(unit + layer, lacking) * value;
}

/// What lies on the stages that have the ends of the model.
constexpr void add_ends(stage_footprint& at, const footprint& job, const rank_sum& rank) {
  if (rank.has_embedding || rank.has_head) at.batch = job.ends.batch;
  if (!rank.has_head) return;
  at.head = job.ends.head;
  at.logits = job.ends.logits;
  at.head_gradients = job.ends.head_gradients;
  at.deferred_head = job.ends.deferred_head;
  at.deferred_gradient = job.ends.deferred_gradient;
}

/// Gradients: those in the weights' format beside accumulated ones of a wider one, and when they
/// are made and freed.
constexpr void add_gradients(stage_footprint& at, const footprint& job,
                             const rank_parameters& held) {
  const recipe& how = job.recipe;
  const parameter_bytes& per = job.rates.per;
  if (job.workspace.kernels.working_gradients && per.weight < per.gradient) {
    const bool divided = how.zero >= zero_stage::gradients;
    at.states.gradients += (divided ? updated_on_rank(held, job.rates) : held.total()) * per.weight;
  }
  if (how.gradients_live == gradient_lifetime::always) return;
  at.gradients_freed = at.states.gradients;
  if (job.micro_batches == 1) at.gradients_to_come = at.states.gradients;
}

/// States and gradients of frozen weights beside adapters, in place of those of all weights.
[[gnu::cold]] constexpr void freeze(stage_footprint& at, const footprint& job,
                                    const rank_sum& rank) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const auto adapters = [&](double dense, double moe) {
    return adapters_on_rank(job.model, how, cut, dense, moe);
  };
  const rank_parameters adapted = adapters(rank.layers.dense, rank.layers.moe);
  at.states = frozen_beside(at.states, states_on_rank(adapted, job.rates, how, cut));
  at.gradient_copy = gradient_copy_on_rank(adapted, job.rates);
  at.optimizer_temporaries = updated_on_rank(adapted, job.rates) * job.workspace.update_temporary;
  at.deferred_gradient = bytes{0};
  if (how.zero >= zero_stage::gradients) {
    const double layer = (std::max)(adapters(rank.layers.dense > 0 ? 1 : 0, 0).matrices,
                                    adapters(0, rank.layers.moe > 0 ? 1 : 0).matrices);
    at.whole_gradients = layer * job.rates.per.gradient;
  }
  add_gradients(at, job, adapted);
}

/// Takes away what lies on the host, once all else is added.
[[gnu::cold]] constexpr void move_to_host(stage_footprint& at, const footprint& job,
                                          const rank_sum& rank) {
  const recipe& how = job.recipe;
  const model_states moved = states_on_host(at.states, how.offload);
  at.states.weights -= moved.weights;
  at.states.gradients -= moved.gradients;
  at.states.master_weights -= moved.master_weights;
  at.states.optimizer -= moved.optimizer;
  at.host = moved.total();
  if (how.offload != offloaded_states::none) {
    at.host += at.gradient_copy + at.optimizer_temporaries;
    at.gradient_copy = at.optimizer_temporaries = bytes{0};
  }
  if (how.offload == offloaded_states::all) at.gradients_freed = at.gradients_to_come = bytes{0};
  if (how.offloaded_activations == 0) return;
  const bytes layer =
      largest_of(job.layers, rank.layers, [](const layer_memory& one) { return one.kept; });
  const bytes left = activations_on_device(at.activations, (std::min)(layer, at.activations),
                                           how.offloaded_activations);
  at.host += at.activations - left;
  at.activations = left;
}

}  // namespace gpuplan::detail
