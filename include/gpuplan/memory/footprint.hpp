#pragma once
/// \file
/// The memory that a training job needs on each GPU: every stage, every term.

#include <algorithm>

#include <gpuplan/memory/detail/frozen_rank.hpp>
#include <gpuplan/memory/detail/rank_memory.hpp>
#include <gpuplan/memory/end_memory.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/reference_memory.hpp>
#include <gpuplan/memory/reserved.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/unused_gradients.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Memory of every stage, computed when asked for.  Keeps its inputs and what all stages share.
struct footprint {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int micro_batches = 1;         ///< of one step on one replica: micro_batches_of
  int data_rank = fullest_rank;  ///< of the data-parallel group; matters to Muon alone
  stream_tokens seen{};          ///< by one rank, of one micro-batch
  layer_kinds layers{};
  end_memory ends{};
  state_rates rates{};
  unused_by_layers unused{};
  bytes framework{};        ///< workspaces, on every stage
  bytes communicators{};    ///< likewise
  rank_parameters table{};  ///< embedding or head
  rank_parameters first{};  ///< what the first stage holds beside its layers
  rank_parameters last{};   ///< what the last stage holds beside its layers and the head

  [[nodiscard]] constexpr int stages() const { return parallelism.pipeline; }

  /// Memory of one rank of a stage.
  ///
  /// \throws invalid_input if index is not 0 to stages() - 1, or the recipe's split does not fit
  [[nodiscard]] constexpr stage_footprint stage(int index) const;

  /// The stage that needs most; of equals the first.
  [[nodiscard]] constexpr stage_footprint worst_stage() const;
  [[nodiscard]] constexpr int worst() const;
};

/// memory_footprint without its checks, for those who have made them.
constexpr footprint footprint_of(const transformer& given, const recipe& how,
                                 const parallelism& cut, const workspace& beside) {
  const transformer m = with_head_dim(given);
  const transformer_parameters count = parameters_beside_layers(m);
  const int encoder_length =
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length;
  const stream_tokens seen{.decoder = detail::tokens_of(how.sequence_length, how, cut),
                           .encoder = detail::tokens_of(encoder_length, how, cut)};
  return {.model = given,
          .recipe = how,
          .parallelism = cut,
          .workspace = beside,
          .micro_batches = micro_batches_of(how, cut),
          .seen = seen,
          .layers = memory_of_layers(m, how, cut, seen, beside.kernels),
          .ends = memory_of_ends(m, how, cut, seen, beside.kernels),
          .rates = state_rates_of(how, cut, beside.kernels),
          .unused = unused_gradients_of(m, how, cut, beside.kernels),
          .framework = detail::framework_of(beside),
          .communicators = communicators_of(cut) * beside.communicator,
          .table = table_on_rank(m, cut),
          .first = first_stage_on_rank(m, count, cut),
          .last = last_stage_on_rank(m, count, cut)};
}

/// Memory of a training job, stage by stage.
///
/// The sum of
///
///     states       weights, gradients, master weights and optimizer states: stage_states.hpp
///     reference    weights of a second, frozen model: reference_memory.hpp
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
  return footprint_of(m, how, cut, beside);
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

/// reserved_beyond of a stage whose lengths vary.
[[gnu::cold]] constexpr bytes reserved_for_lengths(const stage_footprint& at, bytes peak,
                                                   const recipe& how, double fragmentation) {
  constexpr variable_length_shares shares;
  const bool recomputed = how.recompute == recompute::full;
  return reserved_beyond(peak, (std::min)(at.varying(), peak), fragmentation,
                         recomputed ? shares.recomputed : shares.kept);
}

}  // namespace detail

/// A stage, and what it needs: its total(), summed once.
struct measured_stage {
  stage_footprint at{};
  bytes total{};
};

