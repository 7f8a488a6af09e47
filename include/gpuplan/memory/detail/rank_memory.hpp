#pragma once
/// \file
/// The memory of one rank beside what its chunks keep: its parameters, and what it holds only at
/// some moments.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>

#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/detail/rank_chunks.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// The parameters of these layers and ends.
template <class Footprint>
constexpr rank_parameters parameters_of(const rank_sum& rank, const Footprint& job) {
  rank_parameters held = sum_over(job.layers, rank.layers, &layer_memory::parameters);
  if (rank.has_embedding) held = held + job.first;
  if (rank.has_head) held = held + job.last;
  if (rank.head_apart) held = held + job.table;
  if (copies_embedding(job.model, rank.has_embedding, rank.has_head)) [[unlikely]]
    held = held + job.table;
  return held;
}

/// Parameters of the unit at work that a rank gathers or reduces: the larger of a layer and a
/// table.
struct working_unit {
  double layer{};
  double largest{};
};

template <class Footprint>
constexpr working_unit working_unit_of(const Footprint& job, const rank_sum& rank) {
  const double layer = largest_of(job.layers, rank.layers,
                                  [](const layer_memory& one) { return one.parameters.total(); });
  const bool has_table = rank.has_embedding || rank.has_head;
  return {layer, has_table ? (std::max)(layer, job.table.tables) : layer};
}

/// Bytes of parameters that are made whole to compute with: as the layers compute, but matrices
/// that are kept in a narrower format in that one.
constexpr bytes whole_bytes(const rank_parameters& held, bytes matrix, bytes value) {
  return (held.matrices + held.experts) * matrix + (held.vectors + held.tables) * value;
}

/// Bytes of one weight of a matrix as ranks exchange it.
template <class Footprint>
constexpr bytes exchanged_weight(const Footprint& job, bytes value) {
  const recipe& how = job.recipe;
  const bool quantised = how.adapts() && how.adapters.base != base_weights::by_precision;
  return (std::min)(value, quantised ? bytes_per_frozen_weight(how) : job.rates.per.weight);
}

/// What add_gathered adds of parameters whose matrices have `matrix` bytes each, fewer than the
/// layers compute with.
template <class Footprint>
[[gnu::cold]] constexpr bytes gathered_narrow(const Footprint& job, const rank_sum& rank,
                                              const rank_parameters& held, bytes matrix) {
  const bytes value = bytes_per_activation(job.recipe.precision).value;
  const bool fetched = job.recipe.offload == offloaded_states::all;
  const bytes layer = largest_of(job.layers, rank.layers, [&](const layer_memory& one) {
    return whole_bytes(one.parameters, matrix, value);
  });
  const bool has_table = rank.has_embedding || rank.has_head;
  const bytes table = has_table ? job.table.tables * value : bytes{0};
  const bool prefetches = job.recipe.framework == framework::fsdp2 && has_table && !fetched;
  const bytes units = (prefetches ? table + layer : (std::max)(layer, table)) + layer;
  rank_parameters here = job.rates.dense_share * held;
  here.experts = job.rates.expert_share * held.experts;
  const bytes all = whole_bytes(held, matrix, value);
  return (std::min)(units, fetched ? all : all - whole_bytes(here, matrix, value));
}

/// What sharding makes whole: parameters of the unit at work, the larger of a layer and a table,
/// and of the layer fetched ahead; with FSDP2 a table beside two layers; gradients of the unit at
/// work, whose reduction runs beside the next unit's work.  Never more than the rank lacks.
/// Weights in 4 or 8 bits are exchanged as they are kept.  Likewise where weights are fetched from
/// the host.  Without either, weights kept in FP32 have their 16-bit copies through the step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// VLDB (2023), section 3.2, arXiv:2304.11277; PyTorch, torch.distributed.fsdp.fully_shard (2025),
/// whose last unit stays whole between the passes.
template <class Footprint>
constexpr void add_gathered(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                            const rank_parameters& held) {
  const recipe& how = job.recipe;
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.weights == weight_storage::fp32 && how.zero != zero_stage::parameters &&
      value < job.rates.per.weight)
    at.gathered_parameters = held.total() * value;
  if (how.zero < zero_stage::gradients && how.offload != offloaded_states::all) return;

  const bool fetched = how.offload == offloaded_states::all;
  const double lacking = fetched ? held.total() : held.total() - updated_on_rank(held, job.rates);
  const bool has_table = rank.has_embedding || rank.has_head;
  const auto [layer, unit] = working_unit_of(job, rank);
  if (!keeps_whole_gradients(how, job.parallelism))
    at.whole_gradients = (std::min)(unit, lacking) * job.rates.per.gradient;
  if (how.zero == zero_stage::parameters || fetched) {
    const bool prefetches = how.framework == framework::fsdp2 && has_table && !fetched;
    const double tables = prefetches ? job.table.tables + layer : unit;
    at.gathered_parameters = (std::min)(tables + layer, lacking) * value;
    if (const bytes matrix = exchanged_weight(job, value); matrix < value) [[unlikely]]
      at.gathered_parameters = gathered_narrow(job, rank, held, matrix);
  }
}

