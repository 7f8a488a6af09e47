#pragma once
/// \file
/// Sizes of the buffers and shapes of the products that are measured.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
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

/// y = x w^T, of m x k and n x k.
struct product_shape {
  int m;
  int n;
  int k;

  [[nodiscard]] constexpr double flop() const { return 2.0 * m * n * k; }
  [[nodiscard]] std::string text() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  }
};

/// Squares; few rows, as in small batches; the two layers of a transformer's feed-forward block,
/// h to 4 h and back, for h = 4096 and 4096 tokens; and depths at 4096 x 4096.  Smaller squares fill
/// no GPU with tiles, so that no fit uses them.  What takes longest comes last, where the time may
/// run out.
inline constexpr std::array product_shapes{
    product_shape{1024, 1024, 1024},   product_shape{2048, 2048, 2048},
    product_shape{4096, 4096, 4096},   product_shape{8192, 8192, 8192},
    product_shape{1, 8192, 8192},      product_shape{8, 8192, 8192},
    product_shape{64, 8192, 8192},     product_shape{512, 8192, 8192},
    product_shape{4096, 16384, 4096},  product_shape{4096, 4096, 16384},
    product_shape{4096, 4096, 128},    product_shape{4096, 4096, 512},
    product_shape{4096, 4096, 2048},   product_shape{4096, 4096, 8192},
    product_shape{16384, 16384, 16384}};

}  // namespace gpuplan::probe
