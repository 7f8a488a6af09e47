#pragma once
/// \file
/// Policies on the jobs of a trace, beside each other.

#include <cstddef>
#include <span>

#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

#include "queue/queue.hpp"
#include "queue/trace.hpp"

namespace gpuplan::cli {

using jobs_span = std::span<const trace_job>;

/// Above it less is simulated, so that a million jobs take less than two seconds.
inline constexpr std::size_t long_trace = 200000;

/// Adds a row for each policy asked for, on some of the jobs where all would take too long.
///
///     mean_work  of a job   GPU s
void add_policies(const queue_trace& asked, jobs_span jobs, seconds mean_work,
                  queue_answer& answer);

}  // namespace gpuplan::cli
