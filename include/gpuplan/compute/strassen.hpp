#pragma once
/// \file
/// Matrix products with fewer multiplications, which kernels of training do not use.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Operations of a product by Strassen's algorithm, cut in halves so many times.
///
///     F(0) = 2 m n k
///     F(l) = 7 F(l - 1) of the halves  +  (5 m k + 5 k n + 8 m n) / 4
///
///     m  rows                  count, >= 0
///     n  columns               count, >= 0
///     k  depth, summed over    count, >= 0
///     l  levels                count, 0 to 30
///
/// Each level has 7 products of halves instead of 8, and 18 additions of quarters: 5 of the left
/// operand's, 5 of the right one's, 8 of the result's.  The exponent falls from 3 to
/// log2(7) = 2.807.  The additions only move values, and rounding errors grow with l: GEMM
/// libraries of GPUs do not use it, and no time here rests on this count.
///
/// Holds: sizes that 2^l divides; else the padded ones are to be given.
///
/// Source: V. Strassen, "Gaussian elimination is not optimal", Numerische Mathematik 13 (1969)
/// 354-356; N. J. Higham, "Accuracy and Stability of Numerical Algorithms", SIAM (2002), ch. 23.
///
/// \throws invalid_input if a size is < 0, or levels is not 0 to 30
constexpr flop strassen_flop(const matrix_product& p, int levels) {
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "strassen_flop: sizes must be >= 0");
  require(levels >= 0 && levels <= 30, "strassen_flop: levels must be 0 to 30");

  flop additions{};
  double products = p.count;
  matrix_product part{p.rows, p.columns, p.depth, 1};
  for (int level = 0; level < levels; ++level) {
    const double quarters =
        5 * part.rows * part.depth + 5 * part.depth * part.columns + 8 * part.rows * part.columns;
    additions += products * quarters / 4 * units::FLOP;
    part = {part.rows / 2, part.columns / 2, part.depth / 2, 1};
    products *= 7;
  }
  return products * product_flop(part) + additions;
}

}  // namespace gpuplan
