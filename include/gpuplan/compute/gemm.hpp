#pragma once
/// \file
/// Time of a matrix product from its shape: whole waves of tiles, or the bytes it moves.

#include <cstdint>
#include <type_traits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// `count` products of a rows x depth matrix and a depth x columns one.
struct matrix_product {
  std::int64_t rows = 0;     ///< >= 0
  std::int64_t columns = 0;  ///< >= 0
  std::int64_t depth = 0;    ///< summed over; >= 0
  std::int64_t count = 1;    ///< equal products in one launch; >= 0

  /// The gradient of the left operand, and of the right one: two products of as many operations.
  [[nodiscard]] constexpr matrix_product left_gradient() const {
    return {rows, depth, columns, count};
  }
  [[nodiscard]] constexpr matrix_product right_gradient() const {
    return {columns, depth, rows, count};
  }
};

/// Operations of a product: 2 m n k, a multiply-add counted as two.
constexpr flop product_flop(const matrix_product& p) {
  return 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(p.depth) * static_cast<double>(p.count) * units::FLOP;
}

/// Bytes of one value of the operands and of the result.
struct product_formats {
  bytes operand{2};
  bytes result{2};
};

/// Bytes that a product must move: each operand read once, the result written once.
constexpr bytes product_bytes(const matrix_product& p, const product_formats& in) {
  const auto m = static_cast<double>(p.rows);
  const auto n = static_cast<double>(p.columns);
  const auto k = static_cast<double>(p.depth);
  return static_cast<double>(p.count) * ((m * k + k * n) * in.operand + m * n * in.result);
}

/// What computes a product.
template <class T>
struct basic_matrix_unit {
  basic_flop_per_second<T> rate{};        ///< that large products keep up; > 0
  basic_bytes_per_second<T> bandwidth{};  ///< of device memory, streaming; > 0
  int streaming_multiprocessors = 1;      ///< >= 1
  basic_seconds<T> turnover{};            ///< to fill and drain the pipelines of a tile; >= 0
};

/// The larger and the smaller side of the tile of the result that a streaming multiprocessor works
/// on at a time.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), section 4:
/// the largest and most efficient tile of cuBLAS.
inline constexpr std::int64_t long_tile = 256;
inline constexpr std::int64_t short_tile = 128;

/// Tensor cores take operands in blocks of this many rows: a tile of a smaller product is cut to
/// it.
///
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 8.5 (2024), mma.m16n8k16.
inline constexpr std::int64_t tile_step = 16;

/// How a product is cut into tiles.
struct product_tiling {
  std::int64_t high = 0;  ///< sides of a tile
  std::int64_t wide = 0;
  std::int64_t waves = 0;  ///< how often every multiprocessor is given a tile
};

namespace detail {

constexpr product_tiling tiled(const matrix_product& p, std::int64_t high, std::int64_t wide,
                               std::int64_t multiprocessors) {
  const auto cut = [](std::int64_t tile, std::int64_t side) {
    const std::int64_t steps = (side + tile_step - 1) / tile_step * tile_step;
    return steps < tile ? (steps > 0 ? steps : tile_step) : tile;
  };
  const std::int64_t tiles =
      ((p.rows + high - 1) / high) * ((p.columns + wide - 1) / wide) * p.count;
  return {cut(high, p.rows), cut(wide, p.columns), (tiles + multiprocessors - 1) / multiprocessors};
}

}  // namespace detail

/// The better of two tilings.
///
///     w = ceil(ceil(m / M) ceil(n / N) c / S),  M x N = 128 x 256 or 256 x 128
///
///     m, n, c  rows, columns, count   S  multiprocessors, >= 1
///
/// Better: fewer operations in its waves, those of tiles that are not full included.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), sections 4.1
/// (tile quantisation) and 4.2 (wave quantisation).
///
/// \throws invalid_input if a size is < 0 or multiprocessors < 1
constexpr product_tiling product_tiles(const matrix_product& p, int multiprocessors) {
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "product_tiles: rows, columns, depth and count must be >= 0");
  require(multiprocessors >= 1, "product_tiles: multiprocessors must be >= 1");
  const product_tiling upright = detail::tiled(p, short_tile, long_tile, multiprocessors);
  const product_tiling lying = detail::tiled(p, long_tile, short_tile, multiprocessors);
  return lying.waves * lying.high * lying.wide < upright.waves * upright.high * upright.wide
             ? lying
             : upright;
}

/// Time of a product: of its waves, or of its bytes where they take longer.
///
///     t = max(w (2 M N k S / R + t_0),  bytes / W)
///
///     w    waves of product_tiles             M, N  sides of its tiles
///     R    unit.rate                          FLOP/s, > 0
///     S    unit.streaming_multiprocessors     count
///     t_0  unit.turnover                      s, >= 0
///     W    unit.bandwidth                     B/s, > 0
///
/// A product never runs above R: a last wave that is not full takes as long as a full one.  Holds
/// for kernels that split no sum over multiprocessors; skinny products with a long depth run
/// faster with such kernels, up to the bound of their bytes.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023).
///
/// \throws invalid_input if a size is < 0 or the unit is invalid
template <class T>
constexpr basic_seconds<T> product_time(const matrix_product& p, const basic_matrix_unit<T>& unit,
                                        const product_formats& in = {}) {
  require(unit.rate > flop_per_second{0}, "product_time: matrix_unit.rate must be > 0 FLOP/s");
  require(unit.bandwidth > bytes_per_second{0},
          "product_time: matrix_unit.bandwidth must be > 0 B/s");
  const product_tiling tiling = product_tiles(p, unit.streaming_multiprocessors);
  const flop wave = 2.0 * static_cast<double>(tiling.high * tiling.wide) *
                    static_cast<double>(p.depth) * unit.streaming_multiprocessors * units::FLOP;
  const basic_seconds<T> worked =
      static_cast<double>(tiling.waves) * (wave / unit.rate + unit.turnover);
  const basic_seconds<T> moved = product_bytes(p, in) / unit.bandwidth;
  return worked > moved ? worked : moved;
}

}  // namespace gpuplan
