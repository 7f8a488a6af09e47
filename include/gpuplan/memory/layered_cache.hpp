#pragma once
/// \file
/// What inference keeps of a sequence in a model whose layers are of several kinds.

#include <algorithm>

#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that inference keeps of one sequence.
struct sequence_cache {
  bytes full{};      ///< of layers that keep every token
  bytes windowed{};  ///< of layers that keep the tokens of a window
  bytes state{};     ///< of state-space layers and linear attention, however long the sequence is

  [[nodiscard]] constexpr bytes total() const { return full + windowed + state; }
};

/// What inference keeps of one sequence, in the layers of all kinds.
///
///     full      sum of L c s 2 B
///     windowed  sum of L cw min(s, w) 2 B
///     state     sum of L (4 B r + 2 B k)
///
///     L      layers of a group                               count, >= 1
///     c, cw  values kept of each token, of each in a window  count, >= 0
///     s      length of the sequence                          tokens, >= 0
///     w      window                                          tokens, >= 1
///     r, k   values of the recurrence, of the convolution    count, >= 0
///
/// Holds: keys and values in BF16, recurrences in FP32, as the published engines keep them.
///
/// Source: A. Gu and T. Dao, "Mamba" (2023), section 3, arXiv:2312.00752; J. Ainslie et al., "GQA",
/// EMNLP (2023), arXiv:2305.13245.
///
/// \throws invalid_input if length < 0
inline sequence_cache layered_cache(const layered_model& m, tokens length) {
  require(length >= tokens{0}, "layered_cache: length must be >= 0 tokens");
  const bytes half = limits_of(number_format::bf16).storage;
  const bytes whole = limits_of(number_format::fp32).storage;
  const double all = length / units::token;
  sequence_cache kept;
  for (const layer_group& group : m.groups) {
    const double layers = group.layers;
    const double seen = (std::min)(all, static_cast<double>(group.window));
    kept.full += layers * group.cached_values * all * half;
    kept.windowed += layers * group.windowed_values * seen * half;
    kept.state += layers * (group.state.recurrent * whole + group.state.convolution * half);
  }
  return kept;
}

/// Bytes that the next token adds, while no window is full.
///
///     sum of L (c + cw) 2 B
///
/// Source: J. Ainslie et al. (2023), as above.
inline bytes_per_token layered_cache_per_token(const layered_model& m) {
  const bytes half = limits_of(number_format::bf16).storage;
  bytes_per_token sum{};
  for (const layer_group& group : m.groups)
    sum += group.layers * (group.cached_values + group.windowed_values) * half / units::token;
  return sum;
}

}  // namespace gpuplan
