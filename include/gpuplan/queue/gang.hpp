#pragma once
/// \file
/// How often, and how long, gangs wait for a pool that serves them in their order.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/gang_delay.hpp>
#include <gpuplan/queue/gang_mix.hpp>
#include <gpuplan/queue/gang_stability.hpp>
#include <gpuplan/queue/kaufman_roberts.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How far to trust an answer.
enum class gang_trust {
  stated,      ///< the errors that the formula states
  large_jobs,  ///< single jobs ask for more than a third of the pool: rough
  heavy_tail,  ///< few jobs are most of the work: rough, and any one trace may differ
  overload     ///< more work comes than the pool can do in this order, or a job never fits
};

/// The wait of gangs, and what it rests on.
struct gang_waiting {
  waiting wait{};
  saturation limit{};
  double offered_gpus = 0;  ///< a
  double peakedness = 1;    ///< Z
  gang_trust trust = gang_trust::stated;

  /// rho* = lambda / lambda*, the load against what the pool can do in this order.
  [[nodiscard]] constexpr double load() const { return wait.arrival_rate / limit.rate; }
};

namespace detail {

/// How often a job comes while another waits, and while none waits but there is no room for it.
struct gang_queueing {
  double queue = 0;
  double no_room = 0;

  [[nodiscard]] double probability() const { return queue + (1 - queue) * no_room; }
};

/// Of a pool of `most` GPUs that turns away what does not fit, by the weights of how many are busy.
inline gang_queueing lost_in(const gang_workload& jobs, std::span<const gang_load> loads,
                             const std::vector<double>& weights, int most) {
  std::vector<double> from(static_cast<std::size_t>(most) + 2, 0.0);
  for (std::size_t j = from.size() - 1; j-- > 0;) from[j] = from[j + 1] + weights[j];
  gang_queueing lost;
  double all = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const auto least = static_cast<std::size_t>((std::max)(0, most - loads[k].gpus + 1));
    lost.queue += loads[k].jobs * loads[k].gpus * (from[least] / from[0]);
    lost.no_room += jobs.classes[k].share * (from[least] / from[0]);
    all += jobs.classes[k].share;
  }
  lost.no_room /= all;
  return lost;
}

/// Where the queue is most of what there is: GPUs are conserved.
inline gang_queueing heavy_queueing(const gang_workload& jobs, std::span<const gang_load> loads,
                                    double busy, double offered) {
  const busy_weights law(loads, jobs.gpus);
  const int below = (std::min)(static_cast<int>(busy), jobs.gpus);
  const int above = (std::min)(below + 1, jobs.gpus);
  const gang_queueing low = lost_in(jobs, loads, law.weight, below);
  const gang_queueing high = lost_in(jobs, loads, law.weight, above);
  const double part = busy - below;
  const auto between = [&](double x, double y) {
    return std::pow(x, 1 - part) * std::pow(y, part);
  };
  const double deficit = between(low.queue, high.queue);
  return {deficit / (busy - offered + deficit), between(low.no_room, high.no_room)};
}

}  // namespace detail

/// The wait of gangs, first come first served.
///
///     P = P_l^(1 - r) P_h^r,   W_q = P W_l / P_l,   r = lambda / lambda*
///     P_x = Q_x + (1 - Q_x) B_x       Q: that jobs wait, B: that there is no room while none does
///     Q_l / (1 - Q_l) = lambda E D / (1 - r)                                   B_l = P(D > 0)
///     Q_h = F / (c_e - a + F)          F = sum_k a_k b_k B_k,                  B_h = sum_k p_k B_k
///     W_l = (1 - Q_l) E D + Q_l (E D^2 / 2 E D + r (1 + I) / (2 (lambda* - lambda)) + 1 / lambda*)
///
///     lambda, a            of jobs, and its offered GPUs;  a_k, b_k, p_k of its classes
///     lambda*, c_e, I      rate, busy and dispersion of limit
///     D                    first_delay_of(jobs)
///     B_k                  kaufman_roberts' blocking of the class in a pool of c_e GPUs, between
///                          those of whole numbers
///
/// The time in which jobs wait is a cycle: one job finds no room for D, those that come meanwhile
/// start at the rate lambda*, and those that come then (P_l, W_l: exact for light traffic, and for
/// the mean wait in heavy traffic, too).  While jobs wait the pool holds c_e GPUs on average, while
/// none does fewer than a, by what a pool of c_e would turn away: P_h, by conservation.  Between
/// the two it is interpolated by the share that D has of the cycle, 1 - r.  M/M/c comes out
/// exactly.
///
/// Source: P. D. Welch, "On a generalized M/G/1 queuing process in which the first customer of each
/// busy period receives exceptional service", Operations Research 12 (1964) 736-752, for the cycle;
/// I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, "The RESET and MARC techniques, with
/// application to multiserver-job analysis", Performance Evaluation 162 (2023) 102378, for heavy
/// traffic; D. Y. Burman and D. R. Smith, "A light-traffic theorem for multi-server queues", Math.
/// Oper. Res. 8 (1983) 15-25, for going from light to heavy; how they are put together is ours.
///
/// \throws invalid_input if jobs or limit are invalid
inline gang_waiting gang_wait(const gang_workload& jobs, const saturation& limit) {
  require_valid(jobs);
  require_valid(limit);
  const gang_mix mix = mix_of(jobs.classes);
  const double offered = jobs.arrival_rate * mix.work;
  gang_waiting answer{.wait = {.arrival_rate = jobs.arrival_rate, .mean_service = mix.duration},
                      .limit = limit,
                      .offered_gpus = offered};
  if (mix.work > seconds{0}) answer.peakedness = mix.peakedness();
  if (mix.largest > jobs.gpus || !(jobs.arrival_rate < limit.rate) || !(offered < limit.busy)) {
    answer.wait.probability = 1;
    answer.wait.mean = seconds{std::numeric_limits<double>::infinity()};
    answer.trust = gang_trust::overload;
    return answer;
  }
  const first_delay first = first_delay_of(jobs);
  if (!(first.mean > seconds{0})) return answer;
  const double r = answer.load();
  const double odds = jobs.arrival_rate * first.mean / (1 - r);
  const detail::gang_queueing light{odds / (1 + odds), first.probability};
  const detail::gang_queueing heavy = detail::heavy_queueing(
      jobs, gang_loads(jobs.classes, jobs.arrival_rate), limit.busy, offered);
  const seconds behind = first.residual + 1 / limit.rate +
                         r * (1 + limit.dispersion) / 2 / (limit.rate - jobs.arrival_rate);
  const seconds wait = (1 - light.queue) * first.mean + light.queue * behind;

  answer.wait.probability = std::pow(light.probability(), 1 - r) * std::pow(heavy.probability(), r);
  answer.wait.mean = answer.wait.probability / light.probability() * wait;
  if (3 * mix.largest > jobs.gpus) answer.trust = gang_trust::large_jobs;
  return answer;
}

}  // namespace gpuplan
