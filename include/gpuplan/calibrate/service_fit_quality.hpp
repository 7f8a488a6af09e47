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

// ln f(x), of x and ln x in seconds; what does not change with x is computed once.

inline auto log_density_of(const erlang_service& law) {
  const double k = law.phases;
  const double rate = k / (law.mean / seconds{1});
  const double constant = k * std::log(rate) - std::lgamma(k);
  return [=](double x, double log_x) { return constant + (k - 1) * log_x - rate * x; };
}

inline auto log_density_of(const hyperexponential_service& law) {
  const double rates[] = {seconds{1} / law.first_mean, seconds{1} / law.second_mean};
  const double first = std::log(law.first_share * rates[0]);
  const double second = std::log((1 - law.first_share) * rates[1]);
  return [=, fast = rates[0], slow = rates[1]](double x, double) {
    const double a = first - fast * x;
    const double b = second - slow * x;
    const double more = std::fmax(a, b);
    return more + std::log1p(std::exp(std::fmin(a, b) - more));
  };
}

inline auto log_density_of(const lognormal_service& law) {
  constexpr double log_root_two_pi = 0.91893853320467274178;
  const double middle = std::log(law.median / seconds{1});
  const double constant = -log_root_two_pi - std::log(law.sigma);
  return [=, sigma = law.sigma](double, double log_x) {
    const double z = (log_x - middle) / sigma;
    return constant - z * z / 2 - log_x;
  };
}

inline auto log_density_of(const weibull_service& law) {
  const double scale = std::log(law.scale / seconds{1});
  const double constant = std::log(law.shape);
  return [=, shape = law.shape](double, double log_x) {
    const double log_power = shape * (log_x - scale);
    return constant + log_power - std::exp(log_power) - log_x;
  };
}

inline auto log_density_of(const bounded_pareto_service& law) {
  const double weight = -std::expm1(law.alpha * std::log(law.least / law.most));
  const double least = std::log(law.least / seconds{1});
  const double constant = std::log(law.alpha / weight);
  return [=, alpha = law.alpha](double, double log_x) {
    return constant + alpha * (least - log_x) - log_x;
  };
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
  const auto log_density = detail::log_density_of(law);
  double sum = 0;
  for (const service_atom& atom : sample.atoms()) {
    const double x = atom.size / seconds{1};
    sum += atom.probability * log_density(x, std::log(x));
  }
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
