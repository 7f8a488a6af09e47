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
  fsdp,                ///< PyTorch FSDP of 2023 under an eager model, as LLM Foundry runs it
  fsdp2                ///< PyTorch FSDP2 with a compiled model, as torchtitan runs it
};

inline constexpr std::array frameworks{framework::transformer_engine, framework::megatron_2021,
                                       framework::megatron_deepspeed, framework::fsdp,
                                       framework::fsdp2};

/// Which kernels compute flash attention.
enum class flash_kernel { triton, flash_2, fused };

/// From one wave of tiles of a matrix product to the next: to write tiles out, and to drain and
/// fill the pipelines.  One time for every device and generation, fitted to the runs that
/// benchmarks/accuracy prints.
inline constexpr seconds wave_turnover = 10.6 * units::us;

/// Deviation of one replica's time of a step, as a share of it.  One for every device and
/// generation, fitted likewise.
inline constexpr double replica_jitter = 0.0057;

/// What a generation of software adds to the arithmetic of a model.
template <class T>
struct basic_framework_profile {
  T elementwise{1};          ///< bytes of elementwise kernels over those counted; > 0
  T exposed{1};              ///< share of a message that other work cannot hide; > 0
  basic_bytes<T> buffers{};  ///< moved for each weight and micro-batch: flat buffers, casts; >= 0
  bool hides_data_traffic = true;      ///< runs it beside forward and backward passes
  bool accumulates_in_product = true;  ///< weight gradients are added in FP32 by the product
  bool reduces_as_weights = false;     ///< gradients, in the format of the weights; else in FP32
  flash_kernel flash = flash_kernel::fused;
  basic_seconds<T> turnover = wave_turnover;  ///< between waves of tiles; >= 0
  T jitter{replica_jitter};                   ///< deviation of a replica, of its step; >= 0
};

using framework_profile = basic_framework_profile<double>;

/// The constants of a generation: elementwise, exposed and buffers are fitted, three numbers at
/// most for a generation, to the published runs that benchmarks/accuracy prints; the rest is known
/// of the software.  fsdp2 takes fsdp's, but for exposed, which is an assumption (no row of its
/// table gives it).
///
/// Source: the fit is printed by benchmarks/accuracy with its errors; how each runs: D. Narayanan
/// et al., SC21 (2021), arXiv:2104.04473; T. Le Scao et al., "BLOOM" (2022), arXiv:2211.05100;
/// Y. Zhao et al., "PyTorch FSDP", VLDB (2023), arXiv:2304.11277; NVIDIA, "Transformer Engine".
///
/// \throws invalid_input if generation is none of frameworks
constexpr framework_profile profile_of(framework generation) {
  switch (generation) {
    case framework::transformer_engine: return {.elementwise = 0.825, .exposed = 0.386};
    case framework::megatron_2021:
      return {.elementwise = 0.674,
              .exposed = 0.746,
              .hides_data_traffic = false,
              .flash = flash_kernel::flash_2};
    case framework::megatron_deepspeed:
      return {.elementwise = 1.61,
              .exposed = 1.43,
              .buffers = 13.2 * units::byte,
              .hides_data_traffic = false,
              .reduces_as_weights = true,
              .flash = flash_kernel::flash_2};
    case framework::fsdp:
      return {.elementwise = 1.17,
              .exposed = 0.642,
              .buffers = 9.17 * units::byte,
              .accumulates_in_product = false,
              .flash = flash_kernel::triton};
    case framework::fsdp2:
      return {.elementwise = 1.17,
              .exposed = 0.3,
              .buffers = 9.17 * units::byte,
              .accumulates_in_product = false,
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
          .exposed = T(known.exposed),
          .buffers = known.buffers,
          .hides_data_traffic = known.hides_data_traffic,
          .accumulates_in_product = known.accumulates_in_product,
          .reduces_as_weights = known.reduces_as_weights,
          .flash = known.flash,
          .turnover = known.turnover,
          .jitter = T(known.jitter)};
}

}  // namespace gpuplan
