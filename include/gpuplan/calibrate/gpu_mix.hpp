#pragma once
/// \file
/// How many GPUs jobs hold, together with how long: classes, and the moments that gangs wait by.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <gpuplan/calibrate/arrival_fit.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The jobs of one number of GPUs.
struct gpu_class {
  std::int64_t gpus = 1;  ///< b
  double jobs = 0;
  seconds mean{};           ///< E S of theirs
  square_seconds second{};  ///< E S^2 of theirs

  /// Of S; 0 where rounding leaves less.
  [[nodiscard]] constexpr double squared_variation() const {
    return mean > seconds{0} ? (std::max)(0.0, second / (mean * mean) - 1) : 0;
  }
};

/// GPUs and durations of a trace, jointly: b GPUs for S, so that w = b S is the work of a job.
struct gpu_mix {
  std::vector<gpu_class> classes;  ///< by number of GPUs, fewest first
  double jobs = 0;
  gang_mix moments{};          ///< of b, S and w together
  double log_correlation = 0;  ///< of ln b and ln S, of jobs longer than 0 s; 0 if either is even

  /// c_w^2 = E w^2 / (E w)^2 - 1; 0 where rounding leaves less
  [[nodiscard]] constexpr double work_variation() const {
    return (std::max)(0.0, moments.squared_work / (moments.work * moments.work) - 1);
  }
};

/// Classes and joint moments of a trace.
///
///     E b^i S^j = sum b^i S^j / n
///
///     b, S  gpus, duration of jobs   count, >= 1; s, >= 0
///
/// More GPUs mostly mean longer jobs, so that E b S is not E b E S.
///
/// \throws invalid_input if there are no jobs, or all took 0 s
inline gpu_mix gpu_mix_of(std::span<const trace_job> jobs) {
  gpu_mix mix{.classes = {}, .jobs = static_cast<double>(jobs.size())};
  std::map<std::int64_t, gpu_class> classes;
  double logged = 0;
  double logs_b = 0;
  double logs_s = 0;
  for (const trace_job& job : jobs) {
    require_valid(job);
    const double b = static_cast<double>(job.gpus);
    const seconds s = job.duration;
    gpu_class& of = classes[job.gpus];
    of.jobs += 1;
    of.mean += s;
    of.second += s * s;
    mix.moments.squared_gpus_duration += b * (b * s);
    mix.moments.squared_work += (b * s) * (b * s);
    if (s > seconds{0}) {
      logged += 1;
      logs_b += std::log(b);
      logs_s += std::log(s / seconds{1});
    }
  }
  require(logged > 0, "gpu_mix_of: jobs must be >= 1 and not all of 0 s");

  for (auto& [gpus, of] : classes) {
    const double b = static_cast<double>(gpus);
    mix.moments.gpus += b * of.jobs;
    mix.moments.gpus_squared += b * b * of.jobs;
    mix.moments.duration += of.mean;
    mix.moments.work += b * of.mean;
    mix.moments.largest = (std::max)(mix.moments.largest, gpus);
    of.gpus = gpus;
    of.mean /= of.jobs;
    of.second /= of.jobs;
    mix.classes.push_back(of);
  }
  mix.moments.gpus /= mix.jobs;
  mix.moments.gpus_squared /= mix.jobs;
  mix.moments.duration /= mix.jobs;
  mix.moments.work /= mix.jobs;
  mix.moments.squared_gpus_duration /= mix.jobs;
  mix.moments.squared_work /= mix.jobs;

  double both = 0;
  double only_b = 0;
  double only_s = 0;
  for (const trace_job& job : jobs)
    if (job.duration > seconds{0}) {
      const double off_b = std::log(static_cast<double>(job.gpus)) - logs_b / logged;
      const double off_s = std::log(job.duration / seconds{1}) - logs_s / logged;
      both += off_b * off_s;
      only_b += off_b * off_b;
      only_s += off_s * off_s;
    }
  const double scale = std::sqrt(only_b) * std::sqrt(only_s);
  mix.log_correlation = scale > 0 ? both / scale : 0;
  return mix;
}

/// GPUs that jobs keep busy which ask for so many at most.
///
///     a = lambda sum_{b_k <= b} n_k b_k S_k / n
///
///     lambda             arrival_rate, of all jobs                        1/s, >= 0
///     n, n_k, b_k, S_k   jobs of mix; jobs, gpus and mean of its classes   count; s
///     b                  most                                              count
///
/// Source: by definition.
inline double offered_gpus_up_to(const gpu_mix& mix, per_second arrival_rate, std::int64_t most) {
  if (most >= mix.moments.largest) return arrival_rate * mix.moments.work;
  seconds work{0};
  for (const gpu_class& one : mix.classes)
    if (one.gpus <= most) work += static_cast<double>(one.gpus) * one.jobs * one.mean;
  return arrival_rate * work / mix.jobs;
}

/// GPUs that a trace keeps busy on average, if there are enough.
///
///     a = lambda E b S
///
///     lambda  arrival_rate(jobs)   1/s
///     b, S    gpus, duration       count; s
///
/// That is the GPU-seconds of all jobs over the time from the first submission to the last, times
/// (n - 1) / n: n jobs come in n - 1 gaps, and the last brings work for a time that is not seen.
///
/// Source: by definition.
///
/// \throws invalid_input as arrival_rate and gpu_mix_of
inline double offered_gpus(std::span<const trace_job> jobs) {
  const gpu_mix mix = gpu_mix_of(jobs);
  return offered_gpus_up_to(mix, arrival_rate(jobs), mix.moments.largest);
}

}  // namespace gpuplan