/// What lies on the stages that have the ends of the model.
template <class Footprint>
constexpr void add_ends(stage_footprint& at, const Footprint& job, const rank_sum& rank) {
  if (rank.has_embedding || rank.has_head) at.batch = job.ends.batch;
  if (!rank.has_head) return;
  at.head = rank.heads.all * job.ends.head + (rank.heads.all - 1) * job.ends.kept_logits;
  at.waiting_head = rank.heads.waiting * (job.ends.head + job.ends.kept_logits);
  at.logits = job.ends.logits;
  at.head_gradients = job.ends.head_gradients;
  const int limit = job.workspace.kernels.head_gradients_deferred;
  if (limit > 0)
    at.deferred_head = job.ends.deferred_head *
                       ((std::min)(limit, job.micro_batches) / static_cast<double>(limit));
  at.deferred_gradient = job.ends.deferred_gradient;
}

/// Gradients: those in the weights' format beside accumulated ones of a wider one, and when they
/// are made and freed.  Where the first backward pass begins with all micro-batches in flight, the
/// peak sees of them one unit's, unit() bytes: whole ones that wait for their reduction, or the
/// accumulated.
template <class Footprint, class Unit>
constexpr void add_gradients(stage_footprint& at, const Footprint& job, const rank_sum& rank,
                             const rank_parameters& held, const Unit& unit) {
  const recipe& how = job.recipe;
  const parameter_bytes& per = job.rates.per;
  if (job.workspace.kernels.working_gradients && per.weight < per.gradient) {
    const bool divided =
        how.zero >= zero_stage::gradients && !keeps_whole_gradients(how, job.parallelism);
    at.states.gradients += (divided ? updated_on_rank(held, job.rates) : held.total()) * per.weight;
  }
  if (how.gradients_live == gradient_lifetime::always) return;
  at.gradients_freed = at.states.gradients;
  if (job.micro_batches > rank.passes) return;
  at.gradients_to_come = at.states.gradients;
  if (how.zero < zero_stage::gradients || keeps_whole_gradients(how, job.parallelism))
    at.gradients_to_come -= (std::min)(unit(), at.states.gradients);
}

/// What the allocator holds beside its tensors.  PyTorch's FSDP gathers and reduces on streams of
/// their own, and memory that one stream has freed serves no other: what is reserved is the sum of
/// what each needs at most, gradients that the peak has not yet seen among it.  Elsewhere a share
/// of the peak.
///
/// Source: PyTorch, "CUDA semantics", memory management (2.x): blocks belong to the stream that
/// they were allocated for; torch.distributed.fsdp.fully_shard (2025).
template <class Footprint>
constexpr bytes reserved_beside(const stage_footprint& at, const Footprint& job, bytes peak) {
  const framework software = job.recipe.framework;
  const bool streams = (software == framework::fsdp || software == framework::fsdp2) &&
                       job.recipe.zero >= zero_stage::gradients;
  if (!streams) return job.workspace.fragmentation * peak;
  const bytes passes = (std::max)(
      {at.at(moment::loss), at.at(moment::head_backward), at.at(moment::layer_backward)});
  return (std::max)(passes + at.gradients_to_come - peak, bytes{0});
}

/// Whether gradients go to the host as they are made, with the states of the optimizer: under ZeRO
/// 2 and 3 of DeepSpeed.  Megatron-LM keeps them on the GPU until the update.
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), section 4.1, arXiv:2101.06840; Microsoft, DeepSpeed,
/// estimate_zero2_model_states_mem_needs (2025): 2 B a parameter on the GPU.
constexpr bool sends_gradients(const recipe& how) {
  const bool megatron =
      how.framework == framework::transformer_engine || how.framework == framework::megatron_2021;
  return how.offload == offloaded_states::optimizer && how.zero >= zero_stage::gradients &&
         !megatron;
}

/// Takes away what lies on the host, once all else is added.
template <class Footprint>
[[gnu::cold]] constexpr void move_to_host(stage_footprint& at, const Footprint& job,
                                          const rank_sum& rank) {
  const recipe& how = job.recipe;
  model_states moved = states_on_host(at.states, how.offload);
  if (sends_gradients(how)) moved.gradients = at.states.gradients;
  at.states.weights -= moved.weights;
  at.states.gradients -= moved.gradients;
  at.states.master_weights -= moved.master_weights;
  at.states.optimizer -= moved.optimizer;
  at.host = moved.total();
  if (how.offload != offloaded_states::none) {
    at.host += at.gradient_copy + at.optimizer_temporaries;
    at.gradient_copy = at.optimizer_temporaries = bytes{0};
  }
  if (how.offload == offloaded_states::all || sends_gradients(how))
    at.gradients_freed = at.gradients_to_come = bytes{0};
  if (how.offload == offloaded_states::all) {
    at.host += at.reference_model;
    at.reference_model = bytes{0};
  }
  if (how.offloaded_activations == 0) return;
  const bytes layer =
      largest_of(job.layers, rank.layers, [](const layer_memory& one) { return one.kept; });
  const bytes left = activations_on_device(at.activations, (std::min)(layer, at.activations),
                                           how.offloaded_activations);
  at.host += at.activations - left;
  at.activations = left;
}

}  // namespace gpuplan::detail
