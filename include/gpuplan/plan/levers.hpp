#pragma once
/// \file
/// The changes that make a job smaller, by what each costs the training.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// What a change costs the training, the least first.
enum class lever_cost {
  risk,      ///< nothing at all: the job stays as it is, and fits less surely than was asked
  nothing,   ///< but time: what is trained, and its result, stay
  numerics,  ///< the same is trained, in other formats
  training,  ///< something else is trained, or on other sequences
  hardware   ///< other GPUs, or more of them
};

inline constexpr auto lever_cost_names = std::to_array<named<lever_cost>>({
    {"risk", lever_cost::risk},
    {"nothing", lever_cost::nothing},
    {"numerics", lever_cost::numerics},
    {"training", lever_cost::training},
    {"hardware", lever_cost::hardware},
});
inline constexpr std::array lever_costs = values_of(lever_cost_names);

/// "risk", ... as the values are called.
constexpr std::string_view name_of(lever_cost cost) {
  return spelled(lever_cost_names, cost);
}

/// One thing that can be changed.
enum class lever {
  layout,             ///< ranks of every kind, left to the search
  micro_batch,        ///< its size, likewise
  zero,               ///< its stage, likewise
  recompute,          ///< its kind, likewise
  sequence_parallel,  ///< on or off, likewise
  flash_attention,
  chunked_loss,       ///< logits of a part of the tokens at a time
  offload_optimizer,  ///< its states and the master weights, to the host
  offload_all,        ///< weights and gradients, too
  offload_activations,
  adam_8bit,  ///< instead of Adam or AdamW
  bf16_moments,
  bf16_gradients,
  pure_bf16,        ///< no master copy, moments in BF16
  adapters,         ///< LoRA, then LoRA beside weights of 4 bits (QLoRA)
  shorter_sequence  ///< a half, a quarter, ..., down to shortest_sequence
};

inline constexpr auto lever_names = std::to_array<named<lever>>({
    {"layout", lever::layout},
    {"micro_batch", lever::micro_batch},
    {"zero", lever::zero},
    {"recompute", lever::recompute},
    {"sequence_parallel", lever::sequence_parallel},
    {"flash_attention", lever::flash_attention},
    {"chunked_loss", lever::chunked_loss},
    {"offload_optimizer", lever::offload_optimizer},
    {"offload_all", lever::offload_all},
    {"offload_activations", lever::offload_activations},
    {"adam_8bit", lever::adam_8bit},
    {"bf16_moments", lever::bf16_moments},
    {"bf16_gradients", lever::bf16_gradients},
    {"pure_bf16", lever::pure_bf16},
    {"adapters", lever::adapters},
    {"shorter_sequence", lever::shorter_sequence},
});
inline constexpr std::array levers = values_of(lever_names);

/// "layout", ... as the values are called.
constexpr std::string_view name_of(lever one) {
  return spelled(lever_names, one);
}

/// What one change costs the training.
constexpr lever_cost cost_of(lever one) {
  if (one < lever::adam_8bit) return lever_cost::nothing;
  return one < lever::adapters ? lever_cost::numerics : lever_cost::training;
}

/// Rank of the adapters that are proposed.
///
/// Source: Hugging Face, "PEFT", "LoRA" (2025), whose example of LoraConfig has r = 16.
inline constexpr int proposed_adapter_rank = 16;

/// The shortest sequence that is proposed.
inline constexpr int shortest_sequence = 256;

/// What a search starts from.
struct search_start {
  gpuplan::recipe recipe{};
  space vary{};
  gpuplan::parallelism parallelism{};
  bool replicas_alone = false;  ///< whether its layout has no other ranks to change
};

