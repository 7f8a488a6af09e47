#pragma once
/// \file
/// Memory at the two ends of a model (input and embedding; last norm, head and loss) and between
/// its ranks: the same on every stage that has it.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/adapter_memory.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The batch on the GPU, on the first and the last stage: tokens, labels and positions in int64,
/// the loss mask in FP32, 28 bytes a token, and 8 for a token of an encoder; and a byte for each
/// pair of tokens where the batch carries its attention mask.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/utils.py, get_batch_on_this_tp_rank (2026).
constexpr bytes batch_memory(const transformer& m, const stream_tokens& seen,
                             const kernel_memory& kernels) {
  constexpr bytes token{8 + 8 + 8 + 4};
  constexpr bytes read{8};
  constexpr bytes pair{1};
  const bool both = m.encoder_layers > 0;
  bytes held = seen.decoder.all * token;
  if (both) held += seen.encoder.all * read;
  if (!kernels.mask_in_batch) return held;
  held += seen.decoder.all * seen.decoder.sequence * pair;
  if (both)
    held += (seen.encoder.all * seen.encoder.sequence + seen.decoder.all * seen.encoder.sequence) *
            pair;
  return held;
}

/// The embedding's dropout mask, of one micro-batch: a byte for each residual value.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), arXiv:2205.05198.
constexpr bytes embedding_mask(const transformer& m, const recipe& how, const stream_tokens& seen) {
  if (!how.dropout) return bytes{0};
  const double kept = seen.decoder.residual + (m.encoder_layers > 0 ? seen.encoder.residual : 0);
  return m.hidden_size * kept * bytes_per_activation(how.precision).mask;
}

/// Inputs of the final norm and of the head: 2 h each, of every residual token, at 2 bytes.
///
/// Source: as embedding_mask.
constexpr bytes head_inputs(const transformer& m, const recipe& how, const stream_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  return 2 * m.hidden_size * seen.decoder.residual * per.value;
}

/// Bytes of one logit at the loss.
///
///     in_place   value + 4      logits, and an FP32 copy that the softmax overwrites; 4 in FP32
///     fused      value + 8      two FP32 copies, of FP32 logits one; 8 in FP32
///     te_fused   value          logits, which their gradient overwrites
///     compiled   2 value        logits and gradient; FP32 in registers alone
///     eager      value + 12     FP32 logits, log-softmax and gradient; 12 in FP32
///     chunked    as fused, of some of the logits: see logits_at_loss
///     none       0
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/tensor_parallel/cross_entropy.py and
/// megatron/core/fusions/fused_cross_entropy.py (2026); NVIDIA, "Transformer Engine",
/// pytorch/cross_entropy.py (2025); PyTorch, torchtitan, components/loss.py (2025), a compiled
/// loss; huggingface/transformers, issue 30860 (2024), for the FP32 copies of eager losses.
///
/// \throws invalid_input if loss is none of its values
constexpr bytes bytes_per_logit(loss_kernel loss, precision mix) {
  const activation_bytes per = bytes_per_activation(mix);
  switch (loss) {
    case loss_kernel::in_place:
      return per.value < per.statistic ? per.value + per.statistic : per.value;
    case loss_kernel::chunked:
    case loss_kernel::fused:
      return per.value < per.statistic ? per.value + 2 * per.statistic : 2 * per.statistic;
    case loss_kernel::te_fused: return per.value;
    case loss_kernel::compiled: return 2 * per.value;
    case loss_kernel::eager:
      return per.value < per.statistic ? per.value + 3 * per.statistic : 3 * per.statistic;
    case loss_kernel::none: return bytes{0};
  }
  require(false, "bytes_per_logit: loss must be one of its values");
  return {};
}

/// Bytes of one logit that the loss keeps until its backward pass.
///
///     in_place, fused, eager    4        the softmax, or its logarithm
///     te_fused, compiled        value    the gradient, or the logits
///     chunked, none             0        of some of the logits at a time
///
/// Source: as bytes_per_logit.
///
/// \throws invalid_input if loss is none of its values
constexpr bytes bytes_kept_per_logit(loss_kernel loss, precision mix) {
  const activation_bytes per = bytes_per_activation(mix);
  switch (loss) {
    case loss_kernel::in_place:
    case loss_kernel::fused:
    case loss_kernel::eager: return per.statistic;
    case loss_kernel::te_fused:
    case loss_kernel::compiled: return per.value;
    case loss_kernel::chunked:
    case loss_kernel::none: return bytes{0};
  }
  require(false, "bytes_kept_per_logit: loss must be one of its values");
  return {};
}

