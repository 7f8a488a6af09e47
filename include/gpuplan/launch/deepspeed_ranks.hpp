#pragma once
/// \file
/// Tensor and sequence ranks that DeepSpeed's JSON says.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/parallelism.hpp>

namespace gpuplan {

namespace detail {

/// AutoTP's degree by its names; 0 and 1 switch it off.
inline constexpr auto deepspeed_tensor_names = std::to_array<std::string_view>(
    {"tensor_parallel.autotp_size", "tensor_parallel.tp_size", "tensor_parallel.tp.tp_size"});

/// Ranks that the file says for an axis; 1 where an option says them, which goes before the file.
inline int deepspeed_degree(const launch_arguments& args, const launch_surroundings& around,
                            std::string_view name, std::string_view megatron_name) {
  const int degree = args.whole_or(name, 1);
  return around.given.contains(megatron_name) || degree == 0 ? 1 : degree;
}

/// Refuses the stages of a pipeline, of which the file holds the number and the script the rest.
inline void refuse_deepspeed_stages(const launch_arguments& args,
                                    const launch_surroundings& around) {
  constexpr const char* name = "pipeline.stages";
  const int stages = deepspeed_degree(args, around, name, "pipeline-model-parallel-size");
  if (stages > 1)
    args.refuse(name, "is " + std::to_string(stages) +
                          ", but the script cuts the pipeline; give --pipeline " +
                          std::to_string(stages));
}

}  // namespace detail

/// The tensor ranks (AutoTP) and sequence ranks (Ulysses) of each replica, taken into `around` so
/// that the others are replicas.
///
/// Source: Microsoft, DeepSpeed, deepspeed/runtime/tensor_parallel/config.py and engine.py,
/// _configure_tensor_parallel_states; deepspeed/runtime/config.py, sequence_parallel_size (2025).
///
/// \throws invalid_input naming the field, or if the ranks do not divide the GPUs
inline void read_deepspeed_ranks(const launch_arguments& args, launch_surroundings& around,
                                 launch_job& said) {
  constexpr const char* sequence_name = "sequence_parallel_size";
  constexpr const char* tensor = "tensor-model-parallel-size";
  constexpr const char* context = "context-parallel-size";
  parallelism& cut = said.parallelism;
  detail::refuse_deepspeed_stages(args, around);
  for (const std::string_view name : detail::deepspeed_tensor_names) {
    const int degree = detail::deepspeed_degree(args, around, name, tensor);
    if (degree > 1 && args.whole_or("zero_optimization.stage", 0) == 3)
      args.refuse(name, "must be 1 with zero_optimization.stage 3, as DeepSpeed has it");
    if (degree > 1 && cut.tensor > 1 && degree != cut.tensor)
      args.refuse(name, "is " + std::to_string(degree) + ", but another field says " +
                            std::to_string(cut.tensor) + " tensor ranks");
    if (degree > 1) cut.tensor = degree;
  }
  cut.context = detail::deepspeed_degree(args, around, sequence_name, context);
  if (cut.context > 1) cut.exchange = context_exchange::all_to_all;
  static_cast<void>(replicas_on(around.gpus, cut, args.where()));
  if (cut.tensor > 1) around.given.insert_or_assign(tensor, cut.tensor);
  if (cut.context > 1) around.given.insert_or_assign(context, cut.context);
}

}  // namespace gpuplan
