#pragma once
/// \file
/// Degrees and pipelines of torchtitan's TOML, by the names of its releases.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_layers.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

/// An order of micro-batches, and whether a rank has several stages in it.
struct torchtitan_schedule {
  pipeline_schedule order = pipeline_schedule::one_forward_one_backward;
  bool interleaved = false;
};

/// Names of torchtitan; in small letters those of releases of 2024, which are read and not written.
inline constexpr auto torchtitan_schedules = std::to_array<named<torchtitan_schedule>>(
    {{"1F1B", {pipeline_schedule::one_forward_one_backward, false}},
     {"Interleaved1F1B", {pipeline_schedule::one_forward_one_backward, true}},
     {"GPipe", {pipeline_schedule::gpipe, false}},
     {"ZBVZeroBubble", {pipeline_schedule::zero_bubble_v, false}},
     {"1f1b", {pipeline_schedule::one_forward_one_backward, false}},
     {"interleaved_1f1b", {pipeline_schedule::one_forward_one_backward, true}},
     {"gpipe", {pipeline_schedule::gpipe, false}}});

/// Refuses DualPipeV, which is DualPipe cut in half: p ranks fold 2 p stages to a V and hold the
/// parameters once, where p ranks of DualPipe hold p stages twice.  No order of pipeline_schedule
/// has both its memory and its bubble, (p - 1) (F&B + B - 3W) of stages half as long.
///
/// Source: DeepSeek-AI, "DualPipe", README (2025), which compares both.
inline void refuse_dualpipe_v(const launch_arguments& args, const std::string& name) {
  if (args.text(name, "") != "DualPipeV") return;
  std::string known;
  for (const auto& row : torchtitan_schedules)
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  args.refuse(name, "is DualPipeV, which is not modelled and is not DualPipe; allowed: " + known);
}

/// Whether FSDP keeps parameters after the forward pass (ZeRO 2), or each rank its part (ZeRO 3);
/// by default they stay where a pipeline would gather them again for each micro-batch.
///
/// Source: PyTorch, torchtitan, torchtitan/config (commit b5bcd76c, 2026),
/// Parallelism.fsdp_reshard_after_forward; PyTorch, "torchtitan: FSDP1 to FSDP2", docs/fsdp.md.
enum class after_forward { by_pipeline, stays, goes };

inline constexpr auto torchtitan_reshards =
    std::to_array<named<after_forward>>({{"default", after_forward::by_pipeline},
                                         {"always", after_forward::goes},
                                         {"never", after_forward::stays}});

/// A field of [parallelism], or of [training] or [experimental] where releases up to 0.1 had it.
///
/// Source: PyTorch, torchtitan, torchtitan/config_manager.py (commit 0011fb90, 2024).
inline std::string parallelism_name(const launch_arguments& args, std::string_view key) {
  std::string now = "parallelism." + std::string(key);
  if (args.has(now)) return now;
  for (const char* section : {"training.", "experimental."})
    if (std::string before = section + std::string(key); args.has(before)) return before;
  return now;
}

/// The degree of FSDP, which releases of early 2024 call data_parallel_degree.
///
/// \throws invalid_input if data_parallel_type says that all of these ranks are copies
inline std::string shard_degree_name(const launch_arguments& args) {
  const std::string now = parallelism_name(args, "data_parallel_shard_degree");
  const std::string before = "training.data_parallel_degree";
  if (args.has(now) || !args.has(before)) return now;
  if (args.text("training.data_parallel_type", "fsdp") != "fsdp")
    args.refuse("training.data_parallel_type",
                "is " + shown_name(args.text("training.data_parallel_type")) +
                    "; write [parallelism] data_parallel_replicate_degree, and "
                    "data_parallel_shard_degree = 1, in place of " +
                    before);
  return before;
}

