#pragma once
/// \file
/// The begin and the end of step_walk, its units, and its forward passes.

#include <algorithm>

#include "memory/walk/step.hpp"

namespace gpuplan::testing {

inline void step_walk::begin() {
  const recipe& how = job_.recipe;
  const workspace& beside = job_.workspace;
  held_states held = held_of(job_, all_parameters_);
  const held_states dealt = dealt_table(job_, all_parameters_);
  const bool on_host = how.offload == offloaded_states::optimizer;
  keep("weights", held.weights);
  keep("reference model", reference_size(job_, all_parameters_));
  keep("master weights", on_host ? bytes{0} : held.masters + dealt.masters);
  keep("optimizer states", on_host ? bytes{0} : held.optimizer + dealt.optimizer);
  if (how.gradients_live == gradient_lifetime::always)
    keep("gradients", held.gradients);
  else if (job_.as_formulas.early_gradients)
    gradients_made_[{-1, 0}] = memory_.make("gradients", early_gradients(held.gradients));
  keep("unused gradients", unused_gradient_size(job_, held_));
  keep("message buffers", message_buffer_size(job_));
  keep("workspaces", framework_size(beside));
  const bool has_head =
      std::any_of(held_.begin(), held_.end(), [](const piece& one) { return one.has_head; });
  const bool has_embedding =
      std::any_of(held_.begin(), held_.end(), [](const piece& one) { return one.has_embedding; });
  if (has_head && beside.kernels.head_gradients_deferred > 0 && how.adapters.rank == 0)
    keep("stand-in for the head's gradient",
         table_of_walked(job_, trained_table::head).front().values() * sizes_of(job_).activation);
  batch_ = has_head || has_embedding ? memory_.make("batch", batch_size_of(job_)) : handle{-1};
}

/// What the formulas have of gradients that come and go, from the first pass on.
inline bytes step_walk::early_gradients(bytes all) const {
  std::map<int, int> begun;
  double most = 0;
  for (const pass& one : order_.passes) {
    if (one.kind != pass_kind::forward) break;
    most = (std::max)(most, 1.0 * ++begun[one.chunk]);
  }
  const int ranks = job_.parallelism.pipeline;
  const pipeline_schedule schedule = job_.recipe.schedule;
  if (ranks > 1 && schedule == pipeline_schedule::dualpipe) most = (ranks + 1) / 2.0;
  if (micro_batches(job_) > most) return all;
  if (divides_gradients(job_)) return bytes{0};
  return (std::min)(all, largest_unit().whole_gradients);
}

inline void step_walk::update() {
  const recipe& how = job_.recipe;
  const held_states held = held_of(job_, all_parameters_);
  const double updated = held.updated;
  if (how.gradients_live == gradient_lifetime::backward && job_.as_formulas.early_gradients)
    gradients_made_[{-1, 1}] =
        memory_.make("gradients", held.gradients - early_gradients(held.gradients));
  if (how.offload == offloaded_states::none) {
    handle copy = memory_.make("FP32 gradients", held.gradient_copies);
    handle temporary =
        memory_.make("temporaries of the update", updated * job_.workspace.update_temporary);
    memory_.release(temporary);
    memory_.release(copy);
  }
  for (auto& [place, gradient] : gradients_made_) memory_.release(gradient);
}

inline void step_walk::walk(const pass& one) {
  cell& at = cells_[static_cast<std::size_t>(one.chunk)][static_cast<std::size_t>(one.micro_batch)];
  if (one.kind != pass_kind::backward_weight) wait_as_formulas();
  if (to_wait_.second == &at) to_wait_.second = nullptr;
  switch (one.kind) {
    case pass_kind::forward: return forward(one.chunk, at);
    case pass_kind::backward: return backward(one.chunk, at, false);
    case pass_kind::backward_input:
      backward(one.chunk, at, true);
      to_wait_ = {one.chunk, &at};
      return;
    case pass_kind::backward_weight: weights(one.chunk, at); return wait_as_formulas();
  }
}

/// What the formulas have waiting for weight gradients, after those of an earlier micro-batch.
inline void step_walk::wait_as_formulas() {
  const auto [chunk, at] = to_wait_;
  to_wait_.second = nullptr;
  const pipeline_schedule schedule = job_.recipe.schedule;
  if (at == nullptr || !job_.as_formulas.waiting_as_formed ||
      schedule == pipeline_schedule::zero_bubble_v || schedule == pipeline_schedule::dualpipe)
    return;
  bytes size{};
  for (const walked_layer kind : held_[static_cast<std::size_t>(chunk)].layers)
    size += plan(kind).formed_waiting;
  at->formed_waiting = memory_.make("waiting for weight gradients", size);
}

/// Units of a chunk: 0 the embedding, then its layers, then the head; nothing where it has no end.
inline int step_walk::last_unit(int chunk) const {
  return static_cast<int>(held_[static_cast<std::size_t>(chunk)].layers.size()) + 1;
}

inline step_walk::unit step_walk::unit_of(int chunk, int place) const {
  const piece& here = held_[static_cast<std::size_t>(chunk)];
  if (place == 0) return here.has_embedding ? embedding_ : unit{};
  if (place == last_unit(chunk)) return here.has_head ? last_ : unit{};
  if (place < 0 || place > last_unit(chunk)) return {};
  const layer_plan& of = plan(here.layers[static_cast<std::size_t>(place - 1)]);
  return {of.gathered, of.whole_gradients, of.own_gradients};
}

/// Gathers the parameters of a unit, and of the one after it.
inline void step_walk::gather(int chunk, int place, int direction) {
  if (job_.recipe.zero != zero_stage::parameters || job_.as_formulas.units_all_along) return;
  for (const int i : {place, place + direction}) {
    const bytes size = unit_of(chunk, i).gathered;
    if (size > bytes{0} && !gathered_.contains(i))
      gathered_[i] = memory_.make("gathered parameters", size);
  }
}

inline void step_walk::release_gathered(int place) {
  const auto found = gathered_.find(place);
  if (found == gathered_.end()) return;
  memory_.release(found->second);
  gathered_.erase(found);
}

inline void step_walk::release_all_gathered() {
  for (auto& [place, parameters] : gathered_) memory_.release(parameters);
  gathered_.clear();
}

/// The gradients of a unit: whole until they are reduced, beside the next unit's work, where ranks
/// divide them; and this rank's own, at the first micro-batch, where they come and go.
inline void step_walk::make_gradients(int chunk, int place) {
  const unit at = unit_of(chunk, place);
  if (divides_gradients(job_) && at.whole_gradients > bytes{0} &&
      !job_.as_formulas.units_all_along) {
    memory_.release(whole_gradient_);
    whole_gradient_ = memory_.make("whole gradients", at.whole_gradients);
  }
  if (job_.recipe.gradients_live == gradient_lifetime::always || job_.as_formulas.early_gradients)
    return;
  if (at.own_gradients > bytes{0} && !gradients_made_.contains({chunk, place}))
    gradients_made_[{chunk, place}] = memory_.make("gradients", at.own_gradients);
}

inline void step_walk::forward(int chunk, cell& at) {
  const piece& here = held_[static_cast<std::size_t>(chunk)];
  const recipe& how = job_.recipe;
  const transformer& m = job_.model;
  const value_sizes size = sizes_of(job_);
  gather(chunk, 0, 1);
  if (here.has_embedding && how.dropout) {
    const double own =
        decoder_tokens(job_).own + (m.encoder_layers > 0 ? encoder_tokens(job_).own : 0);
    at.embedding_mask = memory_.make("embedding dropout mask", m.hidden_size * own * size.flag);
  }
  release_gathered(0);
  at.layers.resize(here.layers.size());
  for (std::size_t i = 0; i < here.layers.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    gather(chunk, place, 1);
    forward_layer(plan(here.layers[i]), at.layers[i], begins_checkpoint(here, i));
    release_gathered(place);
    const bool ends_encoder =
        here.layers[i] == walked_layer::encoder &&
        (i + 1 == here.layers.size() || here.layers[i + 1] != walked_layer::encoder);
    if (!ends_encoder) continue;
    const double stream = m.hidden_size * encoder_tokens(job_).own;
    at.encoder_norm_input = memory_.make("norm input of encoder output", stream * size.norm);
    at.encoder_output = memory_.make("encoder output", stream * size.activation);
  }
  if (job_.workspace.kernels.outputs_kept && job_.parallelism.pipeline > 1)
    at.sent =
        memory_.make("output sent on", m.hidden_size * decoder_tokens(job_).own * size.activation);
  if (here.has_head) {
    gather(chunk, last_unit(chunk), 1);
    defer_as_formulas();
    head_steps(head_.forward, at);
    release_as_formulas();
  }
  release_all_gathered();
}

inline bool step_walk::begins_checkpoint(const piece& here, std::size_t place) const {
  std::size_t first = 0;
  while (here.layers[first] == walked_layer::encoder && here.layers[place] != walked_layer::encoder)
    ++first;
  return (place - first) % static_cast<std::size_t>(job_.recipe.recompute_every) == 0;
}

inline void step_walk::forward_layer(const layer_plan& of, std::vector<handle>& slots,
                                     bool begins) {
  slots.assign(of.slots.size(), ledger::nothing);
  for (const planned_block& one : of.blocks) {
    for (std::size_t i = one.begin; i < one.middle; ++i)
      slots[i] = memory_.make(of.slots[i].account, of.slots[i].size);
    for (std::size_t i = one.begin; i < one.middle; ++i)
      if (!of.slots[i].kept && !(begins && of.slots[i].layer_input)) memory_.release(slots[i]);
  }
}

inline void step_walk::head_steps(const std::vector<head_step>& steps, cell& at) {
  for (const head_step& step : steps) {
    at.head.emplace_back(step.name, memory_.make(step.name, step.size()));
    for (const std::string_view freed : step.frees)
      for (auto& [name, place] : at.head)
        if (name == freed) memory_.release(place);
  }
}

}  // namespace gpuplan::testing
