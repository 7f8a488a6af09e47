#pragma once
/// \file
/// One question, as the program asks it: a job, and what its options say beside it.

#include <optional>
#include <string>
#include <vector>

#include <gpuplan/api/cluster_reader.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/idle_choice.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/api/job_writer.hpp>
#include <gpuplan/plan/training_task.hpp>

namespace gpuplan::cli {

using api::choice_name;
using api::cluster_request;
using api::default_gpu;
using api::filling_batch;
using api::measured_cluster;
using api::most_ranks;
using api::most_stages;
using api::pool_part;
using api::recompute_choice;

/// Reads a profile.
/// \throws bad_usage or invalid_input
measured_cluster read_measured(const std::string& path);

/// What a launch that was read leaves open, and what of it no field stands for.
struct launch_echo {
  std::string file{};  ///< empty: none was read
  std::string framework{};
  std::vector<std::string> assumed{};
  std::vector<std::string> not_modelled{};
};

/// A task, and those of its defaults that nothing typed replaced.
struct task_choice {
  training_task task{};
  std::vector<const task_default*> taken{};
};

/// A question, resolved.
struct job : api::job {
  std::optional<task_choice> task{};  ///< whose defaults were taken
  launch_echo launch{};               ///< what a launch said that was read
};

}  // namespace gpuplan::cli
