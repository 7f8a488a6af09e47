#pragma once
/// \file
/// What arguments of Megatron-LM choose of the memory beside the model.

#include <string>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/megatron_recipe.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Micro-batches whose gradients of the head's weights wait for the end of the step: those of
/// --wgrad-deferral-limit, whose default, 0, sets no limit.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/model_parallel_config.py, wgrad_deferral_limit
/// (2026).
inline int deferred_by_megatron(const launch_arguments& args) {
  const int limit = args.whole_or("wgrad-deferral-limit", 0);
  if (!args.flag("defer-embedding-wgrad-compute")) return 0;
  return limit > 0 ? limit : all_micro_batches;
}

}  // namespace detail

/// The workspaces of a GPU's generation, and what the arguments choose.
///
/// Transformer Engine takes FlashAttention-2 where it is named, where cuDNN has no kernel (before
/// Hopper) and where cuDNN's is not deterministic (Blackwell).
inline workspace read_megatron_workspace(const launch_arguments& args, const accelerator& gpu,
                                         const transformer& model) {
  const bool moe = model.moe.experts > 0;
  const bool local = detail::made_locally(args);
  const bool deterministic = args.flag("deterministic-mode");
  workspace beside = workspace_of(gpu);
  // Deterministic products need CUBLAS_WORKSPACE_CONFIG=:4096:8, 8 times 4096 KiB.
  if (deterministic) beside.cublas = 32 * units::MiB;
  if (local && !moe) beside.transformer_engine = bytes{0};

  const bool scaled = args.flag("apply-query-key-layer-scaling");
  const bool fp32_softmax = args.flag("attention-softmax-in-fp32") || scaled;
  const std::string dispatcher = args.text("moe-token-dispatcher-type", "allgather");
  const bool hopper = gpu.peak.fp8_e4m3 > flop_per_second{0};
  const bool blackwell = gpu.peak.fp4 > flop_per_second{0};
  kernel_memory& kernels = beside.kernels;
  kernels.flash_output_copied =
      args.text("attention-backend") == "flash" || !hopper || (blackwell && deterministic);
  kernels.scores_buffered = local;
  kernels.gradients_unused = !local;
  kernels.softmax_kept_fp32 = args.flag("no-masked-softmax-fusion") && fp32_softmax;
  kernels.activation_fused = !args.flag("no-bias-gelu-fusion");
  kernels.mask_in_batch = !args.flag("no-create-attention-mask-in-dataloader");
  kernels.head_gradient_fused = !args.flag("no-gradient-accumulation-fusion");
  kernels.head_gradients_deferred = detail::deferred_by_megatron(args);
  kernels.experts_grouped = args.flag("moe-grouped-gemm");
  kernels.dispatcher =
      dispatcher == "allgather" ? token_dispatcher::all_gather : token_dispatcher::all_to_all;
  return beside;
}

}  // namespace gpuplan
