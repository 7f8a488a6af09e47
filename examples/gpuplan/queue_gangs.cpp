/// \file
/// The wait of gangs by formula.

#include "queue_gangs.hpp"

#include <string>
#include <vector>

#include <gpuplan/queue/gang.hpp>
#include <gpuplan/queue/gang_trace.hpp>

namespace gpuplan::cli {
namespace {

/// Above it the formula, which looks at each number of busy GPUs, takes too long.
constexpr std::int64_t largest_pool = 50000;

std::string validity_of(gang_trust trust) {
  switch (trust) {
    case gang_trust::stated:
      return "if arrivals are random: P(wait) within a factor of 1.1, mean 1.2";
    case gang_trust::large_jobs:
      return "if arrivals are random: within a factor of 1.8, as single jobs ask for more than a "
             "third";
    case gang_trust::heavy_tail:
      return "if arrivals are random: within a factor of 2, as few jobs are most of the work";
    case gang_trust::overload: return "more work comes than the pool can do in this order";
  }
  return "";
}

}  // namespace

std::optional<gang_row> gang_row_of(std::span<const trace_job> jobs, per_second arrival_rate,
                                    std::int64_t gpus) {
  if (gpus > largest_pool) return std::nullopt;
  std::vector<trace_job> fitting;
  for (const trace_job& job : jobs)
    if (job.gpus <= gpus) fitting.push_back(job);
  if (fitting.empty()) return std::nullopt;
  const double share = static_cast<double>(fitting.size()) / static_cast<double>(jobs.size());
  const std::vector<gang_class> classes = gang_classes(fitting);
  if (!(mix_of(classes).work > seconds{0})) return std::nullopt;

  const saturation limit = saturation_of(saturated_run(fitting, gpus, {.jobs = 200000}));
  const gang_waiting answer = gang_wait(
      {.arrival_rate = share * arrival_rate, .classes = classes, .gpus = static_cast<int>(gpus)},
      limit);
  return gang_row{.row = {.key = "gangs",
                          .model = "gangs, random arrivals",
                          .by = "cycles",
                          .wait = figures_of(answer.wait),
                          .validity = validity_of(answer.trust)},
                  .capacity = limit.busy,
                  .stable = answer.trust != gang_trust::overload};
}

}  // namespace gpuplan::cli
