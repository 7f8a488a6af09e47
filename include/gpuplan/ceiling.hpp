#pragma once
/// \file
/// Rounding up, in constant expressions too.

#include <cstdint>

namespace gpuplan::detail {

/// The least whole number >= x, for x >= 0; above 2^53 x is whole already, and NaN stays NaN.
constexpr double ceiling(double x) {
  if (!(x < 0x1p53)) return x;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole < x ? whole + 1 : whole;
}

}  // namespace gpuplan::detail
