#pragma once
/// \file
/// Sizes at which things are measured.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan::probe {

/// first, 4 first, 16 first ... up to `last`.
///
/// \throws invalid_input if first < 1
inline std::vector<std::size_t> powers_of_four(std::size_t first, std::size_t last) {
  require(first >= 1, "powers_of_four: first must be >= 1");
  std::vector<std::size_t> sizes;
  for (std::size_t size = first; size <= last; size *= 4) {
    sizes.push_back(size);
    if (size > last / 4) break;
  }
  return sizes;
}

/// 4 B to `most` by powers of four; quick: every other one of them, the largest among them.
inline std::vector<std::size_t> host_copy_sizes(std::size_t most, bool quick) {
  const std::vector<std::size_t> all = powers_of_four(4, most);
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!quick || (all.size() - 1 - i) % 2 == 0) some.push_back(all[i]);
  return some;
}

/// The largest of 16 MiB, 64 MiB, 256 MiB ... `most`, of which `arrays` fit into half of the
/// free memory: a probe takes no more than that.
///
/// \throws invalid_input if arrays < 1, or they do not fit at 16 MiB
inline std::size_t largest_array(std::size_t free, int arrays, std::size_t most) {
  require(arrays >= 1, "largest_array: arrays must be >= 1");
  const std::size_t room = free / 2 / static_cast<std::size_t>(arrays);
  const std::size_t least = std::size_t{16} << 20;
  require(room >= least, "largest_array: half of the free memory must hold arrays of 16 MiB");
  std::size_t size = least;
  while (size <= room / 4 && size <= most / 4) size *= 4;
  return size;
}

/// How many turns of buffers of `bytes`, `arrays` of them at a time, make more than three times the
/// cache; 1 where one turn does, or the arrays of `largest` bytes hold no more.
constexpr std::size_t turns_past_cache(std::size_t bytes, int arrays, std::size_t cache,
                                       std::size_t largest) {
  const std::size_t each = bytes * static_cast<std::size_t>(arrays);
  if (each == 0) return 1;
  const std::size_t wanted = 3 * cache / each + 1;
  return std::max<std::size_t>(1, std::min(wanted, largest / bytes));
}

}  // namespace gpuplan::probe
