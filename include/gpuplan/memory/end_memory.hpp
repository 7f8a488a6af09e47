#pragma once
/// \file
/// Memory at the ends of a model and between its ranks: the same on every stage that has it.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/end_activations.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes of one micro-batch at the ends of a model, and between its ranks.
struct end_memory {
  bytes buffers{};    ///< on every stage: message_buffers
  bytes batch{};      ///< on the first and on the last stage
  bytes embedding{};  ///< dropout mask of the embedding, on the first
  bytes head{};       ///< on the last stage, as all that follow
  bytes logits{};
  bytes head_gradients{};
  bytes deferred_head{};
  bytes deferred_gradient{};
};

/// One buffer as large as its largest use (gathers of sequence parallelism and of tokens for
/// experts, scores of attention), and for each chunk of a pipeline rank the activation that it
/// received last and the gradient that it made last.
///
///     max(T h, a k T / t, T h r e x)  +  2 v T h r      values
///
///     T  tokens of a micro-batch, r  part of them that a rank keeps, h  hidden_size
///     a heads, k keys; t, e, x tensor, expert and expert-tensor ranks; v cut.interleave
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/utils.py, GlobalMemoryBuffer, and
/// megatron/core/pipeline_parallel (2026).
constexpr bytes message_buffers(const transformer& m, const recipe& how, const parallelism& cut,
                                const stream_tokens& seen, const kernel_memory& kernels) {
  const bool encoder_longer = m.encoder_layers > 0 && seen.encoder.all > seen.decoder.all;
  const micro_batch_tokens& longest = encoder_longer ? seen.encoder : seen.decoder;
  const double stream = m.hidden_size * longest.residual;
  double reused = 0;
  if (how.sequence_parallel && cut.tensor > 1) reused = m.hidden_size * longest.all;
  if (kernels.scores_buffered && how.attention == attention_kernel::unfused)
    reused = (std::max)(reused, detail::score_pairs(m, cut, {longest, longest}));
  if (m.moe_layers() > 0 && kernels.dispatcher == token_dispatcher::all_gather)
    reused = (std::max)(reused, stream * cut.expert * cut.expert_tensor_ranks());
  if (cut.pipeline > 1) reused += 2.0 * cut.interleave * stream;
  return reused * bytes_per_activation(how.precision).value;
}

/// Memory at the ends of a model.  Logits of layers that predict further tokens are kept as the
/// FP32 values that their softmax leaves, until the backward pass.
///
/// \throws invalid_input if the recipe's precision or loss is none of its values
constexpr end_memory memory_of_ends(const transformer& m, const recipe& how, const parallelism& cut,
                                    const stream_tokens& seen, const kernel_memory& kernels) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const bytes further =
      m.multi_token_prediction_layers * logits_on_rank(m, cut, seen) * per.statistic;
  end_memory ends{.buffers = message_buffers(m, how, cut, seen, kernels),
                  .batch = batch_memory(m, seen, kernels),
                  .embedding = embedding_mask(m, how, seen),
                  .head = head_inputs(m, how, seen) + further,
                  .logits = logits_at_loss(m, how, cut, seen),
                  .head_gradients = head_gradients(m, how, cut, seen, kernels)};
  if (kernels.head_gradients_deferred == 0) return ends;
  ends.deferred_head = deferred_head(m, how, cut, seen, kernels);
  ends.deferred_gradient = table_on_rank(m, cut).tables * per.value;
  return ends;
}

/// Communicators of a rank: one for each axis that is cut, and one for the replicas of experts.
constexpr int communicators_of(const parallelism& cut) {
  const auto more_than_one = [](std::int64_t ranks) { return ranks > 1 ? 1 : 0; };
  return more_than_one(cut.data) + more_than_one(cut.tensor) + more_than_one(cut.pipeline) +
         more_than_one(cut.context) + more_than_one(cut.expert) +
         (cut.expert > 1 ? more_than_one(cut.expert_replicas()) : 0);
}

}  // namespace gpuplan
