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

/// What mixed precision saves of a run in single precision.
///
///     saved = 1 - (s P + A / 2) / (16 P + A)
///
///     P  parameters                                     count, >= 0
///     s  bytes a parameter of the mixed run             B: 16, or 18 with FP32 gradients
///     A  activations of the run in single precision     B, >= 0
///
/// With Adam nothing of the static part is saved, for its master copy takes what the weights give:
/// the 40 to 50 % that guides print hold only where activations dominate.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), section 3.1,
/// arXiv:1710.03740.
///
/// \throws invalid_input if a field is < 0, or single precision keeps nothing
struct precision_saving {
  bytes static_single{};  ///< weights, gradients and optimizer in single precision
  bytes static_mixed{};   ///< of the mixed run
  bytes activations_single{};
  bytes activations_mixed{};  ///< half, where everything kept is 16 bits wide

  [[nodiscard]] constexpr double saved() const {
    require(static_single >= bytes{0} && static_mixed >= bytes{0} &&
                activations_single >= bytes{0} && activations_mixed >= bytes{0},
            "precision_saving: fields must be >= 0 B");
    const bytes single = static_single + activations_single;
    require(single > bytes{0}, "precision_saving: single precision must keep > 0 B");
    return 1 - (static_mixed + activations_mixed) / single;
  }
};

}  // namespace gpuplan
