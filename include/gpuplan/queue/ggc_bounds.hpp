#pragma once
/// \file
/// How regular arrivals and jobs are, and what a queue of them tends to.

#include <limits>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Squared coefficients of variation: variance over squared mean.  0 is clockwork, 1 random.
struct variability {
  double arrivals = 1;  ///< c_a^2, of the times between arrivals; >= 0
  double service = 1;   ///< c_s^2, of the times of service; >= 0

  [[nodiscard]] constexpr double mean() const { return (arrivals + service) / 2; }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const variability& spread) {
  require(spread.arrivals >= 0, "variability.arrivals must be >= 0");
  require(spread.service >= 0, "variability.service must be >= 0");
}

/// Kingman's bound, G/G/1: the mean wait is never longer.
///
///     W_q <= (c_a^2 + rho^2 c_s^2) / (2 lambda (1 - rho))
///
///     lambda, rho    of jobs; one server     1/s; 1
///     c_a^2, c_s^2   of spread               1, >= 0
///
/// Tight as rho tends to 1.
///
/// Source: J. F. C. Kingman, "Some inequalities for the queue GI/G/1", Biometrika 49 (1962)
/// 315-324.
///
/// \throws invalid_input if jobs or spread are invalid, or servers != 1
constexpr seconds kingman_bound(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  require(jobs.servers == 1, "kingman_bound: servers must be 1");
  const double rho = jobs.utilization();
  if (!(rho < 1)) return seconds{std::numeric_limits<double>::infinity()};
  if (rho == 0) return seconds{0};
  return (spread.arrivals + rho * rho * spread.service) / (2 * (1 - rho)) / jobs.arrival_rate;
}

/// The limit of heavy traffic, G/G/c: what the mean wait tends to as rho tends to 1.
///
///     W_q = (c_a^2 + c_s^2) / (2 (c / S - lambda))
///
///     lambda, S, c  of jobs;  c_a^2, c_s^2 of spread
///
/// Twice the wait and more at moderate load: no approximation there.
///
/// Source: J. Koellerstroem, "Heavy traffic theory for queues with several servers", J. Appl. Prob.
/// 11 (1974) 544-552.
///
/// \throws invalid_input if jobs or spread are invalid
constexpr seconds heavy_traffic_wait(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  if (!(jobs.utilization() < 1)) return seconds{std::numeric_limits<double>::infinity()};
  return spread.mean() / (jobs.servers / jobs.mean_service - jobs.arrival_rate);
}

}  // namespace gpuplan
