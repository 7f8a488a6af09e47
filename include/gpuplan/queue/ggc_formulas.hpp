#pragma once
/// \file
/// Approximations of the mean wait of G/G/c from two moments, by their authors.

#include <cmath>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/ggc_bounds.hpp>
#include <gpuplan/queue/mdc.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// M/M/c in O(sqrt c).
inline waiting markov_wait(const workload& jobs) {
  return wait_of(jobs, [](int c, double load) { return continuous_erlang_c(c, load); });
}

/// Cosmetatos' correction g for more than one server: M/D/c waits (1 + g)/2 of M/M/c, for few of
/// them.
inline double server_correction(double servers, double rho) {
  return (1 - rho) * (servers - 1) * (std::sqrt(4 + 5 * servers) - 2) / (16 * servers * rho);
}

/// The same as Whitt bounds it, so that D/M/c waits more than nothing.
inline double bounded_correction(double servers, double rho) {
  return std::fmin(0.24, server_correction(servers, rho));
}

/// D/M/c over M/M/c, twice: Whitt's phi_3.
inline double clockwork_arrivals(double servers, double rho) {
  return (1 - 4 * bounded_correction(servers, rho)) * std::exp(-2 * (1 - rho) / (3 * rho));
}

/// A wait of M/M/c, scaled by the variability of arrivals and service; endless where that is,
/// though nothing varies.
inline seconds scaled_wait(seconds markov, const variability& spread) {
  return isfinite(markov) ? spread.mean() * markov : markov;
}

}  // namespace detail

/// Allen and Cunneen's approximation of G/G/c.
///
///     W_q = (c_a^2 + c_s^2)/2 W_M
///
///     W_M            wait(jobs).mean, of M/M/c
///     c_a^2, c_s^2   of spread
///
/// Exact for M/M/c and M/G/1.  Error on 174 exact cases, 1 to 64 servers, rho 0.5 to 0.98, mean and
/// largest: M/G/c with c_s^2 < 1 1.5% and 4%, above 13% and 53%; c_a^2 < 1 14% and 51%, above 8%
/// and 37%.  Heavy tails: hundreds of percent.
///
/// Source: A. O. Allen, "Probability, Statistics, and Queueing Theory", 2nd ed. (1990), section
/// 5.3.5.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds allen_cunneen_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  return detail::scaled_wait(detail::markov_wait(jobs).mean, spread);
}

/// Allen and Cunneen's approximation with the correction of Kraemer and Langenbach-Belz.
///
///     W_q = (c_a^2 + c_s^2)/2 W_M g
///     g = exp(-2 (1 - rho) (1 - c_a^2)^2 / (3 rho (c_a^2 + c_s^2)))   for c_a^2 < 1
///     g = exp(-(1 - rho) (c_a^2 - 1) / (c_a^2 + 4 c_s^2))             for c_a^2 >= 1
///
///     W_M, rho       of wait(jobs) and jobs;  c_a^2, c_s^2 of spread, not both 0
///
/// Error as that of allen_cunneen_wait for random arrivals; c_a^2 < 1 11% and 49%, above 11% and
/// 41%.
///
/// Source: W. Kraemer and M. Langenbach-Belz, "Approximate formulae for the delay in the queueing
/// system GI/G/1", 8th International Teletraffic Congress (1976) 235.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds kraemer_langenbach_belz_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  const seconds markov = detail::markov_wait(jobs).mean;
  const double ca = spread.arrivals;
  const double rho = jobs.utilization();
  if (!(rho > 0) || !(rho < 1) || spread.mean() == 0) return detail::scaled_wait(markov, spread);
  const double exponent =
      ca < 1 ? 2 * (1 - rho) * (1 - ca) * (1 - ca) / (3 * rho * (ca + spread.service))
             : (1 - rho) * (ca - 1) / (ca + 4 * spread.service);
  return spread.mean() * std::exp(-exponent) * markov;
}

