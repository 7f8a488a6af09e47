#pragma once
/// \file
/// Decisions in a small Markov model, learned from simulated costs instead of known rates.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/markov_decision.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How a plan is learned.
struct markov_learning {
  std::int64_t steps = 200'000;  ///< moves that are simulated; 1 to 1e9
  double exploration = 0.1;      ///< share of moves with an option drawn by chance; >= 0 and < 1
  double slowdown = 200;         ///< a: the step size halves after so many moves; > 0
  std::uint64_t seed = 1;
};

namespace detail {

/// Options of each state, and what was learned of each.
class markov_learner {
 public:
  markov_learner(int states, std::span<const markov_option> options)
      : options_{options}, of_(static_cast<std::size_t>(states)), value_(options.size(), 0.0) {
    for (std::size_t o = 0; o < options.size(); ++o) {
      const markov_option& option = options[o];
      require(option.state >= 0 && option.state < states, "markov_option.state must be a state");
      require(std::isfinite(option.cost), "markov_option.cost must be finite");
      double sum = 0;
      for (const auto& [to, rate] : option.moves) {
        require(to >= 0 && to < states && rate >= per_second{0},
                "markov_option.moves must be to states, at rates >= 0 /s");
        sum += rate * seconds{1};
      }
      require(sum > 0 && std::isfinite(sum), "learned_markov_plan: every option must lead on");
      of_[static_cast<std::size_t>(option.state)].push_back(o);
    }
    for (const auto& own : of_)
      require(!own.empty(), "learned_markov_plan: every state must have an option");
  }

  [[nodiscard]] std::size_t best(std::size_t state) const {
    return *std::min_element(of_[state].begin(), of_[state].end(),
                             [this](auto a, auto b) { return value_[a] < value_[b]; });
  }
  [[nodiscard]] std::size_t drawn(std::size_t state, random_numbers& random) const {
    return of_[state][random.below(of_[state].size())];
  }

  /// Simulates one move from a state, learns from it, and returns where it led.
  std::size_t move(std::size_t state, const markov_learning& how, double step_size,
                   random_numbers& random) {
    const std::size_t greedy = best(state);
    const bool explores = random.uniform() < how.exploration;
    const std::size_t o = explores ? drawn(state, random) : greedy;
    const markov_option& option = options_[o];
    double all = 0;
    for (const auto& [to, rate] : option.moves) all += rate * seconds{1};
    const double time = random.exponential() / all;
    double left = random.uniform() * all;
    std::size_t next = state;
    for (const auto& [to, rate] : option.moves) {
      next = static_cast<std::size_t>(to);
      left -= rate * seconds{1};
      if (left < 0) break;
    }
    const double cost = option.cost * time;
    value_[o] += step_size * (cost - mean_cost() * time + value_[best(next)] - value_[o]);
    if (!explores) {  // a draw that came to the best option would favour states of one option
      greedy_cost_ += cost;
      greedy_time_ += time;
    }
    return next;
  }

  /// Forgets the costs so far, of choices that were still being learned.
  void begin_account() { greedy_cost_ = greedy_time_ = 0; }

  /// Has any choice been greedy since?
  [[nodiscard]] bool has_account() const { return greedy_time_ > 0; }

  [[nodiscard]] double mean_cost() const { return has_account() ? greedy_cost_ / greedy_time_ : 0; }
  [[nodiscard]] markov_plan plan() const {
    markov_plan found{.mean_cost = mean_cost()};
    for (std::size_t state = 0; state < of_.size(); ++state) {
      found.option.push_back(best(state));
      found.excess.push_back(value_[best(state)] - value_[best(0)]);
    }
    return found;
  }

 private:
  std::span<const markov_option> options_;
  std::vector<std::vector<std::size_t>> of_;
  std::vector<double> value_;
  double greedy_cost_ = 0;
  double greedy_time_ = 0;
};

}  // namespace detail

/// The choices that a learner makes which sees only states, times and costs, no rates.
///
///     Q_o <- Q_o + a_n (c t - g t + min over options p of j of Q_p - Q_o)
///
///     o    the option taken in state i        t  time until the next state j, s
///     c    its cost while in i                g  mean cost of greedy moves so far,
///     a_n  step size 1 / (1 + n / slowdown)   n  moves so far; g is that of the second half of
///                                             the moves, once they have begun
///
/// Q-learning of the mean cost over time.  With enough steps it comes to the choices of
/// best_markov_plan, which knows the rates and needs no trial: what it is held against.  `excess`
/// is learned, too, with noise.
///
/// Holds: every state is reached again from every other.
///
/// Source: T. K. Das, A. Gosavi, S. Mahadevan and N. Marchalleck, "Solving semi-Markov decision
/// problems using average reward reinforcement learning", Management Science 45 (1999) 560-574;
/// C. J. C. H. Watkins and P. Dayan, "Q-learning", Machine Learning 8 (1992) 279-292.
///
/// \throws invalid_input if a state has no option, an option is invalid or leads nowhere, `how` is
///         out of range, or no move of its second half is greedy, which tells no mean cost
inline markov_plan learned_markov_plan(int states, std::span<const markov_option> options,
                                       const markov_learning& how = {}) {
  require(states >= 1, "learned_markov_plan: states must be >= 1");
  require(how.steps >= 1 && how.steps <= 1'000'000'000, "markov_learning.steps must be 1 to 1e9");
  require(how.exploration >= 0 && how.exploration < 1,
          "markov_learning.exploration must be >= 0 and < 1");
  require(how.slowdown > 0 && std::isfinite(how.slowdown), "markov_learning.slowdown must be > 0");
  require(options.size() >= static_cast<std::size_t>(states),
          "learned_markov_plan: every state must have an option");
  detail::markov_learner learner{states, options};
  random_numbers random{how.seed};
  std::size_t state = 0;
  for (std::int64_t n = 0; n < how.steps; ++n) {
    if (n == how.steps / 2) learner.begin_account();
    state = learner.move(state, how, 1 / (1 + static_cast<double>(n) / how.slowdown), random);
  }
  require(learner.has_account(),
          "markov_learning: of the second half of the steps one must be greedy, so steps must be "
          "more, or exploration less");
  return learner.plan();
}

}  // namespace gpuplan
