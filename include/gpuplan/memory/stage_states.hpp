#pragma once
/// \file
/// Model states of one rank: weights, gradients and optimizer states after sharding.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/weight_formats.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Ranks over which ZeRO divides the states of routed experts.
///
///     S_e = max(1, S t / (e x))     S  cut.shards()
///
/// for S data x context ranks, times t tensor-parallel ones, hold the e pieces of every expert.
///
/// Source: NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
constexpr std::int64_t expert_shards(const parallelism& cut) {
  if (cut.expert == 1 && cut.expert_tensor_ranks() == cut.tensor) return cut.shards();
  const std::int64_t pieces = std::int64_t{cut.expert} * cut.expert_tensor_ranks();
  return (std::max)(std::int64_t{1}, cut.shards() * cut.tensor / pieces);
}

/// The rank of a data-parallel group whose memory is asked for.
inline constexpr int fullest_rank = -1;

/// What a recipe and a layout make of one parameter on each rank that holds it.
struct state_rates {
  model_states matrix{};  ///< of layers
  model_states other{};   ///< a table or a vector
  model_states expert{};
  parameter_bytes per{};    ///< of a matrix, not divided
  double dense_share = 1;   ///< of dense parameters that one rank updates
  double expert_share = 1;  ///< likewise, of routed experts
};

/// Whether matrices are kept in FP8 alone, as their products read them: in Transformer Engine's FP8
/// recipes, unless the weights are FP32.
///
/// Source: NVIDIA, "Transformer Engine" (2025), FP8 primary weights; "Megatron Bridge",
/// bf16_with_fp8 mixed-precision recipes (2025), which switch them on.
constexpr bool keeps_fp8_weights(const recipe& how) {
  return how.precision == precision::mixed_fp8 && how.framework == framework::transformer_engine &&
         how.weights == weight_storage::by_precision;
}

namespace detail {

/// Whether ranks keep whole gradients until the last micro-batch though ZeRO divides them:
/// PyTorch's pipelines reduce those of FSDP once a step.
///
/// Source: PyTorch, torch/distributed/pipelining/stage.py, backward_maybe_with_nosync (2025).
constexpr bool keeps_whole_gradients(const recipe& how, const parallelism& cut) {
  const bool fsdp = how.framework == framework::fsdp || how.framework == framework::fsdp2;
  return fsdp && how.zero >= zero_stage::gradients && cut.pipeline > 1 && !how.adapts();
}

}  // namespace detail

/// Rates of a recipe: dense parameters divided over cut.shards() ranks, routed experts over
/// expert_shards(cut), as how.zero says and divides_weights of the weights.  Gradients of PyTorch's
/// FSDP stay whole in a pipeline.
///
/// Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", SC20 (2020), arXiv:1910.02054.
///
/// \throws invalid_input if how or cut is invalid
constexpr state_rates state_rates_of(const recipe& how, const parallelism& cut,
                                     const kernel_memory& kernels = {}) {
  parameter_bytes matrix = bytes_per_parameter(how, parameter_kind::matrix);
  const bytes table_weight = matrix.weight;
  if (keeps_fp8_weights(how)) [[unlikely]]
    matrix.weight = bytes_per_fp8_weight(how, kernels);
  const std::int64_t shards = cut.shards();
  const std::int64_t experts = expert_shards(cut);
  const zero_stage stage = divides_weights(how) ? zero_stage::parameters : how.zero;
  const model_states divided = model_state_memory(1, shards, stage, matrix);
  state_rates rates{.matrix = divided, .other = divided, .expert = divided, .per = matrix};
  const optimizer_rule& rule = rule_of(how.optimizer);
  if (rule.other_states != rule.matrix_states || matrix.weight != table_weight)
    rates.other =
        model_state_memory(1, shards, stage, bytes_per_parameter(how, parameter_kind::embedding));
  if (experts != shards) rates.expert = model_state_memory(1, experts, stage, matrix);
  if (how.zero >= zero_stage::optimizer) {
    rates.dense_share = 1 / static_cast<double>(shards);
    rates.expert_share = 1 / static_cast<double>(experts);
  }
  if (detail::keeps_whole_gradients(how, cut)) [[unlikely]]
    for (model_states* each : {&rates.matrix, &rates.other, &rates.expert})
      each->gradients = matrix.gradient;
  return rates;
}

