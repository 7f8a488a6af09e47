#pragma once
/// \file
/// How often a job waits where arrivals or jobs are more, or less, regular than random.

#include <cmath>
#include <numbers>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/ggc_bounds.hpp>

namespace gpuplan {
namespace detail {

/// 1 - Phi(z) of the normal law.
inline double normal_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

}  // namespace detail

/// Whitt's approximation of the probability that a job waits in G/G/c.
///
///     P   = p_1                             for c_a^2 >= 1, c <= 6 or g <= 1/2
///     P   = c_a^2 p_1 + (1 - c_a^2) Q(g)    for c_a^2 < 1, c > 6 and g >= 1
///     p_1 = r^2 p_4 + (1 - r^2) p_5
///     p_4 = C Q((1 + c_s^2) y / (c_a^2 + c_s^2)) / Q(y)
///     p_5 = C Q(2 y / (1 + c_a^2)) / Q(y)
///     y   = (1 - r) sqrt(c)
///     g   = (c - a - 1/2) / sqrt(a z)
///     z   = (c_a^2 + c_s^2) / (1 + c_s^2)
///
///     a, c, r        offered load, servers and utilization of jobs
///     c_a^2, c_s^2   of spread
///     C              erlang_c(c, a)
///     Q              tail of the normal law
///
/// p_4 and p_5 are at most 1.  Between g = 1/2 and g = 1, P goes in a straight line from the first
/// to the second.  Exact for M/M/c.  Error on 103 exact cases, 1
/// to 64 servers, rho 0.5 to 0.98, mean and largest: c_a^2 < 1 4% and 16%, 1 2% and 9%, above 2%
/// and 7%.
///
/// Source: W. Whitt, "Approximations for the GI/G/m queue", Production and Operations Management 2
/// (1993) 114-161.
///
/// \throws invalid_input if jobs or spread are invalid
inline double whitt_wait_probability(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  const double servers = jobs.servers;
  const double load = jobs.offered_load();
  const double rho = jobs.utilization();
  if (!(rho < 1)) return 1;
  if (load == 0 || spread.mean() == 0) return 0;
  const double random = continuous_erlang_c(servers, load);
  const double ca = spread.arrivals;
  const double cs = spread.service;

  const double y = (1 - rho) * std::sqrt(servers);
  const double base = detail::normal_tail(y);
  if (base == 0) return random;  // so many to spare that none of it counts
  const double heavy = std::fmin(1, random * detail::normal_tail((1 + cs) * y / (ca + cs)) / base);
  const double light = std::fmin(1, random * detail::normal_tail(2 * y / (1 + ca)) / base);
  const double few = rho * rho * heavy + (1 - rho * rho) * light;
  if (ca >= 1 || servers <= 6) return few;

  const double z = (ca + cs) / (1 + cs);
  const double spare = (servers - load - 0.5) / std::sqrt(load * z);
  const double many = ca * few + (1 - ca) * detail::normal_tail(spare);
  if (spare <= 0.5) return few;
  if (spare >= 1) return many;
  const double part = 2 * (1 - ca) * (spare - 0.5);
  return part * many + (1 - part) * few;
}

}  // namespace gpuplan
