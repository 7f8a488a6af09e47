#pragma once
/// \file
/// The best choices in a small Markov model, exactly: no learning.

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// A square of numbers by rows, with one more column than rows.
class equations {
 public:
  explicit equations(int size)
      : size_{static_cast<std::size_t>(size)}, cells_(size_ * (size_ + 1), 0.0) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return cells_[row * (size_ + 1) + column];
  }
  [[nodiscard]] double& right(std::size_t row) { return at(row, size_); }

  /// The unknowns, by elimination with the largest pivot of each column.
  [[nodiscard]] std::vector<double> solve() {
    for (std::size_t p = 0; p < size_; ++p) {
      std::size_t best = p;
      for (std::size_t row = p + 1; row < size_; ++row)
        if (std::abs(at(row, p)) > std::abs(at(best, p))) best = row;
      require(at(best, p) != 0, "markov model: every state must reach one common state");
      if (best != p)
        for (std::size_t column = p; column <= size_; ++column)
          std::swap(at(best, column), at(p, column));
      for (std::size_t row = p + 1; row < size_; ++row) {
        const double factor = at(row, p) / at(p, p);
        if (factor == 0) continue;
        for (std::size_t column = p; column <= size_; ++column)
          at(row, column) -= factor * at(p, column);
      }
    }
    std::vector<double> unknowns(size_);
    for (std::size_t row = size_; row-- > 0;) {
      double rest = right(row);
      for (std::size_t column = row + 1; column < size_; ++column)
        rest -= at(row, column) * unknowns[column];
      unknowns[row] = rest / at(row, row);
    }
    return unknowns;
  }

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

}  // namespace detail

/// What may be chosen in a state, and what follows.
struct markov_option {
  int state = 0;
  double cost = 0;                                  ///< while in the state, in any unit
  std::vector<std::pair<int, per_second>> moves{};  ///< to a state, at a rate >= 0
};

/// The best choice in each state.
struct markov_plan {
  double mean_cost = 0;               ///< over time, in the unit of the options
  std::vector<std::size_t> option{};  ///< for each state, which of the options
  std::vector<double> excess{};  ///< cost still to come from each state, beyond that from state 0
};

/// The choices of least mean cost in a Markov decision process, by policy iteration.
///
///     g = min over options of c_i(o) + sum_j q_ij(o) (h_j - h_i)
///
///     c, q  options' cost and moves
///     g, h  mean cost, excess
///
/// Exact up to rounding: each turn solves the chain of the choices so far, then chooses better
/// where there is better; it ends when there is none.  O(n^3) a turn; some hundred states.  No
/// learning.
///
/// Source: R. A. Howard, "Dynamic Programming and Markov Processes", MIT Press (1960).
///
/// \throws invalid_input if a state has no option, an option is invalid, or from some state nothing
///         leads to where the others do
inline markov_plan best_markov_plan(int states, std::span<const markov_option> options) {
  require(states >= 1, "best_markov_plan: states must be >= 1");
  const auto count = static_cast<std::size_t>(states);
  markov_plan plan{.option = std::vector<std::size_t>(count, options.size())};
  for (std::size_t o = 0; o < options.size(); ++o) {
    const markov_option& option = options[o];
    require(option.state >= 0 && option.state < states, "markov_option.state must be a state");
    require(std::isfinite(option.cost), "markov_option.cost must be finite");
    for (const auto& [to, rate] : option.moves)
      require(to >= 0 && to < states && rate >= per_second{0},
              "markov_option.moves must be to states, at rates >= 0 /s");
    std::size_t& first = plan.option[static_cast<std::size_t>(option.state)];
    if (first == options.size()) first = o;
  }
  for (const std::size_t option : plan.option)
    require(option < options.size(), "best_markov_plan: every state must have an option");

  for (int turn = 0; turn < 1000; ++turn) {
    // Unknown are the mean cost, in the place of h_0 = 0, and the other h.
    detail::equations balance(states);
    for (std::size_t i = 0; i < count; ++i) {
      const markov_option& chosen = options[plan.option[i]];
      balance.at(i, 0) = 1;
      balance.right(i) = chosen.cost;
      for (const auto& [to, rate] : chosen.moves) {
        const auto j = static_cast<std::size_t>(to);
        if (i > 0) balance.at(i, i) += rate * seconds{1};
        if (j > 0) balance.at(i, j) -= rate * seconds{1};
      }
    }
    plan.excess = balance.solve();
    plan.mean_cost = std::exchange(plan.excess[0], 0.0);

    bool better = false;
    std::vector<double> least(count);
    const auto value = [&](const markov_option& option) {
      double sum = option.cost;
      for (const auto& [to, rate] : option.moves)
        sum += rate * seconds{1} *
               (plan.excess[static_cast<std::size_t>(to)] -
                plan.excess[static_cast<std::size_t>(option.state)]);
      return sum;
    };
    for (std::size_t i = 0; i < count; ++i) least[i] = value(options[plan.option[i]]);
    for (std::size_t o = 0; o < options.size(); ++o) {
      const auto i = static_cast<std::size_t>(options[o].state);
      const double now = value(options[o]);
      if (now < least[i] - 1e-11 * (1 + std::abs(least[i]))) {  // not by rounding alone
        least[i] = now;
        plan.option[i] = o;
        better = true;
      }
    }
    if (!better) break;
  }
  return plan;
}

}  // namespace gpuplan
