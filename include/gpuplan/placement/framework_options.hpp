#pragma once
/// \file
/// What the placement framework can be told, and what it says.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/placement/placement_refusal.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How the framework orders and improves; how it matches is the placer's policy.
struct framework_options {
  job_ranking order = job_ranking::urgency;  ///< of jobs that are known at the same time
  int moves = 16;                            ///< of running jobs, for one job that finds no node,
                                             ///< and for even load at the end; 0: none moves
  seconds patience{};                        ///< how long a job waits for a node, >= 0
  seconds ageing =
      seconds{std::numeric_limits<double>::infinity()};  ///< wait that adds 1 to the priority, > 0
};

/// \throws invalid_input if an option is out of range
constexpr void require_valid(const framework_options& options) {
  require(options.moves >= 0, "framework_options: moves must be >= 0");
  require(options.patience >= seconds{0}, "framework_options: patience must be >= 0 s");
  require(options.ageing > seconds{0}, "framework_options: ageing must be > 0 s");
}

/// A place that a running job left for another.
struct place_left {
  std::size_t job = 0;
  task_placement where{};
  seconds at{};  ///< when it left
};

/// What became of the jobs.
struct framework_result {
  replay_result replay{};
  std::vector<std::optional<task_placement>> where{};  ///< by job: the last place it had
  std::vector<place_left> left{};                      ///< places before the last, in this order
  std::vector<placement_refusal> why{};                ///< by job: `none` of those placed
  std::int64_t moved = 0;                              ///< moves of running jobs, to make room
  std::int64_t given_room = 0;                         ///< jobs placed by them
  std::int64_t levelled = 0;                           ///< moves for even load
  std::vector<seconds> wait{};                         ///< by job: start less arrival, if placed
};

}  // namespace gpuplan
