#pragma once
/// \file
/// What stands for what a job does not say of its nodes, fabric, precision and sequence.

#include <algorithm>
#include <string_view>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What nodes of a GPU's time were sold with: NDR beside FP8, HDR beside BF16, EDR before, as DGX
/// H100, DGX A100 and DGX-1 were.
constexpr std::string_view default_fabric(const accelerator& gpu) {
  if (gpu.peak.fp8_e4m3 > flop_per_second{0}) return "InfiniBand NDR 4x";
  if (gpu.peak.bf16 > flop_per_second{0}) return "InfiniBand HDR 4x";
  return "InfiniBand EDR 4x";
}

/// GPUs of a host: 8, or the 4 of a tray where links join GPUs of many.
constexpr int default_gpus_per_node(const accelerator& gpu) {
  return gpu.scale_up.domain > 0 ? 4 : 8;
}

/// GPUs that links join where that is not said: of the many that they can, as many as divide the
/// job, so that no group of ranks is cut unevenly; of a GPU whose links end at its host, those of
/// the host.
constexpr int default_nvlink_domain(const accelerator& gpu, int gpus, int gpus_per_node) {
  const int most = gpu.scale_up.domain;
  if (most <= gpus_per_node) return gpus_per_node;
  if (gpus <= most) return (std::max)(gpus, gpus_per_node);
  for (int joined = most; 2 * joined >= most; --joined)
    if (gpus % joined == 0 && joined % gpus_per_node == 0) return joined;
  return most;
}

/// BF16 where the GPU multiplies it, else FP16, else FP32.
constexpr precision default_precision(const accelerator& gpu) {
  if (gpu.peak.bf16 > flop_per_second{0}) return precision::mixed_bf16;
  return gpu.peak.fp16 > flop_per_second{0} ? precision::mixed_fp16 : precision::fp32;
}

/// 2048 tokens, or as many as the model has learned positions for.
constexpr int default_sequence(const transformer& m) {
  constexpr int usual = 2048;
  return (std::min)(usual, m.most_positions());
}

/// Workers of a rank that prepare samples, where none are told.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/arguments.py (--num-workers, core_r0.12).
inline constexpr int usual_loader_workers = 2;

}  // namespace gpuplan
