/// \file
/// Laws of service by a mean and a variation.

#include "queue/service_shape.hpp"

#include <cmath>

#include <fmt/format.h>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// The shape k of a Weibull law: c_s^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 - 1, which falls with k.
double weibull_shape_of(double variation) {
  const auto variation_at = [](double k) {
    return std::expm1(std::lgamma(1 + 2 / k) - 2 * std::lgamma(1 + 1 / k));
  };
  double low = 0.1;
  double high = 20;
  if (!(variation <= variation_at(low) && variation >= variation_at(high)))
    throw bad_usage{
        fmt::format("--distribution weibull goes with a --service-scv from {:.2g} to {:.2g}",
                    variation_at(high), variation_at(low))};
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (variation_at(middle) > variation ? low : high) = middle;
  }
  return (low + high) / 2;
}

void require_variation(bool holds, const char* shape, const char* allowed) {
  if (!holds)
    throw bad_usage{fmt::format("--distribution {} goes with a --service-scv {}", shape, allowed)};
}

}  // namespace

service_time service_time_of(service_shape shape, seconds mean, double variation) {
  switch (shape) {
    case service_shape::exponential:
      require_variation(variation == 1, "exponential", "of 1");
      return exponential_service(mean);
    case service_shape::deterministic:
      require_variation(variation == 0, "deterministic", "of 0");
      return deterministic_service{mean};
    case service_shape::erlang: {
      const double phases = std::round(1 / variation);
      require_variation(phases >= 1 && phases <= 100 && std::abs(phases * variation - 1) < 1e-6,
                        "erlang", "of 1/k, k a whole number up to 100");
      return erlang_service{.phases = static_cast<int>(phases), .mean = mean};
    }
    case service_shape::hyperexponential: {
      require_variation(variation > 1, "hyperexponential", "above 1");
      const double share = (1 + std::sqrt((variation - 1) / (variation + 1))) / 2;
      return hyperexponential_service{.first_share = share,
                                      .first_mean = mean / (2 * share),
                                      .second_mean = mean / (2 * (1 - share))};
    }
    case service_shape::uniform: {
      require_variation(variation > 0 && variation <= 1.0 / 3, "uniform", "above 0, up to 1/3");
      const double reach = std::fmin(1, std::sqrt(3 * variation));
      return uniform_service{.least = (1 - reach) * mean, .most = (1 + reach) * mean};
    }
    case service_shape::lognormal: {
      require_variation(variation > 0, "lognormal", "above 0");
      const double sigma = std::sqrt(std::log1p(variation));
      return lognormal_service{.median = mean / std::sqrt(1 + variation), .sigma = sigma};
    }
    case service_shape::weibull: {
      const double k = weibull_shape_of(variation);
      return weibull_service{.shape = k, .scale = mean / std::tgamma(1 + 1 / k)};
    }
  }
  return exponential_service(mean);
}

}  // namespace gpuplan::cli
