#pragma once
/// \file
/// The weights of a reference model: a second, frozen copy of what is trained (DPO).

#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Weights of the reference model on one rank.
///
///     w (P d + P_e e)      ZeRO stage parameters
///     w (P + P_e)          below
///
///     P, P_e  parameters of the rank, of routed experts          count, >= 0
///     d, e    rates.dense_share, rates.expert_share              0 to 1
///     w       bytes of a weight in formats_of(how.precision)     B: 2, in FP32 and TF32 4
///
/// It has the shape of the trained model and is cut as that is: by tensor, pipeline and experts,
/// and by ZeRO where the trained weights are.  It has neither gradients nor states.  With adapters
/// there is none, as the base with its adapters switched off is the reference.  Where weights lie
/// on the host, so do these.
///
/// Holds where the reference's forward pass comes before that of the trained model, or where it
/// frees its logits before the loss keeps its own.
///
/// Source: R. Rafailov et al., "Direct Preference Optimization: Your Language Model is Secretly a
/// Reward Model", NeurIPS (2023), section 4, arXiv:2305.18290; Hugging Face, "TRL",
/// trl/trainer/dpo_trainer.py (2025): prepare_deepspeed and prepare_fsdp of ref_model, which is
/// null beside PEFT adapters.
///
/// \throws invalid_input if the recipe's precision is none of precisions
[[gnu::cold]] constexpr bytes reference_weights_on_rank(const rank_parameters& held,
                                                        const recipe& how,
                                                        const state_rates& rates) {
  const bytes weight = limits_of(formats_of(how.precision).weight).storage;
  const bool divided = how.zero == zero_stage::parameters;
  return weight * (divided ? updated_on_rank(held, rates) : held.dense() + held.experts);
}

}  // namespace gpuplan
