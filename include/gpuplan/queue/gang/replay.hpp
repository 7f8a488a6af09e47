#pragma once
/// \file
/// The wait of gangs that arrive when those of a trace did, not at random.

#include <gpuplan/queue/gang/delay.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/queue/gang/stability.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The wait of the jobs of a trace, first come first served, and whether to believe it.
///
///     P = replay_wait_probability(L, c / Z),   W_q = P W_i / P_i
///
///     L          pool.without_room(c)
///     c, Z       gpus of jobs, and their peakedness at random
///     P_i, W_i   gang_wait(jobs, limit): if the same jobs came at random
///
/// P holds for any trace.  Where its steady_peakedness is more than a quarter above that of
/// jobs at random, the rate of arrivals drifts, W_q may be off by factors of ten, and the answer
/// says so (drifting); simulate() then replays the trace itself.  Of nine real traces all drift,
/// by 1.4 to 20; percentiles 99 of those that drift least came out at 0.8 to 1.7 of the true.
///
/// Error of P as replay_wait_probability states, else as gang_wait.
///
/// Source: as gang_wait and replay_wait_probability.
///
/// \throws invalid_input if jobs or limit are invalid
inline gang_waiting replay_wait(const endless_pool& pool, const gang_workload& jobs,
                                const saturation& limit) {
  gang_waiting answer = gang_wait(jobs, limit);
  const double random = answer.wait.probability;
  if (answer.trust == gang_trust::exact) answer.trust = gang_trust::stated;
  answer.wait.probability =
      replay_wait_probability(pool.without_room(jobs.gpus), jobs.gpus / answer.peakedness);
  if (answer.wait.stable())
    answer.wait.mean =
        random == 0 ? seconds{0} : answer.wait.probability / random * answer.wait.mean;
  if (pool.steady_peakedness() > 1.25 * answer.peakedness && answer.trust != gang_trust::overload)
    answer.trust = gang_trust::drifting;
  answer.peakedness = pool.peakedness();
  return answer;
}

}  // namespace gpuplan
