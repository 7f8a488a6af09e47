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

namespace detail {

constexpr std::int64_t tiles_of(const matrix_product& p, std::int64_t high, std::int64_t wide) {
  return ((p.rows + high - 1) / high) * ((p.columns + wide - 1) / wide) * p.count;
}

}  // namespace detail

/// Waves of tiles: how often every multiprocessor is given one.
///
///     w = ceil(ceil(m / M) ceil(n / N) c / S),  M x N = 128 x 256 or 256 x 128, the better
///
///     m, n, c  rows, columns, count   S  multiprocessors, >= 1
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023), sections 4.1
/// (tile quantisation) and 4.2 (wave quantisation).
///
/// \throws invalid_input if a size is < 0 or multiprocessors < 1
constexpr std::int64_t product_waves(const matrix_product& p, int multiprocessors) {
  require(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.count >= 0,
          "product_waves: rows, columns, depth and count must be >= 0");
  require(multiprocessors >= 1, "product_waves: multiprocessors must be >= 1");
  const std::int64_t upright = detail::tiles_of(p, short_tile, long_tile);
  const std::int64_t lying = detail::tiles_of(p, long_tile, short_tile);
  return ((upright < lying ? upright : lying) + multiprocessors - 1) / multiprocessors;
}

/// Time of a product: of its waves, or of its bytes where they take longer.
///
///     t = max(w (2 M N k S / R + t_0),  bytes / W)
///
///     w    product_waves                      M N  long_tile x short_tile
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
  const auto waves = static_cast<double>(product_waves(p, unit.streaming_multiprocessors));
  const flop wave = 2.0 * static_cast<double>(long_tile * short_tile) *
                    static_cast<double>(p.depth) * unit.streaming_multiprocessors * units::FLOP;
  const basic_seconds<T> worked = waves * (wave / unit.rate + unit.turnover);
  const basic_seconds<T> moved = product_bytes(p, in) / unit.bandwidth;
  return worked > moved ? worked : moved;
}

}  // namespace gpuplan
