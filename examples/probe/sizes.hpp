#pragma once
/// \file
/// Sizes of the buffers that are measured.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan::probe {

/// ..., most / factor^2, most / factor, most: those that are at least `least`, ascending.
///
/// \throws invalid_input if least < 1 or factor < 2
inline std::vector<std::size_t> sizes_up_to(std::size_t most, std::size_t least,
                                            std::size_t factor) {
  require(least >= 1, "sizes_up_to: least must be >= 1");
  require(factor >= 2, "sizes_up_to: factor must be >= 2");
  std::vector<std::size_t> sizes;
  for (std::size_t size = most; size >= least; size /= factor) sizes.push_back(size);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

/// The largest of 16 MiB, 64 MiB, 256 MiB ... `most` of which `arrays` fit into half of the free
/// memory.
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

}  // namespace gpuplan::probe
