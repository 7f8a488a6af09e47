#pragma once
/// \file
/// A simulated pool that never runs out of jobs: the share of its GPUs that jobs can use.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/confidence.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/simulate/running_gangs.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How long to look.
struct saturation_plan {
  std::int64_t jobs = 500000;    ///< that count; >= batches
  std::int64_t warm_up = 50000;  ///< before them; >= 0, many times the jobs that run at once
  int batches = 200;             ///< of equally many jobs; >= 2
  std::uint64_t seed = 1;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const saturation_plan& plan) {
  require(plan.batches >= 2, "saturation_plan.batches must be >= 2");
  require(plan.jobs >= plan.batches, "saturation_plan.jobs must be >= batches");
  require(plan.warm_up >= 0, "saturation_plan.warm_up must be >= 0");
}

/// What gangs make of a pool, first come first served, when there is always one more.
struct saturated_throughput {
  confidence busy_gpus{};       ///< c_e = lambda* E[b S], mean over time, with its interval of 95 %
  seconds mean_work{};          ///< E[b S], GPU s
  double dispersion = 0;        ///< 1 + 2 Delta, of completions
  seconds batch{};              ///< over which that is counted, mean
  std::int64_t impossible = 0;  ///< jobs of the trace that ask for more GPUs than there are
  answer_origin origin = answer_origin::simulation;

  /// lambda*, the largest arrival rate that the pool can take.
  [[nodiscard]] constexpr per_second completions() const { return busy_gpus.mean / mean_work; }
};

/// The largest throughput of a pool of gangs, first come first served: an endless backlog.
///
///     lambda* = c_e / E[b S],   dispersion = m Var D / (E D)^2
///
///     c_e        GPUs busy, mean over time
///     b, S       GPUs and duration of a job                        count, s
///     mean_work  E[b S], as known of the source                    GPU s, > 0
///     m, D       jobs of a batch, and the time in which so many start
///     gpus       of the pool; no job of the source may ask for more   count, >= 1
///
/// The GPUs that are busy vary far less than the jobs that happen to come: the work of a job is
/// taken as known, not as drawn.  The dispersion tends to that of counts over long times,
/// Var N(t) / E N(t), as batches grow; it has a relative error of sqrt(2 / batches), and is too low
/// where single jobs run longer than a batch takes.
///
/// Source: I. Grosof, M. Harchol-Balter and A. Scheller-Wolf, "Stability for two-class
/// multiserver-job systems", arXiv:2010.00631 (2020), for the backlog.
///
/// \throws invalid_input if an argument is invalid, or a job asks for more GPUs than there are
template <job_source Source>
saturated_throughput saturated_run(const Source& source, seconds mean_work, std::int64_t gpus,
                                   const saturation_plan& plan = {}) {
  require_valid(plan);
  require(gpus >= 1, "saturated_run: gpus must be >= 1");
  require(mean_work > seconds{0}, "saturated_run: mean_work must be > 0 GPU s");
  if constexpr (requires { require_valid(source); }) require_valid(source);

  random_numbers random{plan.seed};
  running_gangs running{gpus};
  seconds now{0};
  seconds area{0};  // GPU s
  const auto start_jobs = [&](std::int64_t count) {
    const seconds begin = now;
    area = seconds{0};
    for (; count > 0; --count) {
      const trace_job job = source(random);
      require(job.gpus <= gpus, "saturated_run: no job may need more GPUs than the pool has");
      while (running.free() < job.gpus) {
        const seconds end = running.next_end();
        area += static_cast<double>(gpus - running.free()) * (end - now);
        now = end;
        running.release_until(now);
      }
      running.start(job.gpus, now + job.duration);
    }
    return now - begin;
  };

  start_jobs(plan.warm_up);
  std::vector<seconds> times;
  std::vector<seconds> areas;
  const std::int64_t length = plan.jobs / plan.batches;
  seconds time{0};
  seconds work{0};
  for (int batch = 0; batch < plan.batches; ++batch) {
    times.push_back(start_jobs(length));
    areas.push_back(area);
    time += times.back();
    work += areas.back();
  }
  saturated_throughput answer{.mean_work = mean_work};
  answer.batch = time / plan.batches;
  require(answer.batch > seconds{0}, "saturated_run: jobs must last > 0 s");
  answer.busy_gpus.mean = work / time;
  std::vector<double> residuals;
  double spread = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    residuals.push_back((areas[i] - answer.busy_gpus.mean * times[i]) / answer.batch);
    const double off = times[i] / answer.batch - 1;
    spread += off * off;
  }
  answer.busy_gpus.half_width = confidence_interval<double>(residuals).half_width;
  answer.dispersion = static_cast<double>(length) * spread / (plan.batches - 1);
  return answer;
}

/// saturated_run of the jobs of a trace, each as likely every time; those that ask for more GPUs
/// than there are are counted, and left out.  Where none is left nothing is ever busy.
///
/// \throws invalid_input if an argument is invalid, or no job takes time
inline saturated_throughput saturated_run(std::span<const trace_job> trace, std::int64_t gpus,
                                          const saturation_plan& plan = {}) {
  std::vector<trace_job> possible;
  seconds work{0};
  for (const trace_job& job : trace) {
    require_valid(job);
    if (job.gpus > gpus) continue;
    possible.push_back(job);
    work += static_cast<double>(job.gpus) * job.duration;
  }
  const auto impossible = static_cast<std::int64_t>(trace.size() - possible.size());
  if (possible.empty() && impossible > 0) return {.impossible = impossible};
  saturated_throughput answer = saturated_run(
      resampled_jobs{possible}, work / static_cast<double>(possible.size()), gpus, plan);
  answer.impossible = impossible;
  return answer;
}

}  // namespace gpuplan
