#pragma once
/// \file
/// Frameworks whose launches are read and written, and what is usual with each.

#include <array>
#include <string_view>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Whose launches are read and written.
enum class launch_framework { megatron, megatron_bridge, torchtitan, deepspeed, accelerate };

inline constexpr auto launch_framework_names = std::to_array<named<launch_framework>>({
    {"megatron", launch_framework::megatron},
    {"megatron-bridge", launch_framework::megatron_bridge},
    {"torchtitan", launch_framework::torchtitan},
    {"deepspeed", launch_framework::deepspeed},
    {"accelerate", launch_framework::accelerate},
});

namespace detail {

/// Whether a launch configures a script of one's own, which makes the model and trains it.
///
/// Source: Microsoft, "DeepSpeed Configuration JSON" (2025); Hugging Face, "Accelerate: the command
/// line" (1.10, 2025).
constexpr bool configures_script(launch_framework with) {
  return with == launch_framework::deepspeed || with == launch_framework::accelerate;
}

}  // namespace detail

/// Whether adapters and a reference model are the script's, and no part of the launch: the Hub's
/// trainers make both beside Accelerate or DeepSpeed.
///
/// Source: Hugging Face, "PEFT", accelerate/fsdp and accelerate/deepspeed (0.17, 2025); "TRL",
/// DPOTrainer (2025).
constexpr bool script_trains(launch_framework with) {
  return detail::configures_script(with);
}

/// Whether the launches of a framework make replicas alone: they say no tensor, pipeline, context
/// or expert ranks.
///
/// Source: Microsoft, "DeepSpeed Configuration JSON" (2025); Hugging Face, "Accelerate: FSDP" and
/// "Accelerate: DeepSpeed" (1.10, 2025).
constexpr bool makes_replicas_alone(launch_framework with) {
  return detail::configures_script(with);
}

/// Whether the launch of a framework, as it is written here, is for a vendor's accelerators.  Each
/// is for those of NVIDIA and AMD; DeepSpeed's and Accelerate's are for Intel's Gaudi, too; none is
/// for TPU and Trainium, as XLA and Neuron have launches of their own.
///
/// Source: NVIDIA, Megatron-LM, README.md, and AMD, "Training a model with Megatron-LM on ROCm"
/// (2026); PyTorch, torchtitan, README.md (2026); Microsoft, "DeepSpeed Accelerator Setup Guides"
/// (2025); Hugging Face, "Accelerate: Intel Gaudi" (2025).
constexpr bool launches_on(launch_framework with, std::string_view vendor) {
  if (vendor == "Intel") return script_trains(with);
  return vendor == "NVIDIA" || vendor == "AMD";
}

/// A recipe with what a framework does unless it is told otherwise: PyTorch's FSDP keeps weights in
/// FP32 and makes gradients in the backward pass, and its losses are separate steps; torchtitan
/// compiles model and loss.
///
/// Source: PyTorch, torchtitan, torchtitan/config (commit b5bcd76c, 2026); Hugging Face,
/// "Accelerate: FSDP" (2025); Microsoft, "DeepSpeed Configuration JSON" (2025).
constexpr recipe usual_recipe(launch_framework with) {
  switch (with) {
    case launch_framework::megatron:
    case launch_framework::megatron_bridge: break;
    case launch_framework::torchtitan:
      return {.weights = weight_storage::fp32,
              .zero = zero_stage::parameters,
              .loss = loss_kernel::compiled,
              .gradients_live = gradient_lifetime::backward,
              .framework = framework::fsdp2};
    case launch_framework::deepspeed:
      return {.loss = loss_kernel::eager, .framework = framework::fsdp};
    case launch_framework::accelerate:
      return {.weights = weight_storage::fp32,
              .zero = zero_stage::parameters,
              .loss = loss_kernel::eager,
              .gradients_live = gradient_lifetime::backward,
              .framework = framework::fsdp};
  }
  return {};
}

/// Values of 2 B in DeepSpeed's buckets to reduce and to gather, by its defaults, and how many of
/// each it keeps with overlap_comm.
///
/// Source: Microsoft, "DeepSpeed Configuration JSON", ZeRO optimizations (2025); Hugging Face,
/// "Transformers", DeepSpeed (2025), for the factor of 4.5.
inline constexpr double deepspeed_bucket_values = 5e8;
inline constexpr double deepspeed_overlapped_buckets = 4.5;

/// The workspace of a framework on an accelerator, by its defaults.
constexpr workspace usual_workspace(launch_framework with, const accelerator& gpu,
                                    const recipe& how) {
  workspace beside = workspace_of(gpu, how.framework);
  if (with == launch_framework::deepspeed)
    beside.zero_buckets =
        2 * deepspeed_overlapped_buckets * deepspeed_bucket_values * 2 * units::byte;
  return beside;
}

}  // namespace gpuplan
