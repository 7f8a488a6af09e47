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

constexpr stage_footprint footprint::stage(int index) const {
  require(index >= 0 && index < stages(), "footprint: stage must be 0 to pipeline - 1");
  const detail::rank_sum rank = detail::sum_over_chunks(*this, index);
  const rank_parameters& held = rank.parameters;
  const double block = recipe.recompute == recompute::full ? recipe.recompute_every : 1;

  stage_footprint at{
      .stage = index,
      .states = states_on_rank(held, rates, recipe, parallelism, data_rank),
      .buffers = ends.buffers,
      .framework = framework_at_start(workspace),
      .activations = rank.activations,
      .embedding = rank.embedding,
      .recomputed = (std::min)(block, rank.layers.total()) *
                    largest_of(layers, rank.layers,
                               [](const layer_memory& one) { return one.computed_again; }),
      .layer_gradients =
          largest_of(layers, rank.layers, [](const layer_memory& one) { return one.gradients; }),
      .gradient_copy = gradient_copy_on_rank(held, rates),
      .optimizer_temporaries = updated_on_rank(held, rates) * workspace.update_temporary,
      .cuda_context = workspace.cuda_context,
      .communicators = communicators_of(parallelism) * workspace.communicator};
  detail::add_ends(at, *this, rank);
  detail::add_gathered(at, *this, rank);
  if (recipe.adapts())
    detail::freeze(at, *this, rank);
  else
    detail::add_gradients(at, *this, rank);
  if (recipe.uses_host()) detail::move_to_host(at, *this, rank);
  at.fragmentation = workspace.fragmentation * at.peak();
  return at;
}

constexpr stage_footprint footprint::worst_stage() const {
  stage_footprint fullest = stage(0);
  if (stages() == 1) return fullest;
  bytes most = fullest.total();
  stage_layers seen_layers = layers_of_stage(model, recipe, parallelism, 0);
  const bool alike = model.moe_layers() == 0 && recipe.split.stages() == 0;
  for (int index = 1; index < stages(); ++index) {
    // Without experts or a split no stage between the second and the last has more layers.
    if (alike && index == 2) index = stages() - 1;
    const stage_layers held = layers_of_stage(model, recipe, parallelism, index);
    // Among stages of the same layers the first holds the most micro-batches, so that a stage with
    // no more layers than an earlier one can only be fuller where it has the head.
    const bool fewer = held.dense <= seen_layers.dense && held.moe <= seen_layers.moe;
    if (fewer && !held.has_head) continue;
    seen_layers = held;
    const stage_footprint next = stage(index);
    if (const bytes needed = next.total(); needed > most) {
      most = needed;
      fullest = next;
    }
  }
  return fullest;
}

constexpr int footprint::worst() const {
  return worst_stage().stage;
}

}  // namespace gpuplan
