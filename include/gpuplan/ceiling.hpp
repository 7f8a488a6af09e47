#pragma once
/// \file
/// Rounding up, in constant expressions too.

#include <gpuplan/infinite_math.hpp>

namespace gpuplan {

/// The least whole number >= x, for x >= 0; above 2^52 x is whole already, and NaN stays NaN.
///
/// Adding 2^52 leaves no bits for a fraction, so the sum is x rounded to the nearest whole number.
constexpr double ceiling(double x) {
  // This attribute and that of other_nodes_of_token save evaluate 1 % of its instructions.
  if (!(x < 0x1p52)) [[unlikely]]
    return x;
  const double nearest = (x + 0x1p52) - 0x1p52;
  return nearest < x ? nearest + 1 : nearest;
}

/// What the fullest of some ranks holds of n things, each whole.
constexpr double largest_share(double n, double ranks) {
  return ceiling(n / ranks);
}

}  // namespace gpuplan
