#pragma once
/// \file
/// Reads arguments of Megatron-LM: the model, the recipe, the layout and what lies beside them.

#include <array>
#include <optional>
#include <string>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/arguments_not_modelled.hpp>
#include <gpuplan/launch/bridge_adapters.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>
#include <gpuplan/launch/megatron_idle.hpp>
#include <gpuplan/launch/megatron_model.hpp>
#include <gpuplan/launch/megatron_recipe.hpp>
#include <gpuplan/launch/megatron_refusals.hpp>
#include <gpuplan/launch/megatron_workspace.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

/// Processes on each of several nodes, where the launcher's words are numbers; else 0.
inline int megatron_node(const launch_arguments& args) {
  const nlohmann::json& nodes = args.value("nnodes");
  const nlohmann::json& each = args.value("nproc-per-node");
  if (!nodes.is_number_integer() || !each.is_number_integer()) return 0;
  return nodes.get<double>() > 1 ? args.whole_or("nproc-per-node", 0) : 0;
}

/// What a step of Megatron-LM is taken to do, by its defaults.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py (commit d98e8a64, 2026).
inline constexpr auto modelled_by_megatron =
    std::to_array<modelled_value>({{"distributed-backend", "nccl"}});

/// Names what is read for memory alone, and what is not modelled at all.
inline void name_not_modelled(const launch_arguments& args, launch_job& said) {
  if (args.flag("deterministic-mode"))
    said.not_modelled.push_back(args.shown_as("deterministic-mode") + ": the time of its kernels");
  const auto dropped = args.number("attention-dropout");
  if (dropped && (*dropped > 0) != (args.number_or("hidden-dropout", 0.1) > 0))
    said.not_modelled.push_back(args.shown_as("attention-dropout") + " " +
                                shown(args.value("attention-dropout")) + ": " +
                                args.shown_as("hidden-dropout") + " is taken for both");
  add_other_values(args, modelled_by_megatron, said);
  for (const std::string& name : args.unread())
    if (!is_idle_megatron_argument(name))
      said.not_modelled.push_back(shown_name(args.shown_as(name)));
}

}  // namespace detail

/// The job that arguments of Megatron-LM describe.
///
///     args    by their names without dashes, as "num-layers"; "script" is the one that is started
///     around  the GPU, and how many there are; data-parallel ranks take all that others leave
///
/// Defaults are those of Megatron-LM.  Arguments that can change memory or time and that nothing
/// here stands for are named in not_modelled.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py and megatron/core (commit d98e8a64,
/// 2026).
///
/// \throws invalid_input naming the argument that is missing or that nothing can stand for
inline launch_job read_megatron(const launch_arguments& args, const launch_surroundings& around) {
  launch_job said;
  said.parallelism = read_megatron_layout(args, around.gpus, around.micro_batch_size);
  if (around.gpus == 0 && args.has("nproc-per-node"))
    said.gpus = static_cast<int>(said.parallelism.gpus());
  said.one_replica = around.gpus == 0 && said.gpus == 0;
  said.gpus_per_node = detail::megatron_node(args);
  const transformer model = read_megatron_model(args, said.parallelism.tensor, said);
  said.model = model;
  said.recipe = read_megatron_recipe(args, model, said.parallelism, said, around.sequence_length);
  read_bridge_adapters(args, said);
  if (const std::optional<hybrid_pattern> pattern = read_hybrid_pattern(args))
    detail::cut_hybrid_pipeline(args, *pattern, said);
  else
    detail::cut_megatron_pipeline(args, model, said.recipe, said.parallelism);
  refuse_as_megatron(args, around, said, model);
  said.workspace = read_megatron_workspace(args, around.gpu, model);
  args.in_file([&] {
    require_valid(said.recipe);
    require_valid(said.parallelism);
  });
  detail::name_not_modelled(args, said);
  return said;
}

}  // namespace gpuplan
