#pragma once
/// \file
/// Learning rates: how they follow the batch, and how they change over a run.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gpuplan/require.hpp>

namespace gpuplan {

namespace detail {

constexpr void require_scaling(double base_rate, double base_batch, double batch) {
  require(base_rate >= 0, "learning rate: base_rate must be >= 0");
  require(base_batch > 0, "learning rate: base_batch must be > 0 samples");
  require(batch > 0, "learning rate: batch must be > 0 samples");
}

}  // namespace detail

/// Learning rate that grows with the batch.
///
///     r = r_0 B / B_0
///
///     r_0, B_0  base_rate at base_batch    1, >= 0; samples, > 0
///     B         batch                      count, > 0
///
/// For SGD, after a warm-up, up to about the critical batch; ResNet-50 keeps its accuracy to 8192.
/// A mini-batch drawn at random gives an unbiased gradient of variance proportional to 1/B.
///
/// Holds: SGD after a warm-up, up to about the critical batch.
///
/// Source: P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour" (2017),
/// section 2.1, arXiv:1706.02677.
///
/// \throws invalid_input if base_rate < 0, or a batch is <= 0
constexpr double linear_learning_rate(double base_rate, double base_batch, double batch) {
  detail::require_scaling(base_rate, base_batch, batch);
  return base_rate * (batch / base_batch);
}

/// Learning rate that grows with the root of the batch.
///
///     r = r_0 sqrt(B / B_0)
///
///     r_0  rate of the base batch    1, >= 0
///     B_0  base batch                count, > 0
///     B    batch                     count, > 0
///
///     r_0, B_0, B  as for linear_learning_rate
///
/// Keeps the variance of an update; usual for Adam and other adaptive methods.
///
/// Holds: usual for adaptive methods.
///
/// Source: A. Krizhevsky, "One weird trick for parallelizing convolutional neural networks"
/// (2014), section 5, arXiv:1404.5997.
///
/// \throws invalid_input if base_rate < 0, or a batch is <= 0
inline double square_root_learning_rate(double base_rate, double base_batch, double batch) {
  detail::require_scaling(base_rate, base_batch, batch);
  return base_rate * std::sqrt(batch / base_batch);
}

/// A warm-up in a straight line, then a decay along half a cosine.
struct cosine_schedule {
  double peak{};           ///< highest learning rate; >= least
  double least = 0;        ///< at the end and after it; >= 0
  double warm_up_steps{};  ///< >= 0
  double steps{};          ///< of the whole schedule, warm-up included; > warm_up_steps
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const cosine_schedule& schedule) {
  require(schedule.least >= 0, "cosine_schedule.least must be >= 0");
  require(schedule.peak >= schedule.least, "cosine_schedule.peak must be >= least");
  require(schedule.warm_up_steps >= 0, "cosine_schedule.warm_up_steps must be >= 0");
  require(schedule.steps > schedule.warm_up_steps, "cosine_schedule.steps must be > warm_up_steps");
}

/// Learning rate of a step.
///
///     r(k) = r_max k / w                                               for k < w
///     r(k) = r_min + (r_max - r_min) (1 + cos(pi (k - w)/(K - w))) / 2  for w <= k <= K
///     r(k) = r_min                                                     for k > K
///
///     r_max, r_min  schedule.peak, schedule.least             1
///     w, K          schedule.warm_up_steps, schedule.steps    count
///     k             this step: 0 for the first                count, >= 0
///
/// Holds: r_min after the last step.
///
/// Source: I. Loshchilov and F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts",
/// ICLR (2017), equation 5, arXiv:1608.03983; a warm-up as of P. Goyal et al. (2017), section 2.2,
/// arXiv:1706.02677, that begins at 0 in place of the rate of one worker.
///
/// \throws invalid_input if the schedule is invalid or step < 0
inline double learning_rate(const cosine_schedule& schedule, double step) {
  require_valid(schedule);
  require(step >= 0, "learning_rate: step must be >= 0");
  if (step < schedule.warm_up_steps) return schedule.peak * (step / schedule.warm_up_steps);
  const double done =
      (std::min)(1.0, (step - schedule.warm_up_steps) / (schedule.steps - schedule.warm_up_steps));
  const double share = (1 + std::cos(std::numbers::pi * done)) / 2;
  return schedule.least + (schedule.peak - schedule.least) * share;
}

}  // namespace gpuplan
