#pragma once
/// \file
/// A training job as a launch describes it.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// What a launch does not say, and its reader has to know.
struct launch_surroundings {
  accelerator gpu{};
  int gpus = 0;      ///< of the job; 0: as the launch says, else one replica
  int replicas = 0;  ///< likewise of data-parallel ranks, where nobody says the GPUs
  std::optional<transformer> model{};  ///< for launches that do not describe it
  int sequence_length = 0;   ///< tokens, for launches that do not say it; 0: the reader's own
  int micro_batch_size = 0;  ///< sequences, for launches that do not say it; 0: the reader's own
  /// Of the task: files of DeepSpeed and Accelerate count samples, as pairs of preferences.
  int sequences_per_sample = 1;
  bool precision_given = false;  ///< by an option, which goes before what the launch says
  bool trained_given = false;    ///< likewise: what is trained, as adapters
  /// By arguments of Megatron-LM, as in option_arguments: where a launch has a variable of the
  /// shell that it does not set.
  std::map<std::string, int, std::less<>> given{};
};

/// What a launch says.
struct launch_job {
  std::optional<transformer> model{};  ///< where the launch describes it
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int gpus = 0;           ///< as the launcher of Megatron-LM says; 0: it does not, or was not asked
  int gpus_per_node = 0;  ///< as the launcher of several nodes says; 0: it does not
  bool one_replica = false;  ///< nobody says how many GPUs there are: those of one replica
  /// Arguments that can change memory or time, and that no field of the above has; in order.
  std::vector<std::string> not_modelled{};
  /// What the launch leaves open, and what was taken: lines of text.
  std::vector<std::string> assumed{};
};

}  // namespace gpuplan
