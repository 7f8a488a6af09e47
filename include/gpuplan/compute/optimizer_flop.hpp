#pragma once
/// \file
/// Arithmetic of an optimizer step.  Small beside its traffic: an update is bound by memory.

#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Operations of one update for each parameter: every sum, product, quotient, root and sign of the
/// rule counts one.
///
///     sgd         2    p - l g
///     momentum    4    v = u v + g;  p - l v
///     adagrad     7    s = s + g^2;  p - l g / (sqrt(s) + e)
///     rmsprop     9    s = r s + (1 - r) g^2;  the same step
///     adam       13    m = a m + (1 - a) g;  v = b v + (1 - b) g^2;  p - l m / (c sqrt(v) + e)
///     adamw      14    and p times 1 - l w
///     adam_8bit  18    adamw, with two states scaled on their way in and out
///     lion       10    sign(a m + (1 - a) g), weight decay, m = b m + (1 - b) g
///     lamb       19    adam's quotient + w p; the norms of p and of it; p - t r
///     lars       10    the norms of p and g; g + w p; v = u v + t (.); p - v
///     adafactor  12    g^2 + e and its sums by row and column; scaled, clipped, applied
///     muon        6    momentum and step; newton_schulz_operations apart
///
/// Bias corrections are constants of the step.  What is done once for a tensor is left out.
///
/// Source: D. Kingma and J. Ba, "Adam" (2015), arXiv:1412.6980; I. Loshchilov and F. Hutter,
/// "Decoupled Weight Decay Regularization" (2019), arXiv:1711.05101; X. Chen et al., "Symbolic
/// Discovery of Optimization Algorithms" (2023), arXiv:2302.06675; Y. You et al., "Large Batch
/// Optimization for Deep Learning" (2020), arXiv:1904.00962; N. Shazeer and M. Stern, "Adafactor"
/// (2018), arXiv:1804.04235; T. Dettmers et al., "8-bit Optimizers" (2022), arXiv:2110.02861.
///
/// \throws invalid_input if o is none of optimizers
constexpr int update_operations(optimizer o) {
  return rule_of(o).update_operations;
}

/// The coarse form of the same, as a chapter on training has it: SGD 2, momentum 3, RMSprop 4,
/// Adam 5, which counts a state's update as one.  Low by a factor of up to 2.6.
///
/// Source: a textbook's chapter on training.
///
/// \throws invalid_input if o is none of these four
constexpr int coarse_update_operations(optimizer o) {
  switch (o) {
    case optimizer::sgd: return 2;
    case optimizer::momentum: return 3;
    case optimizer::rmsprop: return 4;
    case optimizer::adam: return 5;
    default: break;
  }
  require(false, "coarse_update_operations: o must be sgd, momentum, rmsprop or adam");
  return 0;
}

/// Operations for each parameter of Muon's orthogonalisation of an m x n matrix, m <= n: in each
/// iteration A = X X^T, B = b A + c A^2 and a X + B X.
///
///     k (4 m + 2 m^2 / n)
///
///     m, n  sides of the matrix, the shorter first   count, >= 1
///     k     iterations                               count, >= 0
///
/// Holds: three products an iteration.
///
/// Source: K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024),
/// kellerjordan.github.io/posts/muon, which takes five iterations.
///
/// \throws invalid_input if a side is < 1, or iterations < 0
constexpr double newton_schulz_operations(int rows, int columns, int iterations = 5) {
  require(rows >= 1 && columns >= 1, "newton_schulz_operations: rows and columns must be >= 1");
  require(iterations >= 0, "newton_schulz_operations: iterations must be >= 0");
  const double m = rows < columns ? rows : columns;
  const double n = rows < columns ? columns : rows;
  return iterations * (4 * m + 2 * m * m / n);
}

}  // namespace gpuplan
