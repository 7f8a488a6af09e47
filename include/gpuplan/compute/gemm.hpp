#pragma once
/// \file
/// Time of a matrix product (GEMM) from its shape: whole waves of tiles, or the bytes it moves.

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// `count` products of a rows x depth matrix and a depth x columns one.
struct matrix_product {
  double rows = 0;     ///< >= 0
  double columns = 0;  ///< >= 0
  double depth = 0;    ///< summed over; >= 0
  double count = 1;    ///< equal products in one launch; >= 0

  /// The gradient of the left operand, and of the right one: two products of as many operations.
  [[nodiscard]] constexpr matrix_product left_gradient() const {
    return {rows, depth, columns, count};
  }
  [[nodiscard]] constexpr matrix_product right_gradient() const {
    return {columns, depth, rows, count};
  }
};

/// Operations of a product, a multiply-add counted as two.
///
///     2 m n k
///
///     m  rows                  count, >= 0
///     n  columns               count, >= 0
///     k  depth, summed over    count, >= 0
///
/// Holds: a multiply-add counted as two.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023).
constexpr flop product_flop(const matrix_product& p) {
  return 2.0 * p.rows * p.columns * p.depth * p.count * units::FLOP;
}

/// Bytes of one value of the operands and of the result.
struct product_formats {
  bytes operand{2};
  bytes result{2};
};

/// Bytes that a product must move: each operand read once, the result written once.
///
/// Source: as product_flop.
constexpr bytes product_bytes(const matrix_product& p, const product_formats& in) {
  return p.count * ((p.rows + p.columns) * p.depth * in.operand + p.rows * p.columns * in.result);
}

/// What computes a product.
template <class T>
struct basic_matrix_unit {
  basic_flop_per_second<T> rate{};        ///< that large products keep up; > 0
  basic_bytes_per_second<T> bandwidth{};  ///< of device memory, streaming; > 0
  int streaming_multiprocessors = 1;      ///< >= 1
  basic_seconds<T> start{};               ///< of a kernel, before and behind its tiles; >= 0
};

/// The larger and the smaller side of the tile of the result that a streaming multiprocessor works
/// on at a time.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), section 4:
/// the largest and most efficient tile of cuBLAS.
inline constexpr double long_tile = 256;
inline constexpr double short_tile = 128;

/// Tensor cores take operands in blocks of this many rows: a tile of a smaller product is cut to
/// it.
///
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 8.5 (2024), mma.m16n8k16.
inline constexpr double tile_step = 16;

/// How a product is cut into tiles.
struct product_tiling {
  double high = 0;  ///< sides of a tile
  double wide = 0;
  double waves = 0;  ///< how often every multiprocessor is given a tile

  /// Operations for each step of depth in all waves, tiles that are not full included, over
  /// multiprocessors.
  [[nodiscard]] constexpr double area() const { return waves * high * wide; }
};

namespace detail {

// Inlined always: a call of these takes as long as what they compute, and there are a hundred of
// them in an estimate.

/// A side of a product, in tiles of either length.
struct tiled_side {
  double by_short = 0;  ///< tiles of short_tile
  double by_long = 0;
  double longest = 0;  ///< side of a tile: long_tile, or what a smaller side is cut to

  [[nodiscard]] constexpr double shorter() const {
    return longest < short_tile ? longest : short_tile;
  }
};

[[gnu::always_inline]] constexpr tiled_side tiled(double side) {
  tiled_side cut{ceiling(side / short_tile), ceiling(side / long_tile), long_tile};
  if (side < long_tile) [[unlikely]]
    cut.longest = tile_step * ceiling(side / tile_step);
  return cut;
}

/// Waves of tiles: a wave that is nearly empty costs a share of one.
[[gnu::always_inline]] constexpr double waves_of(double tiles, double multiprocessors) {
  const double even = tiles / multiprocessors;
  const double whole = ceiling(even);
  return whole < even + 0.15 ? whole : even + 0.15;
}

[[gnu::always_inline]] constexpr product_tiling better_tiling(const tiled_side& rows,
                                                              const tiled_side& columns,
                                                              double count,
                                                              double multiprocessors) {
  const double upright_tiles = rows.by_short * columns.by_long * count;
  const double lying_tiles = rows.by_long * columns.by_short * count;
  if (rows.longest == columns.longest)  // tiles of one size: the fewer
    return {rows.shorter(), columns.longest,
            waves_of(lying_tiles < upright_tiles ? lying_tiles : upright_tiles, multiprocessors)};
  const product_tiling upright{rows.shorter(), columns.longest,
                               waves_of(upright_tiles, multiprocessors)};
  const product_tiling lying{rows.longest, columns.shorter(),
                             waves_of(lying_tiles, multiprocessors)};
  return lying.area() < upright.area() ? lying : upright;
}

constexpr void require_valid(const matrix_product& p) {
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "matrix_product.rows, columns, depth and count must be >= 0");
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
  detail::require_valid(p);
  require(multiprocessors >= 1, "product_tiles: multiprocessors must be >= 1");
  return detail::better_tiling(detail::tiled(p.rows), detail::tiled(p.columns), p.count,
                               multiprocessors);
}

