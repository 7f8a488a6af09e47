#pragma once
/// \file
/// Tasks placed on a pool under one policy, and what the pool looks like then.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/placement/fragmentation.hpp>
#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/placement/pool_table.hpp>

namespace gpuplan::cli {

/// What is asked of gpuplan place.
struct place_question {
  std::string node_file, job_file;
  name_list types, users;
  node_table nodes;
  task_table tasks;
  std::vector<placement_policy> policies;
  job_ranking order = job_ranking::arrival;
  replay_mode mode = replay_mode::stay;
  tie_break ties = tie_break::first;
  std::uint64_t seed = 1;
  int gang = 8;         ///< GPUs of the gang that the free ones are judged by
  int migrations = 0;   ///< tasks that may move at the end, to make room for such gangs
  bool listed = false;  ///< each task's node is wanted
  bool matrix = false;  ///< each node's utilisation is wanted
};

/// Parts in use of the nodes of one type: a row of the utilisation matrix by type.
struct type_usage {
  std::string name;
  std::int64_t nodes = 0;
  double gpus = 0;  ///< 0 .. 1, mean over its nodes
  double cores = 0;
  double memory = 0;     ///< 0 where none is said
  double imbalance = 0;  ///< standard deviation over these, mean over the nodes
};

/// What a policy made of them.
struct place_outcome {
  placement_policy policy{};
  replay_result replay{};
  free_gpus free{};
  double expected_unusable = 0;  ///< of the free GPUs, by the next task of the mix: 0 .. 1
  double imbalance = 0;          ///< standard deviation over GPUs, cores, memory; mean over nodes
  std::optional<double> fairness{};  ///< Jain's index of what part of its wishes each user got
  std::int64_t beyond_capacity = 0;  ///< nodes that give more than they have, counted anew
  std::vector<type_usage> types{};
  std::vector<std::array<double, 3>> matrix{};  ///< by node: parts of GPUs, cores, memory in use
  std::vector<std::optional<task_placement>> where{};  ///< by row of the table
  std::int64_t moved = 0;                              ///< tasks
  std::int64_t gangs_after_moves = 0;
};

/// Runs one policy.
place_outcome place_under(placement_policy policy, const place_question& asked);

}  // namespace gpuplan::cli
