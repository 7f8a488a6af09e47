#pragma once
/// \file
/// Model states of one rank: its parameters, the optimizer's view of them, and who shares them.

#include <algorithm>
#include <cstdint>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Ranks over which ZeRO divides the states of routed experts.
///
///     S_e = max(1, S t / (e x))     S  cut.shards()
///
/// for S data x context ranks, times t tensor-parallel ones, hold the e pieces of every expert.
constexpr std::int64_t expert_shards(const parallelism& cut) {
  const std::int64_t pieces = std::int64_t{cut.expert} * cut.expert_tensor_ranks();
  return (std::max)(std::int64_t{1}, cut.shards() * cut.tensor / pieces);
}

/// The rank of a data-parallel group whose memory is asked for.
inline constexpr int fullest_rank = -1;

namespace detail {

/// Parameters of one kind and what they are shared over.
struct shared_parameters {
  double count{};
  std::int64_t shards{};
  parameter_kind kind{};
};

/// Muon orthogonalises whole matrices, so whole tensors are dealt to the ranks of a group, smallest
/// first, forth and back: the largest of K ends on rank (K - 1) mod 2N, or its mirror.
constexpr std::int64_t holder_of_largest(double tensors, std::int64_t ranks) {
  const std::int64_t last = (static_cast<std::int64_t>(tensors) - 1) % (2 * ranks);
  return last < ranks ? last : 2 * ranks - 1 - last;
}

/// Master copies and momenta of a rank, where whole tensors are dealt to the ranks.
constexpr void deal_whole_tensors(model_states& states, const rank_parameters& held,
                                  const recipe& how, const parallelism& cut, int rank) {
  const parameter_bytes matrix = bytes_per_parameter(how, parameter_kind::matrix);
  const parameter_bytes other = bytes_per_parameter(how, parameter_kind::embedding);
  const std::int64_t ranks = cut.shards();
  const bool whole = rank == fullest_rank || rank == holder_of_largest(held.tensors, ranks);
  const double n = static_cast<double>(ranks);
  const double matrices =
      held.matrices / n + held.experts / static_cast<double>(expert_shards(cut));
  const double others =
      (held.vectors + held.tables - held.largest_table) / n + (whole ? held.largest_table : 0);
  states.master_weights = matrices * matrix.master + others * other.master;
  states.optimizer = matrices * matrix.optimizer + others * other.optimizer;
}

}  // namespace detail

/// Model states of one rank.
///
/// Dense parameters are divided over cut.shards() ranks, routed experts over expert_shards(cut), as
/// how.zero says.  Muon's master copies and momenta are dealt as whole tensors: `rank` asks for one
/// rank of the group, fullest_rank for the one with the largest.  Adafactor keeps one FP32 value a
/// row and one a column of each matrix, one a value of each vector.
///
/// Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", SC20 (2020), arXiv:1910.02054; NVIDIA, "Megatron-LM",
/// megatron/core/optimizer/layer_wise_optimizer.py (2026), for Muon.
///
/// \throws invalid_input if how or cut is invalid
constexpr model_states states_on_rank(const rank_parameters& held, const recipe& how,
                                      const parallelism& cut, int rank = fullest_rank) {
  const auto states_of = [&](const detail::shared_parameters& part) {
    return model_state_memory(part.count, part.shards, how.zero,
                              bytes_per_parameter(how, part.kind));
  };
  const std::int64_t shards = cut.shards();
  model_states states = states_of({held.matrices, shards, parameter_kind::matrix}) +
                        states_of({held.vectors + held.tables, shards, parameter_kind::embedding}) +
                        states_of({held.experts, expert_shards(cut), parameter_kind::matrix});
  const bool divided = how.zero >= zero_stage::optimizer;
  if (how.optimizer == optimizer::adafactor) {
    const double dense = divided ? static_cast<double>(shards) : 1;
    const double experts = divided ? static_cast<double>(expert_shards(cut)) : 1;
    states.optimizer += ((held.sides + held.vectors) / dense + held.expert_sides / experts) *
                        limits_of(number_format::fp32).storage;
  }
  if (how.optimizer == optimizer::muon && divided)
    detail::deal_whole_tensors(states, held, how, cut, rank);
  return states;
}

/// Parameters that one rank updates: its share where the optimizer's states are divided.
constexpr double updated_on_rank(const rank_parameters& held, const recipe& how,
                                 const parallelism& cut) {
  if (how.zero < zero_stage::optimizer) return held.total();
  return held.dense() / static_cast<double>(cut.shards()) +
         held.experts / static_cast<double>(expert_shards(cut));
}

/// FP32 copies of 16-bit gradients that the update works on, freed with the gradients: the rank's
/// share of 4 bytes a parameter; none where gradients are FP32 or there is no master copy.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/optimizer, _copy_model_grads_to_main_grads (2026).
constexpr bytes gradient_copy_on_rank(const rank_parameters& held, const recipe& how,
                                      const parallelism& cut) {
  const parameter_bytes per = bytes_per_parameter(how);
  const bytes full = limits_of(number_format::fp32).storage;
  if (per.master == bytes{0} || per.gradient >= full) return bytes{0};
  return updated_on_rank(held, how, cut) * full;
}

}  // namespace gpuplan
