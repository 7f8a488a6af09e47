#pragma once
/// \file
/// Trust ratios: the learning rate of each layer in LARS and LAMB.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// What LARS multiplies the learning rate of a layer by.
///
///     q = eta |w| / (|g| + lambda |w|)
///
///     |w|, |g|  weight_norm, gradient_norm, of the layer   1, >= 0
///     lambda    weight_decay                               1, >= 0
///     eta       coefficient                                1, > 0; 0.001 in the source
///
/// 1 where either norm is zero, as its implementations have it.
///
/// Holds: 1 where a norm is 0.
///
/// Source: Y. You, I. Gitman and B. Ginsburg, "Large Batch Training of Convolutional Networks"
/// (2017), equation 6, arXiv:1708.03888.
///
/// \throws invalid_input if a norm or weight_decay is < 0, or coefficient <= 0
constexpr double lars_trust_ratio(double weight_norm, double gradient_norm, double weight_decay,
                                  double coefficient = 0.001) {
  require(weight_norm >= 0, "lars_trust_ratio: weight_norm must be >= 0");
  require(gradient_norm >= 0, "lars_trust_ratio: gradient_norm must be >= 0");
  require(weight_decay >= 0, "lars_trust_ratio: weight_decay must be >= 0");
  require(coefficient > 0, "lars_trust_ratio: coefficient must be > 0");
  if (weight_norm == 0 || gradient_norm == 0) return 1;
  return coefficient * weight_norm / (gradient_norm + weight_decay * weight_norm);
}

/// What LAMB multiplies the learning rate of a layer by.
///
///     q = |w| / |u|
///
///     |w|  norm of the weights: of the layer                         1, >= 0
///     |u|  norm of the update: Adam's step and the decay lambda w    1, >= 0
///
/// 1 where either is zero.  The source allows any bounded function of |w| above; this is the
/// identity, which its experiments use.
///
/// Holds: 1 where a norm is 0.
///
/// Source: Y. You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76
/// minutes", ICLR (2020), algorithm 2, arXiv:1904.00962.
///
/// \throws invalid_input if a norm is < 0
constexpr double lamb_trust_ratio(double weight_norm, double update_norm) {
  require(weight_norm >= 0, "lamb_trust_ratio: weight_norm must be >= 0");
  require(update_norm >= 0, "lamb_trust_ratio: update_norm must be >= 0");
  if (weight_norm == 0 || update_norm == 0) return 1;
  return weight_norm / update_norm;
}

}  // namespace gpuplan