/// Logits of one micro-batch on one rank.
///
///     b s V / (c t)
///
/// Source: NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
constexpr double logits_on_rank(const transformer& m, const parallelism& cut,
                                const stream_tokens& seen) {
  return seen.decoder.all * m.vocabulary_size / cut.tensor;
}

namespace detail {

/// Logits at the loss: all of the vocabulary where tensor-parallel ranks gather them.
constexpr double logits_held(const transformer& m, const recipe& how, const parallelism& cut,
                             const stream_tokens& seen) {
  return logits_on_rank(m, cut, seen) * (how.replicated_logits ? cut.tensor : 1);
}

/// Whether the loss is PyTorch's on logits that tensor-parallel ranks divide, whatever the recipe
/// asks for: its steps are not fused.
constexpr bool loss_of_parts(const recipe& how, const parallelism& cut) {
  const bool plain = how.loss == loss_kernel::compiled || how.loss == loss_kernel::eager;
  if (!plain || cut.tensor == 1 || how.replicated_logits) return false;
  return how.framework == framework::fsdp || how.framework == framework::fsdp2;
}

/// The head's table on a rank, in values, where it is trained.
constexpr double trained_head_values(const transformer& m, const recipe& how,
                                     const parallelism& cut) {
  if (!trains_table(m, how, trained_table::head)) return 0;
  return static_cast<double>(m.vocabulary_size) * m.embedding_width() / cut.tensor;
}

/// What a loss keeps of one use of the head until its backward pass: of its logits, or the gradient
/// of the head's input that a chunked loss has made already.
constexpr bytes kept_by_loss(const transformer& m, const recipe& how, const parallelism& cut,
                             const stream_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  if (how.loss == loss_kernel::chunked) return m.embedding_width() * seen.decoder.all * per.value;
  const bytes logit =
      loss_of_parts(how, cut) ? per.statistic : bytes_kept_per_logit(how.loss, how.precision);
  return logits_held(m, how, cut, seen) * logit;
}

/// What stays beside it of the token that comes next: the logits, which the caller of a loss that
/// is not fused holds, or the gradient that a chunked loss has made of a trained head.
constexpr bytes kept_beside_loss(const transformer& m, const recipe& how, const parallelism& cut,
                                 const stream_tokens& seen) {
  const bytes value = bytes_per_activation(how.precision).value;
  if (how.loss == loss_kernel::chunked) return trained_head_values(m, how, cut) * value;
  if (how.loss != loss_kernel::eager && !loss_of_parts(how, cut)) return bytes{0};
  return logits_held(m, how, cut, seen) * value;
}

}  // namespace detail

/// The logits at the loss, with all that it makes of them.  A chunked loss cuts the tokens into
/// ceil(V / h) chunks, so that the logits of one are as large as the head's input, and keeps the
/// gradients of input and trained head instead.  PyTorch's loss on logits that ranks divide holds
/// the logits and four FP32 tensors of their size.
///
/// Source: P.-L. Hsu et al., "Liger Kernel: Efficient Triton Kernels for LLM Training" (2024),
/// section 3.2, arXiv:2410.10989; PyTorch, torch/distributed/tensor/parallel/loss.py (2.x), the
/// backward pass of its loss_parallel.
constexpr bytes logits_at_loss(const transformer& m, const recipe& how, const parallelism& cut,
                               const stream_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double logits = detail::logits_held(m, how, cut, seen);
  if (detail::loss_of_parts(how, cut)) [[unlikely]]
    return logits * (per.value + 4 * per.statistic);
  const bytes all = logits * bytes_per_logit(how.loss, how.precision);
  if (how.loss != loss_kernel::chunked) return all;

  const int width = m.embedding_width();
  const int chunks = m.vocabulary_size / width + (m.vocabulary_size % width != 0);
  return all / chunks + detail::kept_by_loss(m, how, cut, seen) +
         detail::kept_beside_loss(m, how, cut, seen);
}

