#pragma once
/// \file
/// What passes over validation samples add to a run.

#include <limits>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// How often a run looks at samples that it does not learn from.
struct validation_passes {
  double samples = 0;             ///< of one pass, >= 0
  double steps_between = 1;       ///< optimizer steps from one pass to the next, >= 1
  double batch = 1;               ///< samples of a step, > 0
  double forward_part = 1.0 / 3;  ///< of a step's time, > 0 and <= 1; 1/4 with full recomputation
};

/// Time that validation passes add, over the time of the training steps.
///
///     v = f N / (k B)
///
///     N  validation samples             count, >= 0
///     k  steps between two passes       count, >= 1
///     B  batch                          count, > 0
///     f  forward part of a step         1, > 0, <= 1
///
/// The backward pass takes twice the forward pass, so that f is 1/3, or 1/4 where the forward pass
/// is computed again.
///
/// Holds: validation on the same GPUs, at the rate of training, with full batches.
///
/// Source: J. Kaplan et al., "Scaling Laws for Neural Language Models" (2020), section 2.1,
/// arXiv:2001.08361: the backward pass takes twice the operations of the forward pass.
///
/// \throws invalid_input naming the field that is out of its range
constexpr double validation_share(const validation_passes& passes) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  require(passes.samples >= 0 && passes.samples < unbounded,
          "validation_passes.samples must be >= 0");
  require(passes.steps_between >= 1, "validation_passes.steps_between must be >= 1");
  require(passes.batch > 0, "validation_passes.batch must be > 0");
  require(passes.forward_part > 0 && passes.forward_part <= 1,
          "validation_passes.forward_part must be > 0 and <= 1");

  return passes.forward_part * passes.samples / (passes.steps_between * passes.batch);
}

}  // namespace gpuplan
