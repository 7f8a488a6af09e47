#pragma once
/// \file
/// Reads and writes DeepSpeed's JSON.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/arguments_not_modelled.hpp>
#include <gpuplan/launch/deepspeed_batch.hpp>
#include <gpuplan/launch/deepspeed_ranks.hpp>
#include <gpuplan/launch/dotted_names.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/launch/launch_samples.hpp>
#include <gpuplan/launch/script_adapters.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Sections and fields that change neither memory nor time of a step.
inline constexpr auto idle_deepspeed_beginnings =
    std::to_array<std::string_view>({"_comment",
                                     "aio.",
                                     "bf16.auto_cast",
                                     "bf16.check_grad_overflow",
                                     "bf16.consecutive_hysteresis",
                                     "bf16.hysteresis",
                                     "bf16.initial_scale_power",
                                     "bf16.loss_scale",
                                     "bf16.min_loss_scale",
                                     "checkpoint",
                                     "comet",
                                     "comms_logger",
                                     "csv_monitor",
                                     "dump_state",
                                     "elasticity.",
                                     "flops_profiler",
                                     "fp16.auto_cast",
                                     "fp16.consecutive_hysteresis",
                                     "fp16.hysteresis",
                                     "fp16.initial_scale_power",
                                     "fp16.loss_scale",
                                     "fp16.min_loss_scale",
                                     "gradient_clipping",
                                     "memory_breakdown",
                                     "optimizer.params.adam_lr",
                                     "optimizer.params.adam_w_mode",
                                     "optimizer.params.betas",
                                     "optimizer.params.bias_correction",
                                     "optimizer.params.eps",
                                     "optimizer.params.lr",
                                     "optimizer.params.momentum",
                                     "optimizer.params.muon_lr",
                                     "optimizer.params.weight_decay",
                                     "prescale_gradients",
                                     "scheduler.",
                                     "steps_per_print",
                                     "tensorboard",
                                     "wandb",
                                     "zero_allow_untested",
                                     "zero_force_ds_cpu",
                                     "zero_optimization.cpu_offload_use_pin_memory",
                                     "zero_optimization.stage3_gather_16bit",
                                     "zero_optimization.stage3_gather_fp16",
                                     "zero_optimization.ignore_unused"});

/// What a step of DeepSpeed is taken to do, by its defaults.
///
/// Source: Microsoft, "DeepSpeed Configuration JSON", ZeRO optimizations, communication logging,
/// and logging (2025).
inline constexpr auto modelled_by_deepspeed =
    std::to_array<modelled_value>({{"comms_logger.enabled", "false"},
                                   {"wall_clock_breakdown", "false"},
                                   {"zero_optimization.allgather_partitions", "true"},
                                   {"zero_optimization.contiguous_gradients", "true"},
                                   {"zero_optimization.reduce_scatter", "true"},
                                   {"zero_optimization.round_robin_gradients", "false"}});

/// The same of states that are updated on the host.
inline constexpr auto modelled_on_host =
    std::to_array<modelled_value>({{"zero_force_ds_cpu_optimizer", "true"}});

inline constexpr auto deepspeed_optimizers =
    std::to_array<named<optimizer>>({{"Adam", optimizer::adamw},
                                     {"AdamW", optimizer::adamw},
                                     {"FusedAdam", optimizer::adamw},
                                     {"Lion", optimizer::lion},
                                     {"SGD", optimizer::momentum},
                                     {"Muon", optimizer::muon},
                                     {"muon", optimizer::muon}});

inline constexpr auto deepspeed_gradients =
    std::to_array<named<gradient_format>>({{"fp32", gradient_format::fp32},
                                           {"bf16", gradient_format::bf16},
                                           {"fp16", gradient_format::fp16}});

/// Source: Microsoft, "DeepSpeed Configuration JSON", communication_data_type (2025); bfp16 is what
/// releases of 2022 and 2023 call BF16.
inline constexpr auto deepspeed_reductions =
    std::to_array<named<reduction_format>>({{"fp32", reduction_format::fp32},
                                            {"bf16", reduction_format::bf16},
                                            {"fp16", reduction_format::fp16},
                                            {"bfp16", reduction_format::bf16}});

