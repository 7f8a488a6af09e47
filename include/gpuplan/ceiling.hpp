#pragma once
/// \file
/// Rounding up and down, in constant expressions too.

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

/// What a quotient of measured numbers may be off by, over itself: thousands of roundings of a
/// double, and far less than any measurement.
inline constexpr double quotient_rounding = 1e-12;

/// The least whole number >= x, where x is a quotient or product of numbers that are rounded: one a
/// little above a whole number by rounding alone is that number. (0.1 + 0.2) / 0.3 is
/// 1.0000000000000002, and rounds up to 1.
///
///     x  >= 0
constexpr double rounded_up(double x) {
  return ceiling(x - quotient_rounding * x);
}

/// The largest whole number <= x, likewise: 0.3 / 0.1 is 2.9999999999999996, and rounds down to 3.
///
///     x  >= 0
constexpr double rounded_down(double x) {
  const double above = x + quotient_rounding * x;
  const double up = ceiling(above);
  return up > above ? up - 1 : up;
}

/// What the fullest of some ranks holds of n things, each whole.
constexpr double largest_share(double n, double ranks) {
  return ceiling(n / ranks);
}

}  // namespace gpuplan
