#pragma once
/// \file
/// Memory of a job before a stage is asked for: its inputs, and what all stages share.

#include <cstdint>

#include <gpuplan/memory/end_memory.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Memory of every stage, computed when asked for.  Keeps its inputs and what all stages share.
struct footprint {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int micro_batches = 1;         ///< of one step on one replica
  int data_rank = fullest_rank;  ///< of the data-parallel group; matters to Muon alone
  stream_tokens seen{};          ///< by one rank, of one micro-batch
  layer_kinds layers{};
  end_memory ends{};
  state_rates rates{};
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

/// Micro-batches that one replica runs in a step: ceil(B / (b d)).
///
///     B  how.global_batch_size, b  cut.micro_batch_size, d  cut.data
constexpr int micro_batches_of(const recipe& how, const parallelism& cut) {
  const std::int64_t at_once = std::int64_t{cut.micro_batch_size} * cut.data;
  return static_cast<int>((how.global_batch_size + at_once - 1) / at_once);
}

namespace detail {

/// memory_footprint, of inputs that are valid.
constexpr footprint footprint_of(const transformer& given, const recipe& how,
                                 const parallelism& cut, const workspace& beside) {
  transformer m = given;
  m.head_dim = given_head_dim(given);
  const transformer_parameters count = parameters_beside_layers(m);
  const int encoder_length =
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length;
  const stream_tokens seen{.decoder = tokens_of(how.sequence_length, how, cut),
                           .encoder = tokens_of(encoder_length, how, cut)};
  return {.model = given,
          .recipe = how,
          .parallelism = cut,
          .workspace = beside,
          .micro_batches = micro_batches_of(how, cut),
          .seen = seen,
          .layers = memory_of_layers(m, how, cut, seen, beside.kernels),
          .ends = memory_of_ends(m, how, cut, seen, beside.kernels),
          .rates = state_rates_of(how, cut),
          .framework = framework_of(beside),
          .communicators = communicators_of(cut) * beside.communicator,
          .table = table_on_rank(m, cut),
          .first = first_stage_on_rank(m, count, cut),
          .last = last_stage_on_rank(m, count, cut)};
}

}  // namespace detail

}  // namespace gpuplan
