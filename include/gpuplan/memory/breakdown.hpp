#pragma once
/// \file
/// Memory in five parts, and the largest of them.

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// M_total = model + optimizer + activation + gradient + workspace.
struct memory_breakdown {
  bytes model{};
  bytes optimizer{};  ///< master weights and states
  bytes activation{};
  bytes gradient{};
  bytes workspace{};

  [[nodiscard]] constexpr bytes total() const {
    return model + optimizer + activation + gradient + workspace;
  }
  /// A part of the total; 0 of nothing.
  [[nodiscard]] constexpr double share(bytes part) const {
    return total() > bytes{0} ? part / total() : 0;
  }
};

/// What a run's memory goes to first.
enum class memory_bound { states, activations, workspace };

/// What takes most: model, optimizer and gradients together, activations, or workspace.
///
///     argmax(model + optimizer + gradient, activation, workspace)
///
///     model       weights                     B, >= 0
///     optimizer   master copies and states    B, >= 0
///     activation  activations                 B, >= 0
///     gradient    gradients                   B, >= 0
///     workspace   the rest                    B, >= 0
///
/// Holds: of equals the first.
///
/// Source: by definition.
constexpr memory_bound bound_of(const memory_breakdown& parts) {
  const bytes states = parts.model + parts.optimizer + parts.gradient;
  if (parts.activation > states && parts.activation >= parts.workspace)
    return memory_bound::activations;
  return parts.workspace > states ? memory_bound::workspace : memory_bound::states;
}

/// A stage's memory at its fullest moment, by part.  Parameters gathered or cast count as model,
/// every copy of gradients as gradient, what the update makes for itself as optimizer.
///
///     M_total = model + optimizer + activation + gradient + workspace
///
///     model       weights        B, >= 0
///     optimizer   states         B, >= 0
///     activation  activations    B, >= 0
///     gradient    gradients      B, >= 0
///
/// Holds: at the fullest moment.
///
/// Source: as bound_of.
constexpr memory_breakdown breakdown_of(const stage_footprint& stage) {
  memory_breakdown parts{
      .model = stage.states.weights + stage.reference_model,
      .optimizer = stage.states.master_weights + stage.states.optimizer,
      .gradient = stage.states.gradients + stage.deferred_gradient + stage.unused_gradients,
      .workspace = stage.buffers + stage.framework + stage.cuda_context + stage.communicators +
                   stage.fragmentation};
  if (stage.peak_moment() == moment::optimizer_step) {
    parts.optimizer += stage.optimizer_temporaries;
    parts.gradient += stage.gradient_copy;
    return parts;
  }
  parts.model += stage.gathered_parameters;
  parts.gradient += stage.whole_gradients - stage.gradients_to_come;
  parts.activation = stage.total() - parts.total();
  return parts;
}

}  // namespace gpuplan