/// The name of a format of gradients.
constexpr std::string_view deepspeed_format(number_format of) {
  return of == number_format::fp32 ? "fp32" : of == number_format::bf16 ? "bf16" : "fp16";
}

inline constexpr auto zero_stages = std::to_array<zero_stage>(
    {zero_stage::none, zero_stage::optimizer, zero_stage::gradients, zero_stage::parameters});

/// The stage that a name says.
inline zero_stage zero_stage_of(const launch_arguments& args, std::string_view name) {
  const int stage = args.whole_or(name, 0);
  if (stage > 3) args.refuse(name, "must be 0, 1, 2 or 3");
  return zero_stages[static_cast<std::size_t>(stage)];
}

/// What DeepSpeed's or Accelerate's words for the host say; NVMe is not modelled.
inline offloaded_states offloaded(const launch_arguments& args, std::string_view optimizer_name,
                                  std::string_view weights_name, launch_job& said) {
  const std::string states = args.text(optimizer_name, "none");
  const std::string weights = args.text(weights_name, "none");
  for (const auto& [name, device] :
       {std::pair{optimizer_name, states}, std::pair{weights_name, weights}})
    if (device == "nvme")
      said.not_modelled.push_back(std::string(name) + " nvme: the host's memory is taken");
  if (weights != "none") return offloaded_states::all;
  return states != "none" ? offloaded_states::optimizer : offloaded_states::none;
}

/// What zero_optimization says of the host; cpu_offload and cpu_offload_params are the switches of
/// releases up to 0.3.
///
/// Source: Microsoft, DeepSpeed, deepspeed/runtime/zero/config.py, DeepSpeedZeroConfig and
/// read_zero_config_deprecated (2025).
inline offloaded_states offloaded_by_zero(const launch_arguments& args, launch_job& said) {
  const offloaded_states now = offloaded(args, "zero_optimization.offload_optimizer.device",
                                         "zero_optimization.offload_param.device", said);
  const bool states = args.flag("zero_optimization.cpu_offload");
  const bool weights = args.flag("zero_optimization.cpu_offload_params");
  if (weights) return offloaded_states::all;
  return states && now == offloaded_states::none ? offloaded_states::optimizer : now;
}

/// Whether messages run beside computing: where the file does not say it, with stage 3.
///
/// Source: Microsoft, "DeepSpeed", deepspeed/runtime/zero/config.py (2025).
inline bool deepspeed_overlaps(const launch_arguments& args, zero_stage stage) {
  return args.flag_or("zero_optimization.overlap_comm", stage == zero_stage::parameters);
}

/// How many of each bucket are kept.
constexpr double kept_deepspeed_buckets(bool overlaps) {
  return overlaps ? deepspeed_overlapped_buckets : 1;
}

/// The formats of accumulated and of reduced gradients where the file does not say them: that of
/// the weights which are computed with; without ZeRO, FP32 is accumulated beside BF16.
///
/// Source: Microsoft, "DeepSpeed", deepspeed/runtime/engine.py (2025), get_data_types and
/// communication_data_type.
inline void take_deepspeed_gradients(recipe& how) {
  const bool divided = how.zero != zero_stage::none;
  if (how.precision == precision::mixed_fp16) {
    how.gradient = gradient_format::fp16;
    how.reduction = reduction_format::fp16;
  } else if (how.precision == precision::mixed_bf16) {
    how.gradient = divided ? gradient_format::bf16 : gradient_format::fp32;
    how.reduction = reduction_format::bf16;
  }
}

