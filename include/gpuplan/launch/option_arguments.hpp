#pragma once
/// \file
/// Arguments of Megatron-LM that an option of the program says, too.

#include <array>
#include <string_view>

namespace gpuplan {

/// An argument of Megatron-LM, without its dashes, and the option that goes before it.
struct option_argument {
  std::string_view argument;
  std::string_view option;
  std::string_view key;  ///< of its row in recipe_fields or parallelism_fields; empty: of neither
};

inline constexpr auto option_arguments = std::to_array<option_argument>({
    {"seq-length", "--sequence", "sequence_length"},
    {"global-batch-size", "--batch", "global_batch_size"},
    {"micro-batch-size", "--micro-batch", "micro_batch_size"},
    {"tensor-model-parallel-size", "--tensor", "tensor"},
    {"pipeline-model-parallel-size", "--pipeline", "pipeline"},
    {"context-parallel-size", "--context", "context"},
    {"expert-model-parallel-size", "--expert", "expert"},
    {"expert-tensor-parallel-size", "--expert-tensor", "expert_tensor"},
    {"nnodes", "--gpus", ""},
    {"nproc-per-node", "--gpus", ""},
});

/// The option that says an argument; empty: there is none.
constexpr std::string_view option_for(std::string_view argument) {
  for (const option_argument& row : option_arguments)
    if (row.argument == argument) return row.option;
  return {};
}

}  // namespace gpuplan
