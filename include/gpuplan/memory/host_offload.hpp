#pragma once
/// \file
/// What stays on the GPU where a recipe keeps a part of its memory on the host.

#include <algorithm>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Model states that lie on the host.
///
///     none       nothing
///     optimizer  master weights and optimizer states
///     all        weights and gradients too
///
/// The rest stays on the GPU; gradients of `optimizer` until the update asks for them.
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), section 3, arXiv:2101.06840; S. Rajbhandari et al., "ZeRO-Infinity: Breaking the GPU
/// Memory Wall for Extreme Scale Deep Learning", SC21 (2021), section 5, arXiv:2104.07857.
///
/// \throws invalid_input if moved is none of its values
constexpr model_states states_on_host(const model_states& states, offloaded_states moved) {
  switch (moved) {
    case offloaded_states::none: return {};
    case offloaded_states::optimizer:
      return {.master_weights = states.master_weights, .optimizer = states.optimizer};
    case offloaded_states::all: return states;
  }
  require(false, "states_on_host: offload must be one of its values");
  return {};
}

/// Activations that stay on the GPU where a part of them waits on the host.
///
///     (1 - f) A + min(f A, 2 f a)
///
///     A  activations kept by all micro-batches in flight   B, >= 0
///     a  of them, by one layer of one micro-batch          B, 0 to A
///     f  part of them offloaded                            0 to 1
///
/// Two layers are on the GPU at any time: that at work, and that on its way.
///
/// Source: M. Rhu et al., "vDNN: Virtualized Deep Neural Networks for Scalable, Memory-Efficient
/// Neural Network Design", MICRO (2016), arXiv:1602.08124.
///
/// \throws invalid_input if kept < 0 B, of_layer is not 0 B to kept, or fraction is not 0 to 1
constexpr bytes activations_on_device(bytes kept, bytes of_layer, double fraction) {
  require(of_layer >= bytes{0} && of_layer <= kept,
          "activations_on_device: of_layer must be 0 B to kept");
  const bytes moved = offload_activations(kept, fraction).device_saved;
  return kept - moved + (std::min)(moved, 2 * fraction * of_layer);
}

}  // namespace gpuplan
