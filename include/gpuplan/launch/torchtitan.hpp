#pragma once
/// \file
/// Reads and writes torchtitan's TOML.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/arguments_not_modelled.hpp>
#include <gpuplan/launch/deepspeed.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/launch/torchtitan_parallelism.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

inline constexpr auto idle_torchtitan_beginnings =
    std::to_array<std::string_view>({"checkpoint.",
                                     "comm.init_timeout",
                                     "comm.save_traces",
                                     "comm.trace_buf",
                                     "comm.train_timeout",
                                     "dataloader.",
                                     "debug.moe_force_load_balance",
                                     "debug.print_config",
                                     "debug.save_config",
                                     "debug.seed",
                                     "dump_folder",
                                     "experimental.custom_args_module",
                                     "experimental.custom_import",
                                     "hf_assets_path",
                                     "job.",
                                     "lr_scheduler.",
                                     "memory_estimation.",
                                     "metrics.",
                                     "model.name",
                                     "model.hf_assets_path",
                                     "model.tokenizer_path",
                                     "optimizer.beta",
                                     "optimizer.eps",
                                     "optimizer.lr",
                                     "optimizer.weight_decay",
                                     "profiler.",
                                     "profiling.",
                                     "tokenizer.",
                                     "training.dataset",
                                     "training.dataset_path",
                                     "training.debug_moe",
                                     "training.gc_freq",
                                     "training.max_norm",
                                     "training.seed",
                                     "training.steps",
                                     "validation.",
                                     "validator."});

/// What a step of torchtitan is taken to do, by its defaults.
///
/// Source: PyTorch, torchtitan, torchtitan/config (commit b5bcd76c, 2026); of rotate_method, too,
/// torchtitan/config_manager.py (commit 391ddd3d, 2025).
inline constexpr auto modelled_by_torchtitan =
    std::to_array<modelled_value>({{"comm.mode", "default"},
                                   {"experimental.context_parallel_rotate_method", "allgather"},
                                   {"optimizer.implementation", "fused"},
                                   {"parallelism.context_parallel_load_balancer", "headtail"},
                                   {"parallelism.context_parallel_rotate_method", "allgather"},
                                   {"parallelism.expert_parallel_comm_backend", "standard"}});

inline constexpr auto torchtitan_modes =
    std::to_array<named<recompute>>({{"none", recompute::none},
                                     {"selective", recompute::alternate_products},
                                     {"full", recompute::full}});

inline constexpr auto torchtitan_optimizers = std::to_array<named<optimizer>>(
    {{"AdamW", optimizer::adamw}, {"Adam", optimizer::adam}, {"SGD", optimizer::momentum}});

inline constexpr auto torchtitan_formats =
    std::to_array<named<bool>>({{"float32", true}, {"bfloat16", false}});

/// The first of two names that is given: fields were renamed.
inline std::string_view renamed(const launch_arguments& args, std::string_view now,
                                std::string_view before) {
  return !args.has(now) && args.has(before) ? before : now;
}

/// Sequences of a rank where releases up to 0.2 are told none.
///
/// Source: Meta, "torchtitan", torchtitan/config/job_config.py, Training.local_batch_size (2025).
inline constexpr int usual_local_batch_before = 8;

inline void read_torchtitan_batch(const launch_arguments& args, launch_job& said) {
  recipe& how = said.recipe;
  parallelism& cut = said.parallelism;
  how.sequence_length =
      args.whole_or(renamed(args, "training.max_context_length", "training.seq_len"), 2048, 1);
  const int tokens = args.whole_or("training.num_tokens_per_microbatch_per_dp_rank", 16384, 1);
  const int micro_batches = args.whole_or("parallelism.num_pp_microbatches", 1, 1);
  auto before = args.whole(renamed(args, "training.local_batch_size", "training.batch_size"), 1);
  if (!before && args.has("training.seq_len") &&
      !args.has("training.num_tokens_per_microbatch_per_dp_rank"))
    before = usual_local_batch_before;
  const auto piece = args.whole("parallelism.pipeline_parallel_microbatch_size", 1);
  const int local = before.value_or(std::max(1, tokens / how.sequence_length));
  cut.micro_batch_size = local;
  if (before && cut.pipeline > 1)
    cut.micro_batch_size = piece ? *piece : pipeline_micro_batch(args, local, said);
  const double of_rank = before || cut.pipeline == 1 ? local : double(local) * micro_batches;
  const double step = args.number_or("training.num_tokens_per_train_step", -1);
  double batch = args.number_or("training.global_batch_size", -1);
  if (step > 0) batch = step / how.sequence_length;
  if (!(batch > 0)) batch = of_rank * cut.data;
  if (!(batch >= 1 && batch <= 1e9))
    args.refuse("training.num_tokens_per_train_step", "must be a batch of 1 to 1e9 sequences");
  how.global_batch_size = static_cast<int>(batch);
}

