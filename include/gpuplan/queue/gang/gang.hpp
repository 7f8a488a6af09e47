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
#include <gpuplan/queue/gang/delay.hpp>
#include <gpuplan/queue/gang/kaufman_roberts.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/one_size.hpp>
#include <gpuplan/queue/gang/stability.hpp>
#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How far to trust an answer.
enum class gang_trust {
  exact,        ///< jobs of one size, exponential, all equally long, or one at a time
  two_moments,  ///< other jobs of one size: the errors that general_wait states
  stated,       ///< the errors that the formula states
  backfilled,   ///< others may go before: rough, the errors that the formula states
  large_jobs,   ///< single jobs ask for more than a third of the pool: within a factor of 1.6
  heavy_tail,   ///< work varies more than largest_stated_variability: it may wait longer
  drifting,     ///< arrivals drift: the probability holds, the mean does not; simulate
  overload      ///< more work comes than the pool can do in this order, or a job never fits
};

/// The squared variation of the work of a job up to which the formula's errors are those stated.
inline constexpr double largest_stated_variability = 30;

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

/// What a pool of `most` GPUs would turn away: GPUs, mean over time, and jobs, as a share.
struct gang_loss {
  double gpus = 0;
  double jobs = 0;
};
inline gang_loss lost_in(const gang_workload& jobs, std::span<const gang_load> loads,
                         const std::vector<double>& weights, int most) {
  std::vector<double> from(static_cast<std::size_t>(most) + 2, 0.0);
  for (std::size_t j = from.size() - 1; j-- > 0;) from[j] = from[j + 1] + weights[j];
  gang_loss lost;
  double all = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const auto least = static_cast<std::size_t>((std::max)(0, most - loads[k].gpus + 1));
    const double share = from[least] / from[0];
    lost.gpus += loads[k].jobs * loads[k].gpus * share;
    lost.jobs += jobs.classes[k].share * share;
    all += jobs.classes[k].share;
  }
  lost.jobs /= all;
  return lost;
}

/// The same between whole numbers of GPUs, linear in the logarithm.
inline gang_loss lost_in(const gang_workload& jobs, double most) {
  const std::vector<gang_load> loads = gang_loads(jobs.classes, jobs.arrival_rate);
  const std::vector<double> weights = busy_weights(loads, jobs.gpus);
  const int below = (std::min)(static_cast<int>(most), jobs.gpus);
  const gang_loss low = lost_in(jobs, loads, weights, below);
  const gang_loss high = lost_in(jobs, loads, weights, (std::min)(below + 1, jobs.gpus));
  const double part = most - below;
  return {std::pow(low.gpus, 1 - part) * std::pow(high.gpus, part),
          std::pow(low.jobs, 1 - part) * std::pow(high.jobs, part)};
}

/// That a job waits: that another waits, by its odds, or else that there is no room.
inline double wait_probability(double queue_odds, double no_room) {
  const double queue = queue_odds / (1 + queue_odds);
  return queue + (1 - queue) * no_room;
}

/// Jobs of one size are a queue of servers.
inline gang_waiting wait_of(const one_size_gangs& gangs) {
  const general_waiting found = general_wait(gangs.jobs, {.service = gangs.variability});
  gang_waiting answer{.wait = found.wait,
                      .limit = gangs.limit(),
                      .offered_gpus = gangs.jobs.offered_load() * gangs.gpus,
                      .peakedness = static_cast<double>(gangs.gpus),
                      .trust = gang_trust::exact};
  if (found.trust == wait_trust::two_moments) answer.trust = gang_trust::two_moments;
  if (found.trust == wait_trust::heavy_tail) answer.trust = gang_trust::heavy_tail;
  if (!found.wait.stable()) answer.trust = gang_trust::overload;
  return answer;
}

}  // namespace detail

