#pragma once
/// \file
/// Simulation of a queue that is described by numbers, where formulas end.

#include <optional>

#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/replications.hpp>

#include "queue/numbers.hpp"

namespace gpuplan::cli {

/// Random arrivals, jobs of the law that was asked for: ten runs, each with a seed of its own.
/// None where it would take too long, where arrivals are not random, or where the queue grows.
std::optional<replicated_waiting> simulated(const queue_numbers& asked, const pool_policy& policy);

}  // namespace gpuplan::cli