/// One stage of a job, 0 to stages() - 1, whose layers are `layers`: footprint::stage without its
/// check.
constexpr measured_stage measured_stage_of(const footprint& job, const pipeline_layers& layers,
                                           int index) {
  const recipe& how = job.recipe;
  const workspace& beside = job.workspace;
  const detail::rank_sum rank = detail::sum_over_chunks(job, layers, index);
  const rank_parameters held = detail::parameters_of(rank, job);

  measured_stage result{
      .at = {.stage = index,
             .states = states_on_rank(held, job.rates, how, job.parallelism, job.data_rank),
             .unused_gradients = job.unused.of(rank.layers.dense + rank.layers.encoder > 0,
                                               rank.layers.moe + rank.layers.prediction > 0),
             .buffers = how.zero == zero_stage::none ? job.ends.buffers
                                                     : job.ends.buffers + beside.zero_buckets,
             .framework = job.framework,
             .activations = rank.activations,
             .embedding = rank.embedding,
             .recomputed = rank.work.computed_again,
             .layer_gradients = rank.work.gradients,
             .gradient_copy = gradient_copy_on_rank(held, job.rates),
             .optimizer_temporaries = updated_on_rank(held, job.rates) * beside.update_temporary,
             .cuda_context = beside.cuda_context,
             .communicators = job.communicators}};
  stage_footprint& at = result.at;
  detail::add_ends(at, job, rank);
  if (how.adapts()) {
    detail::freeze(at, job, rank, held);
  } else {
    detail::add_gathered(at, job, rank, held);
    detail::add_gradients(at, job, rank, held, [&] {
      return detail::working_unit_of(job, rank).largest * job.rates.per.gradient;
    });
  }
  if (how.keeps_reference()) [[unlikely]]
    at.reference_model = reference_weights_on_rank(held, how, job.rates);
  if (how.uses_host()) detail::move_to_host(at, job, rank);
  const bytes peak = at.peak();
  at.fragmentation = detail::reserved_beside(at, job, peak);
  if (beside.variable_lengths) [[unlikely]]
    at.fragmentation = (std::max)(
        at.fragmentation, detail::reserved_for_lengths(at, peak, how, beside.fragmentation));
  result.total = peak + at.beside_allocator();
  return result;
}

/// Replaces the first stage of a job by the one that needs most; of equals the first stays.
constexpr void find_fullest(measured_stage& fullest, const footprint& job,
                            const pipeline_layers& layers) {
  if (job.stages() == 1) return;
  const auto replace = [&](int index) {
    if (const measured_stage next = measured_stage_of(job, layers, index);
        next.total > fullest.total) [[unlikely]]
      fullest = next;
  };
  // Where the first backward pass makes the gradients, earlier stages may have none at their peak;
  // and in other schedules than these two later stages hold as many micro-batches or more, or a
  // rank holds two stages.
  const pipeline_schedule schedule = job.recipe.schedule;
  const bool first_holds_most = schedule == pipeline_schedule::gpipe ||
                                schedule == pipeline_schedule::one_forward_one_backward;
  if (job.recipe.gradients_live == gradient_lifetime::backward || !first_holds_most) [[unlikely]] {
    for (int index = 1; index < job.stages(); ++index) replace(index);
    return;
  }
  stage_layers seen;
  layers.for_each_distinct_stage([&](int index, const stage_layers& held) {
    // Among stages of the same layers the first holds the most micro-batches, so that a stage with
    // no more layers than an earlier one can only be fuller where it has the head.
    const bool fewer = held.dense <= seen.dense && held.moe <= seen.moe;
    if (index > 0 && fewer && !held.has_head) return;
    seen = held;
    if (index > 0) replace(index);
  });
}

constexpr stage_footprint footprint::stage(int index) const {
  require(index >= 0 && index < stages(), "footprint: stage must be 0 to pipeline - 1");
  return measured_stage_of(*this, {model, recipe, parallelism}, index).at;
}

constexpr stage_footprint footprint::worst_stage() const {
  const pipeline_layers all{model, recipe, parallelism};
  measured_stage fullest = measured_stage_of(*this, all, 0);
  find_fullest(fullest, *this, all);
  return fullest.at;
}

constexpr int footprint::worst() const {
  return worst_stage().stage;
}

}  // namespace gpuplan