/// Whitt's approximation of G/G/c.
///
///     W_q   = phi h W_M
///     h     = (c_a^2 + c_s^2) / 2
///     phi   = (4 (c_a^2 - c_s^2) phi_1 + c_s^2 Psi) / (4 c_a^2 - 3 c_s^2)    for c_a^2 >= c_s^2
///           = ((c_s^2 - c_a^2) phi_3 + (c_s^2 + 3 c_a^2) Psi) / (2 (c_a^2 + c_s^2))    otherwise
///     phi_1 = 1 + g
///     phi_3 = (1 - 4 g) e^(-2 (1 - rho) / (3 rho))
///     phi_4 = min(1, (phi_1 + phi_3) / 2)
///     Psi   = 1                     for h >= 1
///           = phi_4^(2 (1 - h))     otherwise
///     g     = min(0.24, (1 - rho) (c - 1) (sqrt(4 + 5 c) - 2) / (16 c rho))
///
///     W_M, rho, c    of wait(jobs) and jobs;  c_a^2, c_s^2 of spread
///
/// Error on 174 exact cases, 1 to 64 servers, rho 0.5 to 0.98, mean and largest: M/G/c with c_s^2 <
/// 1 0.9% and 3%, above 5% and 21%; c_a^2 < 1 3% and 19%, above 7% and 31%.
///
/// Source: W. Whitt, "Approximations for the GI/G/m queue", Production and Operations Management 2
/// (1993) 114-161.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds whitt_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  const seconds markov = detail::markov_wait(jobs).mean;
  const double ca = spread.arrivals;
  const double cs = spread.service;
  const double rho = jobs.utilization();
  if (!(rho > 0) || !(rho < 1) || spread.mean() == 0) return detail::scaled_wait(markov, spread);

  const double phi_1 = 1 + detail::bounded_correction(jobs.servers, rho);
  const double phi_3 = detail::clockwork_arrivals(jobs.servers, rho);
  const double phi_4 = std::fmin(1, (phi_1 + phi_3) / 2);
  const double psi = spread.mean() >= 1 ? 1 : std::pow(phi_4, 2 * (1 - spread.mean()));
  const double phi = ca >= cs ? (4 * (ca - cs) * phi_1 + cs * psi) / (4 * ca - 3 * cs)
                              : ((cs - ca) * phi_3 + (cs + 3 * ca) * psi) / (2 * ca + 2 * cs);
  return phi * spread.mean() * markov;
}

/// Kimura's approximation of G/G/c, between M/M/c, M/D/c and D/M/c.
///
///     W_q = (c_a^2 + c_s^2) / ((1 - c_a^2)/W_D + (1 - c_s^2)/W_S + 2 (c_a^2 + c_s^2 - 1)/W_M)
///     W_S = (1 + g')/2 W_M of M/D/c,   W_D = phi_3/2 W_M of D/M/c
///
///     W_M           of wait(jobs);  c_a^2 <= 1, c_s^2 of spread
///     phi_3         as in whitt_wait;  g' its g without the bound of 0.24; where g' is 0.4 or
///                   more, which many servers at low load make it, W_S is deterministic_wait's
///
/// For arrivals less regular than random the denominator may vanish, and the answer is refused.
/// Error on 174 exact cases, mean and largest: M/G/c with c_s^2 < 1 0.3% and 1%, above 6% and 22%;
/// c_a^2 < 1 8% and 31%.
///
/// Source: T. Kimura, "A two-moment approximation for the mean waiting time in the GI/G/s queue",
/// Management Science 32 (1986) 751-763.
///
/// \throws invalid_input if jobs or spread are invalid, or spread.arrivals > 1
inline seconds kimura_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  require(spread.arrivals <= 1, "kimura_wait: spread.arrivals must be <= 1");
  const seconds markov = detail::markov_wait(jobs).mean;
  const double rho = jobs.utilization();
  if (!(rho < 1) || !(markov > seconds{0}) || spread.mean() == 0)
    return detail::scaled_wait(markov, spread);

  const double correction = detail::server_correction(jobs.servers, rho);
  const double clockwork_service =
      correction < 0.4 ? (1 + correction) / 2 : deterministic_wait(jobs).mean / markov;
  const double clockwork_arrivals = detail::clockwork_arrivals(jobs.servers, rho) / 2;
  const double of_arrivals =  // of random ones none, however seldom clockwork's would wait
      spread.arrivals == 1 ? 0 : (1 - spread.arrivals) / clockwork_arrivals;
  const double denominator =
      of_arrivals + (1 - spread.service) / clockwork_service + 2 * (2 * spread.mean() - 1);
  return 2 * spread.mean() / denominator * markov;
}

}  // namespace gpuplan
