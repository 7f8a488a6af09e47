#pragma once
/// \file
/// Layouts and lengths that Megatron-LM refuses.

#include <cstdint>
#include <string>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

namespace detail {

/// Whether the arguments say which layers go to which stage, other than equal numbers.
inline bool places_layers(const launch_arguments& args) {
  for (const char* name : {"pipeline-model-parallel-layout", "decoder-first-pipeline-num-layers",
                           "decoder-last-pipeline-num-layers"})
    if (args.has(name)) return true;
  return false;
}

/// Refuses stages and chunks of equal layers that the layers do not divide into.
inline void refuse_unequal_stages(const launch_arguments& args, int layers,
                                  const parallelism& cut) {
  constexpr const char* stages_name = "pipeline-model-parallel-size";
  constexpr const char* chunks_name = "num-virtual-stages-per-pipeline-rank";
  if (cut.pipeline == 1 || places_layers(args)) return;
  layers += args.flag("account-for-embedding-in-pipeline-split") ? 1 : 0;
  layers += args.flag("account-for-loss-in-pipeline-split") ? 1 : 0;
  const std::string of = std::to_string(layers) + " layers";
  if (layers % cut.pipeline != 0)
    args.refuse(stages_name, std::to_string(cut.pipeline) + " does not divide the " + of +
                                 ", which Megatron-LM refuses without " +
                                 args.shown_as("pipeline-model-parallel-layout") + " or " +
                                 args.shown_as("decoder-first-pipeline-num-layers"));
  const int held = layers / cut.pipeline;
  const int chunks = args.whole_or(chunks_name, 1, 1);
  if (held % chunks != 0)
    args.refuse(chunks_name, std::to_string(chunks) + " does not divide the " +
                                 std::to_string(held) +
                                 " layers of a stage, which Megatron-LM refuses");
}

/// Refuses instances of the distributed optimizer that the replicas do not divide into.
inline void refuse_unequal_instances(const launch_arguments& args, bool has_experts,
                                     const parallelism& cut) {
  constexpr const char* name = "num-distributed-optimizer-instances";
  const int instances = args.whole_or(name, 1, 1);
  const auto refuse = [&](std::int64_t replicas, const std::string& of) {
    if (replicas % instances != 0)
      args.refuse(name, std::to_string(instances) + " does not divide the " +
                            std::to_string(replicas) + " " + of + ", which Megatron-LM refuses");
  };
  refuse(cut.replicas(), "data-parallel x context-parallel ranks");
  const std::int64_t ranks = std::int64_t{cut.expert} * cut.expert_tensor_ranks();
  if (has_experts && cut.gpus() / cut.pipeline % ranks == 0)
    refuse(cut.expert_replicas(), "replicas of each expert");
}

/// Refuses more tokens than there are positions, whatever encodes these.
inline void refuse_long_sequences(const launch_arguments& args) {
  constexpr const char* positions_name = "max-position-embeddings";
  const auto positions = args.whole(positions_name, 1);
  for (const char* name : {"seq-length", "encoder-seq-length", "decoder-seq-length"})
    if (const auto tokens = args.whole(name, 1); tokens && positions && *tokens > *positions)
      args.refuse(name, std::to_string(*tokens) + " must be <= " + args.shown_as(positions_name) +
                            " " + std::to_string(*positions) +
                            "; Megatron-LM refuses longer sequences");
}

}  // namespace detail

/// Refuses what Megatron-LM does not start: layers, replicas or positions that do not fit the
/// arguments beside them.  What an option says in place of an argument is not looked at, nor are
/// the replicas where nobody says how many there are.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/transformer_block.py,
/// get_num_layers_to_build; megatron/core/parallel_state.py, initialize_model_parallel;
/// megatron/training/arguments.py, validate_args (commit d98e8a64, 2026).
///
/// \throws invalid_input naming the argument
inline void refuse_as_megatron(const launch_arguments& args, const launch_surroundings& around,
                               const launch_job& said, const transformer& m) {
  const auto is_given = [&](const char* name) { return around.given.contains(name); };
  const bool recut = is_given("tensor-model-parallel-size") || is_given("context-parallel-size") ||
                     is_given("expert-model-parallel-size") ||
                     is_given("expert-tensor-parallel-size");
  const bool stages_given = is_given("pipeline-model-parallel-size");
  const bool counted = !said.one_replica && around.replicas == 0;
  const bool in_pattern = args.has("hybrid-layer-pattern") || args.has("hybrid-override-pattern");
  const bool is_bridge = !args.shown_as("seq-length").starts_with("--");
  if (!stages_given && !in_pattern && m.encoder_layers == 0)
    detail::refuse_unequal_stages(args, m.layers, said.parallelism);
  if (!recut && !stages_given && counted)
    detail::refuse_unequal_instances(args, m.moe.experts > 0, said.parallelism);
  if (!is_given("seq-length") && !is_bridge) detail::refuse_long_sequences(args);
}

}  // namespace gpuplan
