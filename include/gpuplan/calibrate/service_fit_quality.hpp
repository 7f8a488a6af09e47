#pragma once
/// \file
/// How well a law of service stands for a sample: its likelihood, and its distance.

#include <cmath>

#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

inline double log_density(const erlang_service& law, seconds x) {
  const double k = law.phases;
  const double u = k * (x / law.mean);
  return k * std::log(u) - u - std::lgamma(k) - std::log(x / seconds{1});
}

inline double log_density(const hyperexponential_service& law, seconds x) {
  const auto part = [&](double share, seconds mean) {
    return std::log(share) - x / mean - std::log(mean / seconds{1});
  };
  const double first = part(law.first_share, law.first_mean);
  const double second = part(1 - law.first_share, law.second_mean);
  const double more = std::fmax(first, second);
  return more + std::log1p(std::exp(std::fmin(first, second) - more));
}

inline double log_density(const lognormal_service& law, seconds x) {
  constexpr double log_root_two_pi = 0.91893853320467274178;
  const double z = std::log(x / law.median) / law.sigma;
  return -z * z / 2 - log_root_two_pi - std::log(law.sigma) - std::log(x / seconds{1});
}

inline double log_density(const weibull_service& law, seconds x) {
  const double log_power = law.shape * std::log(x / law.scale);
  return std::log(law.shape) + log_power - std::exp(log_power) - std::log(x / seconds{1});
}

inline double log_density(const bounded_pareto_service& law, seconds x) {
  const double weight = -std::expm1(law.alpha * std::log(law.least / law.most));
  return std::log(law.alpha / weight) + law.alpha * std::log(law.least / x) -
         std::log(x / seconds{1});
}

}  // namespace detail

/// Mean logarithm of the density of a law at the durations of a sample, ln L / n.
///
///     E ln(f(S) 1 s)
///
///     f  density of law       1/s
///     S  of sample, within the law's range   s
///
/// Source: E. L. Lehmann and G. Casella, "Theory of Point Estimation", 2nd ed., Springer (1998),
/// section 6.2.
template <continuous_service_law Law>
double mean_log_density(const Law& law, const empirical_service& sample) {
  double sum = 0;
  for (const service_atom& atom : sample.atoms())
    sum += atom.probability * detail::log_density(law, atom.size);
  return sum;
}

/// Kolmogorov and Smirnov's distance of a law from a sample.
///
///     D = sup over x of |F_n(x) - F(x)|
///
///     F    of law, without atoms   1
///     F_n  of sample               1
///
/// Source: A. N. Kolmogorov, "Sulla determinazione empirica di una legge di distribuzione",
/// Giornale dell'Istituto Italiano degli Attuari 4 (1933) 83-91.
template <continuous_service_law Law>
double distance_between(const Law& law, const empirical_service& sample) {
  double distance = 0;
  double below = 0;
  for (const service_atom& atom : sample.atoms()) {
    const double at = 1 - law.tail(atom.size);
    distance = std::fmax(distance, std::abs(at - below));
    below += atom.probability;
    distance = std::fmax(distance, std::abs(at - below));
  }
  return distance;
}

}  // namespace gpuplan