inline void read_torchtitan_formats(const launch_arguments& args, launch_job& said) {
  recipe& how = said.recipe;
  const bool wide = args.choice("training.dtype", "float32", torchtitan_formats);
  const bool computed_wide =
      args.choice("training.mixed_precision_param", "bfloat16", torchtitan_formats);
  if (!args.choice("training.mixed_precision_reduce", "float32", torchtitan_formats))
    how.reduction = reduction_format::bf16;
  how.precision = !wide ? precision::bf16 : computed_wide ? precision::fp32 : precision::mixed_bf16;
  if (how.precision != precision::mixed_bf16) how.weights = weight_storage::by_precision;
  if (args.flag("training.enable_cpu_offload")) how.offload = offloaded_states::all;
  how.optimizer = args.choice("optimizer.name", "AdamW", torchtitan_optimizers);
  how.recompute = args.choice("activation_checkpoint.mode", "selective", torchtitan_modes);
  const std::string policy = args.text("activation_checkpoint.selective_ac_option", "op");
  if (how.recompute == recompute::alternate_products && policy != "op")
    said.not_modelled.push_back("activation_checkpoint.selective_ac_option " + shown_name(policy) +
                                ": the operators' policy is taken");
  const std::vector<std::string> parts = args.words("compile.components");
  const bool compiled_before = args.flag("training.compile");  // as the field was called
  const bool compiled = args.flag("compile.enable") || compiled_before;
  const bool loss = parts.empty() || std::find(parts.begin(), parts.end(), "loss") != parts.end();
  how.framework = compiled ? framework::fsdp2 : framework::fsdp;
  how.loss = compiled && loss ? loss_kernel::compiled : loss_kernel::eager;
}

}  // namespace detail

/// The recipe and the layout of a torchtitan TOML; the model is not in it, but for its name.
///
/// Source: PyTorch, torchtitan, torchtitan/config (commit b5bcd76c, 2026), and the names of
/// releases up to 0.2: local_batch_size, global_batch_size, seq_len; of 2024 and 0.1: batch_size,
/// and degrees in [training] and [experimental].
///
/// \throws invalid_input naming the field
inline launch_job read_torchtitan(const launch_arguments& args, const launch_surroundings& around) {
  launch_job said{.recipe = usual_recipe(launch_framework::torchtitan)};
  detail::read_torchtitan_formats(args, said);
  detail::read_torchtitan_layout(args, around.gpus, said);
  detail::read_torchtitan_pipeline(args, around.model ? around.model->layers : 1, said);
  detail::read_torchtitan_batch(args, said);
  if (said.recipe.zero == zero_stage::none) said.recipe.gradients_live = gradient_lifetime::always;
  said.workspace = workspace_of(around.gpu, said.recipe.framework);
  add_other_values(args, detail::modelled_by_torchtitan, said);
  // The other backends are the same steps in other types.
  if (args.text("parallelism.spmd_backend") == "full_dtensor")
    said.not_modelled.emplace_back("parallelism.spmd_backend full_dtensor");
  if (const std::string flavor = args.text("model.flavor"); around.model && !flavor.empty())
    said.not_modelled.push_back("model.flavor " + shown_name(flavor) +
                                ": the model is the one that was named");
  add_not_modelled(args, detail::idle_torchtitan_beginnings, said);
  return said;
}

