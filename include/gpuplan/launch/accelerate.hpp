#pragma once
/// \file
/// Reads and writes Accelerate's YAML.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/accelerate_ranks.hpp>
#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/arguments_not_modelled.hpp>
#include <gpuplan/launch/deepspeed.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/launch/launch_samples.hpp>
#include <gpuplan/launch/script_adapters.hpp>

namespace gpuplan {

namespace detail {

enum class accelerated { replicas, fsdp, deepspeed };

inline constexpr auto accelerate_types =
    std::to_array<named<accelerated>>({{"NO", accelerated::replicas},
                                       {"MULTI_GPU", accelerated::replicas},
                                       {"FSDP", accelerated::fsdp},
                                       {"DEEPSPEED", accelerated::deepspeed}});

inline constexpr auto accelerate_precisions =
    std::to_array<named<precision>>({{"no", precision::fp32},
                                     {"fp16", precision::mixed_fp16},
                                     {"bf16", precision::mixed_bf16},
                                     {"fp8", precision::mixed_fp8}});

/// Strategies of FSDP1, by name and by number.
inline constexpr auto fsdp_strategies =
    std::to_array<named<zero_stage>>({{"FULL_SHARD", zero_stage::parameters},
                                      {"SHARD_GRAD_OP", zero_stage::gradients},
                                      {"NO_SHARD", zero_stage::none},
                                      {"HYBRID_SHARD", zero_stage::parameters},
                                      {"HYBRID_SHARD_ZERO2", zero_stage::gradients}});

inline constexpr auto idle_accelerate_beginnings =
    std::to_array<std::string_view>({"_comment",
                                     "commands",
                                     "compute_environment",
                                     "debug",
                                     "deepspeed_config.gradient_clipping",
                                     "deepspeed_config.zero3_init_flag",
                                     "deepspeed_config.zero3_save_16bit_model",
                                     "deepspeed_config.deepspeed_multinode_launcher",
                                     "deepspeed_config.deepspeed_hostfile",
                                     "downcast_bf16",
                                     "enable_cpu_affinity",
                                     "fsdp_config.fsdp_auto_wrap_policy",
                                     "fsdp_config.fsdp_cpu_ram_efficient_loading",
                                     "fsdp_config.fsdp_state_dict_type",
                                     "fsdp_config.fsdp_sync_module_states",
                                     "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
                                     "fsdp_config.fsdp_use_orig_params",
                                     "gpu_ids",
                                     "machine_rank",
                                     "main_process_ip",
                                     "main_process_port",
                                     "main_training_function",
                                     "rdzv_backend",
                                     "same_network",
                                     "tpu_"});

/// When FSDP1 gathers weights, as a step of it is taken to: the next layer's beside the backward
/// pass of the one before.  FSDP2 has its own order, and heeds neither.
///
/// Source: Hugging Face, "Accelerate: FSDP" (1.10, 2025); PyTorch, BackwardPrefetch (2.7, 2025).
inline constexpr auto modelled_of_fsdp1 =
    std::to_array<modelled_value>({{"fsdp_config.fsdp_backward_prefetch", "BACKWARD_PRE"},
                                   {"fsdp_config.fsdp_forward_prefetch", "false"}});

/// Where FSDP1 has its strategy: fsdp_reshard_after_forward, where that is a word for one.
inline const char* fsdp_strategy_name(const launch_arguments& args) {
  constexpr const char* renamed = "fsdp_config.fsdp_reshard_after_forward";
  const nlohmann::json& word = args.value(renamed);
  const bool is_strategy =
      word.is_string() && !switch_from(word) && args.whole_or("fsdp_config.fsdp_version", 1) == 1;
  return is_strategy ? renamed : "fsdp_config.fsdp_sharding_strategy";
}

inline zero_stage fsdp_zero(const launch_arguments& args) {
  const bool second = args.whole_or("fsdp_config.fsdp_version", 1) == 2;
  const char* const name = fsdp_strategy_name(args);
  if (second || !args.has(name)) {
    const bool gone = args.flag_or("fsdp_config.fsdp_reshard_after_forward", true);
    return gone ? zero_stage::parameters : zero_stage::gradients;
  }
  const nlohmann::json strategy = args.value(name);
  if (!strategy.is_number()) return args.choice(name, "FULL_SHARD", fsdp_strategies);
  const int number = args.whole_or(name, 1, 1);
  if (number > 5) args.refuse(name, "must be 1 to 5");
  return fsdp_strategies[static_cast<std::size_t>(number - 1)].value;
}

/// How context ranks exchange keys, as a step is taken to.
///
/// Source: Hugging Face, Accelerate, ParallelismConfig (1.10, 2025).
inline constexpr auto modelled_of_context = std::to_array<modelled_value>(
    {{"parallelism_config.parallelism_config_cp_comm_strategy", "allgather"}});

/// Which parts of a model FSDP gathers one by one: its layers, or none where nothing is wrapped and
/// all of it is gathered at once.
inline constexpr auto fsdp_wrap_policies = std::to_array<named<bool>>(
    {{"TRANSFORMER_BASED_WRAP", true}, {"SIZE_BASED_WRAP", true}, {"NO_WRAP", false}});

inline void read_fsdp(const launch_arguments& args, launch_job& said) {
  recipe& how = said.recipe;
  constexpr const char* wrap = "fsdp_config.fsdp_auto_wrap_policy";
  if (!args.choice(wrap, "TRANSFORMER_BASED_WRAP", fsdp_wrap_policies))
    said.not_modelled.push_back(std::string(wrap) + " NO_WRAP: layers are taken to be gathered " +
                                "one by one, not the whole model at once");
  how.zero = fsdp_zero(args);
  launch_job unheeded;
  const bool first = args.whole_or("fsdp_config.fsdp_version", 1) == 1;
  add_other_values(args, modelled_of_fsdp1, first ? said : unheeded);
  if (args.flag("fsdp_config.fsdp_activation_checkpointing")) how.recompute = recompute::full;
  if (args.flag("fsdp_config.fsdp_offload_params")) how.offload = offloaded_states::all;
  const char* const strategy = fsdp_strategy_name(args);
  const bool hybrid = args.text(strategy).starts_with("HYBRID") || args.value(strategy) == 4;
  const int machines = args.whole_or("num_machines", 1, 1);
  if (hybrid && machines > 1 && said.parallelism.data % machines == 0)
    said.parallelism.shard_group = said.parallelism.data / machines;
}

inline void read_accelerated_deepspeed(const launch_arguments& args, launch_job& said) {
  if (args.has("deepspeed_config.deepspeed_config_file"))
    args.refuse("deepspeed_config.deepspeed_config_file", "names another file; read that one");
  said.recipe = usual_recipe(launch_framework::deepspeed);
  said.recipe.zero = zero_stage_of(args, "deepspeed_config.zero_stage");
  said.recipe.offload = offloaded(args, "deepspeed_config.offload_optimizer_device",
                                  "deepspeed_config.offload_param_device", said);
}

}  // namespace detail

/// The recipe and the layout of an Accelerate YAML; model, micro-batch and tokens are not in it.
///
/// Source: Hugging Face, "Accelerate: the command line", "FSDP" and "DeepSpeed" (1.10, 2025).
///
/// \throws invalid_input naming the field
inline launch_job read_accelerate(const launch_arguments& args, const launch_surroundings& around) {
  launch_job said{.recipe = usual_recipe(launch_framework::accelerate)};
  if (args.flag("use_cpu")) args.refuse("use_cpu", "trains on a CPU, which is not modelled");
  const int processes = args.whole_or("num_processes", 1, 1);
  read_accelerate_ranks(args, around, said);
  const int machines = args.whole_or("num_machines", 1, 1);
  if (processes % machines != 0)
    args.refuse("num_processes", "is " + std::to_string(processes) + ", which the " +
                                     std::to_string(machines) +
                                     " machines of num_machines do not divide");
  if (machines > 1) said.gpus_per_node = processes / machines;
  const auto type = args.choice("distributed_type", "NO", detail::accelerate_types);
  auto software = launch_framework::accelerate;
  if (type == detail::accelerated::fsdp) {
    detail::read_fsdp(args, said);
    read_accelerate_shards(args, said);
  } else if (type == detail::accelerated::deepspeed) {
    software = launch_framework::deepspeed;
    detail::read_accelerated_deepspeed(args, said);
  } else {
    said.recipe.zero = zero_stage::none;
    said.recipe.gradients_live = gradient_lifetime::always;
  }
  recipe& how = said.recipe;
  if (around.sequence_length > 0) how.sequence_length = around.sequence_length;
  how.precision = args.choice("mixed_precision", "no", detail::accelerate_precisions);
  if (how.precision == precision::fp32) how.weights = weight_storage::by_precision;
  const std::string compiler = args.text("dynamo_config.dynamo_backend", "no");
  const bool deepspeed = type == detail::accelerated::deepspeed;
  if (!same_name(compiler, "no") && deepspeed && how.zero == zero_stage::optimizer) {
    said.not_modelled.emplace_back("dynamo_config.dynamo_backend");
  } else if (!same_name(compiler, "no")) {
    how.framework = framework::fsdp2;
    how.loss = loss_kernel::compiled;
  }
  const int steps = args.whole_or(args.has("gradient_accumulation_steps")
                                      ? "gradient_accumulation_steps"
                                      : "deepspeed_config.gradient_accumulation_steps",
                                  1, 1);
  how.global_batch_size = static_cast<int>(std::min(1e9, double(steps) * said.parallelism.data));
  how.sequences_per_sample = said.parallelism.micro_batch_size = around.sequences_per_sample;
  said.workspace = usual_workspace(software, around.gpu, how);
  said.assumed.emplace_back("the script's own: micro-batch, tokens of a sequence, attention");
  detail::say_all_trained(around, said);
  launch_job unheeded;
  add_other_values(args, detail::modelled_of_context,
                   said.parallelism.context > 1 ? said : unheeded);
  add_not_modelled(args, detail::idle_accelerate_beginnings, said);
  return said;
}

namespace detail {

inline const char* yaml_switch(bool is_on) {
  return is_on ? "true" : "false";
}

inline std::string accelerate_deepspeed(const recipe& how, const std::string& steps) {
  const bool all = how.offload == offloaded_states::all;
  std::string text = "deepspeed_config:\n  zero_stage: ";
  text += std::to_string(static_cast<int>(how.zero));
  text += "\n  gradient_accumulation_steps: " + steps;
  text += "\n  offload_optimizer_device: ";
  text += how.offload != offloaded_states::none ? "cpu" : "none";
  text += std::string("\n  offload_param_device: ") + (all ? "cpu" : "none");
  text += "\n  zero3_init_flag: ";
  text += yaml_switch(how.zero == zero_stage::parameters);
  return text + "\n";
}

inline std::string accelerate_fsdp(const recipe& how) {
  std::string text =
      "fsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
      "  fsdp_reshard_after_forward: ";
  text += yaml_switch(how.zero == zero_stage::parameters);
  text += "\n  fsdp_activation_checkpointing: ";
  text += yaml_switch(how.recompute == recompute::full);
  text += "\n  fsdp_offload_params: ";
  text += yaml_switch(how.offload == offloaded_states::all);
  return text + "\n  fsdp_state_dict_type: SHARDED_STATE_DICT\n";
}

}  // namespace detail

/// Accelerate's YAML for a layout of replicas: DeepSpeed where its buckets are counted, else FSDP
/// where anything is divided, else replicas alone.
inline std::string write_accelerate(const recipe& how, const parallelism& cut,
                                    const workspace& beside, const launch_ranks& ranks = {}) {
  const bool deepspeed = beside.zero_buckets > bytes{0};
  const bool fsdp = !deepspeed && how.zero != zero_stage::none;
  std::string format = "no";
  for (const auto& row : detail::accelerate_precisions)
    if (row.value == how.precision) format = std::string(row.name);
  const int step = std::max(1, cut.micro_batch_size * cut.data);
  const std::string steps = std::to_string(std::max(1, how.global_batch_size / step));
  std::string text = "# Not decided here: data, learning rate; the script sets micro-batches of " +
                     counted_samples(cut.micro_batch_size, how.sequences_per_sample) + " and " +
                     std::to_string(how.sequence_length) + " tokens.\n";
  if (how.adapts()) text += "# The script's adapters: " + adapters_in_words(how.adapters) + "\n";
  if (ranks.left_idle > 0) text += "# " + unfilled_nodes(ranks) + ".\n";
  text += "compute_environment: LOCAL_MACHINE\ndistributed_type: ";
  text += deepspeed ? "DEEPSPEED" : fsdp ? "FSDP" : cut.data > 1 ? "MULTI_GPU" : "NO";
  text += "\nmixed_precision: '" + format + "'\nnum_processes: " + std::to_string(cut.data);
  if (ranks.said()) text += "\nnum_machines: " + std::to_string(ranks.nodes);
  text += "\ngradient_accumulation_steps: " + steps + "\n";
  if (how.framework == framework::fsdp2) text += "dynamo_config:\n  dynamo_backend: INDUCTOR\n";
  if (deepspeed) text += detail::accelerate_deepspeed(how, steps);
  if (fsdp) text += detail::accelerate_fsdp(how);
  return text;
}

}  // namespace gpuplan
