#pragma once
/// \file
/// Laws of service of a given mean and variation.

#include <algorithm>
#include <cmath>

#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The Erlang law of a mean, with the number of phases whose variation is closest from below to
/// above.
///
///     k = 1/c^2, rounded, from 1 to 100
///
///     c^2  squared_variation   1, > 0
///
/// Its variation is 1/k, so that it is exact for 1, 1/2, 1/3, ... only, and exponential above 2/3.
///
/// Holds: exact for 1, 1/2, 1/3, ... only.
///
/// Source: H. C. Tijms, "A First Course in Stochastic Models", Wiley (2003), appendix B.
///
/// \throws invalid_input if the mean is not > 0 s, or the variation not > 0
inline erlang_service erlang_of_moments(seconds mean, double squared_variation) {
  require(mean > seconds{0}, "erlang_of_moments: mean must be > 0 s");
  require(squared_variation > 0, "erlang_of_moments: squared_variation must be > 0");
  const double phases = std::clamp(std::round(1 / squared_variation), 1.0, 100.0);
  return {.phases = static_cast<int>(phases), .mean = mean};
}

/// The hyperexponential law of a mean and a variation, with balanced means: both exponential laws
/// bring the same work.
///
///     p = (1 + sqrt((c^2 - 1) / (c^2 + 1))) / 2,   m_1 = m / (2 p),   m_2 = m / (2 (1 - p))
///
///     m    mean                s, > 0
///     c^2  squared_variation   1, >= 1
///
/// Source: H. C. Tijms, "A First Course in Stochastic Models", Wiley (2003), appendix B; W. Whitt,
/// "Approximating a Point Process by a Renewal Process, I", Operations Research 30 (1982) 125-147.
///
/// \throws invalid_input if the mean is not > 0 s, or the variation not >= 1 and < 1e15
inline hyperexponential_service hyperexponential_of_moments(seconds mean,
                                                            double squared_variation) {
  require(mean > seconds{0}, "hyperexponential_of_moments: mean must be > 0 s");
  require(squared_variation >= 1 && squared_variation < 1e15,
          "hyperexponential_of_moments: squared_variation must be >= 1 and < 1e15");
  const double second = rarer_phase_share(squared_variation);
  const double first = 1 - second;
  return {
      .first_share = first, .first_mean = mean / (2 * first), .second_mean = mean / (2 * second)};
}

/// The lognormal law of a mean and a variation.
///
///     sigma^2 = ln(1 + c^2),   median = m e^(-sigma^2/2)
///
///     m    mean                s, > 0
///     c^2  squared_variation   1, > 0, below e^25 - 1
///
/// On measured durations it is not the law of the highest likelihood, whose variation may be a
/// multiple of the sample's; for waits the moments matter.
///
/// Source: E. L. Crow and K. Shimizu, "Lognormal Distributions", Dekker (1988), chapter 2.
///
/// \throws invalid_input if the mean is not > 0 s, or the variation not > 0 and below e^25 - 1
inline lognormal_service lognormal_of_moments(seconds mean, double squared_variation) {
  require(mean > seconds{0}, "lognormal_of_moments: mean must be > 0 s");
  require(squared_variation > 0 && std::log1p(squared_variation) <= 25,
          "lognormal_of_moments: squared_variation must be > 0 and < 7.2e10");
  const double variance = std::log1p(squared_variation);
  return {.median = mean * std::exp(-variance / 2), .sigma = std::sqrt(variance)};
}

/// The Weibull law of a mean and a variation.
///
///     1 + c^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2,   scale = m / Gamma(1 + 1/k)
///
///     m    mean                s, > 0
///     c^2  squared_variation   1, of shapes k from 0.1 to 20: 0.004 to 1.8e5
///     k    shape               solved for
///
/// Source: N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", vol.
/// 1, 2nd ed., Wiley (1994), chapter 21.
///
/// \throws invalid_input if the mean is not > 0 s, or no shape from 0.1 to 20 has the variation
inline weibull_service weibull_of_moments(seconds mean, double squared_variation) {
  require(mean > seconds{0}, "weibull_of_moments: mean must be > 0 s");
  const auto log_ratio = [](double shape) {
    return std::lgamma(1 + 2 / shape) - 2 * std::lgamma(1 + 1 / shape);
  };
  const double wanted = std::log1p(squared_variation);
  double low = 0.1;
  double high = 20;
  require(wanted <= log_ratio(low) && wanted >= log_ratio(high),
          "weibull_of_moments: squared_variation must be of a shape from 0.1 to 20");
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = std::sqrt(low * high);
    (log_ratio(middle) > wanted ? low : high) = middle;
  }
  return {.shape = low, .scale = mean / std::tgamma(1 + 1 / low)};
}

}  // namespace gpuplan
