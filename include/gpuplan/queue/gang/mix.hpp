#pragma once
/// \file
/// Gangs, which are jobs that hold several GPUs at once: their sizes and joint moments.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs that hold the same number of GPUs, all of them from start to end (gangs).
struct gang_class {
  int gpus = 1;             ///< b; >= 1
  double share = 1;         ///< p, of the jobs, or their count: shares need not sum to 1; > 0
  seconds mean_duration{};  ///< S; >= 0
  double variability = 1;   ///< squared coefficient of variation of S; 1 is exponential; 0 to 1e15

  /// The law of S, in ascending order and of that mean.  Empty: a law of the two moments, which is
  /// exponential after a constant for less than 1, of two exponentials for more.
  std::vector<service_atom> durations{};
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const gang_class& jobs) {
  require(jobs.gpus >= 1, "gang_class.gpus must be >= 1");
  require(jobs.share > 0, "gang_class.share must be > 0");
  require(jobs.mean_duration >= seconds{0} && jobs.mean_duration < seconds{1e300},
          "gang_class.mean_duration must be >= 0 s and finite");
  require(jobs.variability >= 0 && jobs.variability < 1e15,
          "gang_class.variability must be >= 0 and < 1e15");
}

/// \throws invalid_input if there is no class, or one is invalid
inline void require_valid(std::span<const gang_class> classes) {
  require(!classes.empty(), "gangs: classes must be >= 1");
  for (const gang_class& jobs : classes) require_valid(jobs);
}

/// Moments of jobs in GPUs b and duration S together: large jobs often run longer, too.
struct gang_mix {
  double gpus = 0;                  ///< E b
  double gpus_squared = 0;          ///< E b^2
  seconds duration{};               ///< E S
  seconds work{};                   ///< E b S, GPU s
  seconds squared_gpus_duration{};  ///< E b^2 S
  square_seconds squared_work{};    ///< E (b S)^2
  std::int64_t largest = 0;         ///< the most GPUs of a job

  /// Z = E b^2 S / E b S: variance over mean of the GPUs that are busy where none ever run out and
  /// jobs come at random.
  ///
  /// Source: A. A. Fredericks, "Congestion in Blocking Systems - A Simple Approximation Technique",
  /// Bell System Technical J. 59 (1980) 805-827, of batches.
  [[nodiscard]] constexpr double peakedness() const { return squared_gpus_duration / work; }

  /// Squared coefficient of variation of the durations, a job of b GPUs counted b^2 times: that
  /// which counts in a queue.  It is never below 0 (Cauchy and Schwarz); what rounding takes off
  /// that is given back.
  [[nodiscard]] constexpr double variability() const {
    const double v =
        squared_work * gpus_squared / (squared_gpus_duration * squared_gpus_duration) - 1;
    return v < 0 ? 0 : v;
  }
};

/// Moments of classes of jobs.
///
///     E f = sum p f / sum p,   E b^k S = E p b^k S,   E (b S)^2 = E p b^2 S^2 (1 + v)
///
///     p, b, S, v  share, gpus, mean_duration and variability of each class
///
/// Source: sums.
///
/// \throws invalid_input if there is no class, or one is invalid
inline gang_mix mix_of(std::span<const gang_class> classes) {
  require_valid(classes);
  double all = 0;
  for (const gang_class& jobs : classes) all += jobs.share;
  gang_mix mix;
  for (const gang_class& jobs : classes) {
    const double p = jobs.share / all;
    const double b = jobs.gpus;
    const seconds s = jobs.mean_duration;
    mix.gpus += p * b;
    mix.gpus_squared += p * b * b;
    mix.duration += p * s;
    mix.work += p * b * s;
    mix.squared_gpus_duration += p * b * b * s;
    mix.squared_work += p * b * b * (1 + jobs.variability) * (s * s);
    mix.largest = (std::max)(mix.largest, std::int64_t{jobs.gpus});
  }
  return mix;
}

namespace detail {

/// Durations of one class, those within 15% of each other as one, of their mean.
inline gang_class gang_class_of(int gpus, std::vector<seconds>& durations, double jobs) {
  std::sort(durations.begin(), durations.end());
  gang_class of{.gpus = gpus, .share = static_cast<double>(durations.size()) / jobs};
  const double count = static_cast<double>(durations.size());
  seconds sum{0};
  for (const seconds duration : durations) sum += duration;
  of.mean_duration = sum / count;
  square_seconds squares{};
  for (const seconds duration : durations) {
    const seconds off = duration - of.mean_duration;
    squares += off * off;
  }
  of.variability =
      of.mean_duration > seconds{0} ? squares / (count * of.mean_duration * of.mean_duration) : 0;
  for (std::size_t i = 0; i < durations.size();) {
    const std::size_t first = i;
    seconds bin{0};
    while (i < durations.size() && durations[i] <= 1.15 * durations[first]) bin += durations[i++];
    const double members = static_cast<double>(i - first);
    of.durations.push_back({bin / members, members / count});
  }
  return of;
}

}  // namespace detail

/// The jobs of a trace by the number of their GPUs, in ascending order; shares sum to 1.
///
/// Moments are those of the jobs.  Of their law, durations within 15% of each other are kept as
/// one, which lowers the second moment by at most 0.5%.  A job that still runs counts with what
/// it has run so far.
///
/// \throws invalid_input if there is no job, one is invalid or asks for more than 2^31 - 1 GPUs
inline std::vector<gang_class> gang_classes(std::span<const trace_job> jobs) {
  require(!jobs.empty(), "gang_classes: jobs must be >= 1");
  std::map<int, std::vector<seconds>> by_gpus;
  for (const trace_job& job : jobs) {
    require_valid(job);
    require(job.gpus <= (std::numeric_limits<int>::max)(),
            "gang_classes: gpus must be <= 2147483647");
    by_gpus[static_cast<int>(job.gpus)].push_back(job.duration);
  }
  std::vector<gang_class> classes;
  for (auto& [gpus, durations] : by_gpus)
    classes.push_back(detail::gang_class_of(gpus, durations, static_cast<double>(jobs.size())));
  return classes;
}

}  // namespace gpuplan
