#pragma once
/// \file
/// How much of each node is in use, at the end and over time.

#include <optional>
#include <string>
#include <vector>

#include "place/pool.hpp"

namespace gpuplan::cli {

/// Whether a job holds its node when the pool is looked at.
bool runs_at_the_end(const task_run& run, const place_question& asked, seconds until);

/// What is known of every node and every job.
measured_kinds measured_kinds_of(const place_question& asked);

/// What a job takes of its node: GPUs and cores in thousandths, of the rest what is known.
resources taken_by(const arriving_task& task, const place_question& asked);
/// What a node has of these.
resources capacity_of(std::size_t node, const place_question& asked);

/// Edges of the windows: equal parts of the time from the first arrival to the last; empty where no
/// time passes between them.
std::vector<seconds> window_edges(const place_question& asked);

/// The last arrival, start or end that is known.
seconds last_event(const place_question& asked, const place_outcome& out);

/// The utilisation matrix, its imbalance, and fragmentation of time and memory.
void look_at_usage(const place_question& asked, place_outcome& out);

/// The utilisation matrix over time as a table: a row for each policy, window and node.
std::string usage_csv(const std::vector<place_outcome>& all, const place_question& asked);

}  // namespace gpuplan::cli
