#pragma once
/// \file
/// How many gangs a small pool can take, exactly: the Markov chain of a pool that never runs out of
/// jobs.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/stability.hpp>
#include <gpuplan/queue/markov.hpp>
#include <gpuplan/queue/markov_decision.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// Ways to fill the pool that are followed: chosen, so that it ends; a mix of sizes may have 2^31.
inline constexpr int most_ways = 3'000'000;

/// The states of a saturated pool: jobs that run, of each class, and the class of the one that
/// waits first.
class saturated_states {
 public:
  saturated_states(std::span<const gang_class> classes, int gpus) : classes_(classes), gpus_(gpus) {
    for (const gang_class& jobs : classes) all_ += jobs.share;
    std::vector<int> empty(classes.size() + 1, 0);
    for (const auto& first : filled(empty, gpus)) number_of(first.first);
    for (std::size_t n = 0; n < states_.size(); ++n) add_moves(n);
  }

  [[nodiscard]] int count() const { return static_cast<int>(states_.size()); }
  [[nodiscard]] const std::vector<markov_move>& moves() const { return moves_; }
  [[nodiscard]] int busy(std::size_t n) const {
    int sum = 0;
    for (std::size_t k = 0; k < classes_.size(); ++k) sum += states_[n][k] * classes_[k].gpus;
    return sum;
  }

 private:
  using state = std::vector<int>;  ///< running of each class; last, the class that waits

  int number_of(const state& of) {
    const auto [found, is_new] = numbers_.try_emplace(of, static_cast<int>(states_.size()));
    if (is_new) states_.push_back(of);
    require(states_.size() <= 1000, "exact_saturation: states must be <= 1000");
    return found->second;
  }

  /// Jobs start until one does not fit: what comes of it, and how likely.
  std::map<state, double> filled(const state& from, int free) const {
    std::map<state, double> done;
    std::map<std::pair<int, state>, double, std::greater<>> open;  // by free GPUs, most first
    open[{free, from}] = 1;
    for (int ways = 0; !open.empty(); ++ways) {
      require(ways < most_ways, "exact_saturation: ways to fill the pool must be <= 3000000");
      const auto [key, chance] = *open.begin();
      open.erase(open.begin());
      require(done.size() <= 1000, "exact_saturation: states must be <= 1000");
      for (std::size_t k = 0; k < classes_.size(); ++k) {
        const double p = chance * classes_[k].share / all_;
        state next = key.second;
        if (classes_[k].gpus > key.first) {
          next.back() = static_cast<int>(k);
          done[next] += p;
        } else {
          ++next[k];
          open[{key.first - classes_[k].gpus, next}] += p;
        }
      }
    }
    return done;
  }

  void add_moves(std::size_t n) {
    const state now = states_[n];
    const int free = gpus_ - busy(n);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      if (now[k] == 0) continue;
      const per_second rate = now[k] / classes_[k].mean_duration;
      state next = now;
      --next[k];
      const auto head = static_cast<std::size_t>(now.back());
      const int left = free + classes_[k].gpus - classes_[head].gpus;
      if (left < 0) {
        moves_.push_back({static_cast<int>(n), number_of(next), rate});
        continue;
      }
      ++next[head];
      next.back() = 0;
      for (const auto& [after, chance] : filled(next, left))
        moves_.push_back({static_cast<int>(n), number_of(after), rate * chance});
    }
  }

  std::span<const gang_class> classes_;
  int gpus_;
  double all_ = 0;
  std::map<state, int> numbers_;
  std::vector<state> states_;
  std::vector<markov_move> moves_;  ///< each is a job that ends
};

}  // namespace detail

/// What a small pool of gangs can take, first come first served, exactly.
///
///     lambda* = sum_n pi_n r_n,   pi Q = 0
///     Delta = sum_n pi_n sum_m q_nm h_m / lambda* - sum_n pi_n h_n,   Q h = lambda* - r
///
///     n      a state: jobs that run of each class, and the class of the one that waits first
///     q      rates at which a job ends, and those that now fit start
///     r      their sum: jobs that end
///
/// Exact for durations that are exponential in each class, whose variability does not count.  Some
/// hundred states: three classes on 32 GPUs.  A job larger than the pool holds up all others: 0.
///
/// Source: I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, "The RESET and MARC
/// techniques, with application to multiserver-job analysis", Performance Evaluation 162 (2023)
/// 102378.
///
/// \throws invalid_input if a class is invalid or takes no time, gpus < 1, there are more than 1000
///         states, or more than 3 000 000 ways to fill the pool
inline saturation exact_saturation(std::span<const gang_class> classes, int gpus) {
  require_valid(classes);
  require(gpus >= 1, "exact_saturation: gpus must be >= 1");
  for (const gang_class& jobs : classes) {
    require(jobs.mean_duration > seconds{0}, "exact_saturation: mean_duration must be > 0 s");
    if (jobs.gpus > gpus) return {};
  }
  const detail::saturated_states states(classes, gpus);
  const auto count = static_cast<std::size_t>(states.count());
  std::vector<markov_option> chain(count);
  for (const markov_move& move : states.moves()) {
    markov_option& from = chain[static_cast<std::size_t>(move.from)];
    from.state = move.from;
    from.cost += move.rate * seconds{1};
    from.moves.emplace_back(move.to, move.rate);
  }
  const markov_plan ends = best_markov_plan(states.count(), chain);  // without a choice
  const std::vector<double> law = stationary_law(states.count(), states.moves());

  saturation limit{.rate = per_second{ends.mean_cost}};
  double delta = 0;
  for (std::size_t n = 0; n < count; ++n) {
    limit.busy += law[n] * states.busy(n);
    delta -= law[n] * ends.excess[n];
  }
  for (const markov_move& move : states.moves())
    delta += law[static_cast<std::size_t>(move.from)] * (move.rate / limit.rate) *
             ends.excess[static_cast<std::size_t>(move.to)];
  limit.dispersion = 1 + 2 * delta;
  return limit;
}

}  // namespace gpuplan
