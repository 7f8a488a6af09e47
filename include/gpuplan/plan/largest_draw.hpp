#pragma once
/// \file
/// The expected maximum of many random times: how far the slowest is from the mean.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <gpuplan/require.hpp>

namespace gpuplan {

namespace detail {

/// Square roots of 0 to 63.
inline constexpr auto small_roots = [] {
  std::array<double, 64> table{};
  for (std::size_t i = 1; i < table.size(); ++i) {
    double root = 8;
    for (int round = 0; round < 60; ++round) root = (root + static_cast<double>(i) / root) / 2;
    table[i] = root;
  }
  return table;
}();

}  // namespace detail

/// The expected largest of n normal draws, in deviations: sqrt(2 ln 2 i) with i = ceil(log2 n), an
/// upper bound that is close for many draws.
///
///     sqrt(2 ln 2 ceil(log2 n))
///
///     n  draws    count, >= 1
///
/// Holds: an upper bound, close for many draws.
///
/// Source: H. David and H. Nagaraja, "Order Statistics", 3rd ed., Wiley (2003), section 10.5.
///
/// \throws invalid_input if draws < 1
constexpr double largest_draw(std::int64_t draws) {
  require(draws >= 1, "largest_draw: draws must be >= 1");
  constexpr double root_of_2_ln_2 = 1.1774100225154747;
  return root_of_2_ln_2 *
         detail::small_roots[std::bit_width(static_cast<std::uint64_t>(draws - 1))];
}

}  // namespace gpuplan
