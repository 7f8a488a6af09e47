#pragma once
/// \file
/// The tensors of head and loss, step by step.

#include <algorithm>
#include <string_view>
#include <vector>

#include "memory/walk/job.hpp"
#include "memory/walk/parameters.hpp"
#include "memory/walk/tensor.hpp"

namespace gpuplan::testing {

/// One step of the head: makes a tensor, then frees others by name.
using head_step = gradient_step;

/// What head and loss do in the forward and in the backward pass.
struct head_plan {
  std::vector<head_step> forward;
  std::vector<head_step> backward;
};

namespace detail {

/// Whether the loss is PyTorch's on logits that tensor-parallel ranks divide: its steps stay apart.
inline bool divided_loss(const walked_job& job) {
  const loss_kernel loss = job.recipe.loss;
  return plain_pytorch(job) && job.parallelism.tensor > 1 && !job.recipe.replicated_logits &&
         (loss == loss_kernel::compiled || loss == loss_kernel::eager);
}

/// Softmax and loss in steps of a framework, each a tensor of its own.  The caller holds the logits
/// until its backward pass; one divided by ranks also makes the softmax anew there.
inline void add_loss_in_steps(head_plan& plan, double logits, const value_sizes& size,
                              bool divided) {
  const bool wide = size.activation >= size.full;
  plan.forward.push_back({"logits", logits, size.activation});
  if (!wide || divided) plan.forward.push_back({"FP32 logits", logits, size.full});
  plan.forward.push_back({"log-softmax", logits, size.full, false, {"FP32 logits"}});
  if (divided) plan.backward.push_back({"softmax of logits", logits, size.full});
  if (!wide || divided) plan.backward.push_back({"gradient of log-softmax", logits, size.full});
  plan.backward.push_back(
      {"FP32 gradient of logits",
       logits,
       size.full,
       false,
       {"logits", "softmax of logits", "log-softmax", "gradient of log-softmax"}});
  if (!wide)
    plan.backward.push_back(
        {"gradient of logits", logits, size.activation, false, {"FP32 gradient of logits"}});
}

/// The loss of one micro-batch, after its logits.
inline void add_loss(head_plan& plan, const walked_job& job, double logits) {
  const value_sizes size = sizes_of(job);
  const bool wide = size.activation >= size.full;
  auto& forward = plan.forward;
  auto& backward = plan.backward;
  if (divided_loss(job)) return add_loss_in_steps(plan, logits, size, true);
  switch (job.recipe.loss) {
    case loss_kernel::in_place:
    case loss_kernel::fused:
      forward.push_back({"logits", logits, size.activation});
      if (wide && job.recipe.loss == loss_kernel::in_place)
        return;  // softmax and gradient take the place of the logits
      if (!wide && job.recipe.loss == loss_kernel::fused)
        forward.push_back({"FP32 logits", logits, size.full});
      forward.push_back({"softmax of logits", logits, size.full, false, {"logits", "FP32 logits"}});
      backward.push_back(
          {"gradient of logits", logits, size.activation, false, {"softmax of logits"}});
      return;
    case loss_kernel::te_fused:  // the gradient takes the place of the logits
      forward.push_back({"logits", logits, size.activation});
      return;
    case loss_kernel::compiled:
      forward.push_back({"logits", logits, size.activation});
      backward.push_back({"gradient of logits", logits, size.activation, false, {"logits"}});
      return;
    case loss_kernel::eager: return add_loss_in_steps(plan, logits, size, false);
    case loss_kernel::chunked:
    case loss_kernel::none: return;
  }
}

/// Bytes of a logit that a loss keeps until its backward pass.
inline bytes kept_logit_size(const walked_job& job) {
  const value_sizes size = sizes_of(job);
  switch (job.recipe.loss) {
    case loss_kernel::in_place:
    case loss_kernel::fused:
    case loss_kernel::eager: return size.full;
    case loss_kernel::te_fused: return size.activation;
    case loss_kernel::compiled: return divided_loss(job) ? size.full : size.activation;
    case loss_kernel::chunked:
    case loss_kernel::none: return bytes{0};
  }
  return {};
}

/// A loss that takes as many chunks of tokens as the vocabulary is wider than the state, and makes
/// the gradients of its inputs at once.
inline void add_chunked_loss(head_plan& plan, const walked_job& job, double logits, double inputs,
                             double table) {
  const value_sizes size = sizes_of(job);
  const int width = job.model.embedding_width();
  const int chunks = (job.model.vocabulary_size + width - 1) / width;
  auto& forward = plan.forward;
  forward.push_back({"gradient of head input", inputs, size.activation});
  if (table > 0) forward.push_back({"gradient of head", table, size.activation});
  forward.push_back({"logits of a chunk", logits / chunks, size.activation});
  if (size.activation < size.full)
    forward.push_back({"FP32 logits of a chunk", logits / chunks, size.full});
  forward.push_back({"log-softmax of a chunk",
                     logits / chunks,
                     size.full,
                     false,
                     {"logits of a chunk", "FP32 logits of a chunk", "log-softmax of a chunk"}});
}

}  // namespace detail

/// Final norm, head, further predictions, loss.
inline head_plan head_of(const walked_job& job) {
  const transformer& m = job.model;
  const value_sizes size = sizes_of(job);
  const tokens seen = decoder_tokens(job);
  const double stream = m.hidden_size * seen.own;
  const double gathered = job.recipe.replicated_logits ? job.parallelism.tensor : 1;
  const double logits = seen.all * m.vocabulary_size / job.parallelism.tensor * gathered;
  const double inputs = m.embedding_width() * seen.all;
  const parameter_tensor table = table_of_walked(job, trained_table::head).front();
  const double trained = table.trained ? table.values() : 0;
  const bool computes = job.recipe.loss != loss_kernel::none;
  const bool chunked = job.recipe.loss == loss_kernel::chunked;

  head_plan plan;
  for (int i = 0; i < m.multi_token_prediction_layers; ++i) {
    plan.forward.push_back({"final norm input of further prediction", stream, size.activation});
    plan.forward.push_back({"head input of further prediction", stream, size.activation});
    if (chunked)
      plan.forward.push_back({"gradient of further head input", inputs, size.activation});
    else if (computes)
      plan.forward.push_back(
          {"logits of further prediction", logits, detail::kept_logit_size(job)});
  }
  plan.forward.push_back({"final norm input", stream, size.activation});
  plan.forward.push_back({"head input", stream, size.activation});
  if (chunked)
    detail::add_chunked_loss(plan, job, logits, inputs, trained);
  else
    detail::add_loss(plan, job, logits);
  if (!computes || chunked) return plan;
  // Megatron-LM's head returns a gradient that nobody reads, where it has added to the accumulated.
  const bool made = !job.workspace.kernels.head_gradient_fused ||
                    job.recipe.framework == framework::transformer_engine;
  if (made && trained > 0) plan.backward.push_back({"gradient of head", trained, size.activation});
  plan.backward.push_back({"gradient of head input", inputs, size.activation});
  return plan;
}

}  // namespace gpuplan::testing
