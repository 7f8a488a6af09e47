#pragma once
/// \file
/// M/D/c: random arrivals, and jobs of equal duration.

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/poisson.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// What M/D/c is asked for.
struct deterministic_queue {
  double length{};       ///< L_q
  double probability{};  ///< of waiting
};

/// The random walk of arrivals less c, one step for each service time: L_q is the mean of its
/// maximum, and a job waits unless it stays below zero (Spitzer's identity).
///
///     L_q = sum_l E (N_l - l c)^+ / l,   P(wait) = 1 - exp(-sum_l P(N_l >= l c) / l)
///
/// with N_l Poisson of mean l a.
inline deterministic_queue deterministic_by_walk(double servers, double load) {
  double length = 0;
  double reach = 0;
  for (double l = 1;; l += 1) {
    const double a = l * load;
    const double n = l * servers;
    const double p = poisson(a, n);
    double above = 0;   // P(N > n) / p
    double excess = 0;  // E (N - n)^+ / p
    double term = 1;
    for (double j = 1; term * j > 1e-17 * excess; j += 1) {
      term *= a / (n + j);
      above += term;
      excess += j * term;
    }
    length += p * excess / l;
    reach += p * (1 + above) / l;
    if (!(p * excess > 1e-18 * length)) break;
  }
  return {.length = length, .probability = -std::expm1(-reach)};
}

/// The root of z = w e^(r (z - 1)) inside the unit circle, |w| = 1: Newton's method from the first
/// terms of Lambert's function at its branch point.
inline std::complex<double> service_root(std::complex<double> w, double utilization) {
  const auto p = std::sqrt(2.0 * (1.0 - utilization * w * std::exp(1 - utilization)));
  auto z = (1.0 - p + p * p / 3.0 - 11.0 / 72 * p * p * p) / utilization;
  for (int i = 0; i < 50; ++i) {
    const auto right = w * std::exp(utilization * (z - 1.0));
    const auto step = (z - right) / (1.0 - utilization * right);
    z -= step;
    if (std::norm(step) < 1e-32 * std::norm(z)) break;
  }
  return z;
}

/// The same by the c - 1 roots z of z^c = e^(a (z - 1)) inside the unit circle.
///
///     L_q     = sum 1 / (1 - z) - (c (c-1) - a^2) / (2 (c - a))
///     P(wait) = 1 - (c - a) / prod (1 - z)
inline deterministic_queue deterministic_by_roots(int servers, double load) {
  double sum = 0;
  double log_product = 0;
  for (int j = 1; 2 * j <= servers; ++j) {
    const auto w = std::polar(1.0, 2 * std::numbers::pi * j / servers);
    const auto gap = 1.0 - service_root(w, load / servers);
    const double twice = 2 * j == servers ? 1 : 2;  // the roots come in conjugate pairs
    sum += twice * (1.0 / gap).real();
    log_product += twice * std::log(std::abs(gap));
  }
  const double spare = servers - load;
  return {.length = sum - (servers + load) / 2 + servers / spare / 2,
          .probability = 1 - spare / std::exp(log_product)};
}

}  // namespace detail

/// M/D/c: wait probability and mean wait when every job takes the same time S.
///
///     L_q = sum_{l >= 1} E (N_l - l c)^+ / l
///     W_q = L_q / lambda
///
///     lambda, S, c  of jobs; S is every job's
///     N_l           Poisson of mean l lambda S
///
/// Exact.  Half the wait of M/M/c with one server, a little more than half with many.  The sum
/// takes 40 / (c (rho - 1 - ln rho)) terms; where these are many, the roots of the generating
/// function give the same in O(c).
///
/// Holds: M/D/c.
///
/// Source: C. D. Crommelin, "Delay probability formulae when the holding times are constant", Post
/// Office Electrical Engineers Journal 25 (1932) 41-50; F. Spitzer, "A combinatorial lemma and its
/// application to probability theory", Trans. Amer. Math. Soc. 82 (1956) 323-339.
///
/// \throws invalid_input if jobs are invalid
inline waiting deterministic_wait(const workload& jobs) {
  require_valid(jobs);
  const double load = jobs.offered_load();
  const double rho = jobs.utilization();
  waiting w{.arrival_rate = jobs.arrival_rate, .mean_service = jobs.mean_service};
  if (load == 0) return w;
  if (!(rho < 1)) {
    w.probability = 1;
    w.mean = seconds{std::numeric_limits<double>::infinity()};
    return w;
  }
  const double decay = jobs.servers * (rho - 1 - std::log(rho));
  const auto queue = decay > 0.2 ? detail::deterministic_by_walk(jobs.servers, load)
                                 : detail::deterministic_by_roots(jobs.servers, load);
  w.probability = queue.probability;
  w.mean = queue.length / jobs.arrival_rate;
  return w;
}

}  // namespace gpuplan
