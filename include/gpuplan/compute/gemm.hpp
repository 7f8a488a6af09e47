#pragma once
/// \file
/// Time of a matrix product (GEMM) from its shape: waves of tiles, or the bytes it moves.

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
  basic_bytes_per_second<T> bandwidth{};  ///< at which products stream from device memory; > 0
  int streaming_multiprocessors = 1;      ///< >= 1
  basic_seconds<T> start{};               ///< of one kernel, whatever its size; >= 0
};

/// Side of the tile of the result that a streaming multiprocessor works on at a time.  Kernels
/// choose among many; measured times are told apart no better by the best of five shapes.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), section 4;
/// benchmarks/operators prints how far off the law is.
inline constexpr double product_tile = 128;

/// Tensor cores take operands in blocks of this many rows: a tile of a smaller product is cut to
/// it.
///
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 8.5 (2024), mma.m16n8k16.
inline constexpr double tile_step = 16;

/// What a last wave that is not full costs at most beside its tiles, in waves: smaller tiles and
/// sums split over multiprocessors fill it.  One for all devices, fitted by benchmarks/operators.
inline constexpr double last_wave = 0.1;

/// Depth that a tile loses while its pipeline fills and drains.  One for all devices, fitted
/// likewise.
inline constexpr double fill_depth = 128;

/// How a product is cut into tiles.
struct product_tiling {
  double high = 0;  ///< sides of a tile
  double wide = 0;
  double waves = 0;  ///< how often every multiprocessor is given a tile; not whole

  /// Operations for each step of depth in all waves, tiles that are not full included, over
  /// multiprocessors.
  [[nodiscard]] constexpr double area() const { return waves * high * wide; }
};

namespace detail {

// Inlined always: a call of these takes as long as what they compute, and there are a hundred of
// them in an estimate.

/// A side of a product, in tiles.
struct tiled_side {
  double tiles = 0;
  double length = 0;  ///< of a tile: product_tile, or what a smaller side is cut to
};

[[gnu::always_inline]] constexpr tiled_side tiled(double side) {
  tiled_side cut{ceiling(side / product_tile), product_tile};
  if (side < product_tile) [[unlikely]]
    cut.length = tile_step * ceiling(side / tile_step);
  return cut;
}

[[gnu::always_inline]] constexpr product_tiling tiling_of(const tiled_side& rows,
                                                          const tiled_side& columns, double count,
                                                          double multiprocessors) {
  const double full = rows.tiles * columns.tiles * count / multiprocessors;
  const double whole = ceiling(full);
  const double filled = full + last_wave;
  return {rows.length, columns.length, whole < filled ? whole : filled};
}

constexpr void require_valid(const matrix_product& p) {
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "matrix_product.rows, columns, depth and count must be >= 0");
}

}  // namespace detail

/// How the result of a product is cut into tiles, and how many waves they take.
///
///     w = min(ceil(x), x + 0.1)
///     x = ceil(m / 128) ceil(n / 128) c / S
///
///     m, n, c  rows, columns, count   S  multiprocessors, >= 1
///
/// A side below 128 is cut to the next multiple of 16.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), sections 4.1
/// (tile quantisation) and 4.2 (wave quantisation); 0.1 is last_wave.
///
/// \throws invalid_input if a size is < 0 or multiprocessors < 1
constexpr product_tiling product_tiles(const matrix_product& p, int multiprocessors) {
  detail::require_valid(p);
  require(multiprocessors >= 1, "product_tiles: multiprocessors must be >= 1");
  return detail::tiling_of(detail::tiled(p.rows), detail::tiled(p.columns), p.count,
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
  const product_tiling tiling = tiling_of(rows, columns, p.count, unit.multiprocessors);
  const basic_seconds<T> worked = tiling.area() * (p.depth + fill_depth) * unit.step;
  const basic_seconds<T> moved = product_bytes(p, in) * unit.a_byte;
  return unit.start + (worked > moved ? worked : moved);
}

/// A product whose result is added to what memory holds.  The old value is read on the way; the sum
/// is written once it is known.
template <class T>
[[gnu::always_inline]] constexpr basic_seconds<T> added_time(const tiled_side& rows,
                                                             const tiled_side& columns,
                                                             const matrix_product& p,
                                                             const unit_clock<T>& unit,
                                                             bytes operand, bytes added) {
  return tiled_time(rows, columns, p, unit, {.operand = operand, .result = bytes{0}}) +
         p.rows * p.columns * p.count * (added / 2) * unit.a_byte;
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
///     t = t_0 + max(2 w M N (k + 128) S / R,  bytes / W)
///
///     w    waves of product_tiles             M, N  sides of its tiles
///     k    depth, and fill_depth beside it    t_0   unit.start, s, >= 0
///     R    unit.rate                          FLOP/s, > 0
///     S    unit.streaming_multiprocessors     count
///     W    unit.bandwidth                     B/s, > 0
///
/// A product never runs above R.  Holds where rows and columns are 256 or more, within 6 % in the
/// median of measured products of 7 GPUs; an empty product takes t_0.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023);
/// benchmarks/operators prints the errors.
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

/// Time of a product whose result is added to a gradient in memory.
///
///     t = t_0 + max(2 w M N (k + 128) S / R,  operands / W) + m n c g / 2 W
///
///     g  gradient, bytes moved for a value: 8 where FP32 is read and written, >= 0
///
/// and the rest as in product_time.  The old value is read while the product is made; what is
/// written when a tile is done hides behind nothing: on a B200 8 bytes cost what 4 do.
///
/// Source: as product_time.
///
/// \throws invalid_input if a size is < 0, the unit is invalid, or operand or gradient < 0 B
template <class T>
constexpr basic_seconds<T> weight_gradient_time(const matrix_product& p,
                                                const basic_matrix_unit<T>& unit, bytes operand,
                                                bytes gradient) {
  detail::require_valid(p);
  detail::require_valid(unit);
  require(operand >= bytes{0} && gradient >= bytes{0},
          "weight_gradient_time: operand and gradient must be >= 0 B");
  return detail::added_time(detail::tiled(p.rows), detail::tiled(p.columns), p,
                            detail::clock_of(unit), operand, gradient);
}

/// Forward and backward seconds of a part of a layer.
template <class T>
struct basic_pass_time {
  basic_seconds<T> forward{};
  basic_seconds<T> backward{};

  [[nodiscard]] constexpr basic_seconds<T> total() const { return forward + backward; }
  friend constexpr basic_pass_time operator*(double n, const basic_pass_time& a) {
    return {n * a.forward, n * a.backward};
  }
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
  return {tiled_time(rows, columns, p, unit, in),
          tiled_time(rows, depth, p.left_gradient(), unit, in) +
              added_time(columns, depth, p.right_gradient(), unit, in.operand, weight_gradient)};
}

}  // namespace detail

/// A product and the two of its backward pass: product_time of p and of the gradient of its left
/// operand, weight_gradient_time of that of its right operand.
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
