#pragma once
/// \file
/// The products that are measured of each format.

#include <cstddef>
#include <string>
#include <vector>

namespace gpuplan::probe {

/// m x k times k x n.
struct product_shape {
  int m;
  int n;
  int k;

  bool operator==(const product_shape&) const = default;
  [[nodiscard]] constexpr double flop() const { return 2.0 * m * n * k; }
};

/// The side of the largest square matrices of 8192, 4096, 2048 ... 256, of which three take at most
/// half of the free memory.
constexpr int largest_square(std::size_t free, int bytes_each) {
  int side = 8192;
  while (side > 256 && 3.0 * side * side * bytes_each > static_cast<double>(free) / 2) side /= 2;
  return side;
}

/// Why a shape is measured, as the report says it.
struct product_question {
  product_shape shape;
  std::string why;
};

/// Squares of 256 to 16384; depths at 4096 x 4096; few rows, as in inference and small batches; and
/// the two layers of a transformer's feed-forward block, h to 4 h and back, for h = 4096 and 4096
/// tokens.  Quick: every other one.
///
/// What takes longest comes last, where the time may run out.
inline std::vector<product_question> product_questions(bool quick) {
  std::vector<product_question> all;
  for (const int size : {256, 512, 1024, 2048, 4096, 8192})
    all.push_back({{size, size, size}, "square"});
  for (const int tokens : {1, 8, 64, 512}) all.push_back({{tokens, 8192, 8192}, "skinny"});
  all.push_back({{4096, 4 * 4096, 4096}, "model"});
  all.push_back({{4096, 4096, 4 * 4096}, "model"});
  for (const int depth : {128, 512, 2048, 8192}) all.push_back({{4096, 4096, depth}, "depth"});
  all.push_back({{16384, 16384, 16384}, "square"});
  if (!quick) return all;
  std::vector<product_question> some;
  for (const product_question& one : all) {
    const int m = one.shape.m;
    if ((one.why == "square" && (m == 512 || m == 2048 || m == 4096 || m == 8192)) ||
        (one.why == "skinny" && (m == 8 || m == 512)) ||
        (one.why == "depth" && one.shape.k == 512) || (one.why == "model" && one.shape.k == 4096))
      some.push_back(one);
  }
  return some;
}

}  // namespace gpuplan::probe
