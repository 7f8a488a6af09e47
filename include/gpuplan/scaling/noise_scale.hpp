#pragma once
/// \file
/// The gradient noise scale: up to which batch size samples are worth their cost.

#include <limits>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The square of the mean gradient and the variance of one sample's, summed over parameters.
struct gradient_statistics {
  double squared_mean{};  ///< |G|^2, of the true gradient; >= 0
  double variance{};      ///< tr(Sigma), of a batch of one; >= 0
};

/// The simple noise scale: the batch at which noise and gradient are as large.
///
///     B_simple = tr(Sigma) / |G|^2
///
///     tr(Sigma), |G|^2  statistics.variance, statistics.squared_mean   1, >= 0, not both 0
///
/// In samples, or tokens, whichever the variance is of; infinite for a mean of 0.  It grows during
/// a run.  The critical batch that the source measured lies within a factor of 20 of it on all
/// tasks, of 5 on half of them.
///
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training" (2018), equation
/// 2.9, arXiv:1812.06162.
///
/// \throws invalid_input if squared_mean or variance is < 0, or both are 0
constexpr double gradient_noise_scale(const gradient_statistics& statistics) {
  require(statistics.squared_mean >= 0, "gradient_statistics.squared_mean must be >= 0");
  require(statistics.variance >= 0, "gradient_statistics.variance must be >= 0");
  require(statistics.squared_mean > 0 || statistics.variance > 0,
          "gradient_statistics: squared_mean or variance must be > 0");
  if (statistics.squared_mean == 0) return std::numeric_limits<double>::infinity();
  return statistics.variance / statistics.squared_mean;
}

/// A batch and the square of its gradient's norm, as measured.
struct batch_gradient {
  double batch{};         ///< samples; > 0
  double squared_norm{};  ///< mean over steps; >= 0
};

/// Both statistics from the gradients of two batch sizes: those of one device and of all, say.
///
///     |G|^2 = (B_2 g_2 - B_1 g_1) / (B_2 - B_1),   tr(Sigma) = (g_1 - g_2) / (1/B_1 - 1/B_2)
///
///     B, g  batch and squared_norm, of the smaller (1) and the larger batch (2)
///
/// Unbiased, as E g = |G|^2 + tr(Sigma) / B.  Of few steps either may come out negative: take means
/// over many before the quotient.
///
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training" (2018), appendix
/// A.1, arXiv:1812.06162.
///
/// \throws invalid_input if smaller.batch <= 0, larger.batch <= smaller.batch, or a norm is < 0
constexpr gradient_statistics gradient_statistics_of(const batch_gradient& smaller,
                                                     const batch_gradient& larger) {
  require(smaller.batch > 0, "gradient_statistics_of: smaller.batch must be > 0 samples");
  require(larger.batch > smaller.batch,
          "gradient_statistics_of: larger.batch must be > smaller.batch");
  require(smaller.squared_norm >= 0 && larger.squared_norm >= 0,
          "gradient_statistics_of: squared_norm must be >= 0");
  return {
      .squared_mean = (larger.batch * larger.squared_norm - smaller.batch * smaller.squared_norm) /
                      (larger.batch - smaller.batch),
      .variance =
          (smaller.squared_norm - larger.squared_norm) / (1 / smaller.batch - 1 / larger.batch)};
}

/// Progress of a step with the best learning rate for its batch, over that of a step without noise.
///
///     1 / (1 + B_noise / B)
///
///     B, B_noise  batch, noise_scale   samples, > 0; >= 0
///
/// Holds: the best learning rate for the batch.
///
/// Source: S. McCandlish et al. (2018), equations 2.6 and 2.7, arXiv:1812.06162.
///
/// \throws invalid_input if batch <= 0 or noise_scale < 0
constexpr double step_progress(double batch, double noise_scale) {
  require(batch > 0, "step_progress: batch must be > 0 samples");
  require(noise_scale >= 0, "step_progress: noise_scale must be >= 0 samples");
  return 1 / (1 + noise_scale / batch);
}

}  // namespace gpuplan
