#pragma once
/// \file
/// Tasks placed on a pool under one policy, and what the pool looks like then.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/placement/constraint.hpp>
#include <gpuplan/placement/fragmentation.hpp>
#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/placement/objective.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/placement/utilization.hpp>
#include <gpuplan/placement/waiting_replay.hpp>

#include "place/framework.hpp"

namespace gpuplan::cli {

/// Which memory the utilisation is of.
enum class measured_memory { none, host, gpus };

/// What is known of both the nodes and the jobs, beside GPUs and cores.
struct measured_kinds {
  measured_memory memory = measured_memory::none;
  bool network = false;

  /// In the order of the columns of U.
  [[nodiscard]] std::vector<resource_kind> kinds() const;
  [[nodiscard]] bool knows(resource_kind kind) const {
    return kind == resource_kind::memory    ? memory != measured_memory::none
           : kind == resource_kind::network ? network
                                            : true;
  }
};

/// Weights of the aims, in the order of schedule_objectives.
struct aims_question {
  std::array<double, schedule_objectives::count> weights{};  ///< sum 1
  bool dynamic = false;  ///< they follow the history of each aim
  double gamma = 0.5;    ///< how strongly
};

/// What is asked of gpuplan place.
struct place_question {
  std::string node_file, job_file;
  name_list types, users;
  node_table nodes;
  task_table tasks;
  std::vector<placement_policy> policies;
  job_ranking order = job_ranking::arrival;
  framework_terms framework;  ///< of the policy of that name
  replay_mode mode = replay_mode::stay;
  tie_break ties = tie_break::first;
  std::uint64_t seed = 1;
  int gang = 8;         ///< GPUs of the gang that the free ones are judged by
  int migrations = 0;   ///< tasks that may move at the end, to make room for such gangs
  bool listed = false;  ///< each task's node is wanted
  bool matrix = false;  ///< each node's utilisation is wanted
  std::optional<waiting_rule> waiting{};  ///< how jobs wait that find no node; none: they are lost
  int windows = 10;                       ///< equal parts of the time between the arrivals
  bool over_time = false;                 ///< the utilisation in these windows is wanted
  std::optional<double> locality{};       ///< least part of a job's nodes that hold its data
  int most_nodes = 0;                     ///< of each job; 0: no limit
  std::optional<aims_question> aims{};
  measured_kinds measured{};
  std::vector<std::vector<std::size_t>> data_nodes{};  ///< of each list of names: their positions

  [[nodiscard]] bool timed() const { return mode == replay_mode::leave; }
};

/// Parts in use of the nodes of one type: a row of the utilisation matrix by type.
struct type_usage {
  std::string name;
  std::int64_t nodes = 0;
  std::array<double, resource_kinds> parts{};  ///< mean over its nodes
  double imbalance = 0;                        ///< standard deviation over the kinds, mean
};

/// The utilisation matrix in windows of the time, and its imbalance F.
struct usage_over_time {
  std::vector<seconds> edges{};  ///< one more than windows; empty: no time passes
  std::vector<utilization_matrix> use{};
  std::vector<double> imbalance{};
};

/// A row of the table on a node for some time: a job that is moved has several.
struct job_stay {
  std::size_t row = 0;
  task_placement where{};
  seconds start{};
  seconds end{};
};

/// What a policy made of them.
struct place_outcome {
  placement_policy policy{};
  replay_result replay{};
  free_gpus free{};
  double expected_unusable = 0;      ///< of the free GPUs, by the next task of the mix: 0 .. 1
  double imbalance = 0;              ///< F: standard deviation over the kinds; mean over nodes
  std::optional<double> fairness{};  ///< Jain's index of what part of its wishes each user got
  std::vector<type_usage> types{};
  utilization_matrix usage{};  ///< U, of the pool as it is left
  usage_over_time over_time{};
  std::optional<double> time_fragmentation{};    ///< F_time; empty: no times
  std::optional<double> memory_fragmentation{};  ///< F_mem, of GPU memory; empty: unknown
  std::array<std::optional<rule_check>, placement_rules.size()> rules{};  ///< empty: not asked
  std::vector<task_run> runs{};   ///< by row of the table; where: the last place
  std::vector<job_stay> stays{};  ///< of all of them, those of a row in their order
  /// By row: its nodes in their order, the last one last; several where a running job was moved.
  std::vector<std::vector<std::size_t>> nodes_of_row{};
  std::int64_t still_waiting = 0;  ///< jobs that wait for ever
  std::int64_t moved = 0;          ///< tasks
  std::int64_t gangs_after_moves = 0;
  std::optional<framework_effect> improved{};  ///< of the framework
};

/// Learns the weights of the framework's match from the jobs, in rounds, and takes the best.
void learn_weights(place_question& asked);

/// Runs one policy.
place_outcome place_under(placement_policy policy, const place_question& asked);

}  // namespace gpuplan::cli
