#pragma once
/// \file
/// Ranks of each axis that Accelerate's YAML says.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>

namespace gpuplan {

namespace detail {

/// Sizes of parallelism_config; 1 where the file does not say one.
struct accelerate_sizes {
  int replicas = 1;  ///< copies of the shard group
  int shards = 1;
  int tensor = 1;
  int context = 1;
  int sequence = 1;  ///< context ranks that exchange heads

  [[nodiscard]] double ranks() const {
    return 1.0 * replicas * shards * tensor * context * sequence;
  }
};

inline accelerate_sizes accelerate_sizes_of(const launch_arguments& args) {
  const auto size = [&](const char* key) {
    return args.whole_or("parallelism_config.parallelism_config_" + std::string(key), 1, 1);
  };
  return {.replicas = size("dp_replicate_size"),
          .shards = size("dp_shard_size"),
          .tensor = size("tp_size"),
          .context = size("cp_size"),
          .sequence = size("sp_size")};
}

/// "dp_replicate_size 1 x dp_shard_size 2 x tp_size 2 x cp_size 2"
inline std::string sizes_in_words(const accelerate_sizes& sizes) {
  std::string words = "dp_replicate_size " + std::to_string(sizes.replicas) + " x dp_shard_size " +
                      std::to_string(sizes.shards) + " x tp_size " + std::to_string(sizes.tensor) +
                      " x cp_size " + std::to_string(sizes.context);
  if (sizes.sequence > 1) words += " x sp_size " + std::to_string(sizes.sequence);
  return words;
}

}  // namespace detail

/// The ranks of each axis: sizes of parallelism_config where the file says them, else replicas
/// alone.  Of --gpus, replicas take those that tensor and context ranks leave.
///
/// Source: Hugging Face, Accelerate, src/accelerate/parallelism_config.py, ParallelismConfig (1.10,
/// 2025; sp_size: 1.12).
///
/// \throws invalid_input naming the field, if the sizes do not make the processes
inline void read_accelerate_ranks(const launch_arguments& args, const launch_surroundings& around,
                                  launch_job& said) {
  constexpr const char* processes_name = "num_processes";
  const detail::accelerate_sizes sizes = detail::accelerate_sizes_of(args);
  const int processes = args.whole_or(processes_name, 1, 1);
  parallelism& cut = said.parallelism;
  if (sizes.ranks() > 1 && sizes.ranks() != processes)
    args.refuse(processes_name,
                "is " + std::to_string(processes) +
                    ", which parallelism_config does not make: " + detail::sizes_in_words(sizes));
  if (sizes.context > 1 && sizes.sequence > 1)
    args.refuse("parallelism_config.parallelism_config_sp_size",
                "contradicts parallelism_config_cp_size");
  if (!around.given.contains("tensor-model-parallel-size")) cut.tensor = sizes.tensor;
  if (!around.given.contains("context-parallel-size"))
    cut.context = std::max(sizes.context, sizes.sequence);
  if (sizes.sequence > 1) cut.exchange = context_exchange::all_to_all;
  cut.data = replicas_on(around.gpus > 0 ? around.gpus : processes, cut, args.where());
}

/// The shard group of FSDP where parallelism_config says copies of it: data-parallel ranks and the
/// context ranks of each.
///
/// \throws invalid_input naming the field, if it does not divide the replicas
inline void read_accelerate_shards(const launch_arguments& args, launch_job& said) {
  const detail::accelerate_sizes sizes = detail::accelerate_sizes_of(args);
  parallelism& cut = said.parallelism;
  if (sizes.replicas == 1) return;
  if (cut.data % sizes.shards != 0)
    args.refuse("parallelism_config.parallelism_config_dp_shard_size",
                "is " + std::to_string(sizes.shards) + ", which does not divide the " +
                    std::to_string(cut.data) + " data-parallel ranks");
  const std::int64_t group = std::int64_t{sizes.shards} * cut.context;
  if (group == 1) {
    said.recipe.zero = zero_stage::none;
    said.recipe.gradients_live = gradient_lifetime::always;
  } else if (group < cut.replicas()) {
    cut.shard_group = static_cast<int>(group);
  }
}

}  // namespace gpuplan
