#pragma once
/// \file
/// Laws of service under which measured durations are most likely.

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// E g(ln(S / unit)) over the sizes of a sample.
template <class Function>
double mean_over_logs(const empirical_service& sample, seconds unit, Function of_log) {
  double sum = 0;
  for (const service_atom& atom : sample.atoms())
    sum += atom.probability * of_log(std::log(atom.size / unit));
  return sum;
}

}  // namespace detail

/// The Erlang law under which a sample is most likely, of 1 to 100 phases.
///
///     max over k of  k ln(k/m) - ln Gamma(k) + (k - 1) E ln S - k
///
///     m, S  mean, sizes of sample   s
///
/// One phase, the exponential law, where sizes vary as much or more.
///
/// Source: N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", vol.
/// 1, 2nd ed., Wiley (1994), chapter 17, for a whole k.
inline erlang_service erlang_of_likelihood(const empirical_service& sample) {
  const seconds mean = mean_service(sample);
  const double log_mean = detail::mean_over_logs(sample, mean, [](double log) { return log; });
  int best = 1;
  double most = 0;
  for (int k = 1; k <= 100; ++k) {
    const double likelihood = k * std::log(k) - std::lgamma(k) + (k - 1) * log_mean - k;
    if (k > 1 && !(likelihood > most)) break;  // it rises to its top and falls
    best = k;
    most = likelihood;
  }
  return {.phases = best, .mean = mean};
}

/// The lognormal law under which a sample is most likely; none if its sigma is not > 0 and <= 5.
///
///     median = e^(E ln S),   sigma^2 = Var ln S
///
///     S  sizes of sample   s
///
/// Source: E. L. Crow and K. Shimizu, "Lognormal Distributions", Dekker (1988), chapter 2.
inline std::optional<lognormal_service> lognormal_of_likelihood(const empirical_service& sample) {
  const double mean =
      detail::mean_over_logs(sample, 1 * units::second, [](double log) { return log; });
  const double variance = detail::mean_over_logs(sample, std::exp(mean) * units::second,
                                                 [](double log) { return log * log; });
  const lognormal_service law{.median = std::exp(mean) * units::second,
                              .sigma = std::sqrt(variance)};
  if (!(law.sigma > 0 && law.sigma <= 5)) return {};
  return law;
}

/// The Weibull law under which a sample is most likely; none if its shape is not from 0.1 to 20.
///
///     E S^k ln S / E S^k - 1/k = E ln S,   scale = (E S^k)^(1/k)
///
///     S  sizes of sample   s
///     k  shape             solved for
///
/// Source: N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", vol.
/// 1, 2nd ed., Wiley (1994), chapter 21.
inline std::optional<weibull_service> weibull_of_likelihood(const empirical_service& sample) {
  const seconds largest = sample.atoms().back().size;  // so that powers do not overflow
  std::vector<double> logs;
  logs.reserve(sample.atoms().size());
  double log_mean = 0;
  double log_squares = 0;
  for (const service_atom& atom : sample.atoms()) {
    logs.push_back(std::log(atom.size / largest));
    log_mean += atom.probability * logs.back();
    log_squares += atom.probability * logs.back() * logs.back();
  }

  struct excess {
    double value, slope, power;
  };
  const auto at = [&](double shape) -> excess {
    double power = 0;  // E S^k, E S^k ln S, E S^k ln^2 S
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double weight = sample.atoms()[i].probability * std::exp(shape * logs[i]);
      power += weight;
      first += weight * logs[i];
      second += weight * logs[i] * logs[i];
    }
    const double mean = first / power;
    return {mean - 1 / shape - log_mean, second / power - mean * mean + 1 / (shape * shape), power};
  };
  double low = 0.1;
  double high = 20;
  // The deviation of ln S is pi / (sqrt(6) k) under the law itself.
  const double deviation = std::sqrt(std::fmax(0, log_squares - log_mean * log_mean));
  double shape = std::fmin(high, std::fmax(low, 1.28 / deviation));
  for (int steps = 0; steps < 100; ++steps) {
    const excess here = at(shape);
    if ((shape == 0.1 && here.value > 0) || (shape == 20 && here.value < 0)) return {};
    (here.value < 0 ? low : high) = shape;
    double next = shape - here.value / here.slope;
    if (!(next > low && next < high)) {
      const bool to_end = (next <= low && low == 0.1) || (next >= high && high == 20);
      next = to_end ? (next <= low ? low : high) : (low + high) / 2;
    }
    const double moved = std::abs(next - shape);
    shape = next;
    if (moved <= 1e-14 * shape) break;
  }
  return weibull_service{.shape = shape, .scale = largest * std::pow(at(shape).power, 1 / shape)};
}

/// The bounded Pareto law under which a sample is most likely; none if no alpha > 0 is, or all
/// sizes are equal.
///
///     1/alpha + r^alpha ln r / (1 - r^alpha) = E ln(S/L),   r = L/H
///
///     L, H   least and largest of sample   s
///     alpha  solved for
///
/// Source: I. B. Aban, M. M. Meerschaert and A. K. Panorska, "Parameter Estimation for the
/// Truncated Pareto Distribution", J. American Statistical Association 101 (2006) 270-277.
inline std::optional<bounded_pareto_service> bounded_pareto_of_likelihood(
    const empirical_service& sample) {
  const seconds least = sample.atoms().front().size;
  const seconds most = sample.atoms().back().size;
  const double log_mean = detail::mean_over_logs(sample, least, [](double log) { return log; });
  const double span = std::log(most / least);
  if (!(log_mean < span / 2) || !(log_mean > 0)) return {};
  const auto excess = [&](double alpha) {
    return 1 / alpha - span / std::expm1(alpha * span) - log_mean;
  };
  double low = 0;
  double high = 1 / log_mean;
  for (int halvings = 0; halvings < 200 && high - low > 1e-15 * high; ++halvings) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return bounded_pareto_service{.alpha = (low + high) / 2, .least = least, .most = most};
}

}  // namespace gpuplan
