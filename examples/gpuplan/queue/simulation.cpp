/// \file
/// Simulation of queues that are described by numbers.

#include "queue/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

namespace gpuplan::cli {
namespace {

/// Jobs of whatever law.
struct any_jobs {
  const service_time& law;
  std::int64_t gpus = 1;

  trace_job operator()(random_numbers& random) const {
    return {.duration = std::visit([&](const auto& of) { return draw(of, random); }, law),
            .gpus = gpus};
  }
};

// A job costs some 100 ns, and where jobs are preempted 10 ns for each that runs.
constexpr double most_busy = 5000;
/// Of longer tails a run of this length sees too little.
constexpr double most_variation = 100;
constexpr double most_busy_preempted = 500;

}  // namespace

bool is_too_short(const replicated_waiting& found, const variability& spread, double load) {
  const double fewest = 2 * (spread.arrivals + spread.service) / ((1 - load) * (1 - load));
  return !(static_cast<double>(found.jobs) >= fewest);
}

std::optional<replicated_waiting> simulated(const queue_numbers& asked, const pool_policy& policy) {
  const double busy = asked.arrival_rate * asked.mean_service;
  const double most = policy.preempts() ? most_busy_preempted : most_busy;
  const auto servers = static_cast<double>(asked.gpus / asked.gpus_per_job);
  if (asked.spread.arrivals != 1 || asked.spread.service > most_variation || busy > most ||
      !(busy < servers))
    return std::nullopt;
  const service_time law = service_time_of(asked.shape, asked.mean_service, asked.spread.service);
  const bool plain = policy.order == job_order::arrival;
  const std::int64_t least = plain ? 100000 : policy.preempts() ? 15000 : 30000;
  const auto warm_up = static_cast<std::int64_t>(std::fmax(2000, 10 * busy));
  replicated_waiting found =
      replicate(any_jobs{law, asked.gpus_per_job}, asked.arrival_rate, asked.gpus, policy,
                {.jobs = (std::max)(least, warm_up),
                 .warm_up = warm_up,
                 .most_effort = most_effort_of_simulation});
  if (is_too_short(found, asked.spread, busy / servers)) found.settled = false;
  return found;
}

}  // namespace gpuplan::cli