namespace detail {

/// A matrix unit by the time of what it does, so that no product divides by its rates.
template <class T>
struct unit_clock {
  double multiprocessors = 1;
  basic_seconds<T> step{};  ///< of one operation of a tile on every multiprocessor, a sum and a
                            ///< product
  decltype(basic_seconds<T>{} / bytes{}) a_byte{};
  basic_seconds<T> start{};
};

template <class T>
constexpr unit_clock<T> clock_of(const basic_matrix_unit<T>& unit) {
  const double multiprocessors = unit.streaming_multiprocessors;
  return {.multiprocessors = multiprocessors,
          .step = 2.0 * multiprocessors * units::FLOP / unit.rate,
          .a_byte = 1.0 / unit.bandwidth,
          .start = unit.start};
}

template <class T>
[[gnu::always_inline]] constexpr basic_seconds<T> tiled_time(const tiled_side& rows,
                                                             const tiled_side& columns,
                                                             const matrix_product& p,
                                                             const unit_clock<T>& unit,
                                                             const product_formats& in) {
  const product_tiling tiling = better_tiling(rows, columns, p.count, unit.multiprocessors);
  const basic_seconds<T> worked = tiling.area() * p.depth * unit.step;
  const basic_seconds<T> moved = product_bytes(p, in) * unit.a_byte;
  return unit.start + (worked > moved ? worked : moved);
}

template <class T>
constexpr void require_valid(const basic_matrix_unit<T>& unit) {
  require(unit.rate > flop_per_second{0}, "matrix_unit.rate must be > 0 FLOP/s");
  require(unit.bandwidth > bytes_per_second{0}, "matrix_unit.bandwidth must be > 0 B/s");
  require(unit.streaming_multiprocessors >= 1,
          "matrix_unit.streaming_multiprocessors must be >= 1");
  require(unit.start >= seconds{0}, "matrix_unit.start must be >= 0 s");
}

}  // namespace detail

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
  detail::require_valid(p);
  detail::require_valid(unit);
  return detail::tiled_time(detail::tiled(p.rows), detail::tiled(p.columns), p,
                            detail::clock_of(unit), in);
}

/// Forward and backward seconds of a part of a layer.
template <class T>
struct basic_pass_time {
  basic_seconds<T> forward{};
  basic_seconds<T> backward{};

  [[nodiscard]] constexpr basic_seconds<T> total() const { return forward + backward; }
  friend constexpr basic_pass_time operator+(const basic_pass_time& a, const basic_pass_time& b) {
    return {a.forward + b.forward, a.backward + b.backward};
  }
};

namespace detail {

/// product_pass_time, of a product whose rows are cut into tiles.
template <class T>
[[gnu::always_inline]] constexpr basic_pass_time<T> pass_time_of(const matrix_product& p,
                                                                 const tiled_side& rows,
                                                                 const unit_clock<T>& unit,
                                                                 const product_formats& in,
                                                                 bytes weight_gradient) {
  const tiled_side columns = tiled(p.columns);
  const tiled_side depth = tiled(p.depth);
  const double weights = p.count * p.columns * p.depth;
  basic_pass_time<T> time{tiled_time(rows, columns, p, unit, in),
                          tiled_time(rows, depth, p.left_gradient(), unit, in) +
                              tiled_time(columns, depth, p.right_gradient(), unit, in) +
                              weights * weight_gradient * unit.a_byte};
  if (p.count > 1) [[unlikely]] {  // grouped: weights are read before products, not beside them
    const basic_seconds<T> read = weights * in.operand * unit.a_byte;
    time = time + basic_pass_time<T>{read, read};
  }
  return time;
}

}  // namespace detail

/// A product and the two of its backward pass: product_time of p, and of the gradients of its left
/// and right operands, the right one with a result of `weight_gradient` bytes a value.
///
/// Source: as product_flop.
///
/// \throws invalid_input if a size is < 0 or the unit is invalid
template <class T>
constexpr basic_pass_time<T> product_pass_time(const matrix_product& p,
                                               const basic_matrix_unit<T>& unit,
                                               const product_formats& in, bytes weight_gradient) {
  detail::require_valid(p);
  detail::require_valid(unit);
  return detail::pass_time_of(p, detail::tiled(p.rows), detail::clock_of(unit), in,
                              weight_gradient);
}

}  // namespace gpuplan
