#pragma once
/// \file
/// How often a gang finds too few free GPUs while none waits, and how long it then waits.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/gang/kaufman_roberts.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs that come at random to a pool of gangs.  Those that do not fit wait, and all behind them.
struct gang_workload {
  per_second arrival_rate{};              ///< lambda, Poisson; >= 0
  std::span<const gang_class> classes{};  ///< of jobs; at least one
  int gpus = 1;                           ///< c, of the pool; >= 1

  /// a = lambda E b S: the GPUs that would be busy if none ever ran out.
  [[nodiscard]] double offered_gpus() const { return arrival_rate * mix_of(classes).work; }

  /// rho = a / c
  [[nodiscard]] double utilization() const { return offered_gpus() / gpus; }
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const gang_workload& jobs) {
  require_valid(jobs.classes);
  require(jobs.arrival_rate >= per_second{0} && jobs.arrival_rate < per_second{1e300},
          "gang_workload.arrival_rate must be >= 0 /s and finite");
  require(jobs.gpus >= 1, "gang_workload.gpus must be >= 1");
}

/// The first job that waits: others queue behind it.
struct first_delay {
  double probability = 0;  ///< that a job, as long as none waits, finds no room
  seconds mean{};          ///< E D, of one that finds none
  seconds residual{};      ///< E D^2 / 2 E D: what is left of it for a job that comes meanwhile
  double busy = 0;         ///< GPUs that are busy meanwhile, mean over time
  double shorter = 0;      ///< share of jobs that take no longer than what is left of it
};

namespace detail {

/// z <= 1 with sum a b z^b <= c: loads a z^b do not overfill the pool.
inline double overload_tilt(std::span<const gang_load> loads, int gpus) {
  const auto busy = [&](double z) {
    double sum = 0;
    for (const gang_load& load : loads) sum += load.jobs * load.gpus * std::pow(z, load.gpus);
    return sum;
  };
  if (busy(1) <= gpus) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (busy(middle) <= gpus ? low : high) = middle;
  }
  return high;
}

/// Weights of the GPUs that jobs which run now, and fit, still hold after t: in proportion to
/// P(N_t = j, N_0 <= c), j = 0 ... c.
///
/// That is u(j) sum_{i <= c - j} v(i), of the jobs that stay and those that leave.  Loads a z^b
/// have the weights z^j u(j), z^i v(i), which do not vanish where both fit into a pool that is
/// overfull.
inline std::vector<double> still_held(const gang_workload& jobs, std::span<const gang_load> loads,
                                      seconds t) {
  const double z = overload_tilt(loads, jobs.gpus);
  std::vector<gang_load> staying(loads.begin(), loads.end());
  std::vector<gang_load> leaving(loads.begin(), loads.end());
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const double stays = (std::min)(1.0, still_running(jobs.classes[k], t));  // sums are rounded
    const double tilt = std::pow(z, loads[k].gpus);
    staying[k].jobs *= tilt * stays;
    leaving[k].jobs *= tilt * (1 - stays);
  }
  std::vector<double> held = kaufman_roberts(staying, jobs.gpus);
  const std::vector<double> left = kaufman_roberts(leaving, jobs.gpus);
  double room = 0;
  for (std::size_t j = held.size(); j-- > 0;) {
    room = z * room + left[held.size() - 1 - j];
    held[j] *= room;
  }
  return held;
}

/// A job that comes does not fit, and would still not fit after t if no other came: how likely that
/// is, and its product with the GPUs then busy.
struct no_room {
  double probability = 0;
  double busy = 0;
};
inline no_room no_room_after(const gang_workload& jobs, std::span<const gang_load> loads,
                             seconds t) {
  std::vector<double> above = still_held(jobs, loads, t);
  const std::size_t size = above.size();
  std::vector<double> busy(size);
  for (std::size_t j = size; j-- > 0;) busy[j] = static_cast<double>(j) * above[j];
  for (std::size_t j = size - 1; j-- > 0;) {  // sums from j on
    above[j] += above[j + 1];
    busy[j] += busy[j + 1];
  }
  no_room of;
  double all = 0;
  for (const gang_class& each : jobs.classes) {
    const auto least = static_cast<std::size_t>((std::max)(0, jobs.gpus - each.gpus + 1));
    of.probability += each.share * above[least];
    of.busy += each.share * busy[least];
    all += each.share;
  }
  return {of.probability / (all * above[0]), of.busy / (all * above[0])};
}

