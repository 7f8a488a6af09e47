#pragma once
/// \file
/// The stationary distribution of a small Markov chain, computed exactly.

#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A way from one state to another.
struct markov_move {
  int from = 0;
  int to = 0;
  per_second rate{};  ///< >= 0
};

/// Of a model that is solved exactly: its equations then take 0.8 GB.
inline constexpr int most_markov_states = 10'000;

/// The stationary law of a Markov chain: the share of the time in each state.
///
///     sum_i p_i q_ij = 0,   sum_i p_i = 1
///
///     q  moves' rates   1/s, >= 0
///
/// By elimination without a subtraction, so that no digit is lost however small a share is. O(n^3);
/// some hundred states.
///
/// Source: W. K. Grassmann, M. I. Taksar and D. P. Heyman, "Regenerative analysis and steady state
/// distributions for Markov chains", Operations Research 33 (1985) 1107-1116.
///
/// \throws invalid_input if states < 1 or > 10000, a move is to or from no state or has a rate < 0,
///         or a state cannot reach all before it
inline std::vector<double> stationary_law(int states, std::span<const markov_move> moves) {
  require(states >= 1 && states <= most_markov_states,
          "stationary_law: states must be >= 1 and <= 10000");
  const auto count = static_cast<std::size_t>(states);
  std::vector<double> rates(count * count, 0.0);
  const auto rate = [&](std::size_t from, std::size_t to) -> double& {
    return rates[from * count + to];
  };
  for (const markov_move& move : moves) {
    require(move.from >= 0 && move.from < states && move.to >= 0 && move.to < states,
            "markov_move: from and to must be states");
    require(move.rate >= per_second{0}, "markov_move.rate must be >= 0 /s");
    rate(static_cast<std::size_t>(move.from), static_cast<std::size_t>(move.to)) +=
        move.rate * seconds{1};
  }
  // State n is cut out: whoever would go there goes where it leads.
  std::vector<double> out(count);
  for (std::size_t n = count; n-- > 1;) {
    for (std::size_t to = 0; to < n; ++to) out[n] += rate(n, to);
    require(out[n] > 0, "stationary_law: every state but the first must lead to an earlier one");
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        if (from != to) rate(from, to) += rate(from, n) * rate(n, to) / out[n];
  }
  std::vector<double> law(count, 0.0);
  law[0] = 1;
  double sum = 1;
  for (std::size_t n = 1; n < count; ++n) {
    for (std::size_t from = 0; from < n; ++from) law[n] += law[from] * rate(from, n);
    law[n] /= out[n];
    sum += law[n];
  }
  for (double& share : law) share /= sum;
  return law;
}

}  // namespace gpuplan