/// Gradients when the head's backward pass begins: of logits, of the head's input, and of the
/// head's weights where their accumulation is not fused, or where Megatron-LM returns a gradient
/// that nobody reads in its place.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/tensor_parallel/layers.py (2026).
constexpr bytes head_gradients(const transformer& m, const recipe& how, const parallelism& cut,
                               const stream_tokens& seen, const kernel_memory& kernels) {
  const activation_bytes per = bytes_per_activation(how.precision);
  if (how.loss == loss_kernel::none) return bytes{0};
  const int width = m.embedding_width();
  double values = width * (m.encoder_layers > 0 ? (std::max)(seen.encoder.all, seen.decoder.all)
                                                : seen.decoder.all);
  if (how.loss != loss_kernel::chunked) values += detail::logits_held(m, how, cut, seen);
  const bool made = how.framework == framework::transformer_engine || !kernels.head_gradient_fused;
  if (made || how.loss == loss_kernel::chunked) values += detail::trained_head_values(m, how, cut);
  return values * per.value;
}

/// What the head keeps of micro-batches whose weight gradients wait for the end of the step:
/// gradients of logits, which ranks divide again where they have gathered the logits, and inputs.
///
/// Source: NVIDIA, "Megatron-LM", --defer-embedding-wgrad-compute (2024).
constexpr bytes deferred_head(const transformer& m, const recipe& how, const parallelism& cut,
                              const stream_tokens& seen, const kernel_memory& kernels) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double values = logits_on_rank(m, cut, seen) + m.embedding_width() * seen.decoder.all;
  return kernels.head_gradients_deferred * values * per.value;
}

/// Bytes of one micro-batch at the ends of a model, and between its ranks.
struct end_memory {
  bytes buffers{};      ///< on every stage: message_buffers
  bytes batch{};        ///< on the first and on the last stage
  bytes embedding{};    ///< dropout mask of the embedding, on the first
  bytes head{};         ///< on the last stage, as all that follow
  bytes kept_logits{};  ///< of a micro-batch between its loss and its backward pass
  bytes logits{};
  bytes head_gradients{};
  bytes deferred_head{};
  bytes deferred_gradient{};
};

/// One buffer as large as its largest use (gathers of sequence parallelism and of tokens for
/// experts, scores of attention), and for each chunk of a pipeline rank the activation that it
/// received last and the gradient that it made last.
///
///     max(T h, a k T / t, T w r e x)  +  2 v T h r      values
///
///     T  tokens of a micro-batch, r  part of them that a rank keeps, h  hidden_size
///     w  expert_state_size, a heads, k keys; t, e, x tensor, expert and expert-tensor ranks
///     v  cut.interleave
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
    reused = (std::max)(
        reused, m.expert_state_size() * longest.residual * cut.expert * cut.expert_tensor_ranks());
  if (cut.pipeline > 1) reused += 2.0 * cut.interleave * stream;
  return reused * bytes_per_activation(how.precision).value;
}

/// Memory at the ends of a model.  Layers that predict further tokens have a norm and a use of the
/// head each, whose inputs and logits are kept until the backward pass.
///
/// \throws invalid_input if the recipe's precision or loss is none of its values
constexpr end_memory memory_of_ends(const transformer& m, const recipe& how, const parallelism& cut,
                                    const stream_tokens& seen, const kernel_memory& kernels) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const bytes one_use = detail::kept_by_loss(m, how, cut, seen);
  const bytes inputs = head_inputs(m, how, seen);
  end_memory ends{.buffers = message_buffers(m, how, cut, seen, kernels),
                  .batch = batch_memory(m, seen, kernels),
                  .embedding = embedding_mask(m, how, seen),
                  .head = inputs + m.multi_token_prediction_layers * (one_use + inputs),
                  .kept_logits = one_use + detail::kept_beside_loss(m, how, cut, seen),
                  .logits = logits_at_loss(m, how, cut, seen),
                  .head_gradients = head_gradients(m, how, cut, seen, kernels)};
  if (kernels.head_gradients_deferred == 0) return ends;
  ends.deferred_head = deferred_head(m, how, cut, seen, kernels);
  ends.deferred_gradient = table_on_rank(m, cut).tables * per.value;
  return ends;
}

/// Communicators of a rank: one for each axis that is cut, and one for the replicas of experts.
///
/// Source: as logits_on_rank.
constexpr int communicators_of(const parallelism& cut) {
  const auto more_than_one = [](std::int64_t ranks) { return ranks > 1 ? 1 : 0; };
  return more_than_one(cut.data) + more_than_one(cut.tensor) + more_than_one(cut.pipeline) +
         more_than_one(cut.context) + more_than_one(cut.expert) +
         (cut.expert > 1 ? more_than_one(cut.expert_replicas()) : 0);
}

}  // namespace gpuplan
