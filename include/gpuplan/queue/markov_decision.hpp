#pragma once
/// \file
/// The best decisions in a small Markov model, computed exactly.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/queue/detail/linear_equations.hpp>
#include <gpuplan/queue/markov.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
/// where there is better; it ends when there is none.  O(n^3) a turn; some hundred states.
///
/// Source: R. A. Howard, "Dynamic Programming and Markov Processes", MIT Press (1960).
///
/// \throws invalid_input if states < 1 or > 10000, a state has no option, an option is invalid, or
///         from some state nothing leads to where the others do
inline markov_plan best_markov_plan(int states, std::span<const markov_option> options) {
  require(states >= 1 && states <= most_markov_states,
          "best_markov_plan: states must be >= 1 and <= 10000");
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
  double dearest = 0;  // the unit of costs is the caller's
  for (const markov_option& option : options) dearest = std::fmax(dearest, std::abs(option.cost));

  for (int turn = 0; turn < 1000; ++turn) {
    // Unknown are the mean cost, in the place of h_0 = 0, and the other h.
    detail::linear_equations balance(states);
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
    plan.excess = balance.solve("markov model: all states must reach one common state");
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
      if (now < least[i] - 1e-11 * (dearest + std::abs(least[i]))) {  // not by rounding alone
        least[i] = now;
        plan.option[i] = o;
        better = true;
      }
    }
    if (!better) break;
  }
  return plan;
}

/// Jobs of one kind.
struct gang_kind {
  per_second arrival_rate{};  ///< lambda, Poisson; > 0
  seconds mean_service{};     ///< exponential; > 0
  int gpus = 1;               ///< that each holds while it runs; >= 1
  double cost = 1;            ///< of a job waiting or running, while it is there; >= 0
  seconds turned_away{};      ///< a job that finds no room costs as one that stays so long; >= 0
};

/// A pool so small that every state can be looked at.
struct gang_pool {
  int gpus = 1;  ///< >= 1
  int room = 1;  ///< jobs of each kind that may wait; a further one is turned away; >= 1
};

namespace detail {

/// All states of a pool: jobs of each kind that wait, and that run; numbered.
class gang_states {
 public:
  gang_states(std::span<const gang_kind> kinds, const gang_pool& pool)
      : kinds_{kinds}, pool_{pool} {
    require(!kinds.empty(), "best_gang_plan: kinds must be >= 1");
    require(pool.gpus >= 1, "gang_pool.gpus must be >= 1");
    require(pool.room >= 1, "gang_pool.room must be >= 1");
    for (const gang_kind& kind : kinds) {
      require(kind.arrival_rate > per_second{0}, "gang_kind.arrival_rate must be > 0 /s");
      require(kind.mean_service > seconds{0}, "gang_kind.mean_service must be > 0 s");
      require(kind.gpus >= 1 && kind.gpus <= pool.gpus,
              "gang_kind.gpus must be >= 1 and <= those of the pool");
      require(kind.cost >= 0, "gang_kind.cost must be >= 0");
      require(kind.turned_away >= seconds{0}, "gang_kind.turned_away must be >= 0 s");
      for (const int most : {pool.room, pool.gpus / kind.gpus}) {
        const std::int64_t count = count_ * (std::int64_t{most} + 1);
        require(count <= 4000, "best_gang_plan: states must be <= 4000");
        count_ = static_cast<int>(count);
      }
    }
  }

  [[nodiscard]] int count() const { return count_; }

  /// Waiting and running jobs of each kind in turn.
  [[nodiscard]] std::vector<int> jobs_of(int state) const {
    std::vector<int> jobs;
    for (const gang_kind& kind : kinds_)
      for (const int radix : {pool_.room + 1, pool_.gpus / kind.gpus + 1}) {
        jobs.push_back(state % radix);
        state /= radix;
      }
    return jobs;
  }
  [[nodiscard]] int number_of(const std::vector<int>& jobs) const {
    int number = 0;
    for (std::size_t k = kinds_.size(); k-- > 0;) {
      number = number * (pool_.gpus / kinds_[k].gpus + 1) + jobs[2 * k + 1];
      number = number * (pool_.room + 1) + jobs[2 * k];
    }
    return number;
  }
  [[nodiscard]] int free_gpus(const std::vector<int>& jobs) const {
    int free = pool_.gpus;
    for (std::size_t k = 0; k < kinds_.size(); ++k) free -= jobs[2 * k + 1] * kinds_[k].gpus;
    return free;
  }

  /// What follows when no more jobs start now.
  [[nodiscard]] markov_option option_of(int state, const std::vector<int>& jobs) const {
    markov_option option{.state = state};
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      option.cost += kinds_[k].cost * (jobs[2 * k] + jobs[2 * k + 1]);
      std::vector<int> next = jobs;
      if (++next[2 * k] <= pool_.room)
        option.moves.emplace_back(number_of(next), kinds_[k].arrival_rate);
      else
        option.cost += kinds_[k].cost * (kinds_[k].arrival_rate * kinds_[k].turned_away);
      if (jobs[2 * k + 1] == 0) continue;
      next = jobs;
      --next[2 * k + 1];
      option.moves.emplace_back(number_of(next), jobs[2 * k + 1] / kinds_[k].mean_service);
    }
    return option;
  }

  /// Every set of waiting jobs that fits, from kind k on.
  void add_options(int state, std::size_t k, const std::vector<int>& jobs,
                   std::vector<markov_option>& options) const {
    if (k == kinds_.size()) {
      options.push_back(option_of(state, jobs));
      return;
    }
    std::vector<int> started = jobs;
    while (true) {
      add_options(state, k + 1, started, options);
      if (started[2 * k] == 0 || free_gpus(started) < kinds_[k].gpus) return;
      --started[2 * k];
      ++started[2 * k + 1];
    }
  }

 private:
  std::span<const gang_kind> kinds_;
  gang_pool pool_;
  int count_ = 1;
};

}  // namespace detail

/// The least mean cost of jobs present that any order of starting them can reach, without
/// preemption.
///
///     min over orders of E sum_k cost_k N_k
///
///     cost, N  of kinds: cost of a job present, jobs waiting or running
///
/// Exact for this model: a lower bound that backfilling and its like can be held against.  Starting
/// nothing while GPUs are free is among the choices: it may pay to keep them for a large job, and,
/// where a job turned away costs little, to let the room fill up.
///
/// Source: M. L. Puterman, "Markov Decision Processes", Wiley (1994), chapter 11; by
/// best_markov_plan.
///
/// \throws invalid_input if a kind or the pool is invalid, or there are more than 4000 states
inline double least_gang_cost(std::span<const gang_kind> kinds, const gang_pool& pool) {
  const detail::gang_states states(kinds, pool);
  std::vector<markov_option> options;
  for (int state = 0; state < states.count(); ++state) {
    const std::vector<int> jobs = states.jobs_of(state);
    if (states.free_gpus(jobs) < 0) {  // cannot be: it leads back at once
      options.push_back({.state = state, .moves = {{0, per_second{1}}}});
      continue;
    }
    states.add_options(state, 0, jobs, options);
  }
  return best_markov_plan(states.count(), options).mean_cost;
}

}  // namespace gpuplan
