#pragma once
/// \file
/// Training frameworks by generation: what each fuses, overlaps with computation and moves.

#include <array>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Generations of training software that run alike.
enum class framework {
  transformer_engine,  ///< Megatron Core, NeMo, Megatron Bridge with Transformer Engine, 2023 on
  megatron_2021,       ///< Megatron-LM of 2021 and 2022
  megatron_deepspeed,  ///< Megatron-DeepSpeed of 2021 and 2022, as BLOOM was trained with
  fsdp,                ///< PyTorch and FSDP under an eager model, as LLM Foundry ran it in 2023 and
                       ///< Hugging Face Transformers and PEFT do
  fsdp2                ///< PyTorch FSDP2 with a compiled model, as torchtitan runs it
};

inline constexpr std::array frameworks{framework::transformer_engine, framework::megatron_2021,
                                       framework::megatron_deepspeed, framework::fsdp,
                                       framework::fsdp2};

/// Which kernels compute flash attention.
enum class flash_kernel { triton, flash_2, fused };

/// In which format software reduces gradients unless the recipe says: FP32, that of the weights
/// that are computed with, or that in which gradients are accumulated.
enum class gradient_wire { fp32, weights, accumulated };

/// Deviation of one replica's time of a step, as a share of it.  One for every device and
/// generation, fitted to the runs that benchmarks/accuracy prints.
inline constexpr double replica_jitter = 0.00333;

/// Kernels of a layer's forward pass over those of both passes: what full recomputation launches
/// again.
///
/// Source: counted, NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
inline constexpr double forward_kernels = 0.38;

/// What a generation of software adds to the arithmetic of a model.
template <class T>
struct basic_framework_profile {
  T elementwise{1};          ///< bytes of elementwise kernels over those counted; > 0
  basic_bytes<T> buffers{};  ///< moved for each weight and micro-batch: flat buffers, casts; >= 0
  T four_bit_products{1};    ///< rate in 4 bits over that of measured kernels; > 0
  T tensor_exposed{1};       ///< share of a tensor message that shows where it overlaps; 0 to 1
  T data_exposed{1};         ///< likewise of gradients and weights; 0 to 1
  basic_seconds<T> dense_host{};       ///< of the host for a dense layer and micro-batch; >= 0
  basic_seconds<T> expert_host{};      ///< likewise with experts; >= 0
  basic_seconds<T> step_host{};        ///< of what a step does once: zeroing, scaling, checks; >= 0
  bool overlaps_data = true;           ///< traffic of replicas beside forward and backward passes
  bool overlaps_tensor = true;         ///< tensor messages beside products
  bool accumulates_in_product = true;  ///< weight gradients are added in FP32 by the product
  gradient_wire reduces = gradient_wire::fp32;  ///< gradients, unless the recipe says
  /// Whether the host runs ahead of the device where no message holds it up.  Steps of FSDP, on one
  /// GPU as well, fit better with a host that does not.
  bool launches_ahead = true;
  flash_kernel flash = flash_kernel::fused;
  bool eager = false;        ///< each step of an RMSNorm, a rotation and a gate is a kernel
  T jitter{replica_jitter};  ///< deviation of a replica, of its step; >= 0
};

using framework_profile = basic_framework_profile<double>;

/// The constants of a generation.  Those with a decimal point are fitted to the published runs that
/// benchmarks/accuracy prints; the rest is known of the software.
///
/// Source: the fit is printed by benchmarks/accuracy with its errors; how each runs: D. Narayanan
/// et al., SC21 (2021), arXiv:2104.04473; T. Le Scao et al., "BLOOM" (2022), arXiv:2211.05100;
/// Y. Zhao et al., "PyTorch FSDP", VLDB (2023), arXiv:2304.11277; NVIDIA, "Transformer Engine".
///
/// \throws invalid_input if generation is none of frameworks
constexpr framework_profile profile_of(framework generation) {
  using units::ms;
  switch (generation) {
    case framework::transformer_engine:
      return {.elementwise = 0.912,
              .four_bit_products = 1.23,
              .tensor_exposed = 0.564,
              .data_exposed = 0.181,
              .dense_host = 2 * ms,
              .expert_host = 7.45 * ms,
              .step_host = 36 * ms,
              .reduces = gradient_wire::accumulated};
    case framework::megatron_2021:
      return {.elementwise = 1.08,
              .dense_host = 2.09 * ms,
              .expert_host = 2.09 * ms,
              .step_host = 3.29 * ms,
              .overlaps_data = false,
              .overlaps_tensor = false,
              .reduces = gradient_wire::accumulated,
              .flash = flash_kernel::flash_2};
    case framework::megatron_deepspeed:
      return {.elementwise = 2.93,
              .dense_host = 2.09 * ms,
              .expert_host = 2.09 * ms,
              .step_host = 3.29 * ms,
              .overlaps_data = false,
              .overlaps_tensor = false,
              .reduces = gradient_wire::weights,
              .flash = flash_kernel::flash_2};
    case framework::fsdp:
      return {.elementwise = 1.28,
              .buffers = 25.8 * units::byte,
              .data_exposed = 0.181,
              .dense_host = 3.41 * ms,
              .expert_host = 3.41 * ms,
              .step_host = 36 * ms,
              .overlaps_tensor = false,
              .accumulates_in_product = false,
              .launches_ahead = false,
              .flash = flash_kernel::triton,
              .eager = true};
    case framework::fsdp2:
      return {.elementwise = 2.85,
              .buffers = 25.8 * units::byte,
              .data_exposed = 0.181,
              .dense_host = 2.28 * ms,
              .expert_host = 2.28 * ms,
              .step_host = 36 * ms,
              .overlaps_tensor = false,
              .accumulates_in_product = false,
              .launches_ahead = false,
              .flash = flash_kernel::flash_2};
  }
  require(false, "profile_of: framework must be one of frameworks");
  return {};
}

/// profile_of in another scalar.
template <class T>
constexpr basic_framework_profile<T> profile_as(framework generation) {
  const framework_profile known = profile_of(generation);
  return {.elementwise = T(known.elementwise),
          .buffers = known.buffers,
          .four_bit_products = T(known.four_bit_products),
          .tensor_exposed = T(known.tensor_exposed),
          .data_exposed = T(known.data_exposed),
          .dense_host = known.dense_host,
          .expert_host = known.expert_host,
          .step_host = known.step_host,
          .overlaps_data = known.overlaps_data,
          .overlaps_tensor = known.overlaps_tensor,
          .accumulates_in_product = known.accumulates_in_product,
          .reduces = known.reduces,
          .launches_ahead = known.launches_ahead,
          .flash = known.flash,
          .eager = known.eager,
          .jitter = T(known.jitter)};
}

}  // namespace gpuplan
