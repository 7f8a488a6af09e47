#pragma once
/// \file
/// Memory by the five parts that every guide names, and what dominates.

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
constexpr memory_bound bound_of(const memory_breakdown& parts) {
  const bytes states = parts.model + parts.optimizer + parts.gradient;
  if (parts.activation > states && parts.activation >= parts.workspace)
    return memory_bound::activations;
  return parts.workspace > states ? memory_bound::workspace : memory_bound::states;
}

/// A stage's memory at its fullest moment, by part.
constexpr memory_breakdown breakdown_of(const stage_footprint& stage) {
  const bytes beside = stage.buffers + stage.framework + stage.cuda_context + stage.communicators +
                       stage.fragmentation;
  memory_breakdown parts{.model = stage.states.weights + stage.gathered_parameters,
                         .optimizer = stage.states.master_weights + stage.states.optimizer,
                         .gradient = stage.states.gradients,
                         .workspace = beside};
  parts.activation = stage.total() - parts.total();
  return parts;
}

}  // namespace gpuplan
