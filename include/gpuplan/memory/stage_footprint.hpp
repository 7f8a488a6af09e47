#pragma once
/// \file
/// Memory of one rank: its terms, and the moments of a step at which it peaks.

#include <algorithm>
#include <array>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Moments of a step at which memory may be fullest.
enum class moment {
  loss,            ///< forward end: logits and what the loss makes of them
  head_backward,   ///< gradients of the logits and of the head's input
  layer_backward,  ///< gradients of one layer, and what it computes again
  optimizer_step   ///< no activations; what the update makes for itself
};

/// Every moment, in the order of the enumeration.
inline constexpr std::array moments{moment::loss, moment::head_backward, moment::layer_backward,
                                    moment::optimizer_step};

/// Memory of one rank of a pipeline stage, by term.
struct stage_footprint {
  int stage{};

  // Through the whole step.
  model_states states{};
  bytes deferred_gradient{};  ///< stand-in for the head's, where its accumulation is deferred
  bytes unused_gradients{};   ///< one for each shape of a weight: see unused_gradients.hpp
  bytes reference_model{};    ///< its weights: see reference_memory.hpp
  bytes buffers{};            ///< for messages to other ranks and for scores, reused
  bytes framework{};          ///< workspaces of cuBLAS and Transformer Engine

  // From the forward pass to the backward pass.
  bytes gathered_parameters{};  ///< whole or cast for the layers at work
  bytes whole_gradients{};      ///< not yet reduced and divided
  bytes batch{};                ///< tokens, labels, masks
  bytes activations{};          ///< of layers: all micro-batches in flight
  bytes embedding{};            ///< likewise, of the embedding
  bytes head{};                 ///< inputs of the final norm and of the head
  bytes waiting_head{};         ///< of it, and of the logits, what micro-batches behind keep
  bytes deferred_head{};        ///< of micro-batches whose head gradients are deferred

  // At one moment.
  bytes logits{};                 ///< at the loss, with all it makes of them
  bytes head_gradients{};         ///< at the head's backward pass
  bytes recomputed{};             ///< of one block of layers, in its backward pass
  bytes layer_gradients{};        ///< of activations, in the backward pass of a layer
  bytes gradient_copy{};          ///< from the optimizer step until gradients are zeroed
  bytes optimizer_temporaries{};  ///< at the optimizer step
  bytes gradients_freed{};        ///< by the optimizer step: part of the states
  bytes gradients_to_come{};      ///< of them, what the first backward pass has yet to make

  // Beside what tensors hold: seen by nvidia-smi, and the last by max_memory_reserved too.
  bytes cuda_context{};
  bytes communicators{};
  bytes fragmentation{};

  // Beside the device.
  bytes host{};  ///< what offloading keeps in the host's memory for this rank; not in total()

  /// What stays from step to step: torch.cuda.memory_allocated after one.
  [[nodiscard]] constexpr bytes resident() const {
    return states.total() - gradients_freed + gradient_copy + deferred_gradient + unused_gradients +
           buffers + framework + reference_model;
  }
  /// What lies below the activations while a forward or a backward pass runs.
  [[nodiscard]] constexpr bytes below_activations() const {
    return resident() + gradients_freed - gradients_to_come - gradient_copy + gathered_parameters +
           whole_gradients;
  }
  [[nodiscard]] constexpr bytes all_activations() const {
    return batch + activations + embedding + head + deferred_head;
  }

  /// What the head's backward pass has freed before those of the layers begin: all but what other
  /// micro-batches keep.
  [[nodiscard]] constexpr bytes freed_head() const { return head - waiting_head + deferred_head; }

  /// What the framework's allocator has handed out at a moment.
  ///
  /// \throws invalid_input if when is none of moments
  [[nodiscard]] constexpr bytes at(moment when) const {
    const bytes forward_end = below_activations() + all_activations();
    switch (when) {
      case moment::loss: return forward_end + logits;
      case moment::head_backward: return forward_end + head_gradients;
      case moment::layer_backward: return forward_end - freed_head() + recomputed + layer_gradients;
      case moment::optimizer_step: return resident() + gradients_freed + optimizer_temporaries;
    }
    require(false, "stage_footprint: moment must be one of moments");
    return {};
  }
  /// The fullest moment; of equals the first.
  [[nodiscard]] constexpr moment peak_moment() const {
    moment fullest = moments.front();
    bytes most = at(fullest);
    for (const moment when : moments)
      if (const bytes held = at(when); held > most) {
        most = held;
        fullest = when;
      }
    return fullest;
  }
  /// The most that the framework's allocator hands out: torch.cuda.max_memory_allocated.
  [[nodiscard]] constexpr bytes peak() const {
    const bytes forward_end = below_activations() + all_activations();
    const bytes ends = forward_end + (std::max)(logits, head_gradients);
    const bytes layers = forward_end - freed_head() + recomputed + layer_gradients;
    return (std::max)((std::max)(ends, layers), at(moment::optimizer_step));
  }
  [[nodiscard]] constexpr bytes allocator_peak() const { return peak(); }
  /// What of it grows with the length of sequences: activations, logits and their gradients.
  [[nodiscard]] constexpr bytes varying() const {
    const bytes ends = all_activations() + (std::max)(logits, head_gradients);
    const bytes layers = all_activations() - freed_head() + recomputed + layer_gradients;
    return (std::max)(ends, layers);
  }
  /// The same by its name among three: what tensors hold, torch.cuda.max_memory_allocated.
  [[nodiscard]] constexpr bytes allocated() const { return peak(); }
  /// What the framework's allocator takes from the device for it: torch.cuda.max_memory_reserved.
  [[nodiscard]] constexpr bytes reserved() const { return peak() + fragmentation; }

  [[nodiscard]] constexpr bytes beside_allocator() const {
    return cuda_context + communicators + fragmentation;
  }
  /// What nvidia-smi shows at the peak: what must be no more than the GPU's memory.
  [[nodiscard]] constexpr bytes device_total() const { return peak() + beside_allocator(); }
  [[nodiscard]] constexpr bytes total() const { return device_total(); }
};

}  // namespace gpuplan