inline void read_torchtitan_layout(const launch_arguments& args, int gpus, launch_job& said) {
  parallelism& cut = said.parallelism;
  const auto degree = [&](std::string_view key) {
    return args.whole_or(parallelism_name(args, key), 1, 1);
  };
  cut.tensor = degree("tensor_parallel_degree");
  cut.pipeline = degree("pipeline_parallel_degree");
  cut.context = degree("context_parallel_degree");
  cut.expert = degree("expert_parallel_degree");
  cut.expert_tensor = degree("expert_tensor_parallel_degree");
  if (cut.expert == 1 || cut.expert_tensor == cut.tensor) cut.expert_tensor = 0;
  const int copies = degree("data_parallel_replicate_degree");
  const std::string shard = shard_degree_name(args);
  const double typed = args.number_or(shard, -1);
  const auto given = typed == -1 ? std::nullopt : args.whole(shard, 1);
  cut.data = given ? static_cast<int>(std::min(1e9, double(*given) * copies))
                   : std::max(copies, replicas_on(gpus, cut, args.where()));
  said.one_replica = gpus == 0 && !given;
  if (cut.data % copies != 0)
    args.refuse(parallelism_name(args, "data_parallel_replicate_degree"),
                "is " + std::to_string(copies) + ", which does not divide the " +
                    std::to_string(cut.data) + " data-parallel ranks");
  const int shards = cut.data / copies;
  if (1.0 * cut.data * cut.tensor * cut.pipeline * cut.context > launch_arguments::largest)
    args.refuse(shard,
                "times the other degrees must be <= " + std::to_string(launch_arguments::largest));
  if (gpus > 0 && cut.gpus() != gpus)
    args.refuse(shard,
                "makes " + std::to_string(cut.gpus()) + " ranks, not " + std::to_string(gpus));
  if (copies > 1) cut.shard_group = shards * cut.context;
  recipe& how = said.recipe;
  const after_forward kept =
      args.choice("parallelism.fsdp_reshard_after_forward", "default", torchtitan_reshards);
  const bool stays =
      kept == after_forward::stays || (kept == after_forward::by_pipeline && cut.pipeline > 1);
  how.zero = stays ? zero_stage::gradients : zero_stage::parameters;
  if (shards * cut.context == 1) {
    how.zero = zero_stage::none;
    cut.shard_group = 0;
  }
  how.sequence_parallel =
      args.flag_or("parallelism.enable_sequence_parallel", true) && cut.tensor > 1;
}

inline void read_torchtitan_pipeline(const launch_arguments& args, int layers, launch_job& said) {
  recipe& how = said.recipe;
  parallelism& cut = said.parallelism;
  const std::string schedule = parallelism_name(args, "pipeline_parallel_schedule");
  refuse_dualpipe_v(args, schedule);
  const torchtitan_schedule with = args.choice(schedule, "1F1B", torchtitan_schedules);
  how.schedule = with.order;
  const auto each = args.whole("parallelism.pipeline_parallel_layers_per_stage", 1);
  const int first = args.whole_or("parallelism.pipeline_parallel_first_stage_less_layers", 1);
  const int last = args.whole_or("parallelism.pipeline_parallel_last_stage_less_layers", 1);
  if (cut.pipeline == 1) return;
  if (with.interleaved) cut.interleave = 2;
  if (each && with.interleaved)
    cut.interleave = std::max(1, (layers + first + last) / (*each * cut.pipeline));
  const bool ends = first == 1 && last == 1 && (layers + 2) % (cut.pipeline * cut.interleave) == 0;
  if (!ends || layers % (cut.pipeline * cut.interleave) == 0) return;
  if (cut.interleave == 1 && cut.pipeline <= layer_split::most_stages)
    how.split = layer_split{balanced_ends(layers, cut.pipeline, true, true)};
}

/// Sequences of a pipeline's micro-batch: one, or in releases up to 0.1 the rank's sequences in as
/// many parts as the file says, else as there are stages.
///
/// Source: PyTorch, torchtitan, torchtitan/config_manager.py (commit 0011fb90, 2024),
/// --experimental.pipeline_parallel_microbatches.
inline int pipeline_micro_batch(const launch_arguments& args, int local, launch_job& said) {
  const parallelism& cut = said.parallelism;
  const std::string name = parallelism_name(args, "pipeline_parallel_microbatches");
  if (!args.has(name) && !args.has("experimental.pipeline_parallel_degree")) return 1;
  const int parts = args.whole_or(name, cut.pipeline * cut.interleave, 1);
  const int each = std::max(1, local / parts);
  if (each * parts != local)
    said.assumed.push_back(
        "micro-batch " + std::to_string(each) + ": the pipeline's " + std::to_string(parts) +
        " micro-batches do not divide a rank's batch of " + std::to_string(local));
  return each;
}

}  // namespace detail

}  // namespace gpuplan
