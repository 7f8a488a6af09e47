#pragma once
/// \file
/// How many tokens of a micro-batch one rank sees.

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

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