/// The wait of gangs, first come first served.
///
///     P = P_l^(1 - r) P_h^r,   W_q = P (E D^2 / 2 E D + r (1 + I) / (2 (lambda* - lambda)))
///     P_x = Q_x + (1 - Q_x) B_x
///     Q_l / (1 - Q_l) = lambda B_l E D / (1 - r)     B_l = P(D > 0)
///     Q_h / (1 - Q_h) = F / (c_0 (1 - r))            B_h = sum p_k B_k,   F = sum a_k b_k B_k
///
///     lambda             of jobs;  a_k, b_k, p_k = lambda p_k S_k, gpus and share of each class
///     lambda*, c_e, I    rate, busy and dispersion of limit;  r = lambda / lambda*
///     D, c_0             first_delay_of(jobs), and the GPUs busy meanwhile
///     B_k                blocking of the class in a pool of c_e GPUs, by kaufman_roberts; where
///                        c_e is no whole number, between those of its neighbours
///     Q, B               that another job waits; that there is no room while none does
///
/// The time in which jobs wait is cycles: one job finds no room for D, those that come meanwhile
/// start at the rate lambda*, and then those that came meanwhile, so that D is a share 1 - r of it.
/// In light traffic that gives P_l.  In heavy traffic GPUs are conserved: (1 - r) c_0 + r c_e are
/// busy while jobs wait, a - F while none does, as in a pool of c_e GPUs that turns jobs away, and
/// a on average; that gives P_h.  Between the two it is interpolated.  M/M/c comes out exactly.
///
/// Jobs of one size are one_size_of(jobs), and their wait is general_wait's: exact for exponential
/// ones, and limit does not count.
///
/// Error, geometric mean of the factor: 47 simulated samples of nine real traces with P > 1%, r
/// from 0.47 to 0.99, P 1.10, W_q 1.17, percentile 99 1.20, the worst P 1.25 and W_q 1.6; 11 with
/// less, P 1.14 and W_q 1.5; 32 cases of exponential jobs, r from 0.5 to 0.95, P 1.07 and W_q 1.08.
/// Counting jobs instead of GPUs is off by a factor of 20 and more.
///
/// Source: P. D. Welch, "On a generalized M/G/1 queuing process in which the first customer of each
/// busy period receives exceptional service", Operations Research 12 (1964) 736-752, for cycles; I.
/// Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, "The RESET and MARC techniques, with
/// application to multiserver-job analysis", Performance Evaluation 162 (2023) 102378, for the wait
/// as r tends to 1; D. Y. Burman and D. R. Smith, "A light-traffic theorem for multi-server
/// queues", Math. Oper. Res. 8 (1983) 15-25, for going from light to heavy; how they are put
/// together is ours.
///
/// \throws invalid_input if jobs or limit are invalid, or limit.busy > gpus
inline gang_waiting gang_wait(const gang_workload& jobs, const saturation& limit) {
  require_valid(jobs);
  require_valid(limit);
  require(limit.busy <= jobs.gpus * (1 + 1e-9), "gang_wait: limit.busy must be <= gpus");
  if (const auto gangs = one_size_of(jobs)) return detail::wait_of(*gangs);
  const gang_mix mix = mix_of(jobs.classes);
  gang_waiting answer{.wait = {.arrival_rate = jobs.arrival_rate, .mean_service = mix.duration},
                      .limit = limit,
                      .offered_gpus = jobs.arrival_rate * mix.work};
  if (mix.work > seconds{0}) answer.peakedness = mix.peakedness();
  if (mix.largest > jobs.gpus || !(jobs.arrival_rate < limit.rate)) {
    answer.wait.probability = 1;
    answer.wait.mean = seconds{std::numeric_limits<double>::infinity()};
    answer.trust = gang_trust::overload;
    return answer;
  }
  const first_delay first = first_delay_of(jobs);
  if (!(first.busy > 0)) return answer;
  const double r = answer.load();
  const double began = jobs.arrival_rate * first.probability * first.mean;
  const double light = detail::wait_probability(began / (1 - r), first.probability);
  const detail::gang_loss lost = detail::lost_in(jobs, limit.busy);
  const double heavy = detail::wait_probability(lost.gpus / first.busy / (1 - r), lost.jobs);

  const seconds behind = r * (1 + limit.dispersion) / 2 / (limit.rate - jobs.arrival_rate);
  answer.wait.probability = std::pow(light, 1 - r) * std::pow(heavy, r);
  answer.wait.mean = answer.wait.probability * (first.residual + behind);
  if (mix.squared_work > (1 + largest_stated_variability) * mix.work * mix.work)
    answer.trust = gang_trust::heavy_tail;
  if (3 * mix.largest > jobs.gpus) answer.trust = gang_trust::large_jobs;
  return answer;
}

}  // namespace gpuplan