namespace detail {

inline std::string toml_line(const char* name, double value) {
  return std::string(name) + " = " + std::to_string(static_cast<long long>(value)) + "\n";
}
inline std::string toml_line(const char* name, const std::string& word) {
  return std::string(name) + " = \"" + word + "\"\n";
}
inline std::string toml_switch(const char* name, bool is_on) {
  return std::string(name) + " = " + (is_on ? "true" : "false") + "\n";
}

inline std::string torchtitan_training(const recipe& how, const parallelism& cut) {
  const double sequence = how.sequence_length;
  std::string text = "[training]\n";
  text += toml_line("max_context_length", sequence);
  text += toml_line("num_tokens_per_microbatch_per_dp_rank", sequence * cut.micro_batch_size);
  text += toml_line("num_tokens_per_train_step", sequence * how.global_batch_size);
  text +=
      toml_line("dtype", std::string(how.precision == precision::bf16 ? "bfloat16" : "float32"));
  text += toml_line("mixed_precision_param",
                    std::string(how.precision == precision::fp32 ? "float32" : "bfloat16"));
  text += toml_line("mixed_precision_reduce",
                    std::string(how.reduction == reduction_format::bf16 ? "bfloat16" : "float32"));
  text += toml_switch("enable_cpu_offload", how.offload == offloaded_states::all);
  for (const auto& row : torchtitan_optimizers)
    if (row.value == how.optimizer)
      text += "\n[optimizer]\n" + toml_line("name", std::string(row.name));
  return text;
}

inline std::string torchtitan_pipeline(const recipe& how, const parallelism& cut, int layers) {
  std::string schedule = cut.interleave > 1 ? "Interleaved1F1B" : "1F1B";
  const bool interleaved = cut.interleave > 1 && how.schedule == torchtitan_schedule{}.order;
  for (const auto& row : torchtitan_schedules) {
    if (row.value.order != how.schedule || row.value.interleaved != interleaved) continue;
    schedule = std::string(row.name);
    break;
  }
  const int step = std::max(1, cut.data * cut.micro_batch_size);
  std::string text = toml_line("pipeline_parallel_schedule", schedule);
  text += toml_line("pipeline_parallel_layers_per_stage",
                    std::max(1, layers / (cut.pipeline * cut.interleave)));
  text += toml_line("pipeline_parallel_first_stage_less_layers", 0);
  text += toml_line("pipeline_parallel_last_stage_less_layers", 0);
  text += toml_line("num_pp_microbatches", std::max(1, how.global_batch_size / step));
  return text;
}

inline std::string torchtitan_layout(const recipe& how, const parallelism& cut, int layers) {
  const bool told = cut.shard_group > 0 && cut.shard_group % cut.context == 0;
  const int group = told ? cut.shard_group / cut.context : cut.data;
  const int shard = how.zero == zero_stage::none ? 1 : std::max(1, group);
  std::string text = "\n[parallelism]\n";
  text += toml_line("data_parallel_replicate_degree", cut.data / shard);
  text += toml_line("data_parallel_shard_degree", shard);
  text += toml_line("fsdp_reshard_after_forward",
                    std::string(how.zero == zero_stage::gradients ? "never" : "always"));
  text += toml_line("tensor_parallel_degree", cut.tensor);
  text += toml_switch("enable_sequence_parallel", how.sequence_parallel);
  text += toml_line("context_parallel_degree", cut.context);
  text += toml_line("expert_parallel_degree", cut.expert);
  text += toml_line("pipeline_parallel_degree", cut.pipeline);
  return cut.pipeline > 1 ? text + torchtitan_pipeline(how, cut, layers) : text;
}

}  // namespace detail

/// torchtitan's TOML for a layout.
inline std::string write_torchtitan(const recipe& how, const parallelism& cut,
                                    const transformer& model, const launch_ranks& ranks = {}) {
  std::string text = ranks.said() ? "# " + torchrun_of(ranks) + " -m torchtitan.train\n" : "";
  if (ranks.left_idle > 0) text += "# " + unfilled_nodes(ranks) + ".\n";
  text +=
      "# Not decided here: data, learning rate, [model] name and flavor.\n"
      "# Fields of torchtitan of 2026; releases up to 0.2 call them seq_len, local_batch_size and\n"
      "# global_batch_size, in sequences.\n\n";
  text += detail::torchtitan_training(how, cut);
  text += detail::torchtitan_layout(how, cut, model.layers);
  const bool none = how.recompute == recompute::none;
  const bool some = how.recompute == recompute::alternate_products;
  text += "\n[activation_checkpoint]\n" + detail::toml_line("mode", std::string(none   ? "none"
                                                                                : some ? "selective"
                                                                                       : "full"));
  text += "\n[compile]\n" + detail::toml_switch("enable", how.framework == framework::fsdp2);
  text += how.loss == loss_kernel::compiled ? "components = [\"model\", \"loss\"]\n"
                                            : "components = [\"model\"]\n";
  return text;
}

}  // namespace gpuplan
