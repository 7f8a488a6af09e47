#pragma once
/// \file
/// The micro-batches of a step: how many there are, and how many tokens of one a rank sees.

#include <cstdint>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Micro-batches that one replica runs in a step.
///
///     m = ceil(B / (b d))
///
///     B  global batch, how.global_batch_size       count, >= 1
///     b  micro-batch, cut.micro_batch_size         count, >= 1
///     d  data-parallel ranks, cut.data             count, >= 1
///
/// Memory counts whole ones: the last, where it is smaller, takes the place of one.
///
/// Holds: always.
///
/// Source: by definition.
constexpr int micro_batches_of(const recipe& how, const parallelism& cut) {
  const std::int64_t at_once = std::int64_t{cut.micro_batch_size} * cut.data;
  return static_cast<int>((how.global_batch_size + at_once - 1) / at_once);
}

/// The work of a replica in a step, in micro-batches that are not rounded.
///
///     B / (b d)
///
///     B, b, d  as micro_batches_of has them
///
/// Time counts parts of one: the last, where it is smaller, takes less.  Both counts are the same
/// for layouts that layout_fault lets pass.
constexpr double fractional_micro_batches_of(const recipe& how, const parallelism& cut) {
  return how.global_batch_size / (static_cast<double>(cut.data) * cut.micro_batch_size);
}

/// One micro-batch on one rank.  Counts of tokens, not quantities: they multiply widths.
struct micro_batch_tokens {
  double sequence{};  ///< s, tokens of a whole sequence
  double all{};       ///< b s / c, tokens that the rank computes on
  double residual{};  ///< of them, those whose residual stream it keeps: 1/t with sequence parallel
};

namespace detail {

/// tokens_on_rank, of inputs that are valid.
constexpr micro_batch_tokens tokens_of(int sequence_length, const recipe& how,
                                       const parallelism& cut) {
  const double sequence = sequence_length;
  const double all = cut.micro_batch_size * sequence / cut.context;
  return {
      .sequence = sequence, .all = all, .residual = how.sequence_parallel ? all / cut.tensor : all};
}

}  // namespace detail

/// Tokens of one micro-batch on one rank.
///
///     all       b s / c
///     residual  b s / c / t with sequence parallelism, b s / c without
///
///     b  cut.micro_batch_size             sequences, >= 1
///     s  sequence_length                  tokens, >= 1
///     c  cut.context, t  cut.tensor       ranks, >= 1
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.2, arXiv:2205.05198.
///
/// \throws invalid_input if sequence_length < 1 or cut is invalid
constexpr micro_batch_tokens tokens_on_rank(int sequence_length, const recipe& how,
                                            const parallelism& cut) {
  require(sequence_length >= 1, "tokens_on_rank: sequence_length must be >= 1 token");
  require_valid(cut);
  return detail::tokens_of(sequence_length, how, cut);
}

}  // namespace gpuplan
