#pragma once
/// \file
/// Simulation of a queue that is described by numbers, where formulas end.

#include <optional>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/replications.hpp>

#include "queue/numbers.hpp"

namespace gpuplan::cli {

/// Whether runs have so few jobs that one does not see how far the queue grows, whatever the spread
/// of several says: fewer than after which the mean wait, first come first served, has a standard
/// error as large as itself.
///
///     n = 2 (c_a^2 + c_s^2) / (1 - rho)^2
///
///     n      jobs of a run             1
///     c_a^2, c_s^2  of spread          1, >= 0
///     rho    load                      1, >= 0, < 1
///
/// Source: W. Whitt, "Planning queueing simulations", Management Science 35 (1989) 1341-1366.
bool is_too_short(const replicated_waiting& found, const variability& spread, double load);

/// Random arrivals, jobs of the law that was asked for: ten runs, each with a seed of its own.
/// None where it would take too long, where arrivals are not random, or where the queue grows.
std::optional<replicated_waiting> simulated(const queue_numbers& asked, const pool_policy& policy);

}  // namespace gpuplan::cli