/// Parameters that one rank updates: its share where the optimizer's states are divided.
///
/// Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", SC20 (2020), arXiv:1910.02054.
constexpr double updated_on_rank(const rank_parameters& held, const state_rates& rates) {
  return rates.dense_share * held.dense() + rates.expert_share * held.experts;
}

namespace detail {

/// Muon orthogonalises whole matrices, so whole tensors are dealt to the ranks of a group, smallest
/// first, forth and back: the largest of K ends on rank (K - 1) mod 2N, or its mirror.
constexpr std::int64_t holder_of_largest(double tensors, std::int64_t ranks) {
  const std::int64_t last = (static_cast<std::int64_t>(tensors) - 1) % (2 * ranks);
  return last < ranks ? last : 2 * ranks - 1 - last;
}

/// Adds what a rank that holds the largest table whole has of it, and takes away its share.
constexpr void deal_whole_tables(model_states& states, const rank_parameters& held,
                                 const recipe& how, const state_rates& rates,
                                 const parallelism& cut, int rank) {
  const parameter_bytes other = bytes_per_parameter(how, parameter_kind::embedding);
  const bool whole = rank == fullest_rank || rank == holder_of_largest(held.tensors, cut.shards());
  const double more = held.largest_table * ((whole ? 1 : 0) - rates.dense_share);
  states.master_weights += more * other.master;
  states.optimizer += more * other.optimizer;
}

}  // namespace detail

/// Model states of one rank, at the rates of its recipe.
///
/// Muon's master copies and momenta are dealt as whole tensors: `rank` asks for one rank of the
/// group, fullest_rank for the one with the largest.  Adafactor keeps one FP32 value a row and one
/// a column of each matrix, one a value of each vector.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/optimizer/layer_wise_optimizer.py (2026), for Muon.
constexpr model_states states_on_rank(const rank_parameters& held, const state_rates& rates,
                                      const recipe& how, const parallelism& cut,
                                      int rank = fullest_rank) {
  model_states states = held.matrices * rates.matrix + (held.vectors + held.tables) * rates.other +
                        held.experts * rates.expert;
  const optimizer_rule& rule = rule_of(how.optimizer);
  if (rule.states == state_storage::rows_and_columns)
    states.optimizer +=
        (rates.dense_share * (held.sides + held.vectors) + rates.expert_share * held.expert_sides) *
        limits_of(number_format::fp32).storage;
  if (rule.whole_tables && how.zero >= zero_stage::optimizer)
    detail::deal_whole_tables(states, held, how, rates, cut, rank);
  return states;
}

/// Model states of one rank, as above.
///
/// \throws invalid_input if how or cut is invalid
constexpr model_states states_on_rank(const rank_parameters& held, const recipe& how,
                                      const parallelism& cut, int rank = fullest_rank) {
  return states_on_rank(held, state_rates_of(how, cut), how, cut, rank);
}

/// FP32 copies of 16-bit gradients that the update works on, freed with the gradients: 4 bytes for
/// each parameter that the rank updates; none where gradients are FP32 or there is no master copy.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/optimizer, _copy_model_grads_to_main_grads (2026).
constexpr bytes gradient_copy_on_rank(const rank_parameters& held, const state_rates& rates) {
  const bytes full = limits_of(number_format::fp32).storage;
  if (rates.per.master == bytes{0} || rates.per.gradient >= full) return bytes{0};
  return updated_on_rank(held, rates) * full;
}

/// Parameters that one rank updates, as above.
///
/// \throws invalid_input if how or cut is invalid
constexpr double updated_on_rank(const rank_parameters& held, const recipe& how,
                                 const parallelism& cut) {
  return updated_on_rank(held, state_rates_of(how, cut));
}

/// FP32 copies of gradients, as above.
///
/// \throws invalid_input if how or cut is invalid
constexpr bytes gradient_copy_on_rank(const rank_parameters& held, const recipe& how,
                                      const parallelism& cut) {
  return gradient_copy_on_rank(held, state_rates_of(how, cut));
}

}  // namespace gpuplan
