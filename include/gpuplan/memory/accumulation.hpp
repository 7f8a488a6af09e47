#pragma once
/// \file
/// Gradient accumulation: a batch that does not fit at once, over micro-batches and replicas.

#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How a batch is made of micro-batches.
struct accumulation {
  std::int64_t steps{};             ///< micro-batches that one replica runs before an update
  std::int64_t micro_batch_size{};  ///< samples of each
  std::int64_t replicas{};

  /// Samples of one update: at least the target, above it by less than one sample a micro-batch.
  [[nodiscard]] constexpr std::int64_t effective_batch() const {
    return steps * micro_batch_size * replicas;
  }
};

namespace detail {

constexpr std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);  // a + b may overflow
}

}  // namespace detail

/// Fewest accumulation steps that reach a batch, then the smallest micro-batch that still does.
///
///     steps = ceil(target / (largest n)),  micro-batch = ceil(target / (steps n))
///
///     target   samples of one update                       count, >= 1
///     largest  largest micro-batch that fits, in a replica  count, >= 1
///     n        data-parallel replicas                      count, >= 1
///
/// Holds: the micro-batch is then ceil(target / (steps n)).
///
/// Source: P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour" (2017),
/// section 3, arXiv:1706.02677, for n replicas of one batch.
///
/// \throws invalid_input if target < 1, largest < 1 or replicas < 1, or one is above 2^31
constexpr accumulation accumulate(std::int64_t target, std::int64_t largest,
                                  std::int64_t replicas) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  require(target >= 1 && target <= most, "accumulate: target must be 1 to 2^31 samples");
  require(largest >= 1 && largest <= most, "accumulate: largest must be 1 to 2^31 samples");
  require(replicas >= 1 && replicas <= most, "accumulate: replicas must be 1 to 2^31");
  const std::int64_t steps = detail::quotient_up(target, largest * replicas);
  return {.steps = steps,
          .micro_batch_size = detail::quotient_up(target, steps * replicas),
          .replicas = replicas};
}

/// Replicas that reach a batch in one step.
///
///     n = ceil(target / b)
///
///     target  samples of one update    count, >= 1
///     b       micro-batch              count, >= 1
///
/// Holds: always.
///
/// Source: by definition.
///
/// \throws invalid_input if target < 1 or micro_batch_size < 1
constexpr std::int64_t replicas_without_accumulation(std::int64_t target,
                                                     std::int64_t micro_batch_size) {
  require(target >= 1, "replicas_without_accumulation: target must be >= 1 sample");
  require(micro_batch_size >= 1,
          "replicas_without_accumulation: micro_batch_size must be >= 1 sample");
  return detail::quotient_up(target, micro_batch_size);
}

/// Updates of one pass over a data set, the last one smaller.
///
///     ceil(N / B)
///
///     N  samples    count, >= 1
///     B  batch      count, >= 1
///
/// Holds: the last batch is not dropped.
///
/// Source: as replicas_without_accumulation.
///
/// \throws invalid_input if samples < 1 or batch < 1
constexpr std::int64_t updates_per_epoch(std::int64_t samples, std::int64_t batch) {
  require(samples >= 1, "updates_per_epoch: samples must be >= 1");
  require(batch >= 1, "updates_per_epoch: batch must be >= 1 sample");
  return detail::quotient_up(samples, batch);
}

/// Time of one pass over a data set.
///
///     T = N / B_eff  steps  t
///
///     N      samples                    count, >= 1
///     B_eff  how.effective_batch()      samples, >= 1
///     t      time of one micro-batch    s, >= 0
///     steps  accumulation steps         count, >= 1
///     b      micro-batch                count, >= 1
///     n      replicas                   count, >= 1
///
/// Of whole updates: with N not a multiple of B_eff, the mean over many passes.
///
/// Holds: mean over many passes where N is no multiple of the batch.
///
/// Source: as replicas_without_accumulation.
///
/// \throws invalid_input if samples < 1, of_micro_batch < 0 s, or a field of how is < 1
constexpr seconds epoch_time(std::int64_t samples, const accumulation& how,
                             seconds of_micro_batch) {
  require(samples >= 1, "epoch_time: samples must be >= 1");
  require(of_micro_batch >= seconds{0}, "epoch_time: of_micro_batch must be >= 0 s");
  require(how.steps >= 1 && how.micro_batch_size >= 1 && how.replicas >= 1,
          "epoch_time: accumulation's fields must be >= 1");
  // In doubles: the three fields of an accumulation may be more than an integer holds together.
  const double batch = static_cast<double>(how.steps) * static_cast<double>(how.micro_batch_size) *
                       static_cast<double>(how.replicas);
  return static_cast<double>(samples) / batch * static_cast<double>(how.steps) * of_micro_batch;
}

/// Weight of one rank's mean gradient in the gradient of the whole batch.
///
///     w_k = |B_k| / sum |B_j|
///
///     B_k  samples of the rank     count, 0 to all
///     all  samples of all ranks    count, > 0
///
/// The plain mean of the ranks' mean gradients, 1/n each, is the gradient of the whole batch only
/// where every rank has as many samples (or, for a loss per token, as many tokens).
///
/// Holds: a loss that is the mean over samples.
///
/// Source: P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour" (2017),
/// section 3, arXiv:1706.02677.
///
/// \throws invalid_input if samples < 0, samples > all or all <= 0
constexpr double gradient_weight(double samples, double all) {
  require(all > 0, "gradient_weight: all must be > 0 samples");
  require(samples >= 0 && samples <= all, "gradient_weight: samples must be 0 to all");
  return samples / all;
}

}  // namespace gpuplan
