#pragma once
/// \file
/// Time of the products of experts: many groups, a few tokens each.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How the groups of a product reach the device.
enum class grouped_launch {
  fused,      ///< one kernel for all groups
  one_by_one  ///< one kernel for each
};

/// What computes grouped products.
template <class T>
struct basic_grouped_unit {
  basic_matrix_unit<T> product{};       ///< its bandwidth: of operands and results
  basic_bytes_per_second<T> weights{};  ///< at which weights stream; > 0
  basic_seconds<T> group_start{};       ///< of a group that is launched alone; >= 0
};

/// What remains of the shorter of arithmetic and weights beside the longer one: groups are few
/// tiles each, and a group waits for its weights.  One for all devices, fitted by
/// benchmarks/operators.
inline constexpr double grouped_remainder = 0.3;

/// Time of one product of each expert of a rank.
///
///     t = max(A, B) + 0.3 min(A, B)
///     A = 2 w M N (k + 128) S / R
///     B = k n c b / W
///
///     k, n   depth and columns: of one expert's weights
///     c      experts (count)                      b  bytes of a weight, in.operand
///     W      unit.weights, B/s                    others as in product_time
///
/// and c unit.group_start where groups are launched one by one, else unit.product.start.  Tokens of
/// an expert are cut to whole tiles: 8 tokens cost what 16 do.
///
/// Holds for groups of equal size; a rank with r times the mean is r times the rows.
///
/// Source: T. Gale et al., "MegaBlocks: Efficient Sparse Training with Mixture-of-Experts", MLSys
/// (2023), arXiv:2211.15841; benchmarks/operators prints the errors.
///
/// \throws invalid_input if a size is < 0, the unit is invalid, or launch no such value
template <class T>
constexpr basic_seconds<T> grouped_product_time(const matrix_product& p,
                                                const basic_grouped_unit<T>& unit,
                                                const product_formats& in, grouped_launch launch) {
  detail::require_valid(p);
  detail::require_valid(unit.product);
  require(unit.weights > bytes_per_second{0}, "grouped_unit.weights must be > 0 B/s");
  require(unit.group_start >= seconds{0}, "grouped_unit.group_start must be >= 0 s");
  require(launch == grouped_launch::fused || launch == grouped_launch::one_by_one,
          "grouped_product_time: launch must be one of grouped_launch");
  detail::unit_clock<T> clock = detail::clock_of(unit.product);
  const product_tiling tiling = detail::tiling_of(detail::tiled(p.rows), detail::tiled(p.columns),
                                                  p.count, clock.multiprocessors);
  const basic_seconds<T> worked = tiling.area() * (p.depth + fill_depth) * clock.step;
  const basic_seconds<T> weights = p.depth * p.columns * p.count * in.operand / unit.weights;
  const basic_seconds<T> starts =
      launch == grouped_launch::fused ? clock.start : p.count * unit.group_start;
  return starts + (worked > weights ? worked + grouped_remainder * weights
                                    : weights + grouped_remainder * worked);
}

/// What the experts of a rank work on.
struct expert_values {
  double rows = 0;    ///< tokens of all its experts, one visited twice counted twice; >= 0
  double hidden = 0;  ///< hidden size; >= 0
  double width = 0;   ///< of an expert; >= 0
  double gates = 2;   ///< values that the activation reads for one: 2 gated, 1 plain; >= 0
};

/// Time to bring tokens into the order of their experts and back, and to activate them.
///
///     t = n (h (3 v + b) + f (g v + b)) / W
///
///     n  rows of all experts of the rank     h, f  hidden size, width of an expert
///     g  read by the activation: 2 gated, 1  v, b  bytes of a value, and of an operand of products
///     W  bandwidth of permutations, B/s
///
/// Source: by counting: each order is read and written, there and back; operands are written in
/// the format of the products.
///
/// \throws invalid_input if a size is < 0 or bandwidth is not > 0
template <class T>
constexpr basic_seconds<T> permutation_time(const expert_values& of, const product_formats& in,
                                            const basic_bytes_per_second<T>& bandwidth) {
  require(of.rows >= 0 && of.hidden >= 0 && of.width >= 0 && of.gates >= 0,
          "expert_values.rows, hidden, width and gates must be >= 0");
  require(bandwidth > bytes_per_second{0}, "permutation_time: bandwidth must be > 0 B/s");
  return of.rows *
         (of.hidden * (3 * in.result + in.operand) +
          of.width * (of.gates * in.result + in.operand)) /
         bandwidth;
}

}  // namespace gpuplan
