#pragma once
/// \file
/// Gangs that all hold the same number of GPUs: a queue of as many servers as gangs fit the pool.

#include <optional>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/gang/delay.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/stability.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Gangs of one size, as jobs of servers.
struct one_size_gangs {
  int gpus = 1;            ///< b, of each gang
  workload jobs{};         ///< on floor(c / b) servers
  double variability = 1;  ///< squared coefficient of variation of S, over all classes

  /// What the pool does while gangs never run out: each server ends one after the other.
  [[nodiscard]] saturation limit() const {
    return {.rate = jobs.servers / jobs.mean_service,
            .busy = static_cast<double>(jobs.servers) * gpus,
            .dispersion = variability};
  }
};

/// Gangs of a workload as jobs of servers.  None where sizes differ, the pool is too small for one
/// gang, no gang runs, or a class has a law of its own, of which more is known than two moments.
///
///     c' = floor(c / b)
///
///     b   gpus of every class
///     c   gpus of jobs
///
/// Source: by definition; no policy that lets others go ahead finds one that fits better.
///
/// \throws invalid_input if jobs are invalid
inline std::optional<one_size_gangs> one_size_of(const gang_workload& jobs) {
  require_valid(jobs);
  const gang_class& first = jobs.classes.front();
  bool alike = true;
  for (const gang_class& each : jobs.classes) {
    if (each.gpus != first.gpus || !each.durations.empty()) return std::nullopt;
    alike =
        alike && each.mean_duration == first.mean_duration && each.variability == first.variability;
  }
  const gang_mix mix = mix_of(jobs.classes);
  if (first.gpus > jobs.gpus || mix.work == seconds{0}) return std::nullopt;
  return one_size_gangs{.gpus = first.gpus,
                        .jobs = {.arrival_rate = jobs.arrival_rate,
                                 .mean_service = alike ? first.mean_duration : mix.duration,
                                 .servers = jobs.gpus / first.gpus},
                        .variability = alike ? first.variability : mix.variability()};
}

}  // namespace gpuplan
