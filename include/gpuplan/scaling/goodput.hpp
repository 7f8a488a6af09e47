#pragma once
/// \file
/// Goodput: throughput, weighted by the value of a sample in a large batch.

#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Progress per sample of a batch, over that of the base batch.
///
///     e(M) = (phi + M_0) / (phi + M)
///
///     phi  noise_scale: gradient_noise_scale   samples, >= 0, infinite too
///     M_0  base_batch             samples, > 0
///     M    batch                  samples, > 0
///
/// 1 at M_0 and less above it.  It is 1/(1 + M/B_crit) with B_crit = phi, over the same at M_0: the
/// samples of McCandlish et al.'s trade-off, the other way up.
///
/// Holds: 1 at the base batch.
///
/// Source: A. Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep
/// Learning", OSDI (2021), equation 4, arXiv:2008.12260.
///
/// \throws invalid_input if noise_scale < 0, base_batch <= 0 or batch <= 0
constexpr double statistical_efficiency(double noise_scale, double base_batch, double batch) {
  require(noise_scale >= 0, "statistical_efficiency: noise_scale must be >= 0 samples");
  require(base_batch > 0, "statistical_efficiency: base_batch must be > 0 samples");
  require(batch > 0, "statistical_efficiency: batch must be > 0 samples");
  if (noise_scale == std::numeric_limits<double>::infinity()) return 1;
  return (noise_scale + base_batch) / (noise_scale + batch);
}

/// Throughput in samples of the base batch: what each device does, and what that is worth.
struct goodput {
  per_second throughput{};  ///< samples per second
  double efficiency{};      ///< statistical; worth of one of them

  [[nodiscard]] constexpr per_second rate() const { return throughput * efficiency; }
};

/// Goodput of a batch processed in a time.
///
///     G = M / t  e(M)
///
///     M, t  batch, time of its step                samples, > 0; s, > 0
///     e     statistical_efficiency                 1
///
/// Time to accuracy is as 1 / rate(): the step of most throughput is not the one of most goodput.
///
/// Source: A. Qiao et al., "Pollux", OSDI (2021), equation 1, arXiv:2008.12260.
///
/// \throws invalid_input as statistical_efficiency, or if step <= 0 s
constexpr goodput goodput_of(double noise_scale, double base_batch, double batch, seconds step) {
  const double efficiency = statistical_efficiency(noise_scale, base_batch, batch);
  require(step > seconds{0}, "goodput_of: step must be > 0 s");
  return {.throughput = batch / step, .efficiency = efficiency};
}

}  // namespace gpuplan