/// The share of the jobs of all classes that take no longer than t.
inline double ended_within(std::span<const gang_class> classes, seconds t) {
  double share = 0;
  double all = 0;
  for (const gang_class& jobs : classes) {
    share += jobs.share * gpuplan::ended_within(jobs, t);
    all += jobs.share;
  }
  return share / all;
}

}  // namespace detail

/// How often, and how long, a gang waits that none waits before.
///
///     P(D > t) = sum_k p_k P(N_t > c - b_k, N_0 <= c) / P(N_0 <= c)
///     E D = int P(D > t) dt,   E D^2 = 2 int t P(D > t) dt
///     busy = int sum_k p_k E[N_t; N_t > c - b_k, N_0 <= c] dt / P(N_0 <= c) / E D
///     shorter = int P(D > t) P(S <= t) dt / E D
///
///     N_0, N_t   GPUs that are busy, and those of them that still are after t, where none ever run
///                out: each class k leaves a share still_running(k, t) of lambda p_k S_k jobs
///     p, b, S    shares, gpus, durations of the classes
///     lambda, c  of jobs
///
/// Exact for the first job that waits since the pool was large enough for all, in light traffic,
/// but for the steps of the integrals: of constant durations, which end at once, E D is up to 2%
/// off and the residual 4%.  For exponential jobs of one GPU it holds at any load: D is
/// exponential, of mean S/c.  60 times the work of kaufman_roberts.
///
/// Source: jobs leave a pool without limit each for itself, so that those that stay and those that
/// leave are independent Poisson numbers: W. Whitt, "Heavy-traffic approximations for service
/// systems with blocking", AT&T Bell Lab. Tech. J. 63 (1984) 689-708, for such pools; the sums are
/// ours.
///
/// \throws invalid_input if jobs are invalid, or one asks for more GPUs than there are
inline first_delay first_delay_of(const gang_workload& jobs) {
  require_valid(jobs);
  const std::vector<gang_load> loads = gang_loads(jobs.classes, jobs.arrival_rate);
  const gang_mix mix = mix_of(jobs.classes);
  require(mix.largest <= jobs.gpus, "first_delay_of: gpus of a job must be <= those of the pool");
  const detail::no_room now = detail::no_room_after(jobs, loads, seconds{0});
  first_delay first{.probability = now.probability};
  if (!(first.probability > 0) || mix.work == seconds{0}) return first;

  // Trapezoids in ln t: smooth integrands vanish at both ends, so that wide steps are exact.  Those
  // of constant durations end at once, which costs some percent.
  constexpr double ratio = 1.5;
  seconds t = mix.squared_work / mix.squared_gpus_duration * (1e-3 / jobs.gpus);
  seconds sum = now.probability * t / (ratio - 1);  // of all steps below the first
  seconds busy = now.busy * t / (ratio - 1);
  seconds shorter{0};
  square_seconds squares{};
  for (double p = first.probability; p > 1e-9 * first.probability; t *= ratio) {
    const detail::no_room then = detail::no_room_after(jobs, loads, t);
    p = then.probability;
    sum += p * t;
    busy += then.busy * t;
    shorter += p * detail::ended_within(jobs.classes, t) * t;
    squares += p * (t * t);
  }
  first.mean = std::log(ratio) * sum / first.probability;
  first.residual = squares / sum;
  first.busy = busy / sum;
  first.shorter = shorter / sum;
  return first;
}

}  // namespace gpuplan
