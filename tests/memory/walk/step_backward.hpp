#pragma once
/// \file
/// The backward passes of step_walk: what each makes and frees, in order.

#include <algorithm>

#include "memory/walk/step.hpp"

namespace gpuplan::testing {

/// Through the head, then the layers from the last; its own whole layer again where it was not kept.
inline void step_walk::backward(int chunk, cell& at, bool split) {
  const piece& here = held_[static_cast<std::size_t>(chunk)];
  if (here.has_head) backward_head(chunk, at);
  handle gradient = ledger::nothing;
  handle encoder_gradient = ledger::nothing;
  for (std::size_t end = here.layers.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (job_.recipe.recompute == recompute::full && !begins_checkpoint(here, begin)) --begin;
    for (std::size_t i = begin; i < end; ++i) {
      gather(chunk, static_cast<int>(i) + 1, i + 1 < end ? 1 : -1);
      make_again(plan(here.layers[i]), at.layers[i]);
    }
    for (; end > begin; --end) {
      const walked_layer kind = here.layers[end - 1];
      const layer_plan& of = plan(kind);
      if (gradient == ledger::nothing)
        gradient = memory_.make("gradient of residual stream", of.stream);
      if (!job_.as_formulas.whole_layers && at.encoder_output != ledger::nothing &&
          encoder_gradient == ledger::nothing)
        encoder_gradient =
            memory_.make("gradient of encoder output", plan(walked_layer::encoder).stream);
      if (kind == walked_layer::encoder && at.encoder_output != ledger::nothing) {
        if (encoder_gradient != ledger::nothing) {
          memory_.release(gradient);
          gradient = encoder_gradient;
        }
        encoder_gradient = ledger::nothing;
        memory_.release(at.encoder_output);
        memory_.release(at.encoder_norm_input);
      }
      const int place = static_cast<int>(end);
      gather(chunk, place, -1);
      if (!split) make_gradients(chunk, place);
      backward_layer(of, at.layers[end - 1], split);
      release_gathered(place);
    }
    end_group(chunk, at, split, end == 0);
  }
  release_all_gathered();
  memory_.release(gradient);
  memory_.release(at.sent);
  memory_.release(at.embedding_mask);
  if (here.has_embedding) make_gradients(chunk, 0);
  if (!split) memory_.release(whole_gradient_);
}

inline void step_walk::make_again(const layer_plan& of, std::vector<handle>& slots) {
  for (const planned_block& one : of.blocks)
    for (std::size_t i = one.begin; i < one.middle; ++i) {
      const bool output = of.slots[i].only_kept && !of.slots[i].layer_input;
      if (output && job_.as_formulas.output_again && slots[i] != ledger::nothing) {
        memory_.release(slots[i]);
        outputs_again_.emplace_back(&of.slots[i], &slots[i]);
      }
      if (slots[i] != ledger::nothing || of.slots[i].only_kept || of.slots[i].part != 0) continue;
      slots[i] = memory_.make(of.slots[i].account, of.slots[i].size);
      if (job_.as_formulas.whole_layers) made_again_.push_back(&slots[i]);
    }
}

inline void step_walk::backward_layer(const layer_plan& of, std::vector<handle>& slots,
                                      bool split) {
  const bool whole = job_.as_formulas.whole_layers;
  const auto release = [&](std::size_t i) {
    if (!(split && of.slots[i].for_weight)) memory_.release(slots[i]);
  };
  handle again = memory_.make("part computed again", part_as_formulas(of));
  for (auto one = of.blocks.rbegin(); one != of.blocks.rend(); ++one) {
    for (std::size_t i = one->begin; i < one->middle && !job_.as_formulas.parts_apart; ++i)
      if (of.slots[i].part != 0 && slots[i] == ledger::nothing)
        slots[i] = memory_.make(of.slots[i].account, of.slots[i].size);
    for (const planned_step& step : one->backward) {
      const planned_tensor& gradient = of.slots[step.slot];
      if (!(whole && gradient.in_place))
        slots[step.slot] = memory_.make(gradient.account, gradient.size);
      for (const std::size_t i : step.frees)
        if (!whole) release(i);
    }
    handle copy = memory_.make("dequantised matrix", of.dequantised);
    memory_.release(copy);
    for (std::size_t i = one->begin; i < one->end; ++i)
      if (!whole || i >= one->middle || of.slots[i].part != 0) release(i);
  }
  memory_.release(again);
}

/// Of the modules that a layer computes again the fullest, or the attention core where that is
/// more.
inline bytes step_walk::part_as_formulas(const layer_plan& of) const {
  if (!job_.as_formulas.parts_apart) return bytes{0};
  std::map<unsigned, bytes> parts;
  for (const planned_tensor& one : of.slots)
    if (one.part != 0) parts[one.part] += one.size;
  bytes most{};
  for (const auto& [part, size] : parts) most = (std::max)(most, size);
  return (std::max)(most - of.core_again, bytes{0});
}

/// Frees what a group of layers computed again, and where the whole pass is done all that it kept.
inline void step_walk::end_group(int chunk, cell& at, bool split, bool ends_pass) {
  if (!job_.as_formulas.whole_layers) return;
  const piece& here = held_[static_cast<std::size_t>(chunk)];
  for (std::size_t k = 0; k < here.layers.size(); ++k) {
    const layer_plan& of = plan(here.layers[k]);
    for (std::size_t i = 0; i < of.slots.size(); ++i) {
      handle& one = at.layers[k][i];
      const bool again =
          std::find(made_again_.begin(), made_again_.end(), &one) != made_again_.end();
      if ((again || ends_pass) && !(split && of.slots[i].for_weight)) memory_.release(one);
    }
  }
  made_again_.clear();
  for (const auto& [output, place] : outputs_again_)
    if (!ends_pass) *place = memory_.make(output->account, output->size);
  outputs_again_.clear();
}

/// The head's backward pass makes all of its gradients at once; where those of its weights are
/// deferred, the first micro-batches keep what they need until the end of the step.
inline void step_walk::backward_head(int chunk, cell& at) {
  const int place = last_unit(chunk);
  gather(chunk, place, -1);
  make_gradients(chunk, place);
  defer_as_formulas();
  head_steps(head_.backward, at);
  const auto limit = static_cast<std::size_t>(job_.workspace.kernels.head_gradients_deferred);
  if (!job_.as_formulas.deferred_released && job_.recipe.adapters.rank == 0 &&
      deferred_.size() < limit) {
    release_head(at);
    deferred_.push_back(memory_.make("deferred of the head", size_of_deferred()));
  }
  release_as_formulas();
  release_head(at);
  release_gathered(place);
}

/// Gradients of logits, and inputs, of one micro-batch.
inline bytes step_walk::size_of_deferred() const {
  const double rows = static_cast<double>(job_.model.vocabulary_size) / job_.parallelism.tensor;
  return (rows + job_.model.embedding_width()) * decoder_tokens(job_).all *
         sizes_of(job_).activation;
}

inline void step_walk::defer_as_formulas() {
  if (!job_.as_formulas.deferred_released) return;
  const int limit = job_.workspace.kernels.head_gradients_deferred;
  for (int i = 0; i < (std::min)(limit, micro_batches(job_)); ++i)
    deferred_.push_back(memory_.make("deferred of the head", size_of_deferred()));
}

inline void step_walk::release_as_formulas() {
  if (!job_.as_formulas.deferred_released) return;
  for (handle& one : deferred_) memory_.release(one);
  deferred_.clear();
}

inline void step_walk::release_head(cell& at) {
  for (auto& [name, one] : at.head) memory_.release(one);
  at.head.clear();
}

/// The weight gradients of a pass that was split, and all that waited for them.
inline void step_walk::weights(int chunk, cell& at) {
  for (std::size_t i = at.layers.size(); i > 0; --i) {
    make_gradients(chunk, static_cast<int>(i));
    for (handle& one : at.layers[i - 1]) memory_.release(one);
  }
  memory_.release(at.formed_waiting);
  memory_.release(whole_gradient_);
}

}  // namespace gpuplan::testing
