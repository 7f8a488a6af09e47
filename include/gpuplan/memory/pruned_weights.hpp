#pragma once
/// \file
/// Memory of weights of which some are zero: masks, rows of indexes, and 2 of 4.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How weights with zeros are stored.
enum class pruned_storage {
  masked,      ///< all values, and a mask of a bit each: training that prunes
  indexed,     ///< values that are not zero, with a column index of 4 bytes each (CSR)
  two_of_four  ///< two of each four values, with two bits each for their places
};

/// Bytes of pruned weights.
///
///     masked         N (b + 1/8)
///     indexed        (1 - z) N (b + 4) + 4 (r + 1)
///     two_of_four    N (b / 2 + 1/8)
///
///     N  weights               count, >= 0
///     z  share that is zero    1, 0 to 1
///     b  bytes of a value      B, > 0
///     s  storage               one of pruned_storage
///     r  rows                  count, >= 0
///
/// A model that is pruned in training keeps all values and a mask.  An index costs as much as an
/// FP32 value, so that `indexed` saves only above z = 4/(b + 4): two thirds in 16 bits.  Tensor
/// cores are faster on two_of_four alone.
///
/// Holds: weights only; gradients and optimizer states stay dense in common software.
///
/// Source: A. Mishra and others, "Accelerating Sparse Deep Neural Networks", arXiv:2104.08378
/// (2021), section 3: 2 of 4 values and 2-bit indexes; Y. Saad, "Iterative Methods for Sparse
/// Linear Systems", 2nd edition, SIAM (2003), section 3.4: rows of indexes.
///
/// \throws invalid_input if a number is out of range, or storage is none of its values
constexpr bytes pruned_weight_memory(double weights, double zero_share, bytes value,
                                     pruned_storage storage, double rows) {
  require(weights >= 0 && weights < 1e300, "pruned_weight_memory: weights must be >= 0 and finite");
  require(zero_share >= 0 && zero_share <= 1, "pruned_weight_memory: zero_share must be 0 to 1");
  require(value > bytes{0}, "pruned_weight_memory: value must be > 0 B");
  require(rows >= 0 && rows < 1e300, "pruned_weight_memory: rows must be >= 0 and finite");
  constexpr bytes index{4};
  constexpr bytes bit{0.125};
  switch (storage) {
    case pruned_storage::masked: return weights * (value + bit);
    case pruned_storage::indexed:
      return (1 - zero_share) * weights * (value + index) + (rows + 1) * index;
    case pruned_storage::two_of_four: return weights * (value / 2 + bit);
  }
  require(false, "pruned_weight_memory: storage must be masked, indexed or two_of_four");
  return {};
}

}  // namespace gpuplan