namespace detail {

/// Gives a field a value; false where it has it already.
template <class T>
constexpr bool pulled(T& field, T value) {
  if (field == value) return false;
  field = value;
  return true;
}

constexpr bool pull_layout(space& vary) {
  bool changed = false;
  for (const auto axis : {&space::tensor, &space::pipeline, &space::data, &space::context,
                          &space::expert, &space::interleave})
    if (pulled(vary.*axis, true)) changed = true;
  return changed;
}

constexpr bool pull_sequence(recipe& how, int strength) {
  if (strength > 30) return false;
  const int shorter = how.sequence_length >> strength;
  if (shorter < shortest_sequence || shorter << strength != how.sequence_length) return false;
  how.sequence_length = shorter;
  return true;
}

constexpr bool pull_adapters(adapters& beside, int strength) {
  const bool trains_all = beside.rank == 0;
  if (trains_all) beside.rank = proposed_adapter_rank;
  if (trains_all && strength == 1) return true;
  return strength == (trains_all ? 2 : 1) && pulled(beside.base, base_weights::nf4);
}

constexpr bool has_adam(const recipe& how) {
  return how.optimizer == optimizer::adam || how.optimizer == optimizer::adamw;
}

/// Whether a precision keeps more than 16 bits of each weight, moment and gradient, and its GPU
/// computes in BF16 or could.
constexpr bool is_wide(precision p) {
  return p == precision::fp32 || p == precision::tf32 || p == precision::mixed_bf16;
}

constexpr bool pull_numerics(lever one, recipe& how) {
  switch (one) {
    case lever::adam_8bit: return has_adam(how) && pulled(how.optimizer, optimizer::adam_8bit);
    case lever::bf16_moments:
      return has_adam(how) && how.precision != precision::bf16 &&
             pulled(how.moments, moment_format::bf16);
    case lever::bf16_gradients:
      return how.precision == precision::mixed_bf16 &&
             gradient_storage(how) == number_format::fp32 &&
             pulled(how.gradient, gradient_format::bf16);
    case lever::pure_bf16: return is_wide(how.precision) && pulled(how.precision, precision::bf16);
    default: return false;
  }
}

}  // namespace detail

/// Changes what a search starts from by one strength of a lever, from 1, the mildest, on; false,
/// and `from` is of no use, where there is no such strength or it changes nothing.
///
/// \throws invalid_input if strength < 1
constexpr bool pull(lever one, int strength, search_start& from) {
  require(strength >= 1, "pull: strength must be >= 1");
  recipe& how = from.recipe;
  space& vary = from.vary;
  switch (one) {
    case lever::adapters: return detail::pull_adapters(how.adapters, strength);
    case lever::shorter_sequence: return detail::pull_sequence(how, strength);
    default: break;
  }
  if (strength > 1) return false;
  switch (one) {
    case lever::layout:
      return from.replicas_alone ? detail::pulled(vary.data, true) : detail::pull_layout(vary);
    case lever::micro_batch: return detail::pulled(vary.micro_batch, true);
    case lever::zero: return detail::pulled(vary.zero, true);
    case lever::recompute: return detail::pulled(vary.recompute, true);
    case lever::sequence_parallel:
      return (vary.tensor || from.parallelism.tensor > 1) &&
             detail::pulled(vary.sequence_parallel, true);
    case lever::flash_attention: return detail::pulled(how.attention, attention_kernel::flash);
    case lever::chunked_loss:
      return how.loss != loss_kernel::none && detail::pulled(how.loss, loss_kernel::chunked);
    case lever::offload_optimizer:
      return how.offload == offloaded_states::none &&
             detail::pulled(how.offload, offloaded_states::optimizer);
    case lever::offload_all: return detail::pulled(how.offload, offloaded_states::all);
    case lever::offload_activations: return detail::pulled(how.offloaded_activations, 1.0);
    default: return detail::pull_numerics(one, how);
  }
}

/// How many strengths a lever has.
///
/// \throws invalid_input as pull does
constexpr int strengths_of(lever one, const search_start& from) {
  for (int strength = 1;; ++strength) {
    search_start tried = from;
    if (!pull(one, strength, tried)) return strength - 1;
  }
}

}  // namespace gpuplan
