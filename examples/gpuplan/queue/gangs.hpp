#pragma once
/// \file
/// The wait of gangs by formula: jobs that hold several GPUs, coming at random.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

#include "queue/queue.hpp"

namespace gpuplan::cli {

/// How many times as long as the formula says jobs of heavy tails waited at most in the simulations
/// that general_wait states, by the squared coefficient of variation of their work.  None above
/// 100, where none was simulated.
std::optional<double> heavy_tail_factor(double variability);

/// The squared coefficient of variation of the work of jobs: of durations, where all are as wide.
double variability_of_work(const gang_mix& mix);

/// How far to trust the formula of gangs that come at random.
std::string validity_of(gang_trust trust, double variability);

/// Of gangs that come at random, with the errors of the mean where the formula is not stretched.
wait_figures figures_of(const gang_waiting& random);

/// What formulas say of gangs.
struct gang_rows {
  model_row came{};     ///< when they came
  model_row random{};   ///< if the same came at random
  double capacity = 0;  ///< GPUs that first come first served can keep busy
  bool stable = true;
};

/// Of the jobs of a trace.  None where the pool is too large for the formula, or no job fits it.
std::optional<gang_rows> gang_rows_of(std::span<const trace_job> jobs, const endless_pool& demand,
                                      per_second arrival_rate, std::int64_t gpus);

}  // namespace gpuplan::cli
