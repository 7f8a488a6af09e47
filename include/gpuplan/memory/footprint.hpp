#pragma once
/// \file
/// What a training job needs of each GPU's memory: every stage, every term.

#include <algorithm>

#include <gpuplan/memory/footprint_chunks.hpp>
#include <gpuplan/memory/footprint_job.hpp>
#include <gpuplan/memory/footprint_moments.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Memory of a training job, stage by stage.
///
/// The sum of
///
///     states       weights, gradients, master weights and optimizer states: stage_states.hpp
///     activations  of every layer and micro-batch in flight: activations.hpp, in_flight.hpp
///     ends         batch, embedding, head and logits: end_activations.hpp
///     temporaries  gathered parameters, gradients of activations, what is computed again
///     workspace    workspace.hpp
///
/// at each moment of a step, less what the recipe keeps on the host (host_offload.hpp); the peak is
/// the largest.  An encoder's layers are spread over the stages as the decoder's are, in equal
/// parts.
///
/// Against runs of Megatron-LM (2026) on A100, H100 and GB200 the peak of the last stage is off by
/// 1 to 3 % in the median: benchmarks/accuracy prints the table.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), arXiv:2205.05198; S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward
/// Training Trillion Parameter Models", SC20 (2020), arXiv:1910.02054.
///
/// \throws invalid_input if an input is invalid
constexpr footprint memory_footprint(const transformer& m, const recipe& how,
                                     const parallelism& cut, const workspace& beside = {}) {
  require_valid(m);
  require_valid(how);
  require_valid(cut);
  require_valid(beside);
  return detail::footprint_of(m, how, cut, beside);
}

/// The same job with micro-batches of another size, as many of them a step: its pipeline is as full
/// as before, its global batch grows with them.
///
/// \throws invalid_input if size < 1
constexpr footprint resized(const footprint& job, int size) {
  require(size >= 1, "resized: size must be >= 1 sequence");
  parallelism cut = job.parallelism;
  cut.micro_batch_size = size;
  footprint other = memory_footprint(job.model, job.recipe, cut, job.workspace);
  other.micro_batches = job.micro_batches;
  other.data_rank = job.data_rank;
  return other;
}

namespace detail {

/// A stage, and what it needs: its total().
struct measured_stage {
  stage_footprint at{};
  bytes total{};
};

constexpr measured_stage stage_of(const footprint& job, const pipeline_layers& layers, int index) {
  const recipe& how = job.recipe;
  const workspace& beside = job.workspace;
  const rank_sum rank = sum_over_chunks(job, layers, index);
  const rank_parameters held = parameters_of(rank, job);
  const layer_peaks largest = peaks_of(job.layers, rank.layers);
  const double block = how.recompute == recompute::full ? how.recompute_every : 1;

  measured_stage result{
      .at = {.stage = index,
             .states = states_on_rank(held, job.rates, how, job.parallelism, job.data_rank),
             .buffers = job.ends.buffers,
             .framework = job.framework,
             .activations = rank.activations,
             .embedding = rank.embedding,
             .recomputed = (std::min)(block, rank.layers.total()) * largest.computed_again,
             .layer_gradients = largest.gradients,
             .gradient_copy = gradient_copy_on_rank(held, job.rates),
             .optimizer_temporaries = updated_on_rank(held, job.rates) * beside.update_temporary,
             .cuda_context = beside.cuda_context,
             .communicators = job.communicators}};
  stage_footprint& at = result.at;
  add_ends(at, job, rank);
  add_gathered(at, job, rank, held);
  if (how.adapts())
    freeze(at, job, rank);
  else
    add_gradients(at, job, held);
  if (how.uses_host()) move_to_host(at, job, rank);
  const bytes peak = at.peak();
  at.fragmentation = beside.fragmentation * peak;
  result.total = peak + at.beside_allocator();
  return result;
}

/// Replaces the first stage by the one that needs most; of equals the first stays.
constexpr void find_worst(measured_stage& fullest, const footprint& job,
                          const pipeline_layers& layers) {
  const int stages = job.stages();
  if (stages == 1) return;
  stage_layers seen = layers.of_stage(0);
  const bool alike = job.model.moe_layers() == 0 && job.recipe.split.stages() == 0;
  for (int index = 1; index < stages; ++index) {
    // Without experts or a split no stage between the second and the last has more layers.
    if (alike && index == 2) index = stages - 1;
    const stage_layers held = layers.of_stage(index);
    // Among stages of the same layers the first holds the most micro-batches, so that a stage with
    // no more layers than an earlier one can only be fuller where it has the head.
    const bool fewer = held.dense <= seen.dense && held.moe <= seen.moe;
    if (fewer && !held.has_head) continue;
    seen = held;
    if (const measured_stage next = stage_of(job, layers, index); next.total > fullest.total)
        [[unlikely]]
      fullest = next;
  }
}

constexpr measured_stage worst_of(const footprint& job) {
  const pipeline_layers layers{job.model, job.recipe, job.parallelism};
  measured_stage fullest = stage_of(job, layers, 0);
  find_worst(fullest, job, layers);
  return fullest;
}

}  // namespace detail

constexpr stage_footprint footprint::stage(int index) const {
  require(index >= 0 && index < stages(), "footprint: stage must be 0 to pipeline - 1");
  return detail::stage_of(*this, {model, recipe, parallelism}, index).at;
}

constexpr stage_footprint footprint::worst_stage() const {
  return detail::worst_of(*this).at;
}

constexpr int footprint::worst() const {
  return worst_stage().stage;
}

}  // namespace gpuplan
