/// \file
/// The wait of gangs by formula.

#include "queue/gangs.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/replay.hpp>

namespace gpuplan::cli {
namespace {

/// Above it the formula, which looks at each number of busy GPUs, takes too long.
constexpr std::int64_t largest_pool = 50000;

constexpr const char* overloaded = "more work comes than the pool can do in this order";

std::string validity_of_heavy_tail(double variability) {
  const std::optional<double> most = heavy_tail_factor(variability);
  return "few jobs are most of the work: " +
         (most ? fmt::format("simulated waits were up to {} times as long", *most)
               : "none that vary so much were simulated");
}

std::string replay_validity_of(gang_trust trust) {
  const std::string usual = "P(wait) within a factor of about 1.2; ";
  switch (trust) {
    case gang_trust::overload: return overloaded;
    case gang_trust::drifting: return usual + "the mean may be off by 10: the rate drifts";
    case gang_trust::large_jobs: return usual + "the mean of 2: single jobs ask for over a third";
    case gang_trust::heavy_tail: return usual + "the mean of 2 to 3: few jobs are most of the work";
    default: return usual + "p99 of 0.8 to 1.7";
  }
}

}  // namespace

wait_figures figures_of(const gang_waiting& random) {
  wait_figures figures = figures_of(random.wait);
  if (random.trust == gang_trust::stated)
    figures.mean_errors = error_distribution_of({.of = prediction::wait});
  return figures;
}

std::optional<double> heavy_tail_factor(double variability) {
  struct bound {
    double variability;
    double factor;
  };
  for (const bound& row : {bound{6, 1.4}, bound{16, 2.1}, bound{50, 4.7}, bound{100, 7.8}})
    if (variability <= row.variability) return row.factor;
  return std::nullopt;
}

double variability_of_work(const gang_mix& mix) {
  return mix.squared_work / (mix.work * mix.work) - 1;
}

std::string validity_of(gang_trust trust, double variability) {
  switch (trust) {
    case gang_trust::exact: return "exact";
    case gang_trust::two_moments: return "mean off by 6 %, at most 22 %; percentiles within 30 %";
    case gang_trust::stated:
      return "P(wait) off by a factor of 1.1, at worst 1.4; mean 1.2, at worst 1.8";
    case gang_trust::large_jobs: return "within a factor of 1.8: single jobs ask for over a third";
    case gang_trust::heavy_tail: return validity_of_heavy_tail(variability);
    case gang_trust::overload: return overloaded;
    case gang_trust::drifting:
    case gang_trust::backfilled: return "";
  }
  return "";
}

std::optional<gang_rows> gang_rows_of(std::span<const trace_job> jobs, const endless_pool& demand,
                                      per_second arrival_rate, std::int64_t gpus) {
  if (gpus > largest_pool) return std::nullopt;
  std::vector<trace_job> fitting;
  for (const trace_job& job : jobs)
    if (job.gpus <= gpus) fitting.push_back(job);
  if (fitting.empty()) return std::nullopt;
  const double share = static_cast<double>(fitting.size()) / static_cast<double>(jobs.size());
  const std::vector<gang_class> classes = gang_classes(fitting);
  const gang_mix sizes = mix_of(classes);
  if (!(sizes.work > seconds{0})) return std::nullopt;

  const saturation limit = saturation_of(saturated_run(fitting, gpus, {.jobs = 200000}));
  const gang_workload mix{
      .arrival_rate = share * arrival_rate, .classes = classes, .gpus = static_cast<int>(gpus)};
  const gang_waiting random = gang_wait(mix, limit);
  const gang_waiting came = replay_wait(demand, mix, limit);
  return gang_rows{.came = {.key = "gangs",
                            .model = "gangs, as they came",
                            .by = "demand",
                            .wait = figures_of(came.wait),
                            .validity = replay_validity_of(came.trust)},
                   .random = {.key = "random_gangs",
                              .model = "gangs, at random",
                              .by = "cycles",
                              .wait = figures_of(random),
                              .validity = "if arrivals were random: " +
                                          validity_of(random.trust, variability_of_work(sizes))},
                   .capacity = limit.busy,
                   .stable = random.trust != gang_trust::overload};
}

}  // namespace gpuplan::cli
