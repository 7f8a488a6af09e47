#pragma once
/// \file
/// The matrix products that are measured in each format.

#include <array>
#include <string>

namespace gpuplan::probe {

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