/// Bytes of the buckets: 2 B a value.
inline bytes deepspeed_buckets(const launch_arguments& args, bool overlaps) {
  const double kept = kept_deepspeed_buckets(overlaps);
  double values = 0;
  for (const char* name :
       {"zero_optimization.reduce_bucket_size", "zero_optimization.allgather_bucket_size"}) {
    const double held = args.number_or(name, deepspeed_bucket_values);
    if (!(held >= 0 && held <= 1e12)) args.refuse(name, "must be 0 to 1e12 values");
    values += held;
  }
  return kept * values * 2 * units::byte;
}

/// Names without the values that DeepSpeed leaves to others, "auto"; left_to_script lists these.
inline nlohmann::json without_auto(nlohmann::json values) {
  nlohmann::json left = nlohmann::json::array();
  for (auto at = values.begin(); at != values.end();) {
    const bool is_left = at->is_string() && at->get_ref<const std::string&>() == "auto";
    if (is_left) left.push_back(at.key());
    at = is_left ? values.erase(at) : std::next(at);
  }
  if (!left.empty()) values[left_to_script] = std::move(left);
  return values;
}

/// Says what "auto" leaves to the script, and what is taken for it where no option says it.
inline void say_left_to_script(const launch_arguments& args, const launch_surroundings& around,
                               launch_job& said) {
  if (said.recipe.precision == precision::fp32 && !around.precision_given &&
      (is_left_to_script(args, "bf16.enabled") || is_left_to_script(args, "fp16.enabled")))
    said.assumed.emplace_back(
        "the script's own, as the file says \"auto\": precision, fp32 unless "
        "another is given");
  if (is_left_to_script(args, deepspeed_micro_batch_name) && is_micro_batch_open(args, around))
    said.assumed.emplace_back(
        "the script's own, as the file says \"auto\": micro-batch, 1 unless "
        "another is given");
}

/// Says that adapters are the script's, where no option says what is trained.
inline void say_all_trained(const launch_surroundings& around, launch_job& said) {
  if (!around.trained_given)
    said.assumed.emplace_back("all weights are trained; --adapter-rank says otherwise");
}

}  // namespace detail

/// The recipe and the layout of a DeepSpeed JSON; the model is not in it.  Ranks of pipelines and
/// of experts are made by the script, and so is recomputation: number_checkpoints says in how many
/// blocks.
///
/// Source: Microsoft, "DeepSpeed Configuration JSON", deepspeed.ai/docs/config-json (2025).
///
/// \throws invalid_input naming the field
inline launch_job read_deepspeed(const launch_arguments& args, const launch_surroundings& around) {
  launch_job said{.recipe = usual_recipe(launch_framework::deepspeed)};
  recipe& how = said.recipe;
  launch_surroundings cut = in_samples(around);
  read_deepspeed_ranks(args, cut, said);
  read_deepspeed_batch(args, cut, said);
  if (around.sequence_length > 0) how.sequence_length = around.sequence_length;

  const bool bf16 = args.flag("bf16.enabled");
  const bool fp16 = args.flag("fp16.enabled");
  if (bf16 && fp16) args.refuse("fp16.enabled", "contradicts bf16.enabled");
  how.precision = bf16 ? precision::mixed_bf16 : fp16 ? precision::mixed_fp16 : precision::fp32;
  how.zero = detail::zero_stage_of(args, "zero_optimization.stage");
  if (args.flag("zero_optimization")) how.zero = zero_stage::optimizer;  // as it was first written
  detail::take_deepspeed_gradients(how);
  if (args.has("data_types.grad_accum_dtype"))
    how.gradient = args.choice("data_types.grad_accum_dtype", "fp32", detail::deepspeed_gradients);
  if (args.has("communication_data_type"))
    how.reduction = args.choice("communication_data_type", "fp32", detail::deepspeed_reductions);
  how.optimizer = args.choice("optimizer.type", "AdamW", detail::deepspeed_optimizers);
  const bool overlaps = detail::deepspeed_overlaps(args, how.zero);
  if (how.zero != zero_stage::none && !overlaps) how.overlap.data = software_choice::off;
  how.offload = detail::offloaded_by_zero(args, said);
  const auto blocks = args.whole("activation_checkpointing.number_checkpoints", 1);
  if (blocks && around.model) {
    how.recompute = recompute::full;
    how.recompute_every = std::max(1, (around.model->layers + *blocks - 1) / *blocks);
  }
  said.workspace = usual_workspace(launch_framework::deepspeed, around.gpu, how);
  said.workspace.zero_buckets = detail::deepspeed_buckets(args, overlaps);
  said.assumed.emplace_back("the script's own: tokens of a sequence, attention, recomputation");
  detail::say_left_to_script(args, around, said);
  detail::say_all_trained(around, said);
  count_sequences(around.sequences_per_sample, "train_batch_size and its micro-batch", said);
  if (args.flag("elasticity.enabled"))
    said.not_modelled.emplace_back("elasticity.enabled: the batch that DeepSpeed chooses by it");
  add_other_values(args, detail::modelled_by_deepspeed, said);
  if (how.offload != offloaded_states::none) add_other_values(args, detail::modelled_on_host, said);
  add_not_modelled(args, detail::idle_deepspeed_beginnings, said);
  return said;
}

