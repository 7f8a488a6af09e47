#pragma once
/// \file
/// Cycles of a matrix product on a systolic array that keeps the weights: TPUs.

#include <gpuplan/ceiling.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A square array of multiply-add cells: 128 or 256 a side in TPUs.
struct systolic_array {
  double side = 0;     ///< cells of a row, and of a column; >= 1
  per_second clock{};  ///< > 0
  double arrays = 1;   ///< that share the tiles of the weights; >= 1
};

/// \throws invalid_input if a member is out of range
constexpr void require_valid(const systolic_array& array) {
  require(array.side >= 1 && array.side <= 1e6, "systolic_array: side must be 1 to 1000000");
  require(array.clock > per_second{0} && array.clock < per_second{1e300},
          "systolic_array: clock must be > 0 per second and finite");
  require(array.arrays >= 1 && array.arrays <= 1e6, "systolic_array: arrays must be 1 to 1000000");
}

/// Operations a second of the cells.
///
///     2 a s^2 f
///
///     s  side          count, >= 1
///     f  clock         1/s, > 0
///     a  arrays        count, >= 1
///
/// Holds: each cell multiplies and adds in each cycle.
///
/// Source: N. P. Jouppi and others, "In-Datacenter Performance Analysis of a Tensor Processing
/// Unit", ISCA (2017) 1-12: 65536 cells at 700 MHz are 92 TOPS.
///
/// \throws invalid_input if the array is invalid
constexpr flop_per_second systolic_peak(const systolic_array& array) {
  require_valid(array);
  return 2.0 * array.arrays * array.side * array.side * array.clock * units::FLOP;
}

/// Time of a product whose weights (depth x columns) stay in the array while its rows flow through.
///
///     T = ceil( c ceil(k/s) ceil(n/s) / a ) (m + 3 s - 2) / f
///
///     c  equal products         count, >= 0
///     m  rows                   count, >= 0; without rows there is no time
///     n  columns                count, >= 0
///     k  depth, summed over     count, >= 0
///     s  side                   count, >= 1
///     f  clock                  1/s, > 0
///     a  arrays                 count, >= 1
///
/// A tile of the weights takes s cycles to load; then m rows enter one a cycle, and the last result
/// leaves 2 s - 2 cycles after the last row's first value.  Few rows leave the array filling and
/// draining; depths and columns beside a multiple of s leave cells idle.
///
/// Holds: memory that keeps up; loads that do not overlap the product before: an array with buffers
/// for the next weights hides s cycles of each tile.  Where arrays share the depth, adding their
/// partial results takes no time here.
///
/// Source: A. Samajdar and others, "SCALE-Sim: Systolic CNN Accelerator Simulator",
/// arXiv:1811.02883 (2018); "A Systematic Methodology for Characterizing Scalability of DNN
/// Accelerators using SCALE-Sim", ISPASS (2020) 58-68: 2 R + C + T - 2 cycles a tile.
///
/// \throws invalid_input if the array is invalid or a size is < 0
constexpr seconds systolic_product_time(const matrix_product& p, const systolic_array& array) {
  require_valid(array);
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "systolic_product_time: sizes must be >= 0");
  const double tiles = ceiling(p.depth / array.side) * ceiling(p.columns / array.side) * p.count;
  const double turns = ceiling(tiles / array.arrays);
  return p.rows > 0 ? turns * (p.rows + 3 * array.side - 2) / array.clock : seconds{0};
}

/// Share of the peak that a product reaches on the array.
///
///     2 m n k / (T P)
///
///     T  systolic_product_time    s
///     P  systolic_peak            FLOP/s
///
/// Holds: as systolic_product_time.
///
/// Source: as systolic_product_time.
///
/// \throws invalid_input as systolic_product_time, or if the product has no operations
constexpr double systolic_utilization(const matrix_product& p, const systolic_array& array) {
  const seconds time = systolic_product_time(p, array);
  require(time > seconds{0}, "systolic_utilization: the product must have operations");
  return product_flop(p) / (time * systolic_peak(array));
}

}  // namespace gpuplan
