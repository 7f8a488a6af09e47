#pragma once
/// \file
/// Floating-point operations of a convolutional network, a multiply-add counted as two.

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/convnet.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Forward pass of a network over a batch: 2 B sum of multiply_adds(layer).
///
///     B  images   count, >= 0
///
/// Errata: a chapter on training prints multiply-adds as operations throughout.
///
/// \throws invalid_input if images < 0
constexpr flop forward_flop(const convnet& net, int images) {
  require(images >= 0, "forward_flop: images must be >= 0");
  return 2 * images * multiply_adds(net) * units::FLOP;
}

/// Forward and backward pass, three times the forward one.  The first layer needs no gradient of
/// its input, so that this is high by 2 B multiply_adds(first layer): 3 % of ResNet-50's forward
/// pass, 1 % of its step.
///
/// \throws invalid_input if images < 0
constexpr flop training_flop(const convnet& net, int images) {
  return (1 + backward_over_forward) * forward_flop(net, images);
}

}  // namespace gpuplan