/// DeepSpeed's JSON for a layout of replicas.
inline nlohmann::ordered_json write_deepspeed(const recipe& how, const parallelism& cut,
                                              const workspace& beside, const transformer& model,
                                              const launch_ranks& ranks = {}) {
  std::string comment =
      "Not decided here: data, learning rate, tokens of a sequence, recomputation of the script";
  if (how.adapts()) comment += "; the script's adapters: " + adapters_in_words(how.adapters);
  const int sample = how.sequences_per_sample;
  if (sample > 1) comment += "; batches count " + samples_of(sample);
  if (ranks.said())
    comment += "; deepspeed --num_nodes " + std::to_string(ranks.nodes) + " --num_gpus " +
               std::to_string(ranks.per_node);
  if (ranks.left_idle > 0) comment += "; " + unfilled_nodes(ranks);
  const bool overlaps = how.overlap.data != software_choice::off;
  const auto values = static_cast<std::int64_t>(std::round(
      beside.zero_buckets.in_base_units() / (2 * detail::kept_deepspeed_buckets(overlaps) * 2)));
  const int step = cut.micro_batch_size * cut.data;
  nlohmann::ordered_json file{
      {"_comment", comment},
      {detail::deepspeed_batch_name, std::max(1, how.global_batch_size / sample)},
      {detail::deepspeed_micro_batch_name, std::max(1, cut.micro_batch_size / sample)},
      {detail::deepspeed_steps_name, std::max(1, how.global_batch_size / std::max(1, step))},
      {"bf16", {{"enabled", how.precision == precision::mixed_bf16}}},
      {"fp16", {{"enabled", how.precision == precision::mixed_fp16}}},
      {"data_types", {{"grad_accum_dtype", detail::deepspeed_format(gradient_storage(how))}}}};
  recipe usual = how;
  detail::take_deepspeed_gradients(usual);
  if (gradient_reduction(how) != gradient_reduction(usual))
    file["communication_data_type"] = detail::deepspeed_format(gradient_reduction(how));
  for (const auto& row : detail::deepspeed_optimizers)
    if (row.value == how.optimizer && row.name != "Adam") {
      file["optimizer"] = {{"type", row.name}};
      break;
    }
  nlohmann::ordered_json zero{{"stage", static_cast<int>(how.zero)}};
  if (how.zero != zero_stage::none) {
    zero["overlap_comm"] = overlaps;
    zero["reduce_bucket_size"] = values;
    zero["allgather_bucket_size"] = values;
  }
  if (how.offload != offloaded_states::none) zero["offload_optimizer"] = {{"device", "cpu"}};
  if (how.offload == offloaded_states::all) zero["offload_param"] = {{"device", "cpu"}};
  file["zero_optimization"] = zero;
  if (how.recompute == recompute::full)
    file["activation_checkpointing"] = {
        {"number_checkpoints", (model.layers + how.recompute_every - 1) / how.recompute_every}};
  return file;
}

}  // namespace gpuplan
