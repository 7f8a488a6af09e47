#pragma once
/// \file
/// The critical batch size: steps saved against samples spent.

#include <cmath>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Training to one loss, by its two limits.
struct training_tradeoff {
  double least_steps{};    ///< S_min, with a batch without end; > 0
  double least_samples{};  ///< E_min, with a batch of next to nothing; > 0

  /// B_crit = E_min / S_min: the batch that takes twice the least of both.
  [[nodiscard]] constexpr double critical_batch() const { return least_samples / least_steps; }
};

/// What training takes at some batch.
struct training_length {
  double steps{};
  double samples{};
};

/// Steps and samples to the loss of a trade-off, at a batch.
///
///     S = S_min (1 + B_crit / B),   E = S B = E_min (1 + B / B_crit)
///
///     S_min, E_min  as.least_steps, as.least_samples    count, > 0
///     B_crit        as.critical_batch()                 samples
///     B             batch                               count, > 0
///
/// So that (S/S_min - 1)(E/E_min - 1) = 1.  With the learning rate tuned for each batch.
///
/// Holds: B_crit = E_min / S_min; the learning rate tuned for each batch.
///
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training" (2018), equations
/// 2.11 and 2.12, arXiv:1812.06162.
///
/// \throws invalid_input if a field of as is <= 0 or batch <= 0
constexpr training_length training_at_batch(const training_tradeoff& as, double batch) {
  require(as.least_steps > 0, "training_tradeoff.least_steps must be > 0");
  require(as.least_samples > 0, "training_tradeoff.least_samples must be > 0");
  require(batch > 0, "training_at_batch: batch must be > 0 samples");
  const double critical = as.critical_batch();
  return {.steps = as.least_steps * (1 + critical / batch),
          .samples = as.least_samples * (1 + batch / critical)};
}

/// The trade-off through two runs to one loss.
///
///     S_min = (S_1 B_1 - S_2 B_2) / (B_1 - B_2),   E_min = (S_1 - S_2) / (1/B_1 - 1/B_2)
///
///     S, B  steps, and samples over steps, of a run   count
///
/// Source: the two equations of training_at_batch, solved.
///
/// \throws invalid_input if a field is <= 0, or the run of more steps does not take fewer samples
constexpr training_tradeoff training_tradeoff_through(const training_length& more_steps,
                                                      const training_length& more_samples) {
  require(more_samples.steps > 0 && more_steps.samples > 0,
          "training_tradeoff_through: steps and samples must be > 0");
  require(more_steps.steps > more_samples.steps,
          "training_tradeoff_through: more_steps.steps must be > more_samples.steps");
  require(more_samples.samples > more_steps.samples,
          "training_tradeoff_through: more_samples.samples must be > more_steps.samples");
  const double small = more_steps.samples / more_steps.steps;
  const double large = more_samples.samples / more_samples.steps;
  return {.least_steps = (more_samples.samples - more_steps.samples) / (large - small),
          .least_samples = (more_steps.steps - more_samples.steps) / (1 / small - 1 / large)};
}

/// Critical batch of a language model at a loss.
///
///     B_crit = B_* / L^(1/alpha)
///
///     L            loss                      nat per token, > 0
///     B_*, alpha   2.1e8 tokens, 0.21        fitted by the source
///
/// For decoders on WebText2 of up to 1.5e9 parameters; elsewhere no more than an order of
/// magnitude.
///
/// Holds: decoders on WebText2 of up to 1.5e9 parameters.
///
/// Source: J. Kaplan et al., "Scaling Laws for Neural Language Models" (2020), equation 1.4 and
/// section 5.1, arXiv:2001.08361.
///
/// \throws invalid_input if loss <= 0
inline tokens coarse_critical_batch(double loss) {
  require(loss > 0, "coarse_critical_batch: loss must be > 0 nat per token");
  constexpr double at_one_nat = 2.1e8;
  constexpr double exponent = 0.21;
  return at_one_nat / std::pow(loss, 1 / exponent) * units::token;
}

}  // namespace gpuplan
