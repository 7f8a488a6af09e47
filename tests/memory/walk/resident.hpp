#pragma once
/// \file
/// What lies on a rank through the whole step, and what its update makes.

#include <algorithm>

#include "memory/walk/job.hpp"
#include "memory/walk/layer.hpp"
#include "memory/walk/ledger.hpp"
#include "memory/walk/parameters.hpp"
#include "memory/walk/schedule.hpp"
#include "memory/walk/states.hpp"

namespace gpuplan::testing {

/// Whether embedding and head of a rank are one table.  The two directions of DualPipe are models of
/// their own, which share none.
inline bool shares_table(const walked_job& job, const std::vector<piece>& held) {
  const bool has_embedding =
      std::any_of(held.begin(), held.end(), [](const piece& one) { return one.has_embedding; });
  const bool has_head =
      std::any_of(held.begin(), held.end(), [](const piece& one) { return one.has_head; });
  return has_embedding && has_head && job.model.tied_embeddings &&
         (job.parallelism.pipeline == 1 || job.recipe.schedule != pipeline_schedule::dualpipe);
}

/// The parameters of a rank: all of its pieces and their ends.
inline parameter_list parameters_of_rank(const walked_job& job, const std::vector<piece>& held) {
  parameter_list all;
  const auto add = [&](const parameter_list& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const piece& one : held) {
    for (const walked_layer kind : one.layers) {
      add(parameters_of_walked(job, kind));
      add(adapters_of_walked(job, kind));
    }
    if (one.has_embedding) {
      const bool head_too =
          shares_table(job, held) && job.recipe.adapters.trained_tables.has(trained_table::head);
      add(table_of_walked(job, head_too ? trained_table::head : trained_table::embedding));
      add(rest_of_walked_end(job, false));
    }
    if (one.has_head) {
      if (!shares_table(job, held)) add(table_of_walked(job, trained_table::head));
      // Predictions look up embeddings: a copy of the table on a rank that has none.
      const bool embeds =
          std::any_of(held.begin(), held.end(), [](const piece& any) { return any.has_embedding; });
      if (job.model.multi_token_prediction_layers > 0 && !embeds && !job.model.tied_embeddings)
        add(table_of_walked(job, trained_table::embedding));
      add(rest_of_walked_end(job, true));
    }
  }
  return all;
}

/// The largest use of the one buffer that messages and scores share, and the last messages of each
/// chunk of a pipeline.
inline bytes message_buffer_size(const walked_job& job) {
  const transformer& m = job.model;
  const parallelism& cut = job.parallelism;
  const kernel_memory& kernels = job.workspace.kernels;
  tokens longest = decoder_tokens(job);
  if (m.encoder_layers > 0 && encoder_tokens(job).all > longest.all) longest = encoder_tokens(job);
  const double gathered =
      job.recipe.sequence_parallel && cut.tensor > 1 ? m.hidden_size * longest.all : 0;
  const bool scored = kernels.scores_buffered && job.recipe.attention == attention_kernel::unfused;
  const double scores = scored ? heads_of(job).queries * longest.all * longest.sequence : 0;
  const bool all_tokens = m.moe.experts > 0 && kernels.dispatcher == token_dispatcher::all_gather;
  const double state = m.moe.latent_size > 0 ? m.moe.latent_size : m.hidden_size;
  const double dispatched =
      all_tokens ? state * longest.own * cut.expert * cut.expert_tensor_ranks() : 0;
  const double received_and_sent =
      cut.pipeline > 1 ? 2.0 * cut.interleave * m.hidden_size * longest.own : 0;
  return ((std::max)({gathered, scores, dispatched}) + received_and_sent) *
         sizes_of(job).activation;
}

/// Tokens, labels and positions in int64, a loss mask in FP32; a byte for each pair of tokens where
/// the batch carries its mask.
inline bytes batch_size_of(const walked_job& job) {
  const value_sizes size = sizes_of(job);
  const bool both = job.model.encoder_layers > 0;
  const tokens decoder = decoder_tokens(job);
  const tokens encoder = both ? encoder_tokens(job) : tokens{};
  bytes held = (both ? encoder.all : decoder.all) * (3.0 * size.index + size.full);
  if (!job.workspace.kernels.mask_in_batch) return held;
  const double pairs =
      decoder.all * (decoder.sequence + encoder.sequence) + encoder.all * encoder.sequence;
  return held + pairs * size.flag;
}

/// Workspaces of cuBLAS for two threads, and of Transformer Engine for each stream.
inline bytes framework_size(const workspace& beside) {
  const int streams = beside.kernels.experts_grouped ? 5 : 1;
  return beside.cublas + beside.cublas + streams * beside.transformer_engine;
}

/// What Muon's deal of whole tensors adds for the rank that gets the largest table.
inline held_states dealt_table(const walked_job& job, const parameter_list& list) {
  held_states more;
  const optimizer_rule& rule = rule_of(job.recipe.optimizer);
  if (!rule.whole_tables || job.recipe.zero < zero_stage::optimizer) return more;
  if (job.recipe.adapters.rank > 0) return more;
  double largest = 0;
  for (const parameter_tensor& one : list)
    if (one.role == parameter_role::table && one.trained)
      largest = (std::max)(largest, one.values());
  const state_sizes size = state_sizes_of(job, {.role = parameter_role::table});
  const double lacking = largest * (1 - 1 / shards_of(job, parameter_role::table));
  more.masters = lacking * size.master;
  more.optimizer = lacking * rule.other_states * size.state;
  return more;
}

}  // namespace gpuplan::testing
