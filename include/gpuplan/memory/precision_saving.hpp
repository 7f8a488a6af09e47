#pragma once
/// \file
/// What mixed precision saves compared with single precision.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A run in single precision and the same run in mixed precision.
struct precision_pair {
  bytes static_single{};       ///< weights, gradients, optimizer states in single precision; >= 0
  bytes static_mixed{};        ///< and in mixed precision, with its master copy; >= 0
  bytes activations_single{};  ///< >= 0
  bytes activations_mixed{};   ///< half, where everything kept is 16 bits wide; >= 0
};

/// Part of the memory that mixed precision saves.
///
///     saved = 1 - (S_m + A_m) / (S_1 + A_1)
///
///     S_1, A_1  static part and activations in single precision   B, >= 0, not both 0
///     S_m, A_m  the same in mixed precision                       B, >= 0
///
/// With Adam S_m = S_1 = 16 bytes a parameter (18 with FP32 gradients), for the master copy takes
/// what the weights and gradients give: the 40 to 50 % that guides print hold only where
/// activations dominate.
///
/// Holds: one run in two precisions.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), section 3.1,
/// arXiv:1710.03740.
///
/// \throws invalid_input if a field is < 0, or single precision keeps nothing
constexpr double precision_saving(const precision_pair& run) {
  require(run.static_single >= bytes{0}, "precision_pair.static_single must be >= 0 B");
  require(run.static_mixed >= bytes{0}, "precision_pair.static_mixed must be >= 0 B");
  require(run.activations_single >= bytes{0}, "precision_pair.activations_single must be >= 0 B");
  require(run.activations_mixed >= bytes{0}, "precision_pair.activations_mixed must be >= 0 B");
  const bytes single = run.static_single + run.activations_single;
  require(single > bytes{0}, "precision_saving: memory in single precision must be > 0 B");
  return 1 - (run.static_mixed + run.activations_mixed) / single;
}

}  // namespace gpuplan
