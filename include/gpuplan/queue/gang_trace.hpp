#pragma once
/// \file
/// The classes of gangs that a trace holds.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <gpuplan/queue/gang_mix.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
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
