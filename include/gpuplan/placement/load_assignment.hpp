#pragma once
/// \file
/// Which job runs where, if jobs differ in priority and nodes in load; and at which power, if power
/// and time are limited.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How well the most loaded nodes serve the most urgent jobs: the aim of priority scheduling.
///
///     sum over jobs of  L_a(j) P_j        to be made large
///
///     L_i  load of node i, with its job on it    1, 0 .. 1
///     P_j  priority of job j                     any number >= 0
///     a    the node that each has
///
/// Source: definition.
///
/// \throws invalid_input if a job has no node, or a value is out of range
constexpr double load_priority(std::span<const double> loads, std::span<const double> priorities,
                               std::span<const std::size_t> node_of) {
  require(node_of.size() == priorities.size(), "load_priority: every job must have a node");
  double worth = 0;
  for (std::size_t j = 0; j < node_of.size(); ++j) {
    require(node_of[j] < loads.size(), "load_priority: node must be one of those given");
    require(loads[node_of[j]] >= 0 && loads[node_of[j]] <= 1,
            "load_priority: loads must be 0 .. 1");
    require(priorities[j] >= 0 && priorities[j] < 1e300,
            "load_priority: priorities must be >= 0 and finite");
    worth += loads[node_of[j]] * priorities[j];
  }
  return worth;
}

/// The assignment of the largest sum of L P, one job a node: the largest priority to the largest
/// load, and so on down. Exact: exchanging two never helps (the rearrangement inequality). Jobs
/// beyond the nodes get none: std::size_t's largest.
///
/// With free parts in place of loads the same function gives the freest node to the most urgent
/// job.
///
/// Source: G. H. Hardy, J. E. Littlewood and G. Polya, "Inequalities", Cambridge (1934),
/// section 10.2.
///
/// \throws invalid_input if a value is not a number
inline std::vector<std::size_t> best_load_priority(std::span<const double> loads,
                                                   std::span<const double> priorities) {
  const auto falling = [](std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      require(values[i] == values[i], "best_load_priority: values must be numbers");
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    return order;
  };
  const std::vector<std::size_t> nodes = falling(loads);
  const std::vector<std::size_t> jobs = falling(priorities);
  std::vector<std::size_t> node_of(jobs.size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t k = 0; k < std::min(nodes.size(), jobs.size()); ++k) node_of[jobs[k]] = nodes[k];
  return node_of;
}

/// A way to run a job: at this power it takes this time.
struct power_choice {
  watts power{};   ///< of all its GPUs, >= 0
  seconds time{};  ///< >= 0
};

/// How jobs run together with the least energy.
struct power_plan {
  std::vector<std::size_t> choice_of{};                    ///< of each job
  joules energy{std::numeric_limits<double>::infinity()};  ///< infinite where there is no way
  watts power{};
  [[nodiscard]] bool feasible() const { return isfinite(energy); }
};

/// Limits on how jobs run.
struct power_limits {
  watts each = watts{std::numeric_limits<double>::infinity()};      ///< P_max of one job, >= 0
  seconds time = seconds{std::numeric_limits<double>::infinity()};  ///< of one job, >= 0
  watts all = watts{std::numeric_limits<double>::infinity()};       ///< of their sum, >= 0
};

namespace detail {

/// The choices of each job that keep the limits of one job, the least energy first, and what is
/// needed at least from each job on.
struct energy_search {
  std::span<const std::vector<power_choice>> jobs;
  std::vector<std::vector<std::size_t>> allowed{};
  std::vector<joules> rest_energy{};
  std::vector<watts> rest_power{};
  watts cap{};
  power_plan best{};
  std::vector<std::size_t> chosen{};
  std::int64_t branches = 0;

  /// False where a job has no choice within the limits.
  bool prepare(const power_limits& limits) {
    const std::size_t count = jobs.size();
    allowed.resize(count);
    rest_energy.resize(count + 1);
    rest_power.resize(count + 1);
    chosen.resize(count);
    cap = (1 + 1e-12) * limits.all;
    bool possible = true;
    for (std::size_t j = count; j-- > 0;) {
      require(!jobs[j].empty() && jobs[j].size() <= 64, "least_energy: choices must be 1 .. 64");
      joules least{std::numeric_limits<double>::infinity()};
      watts least_power{std::numeric_limits<double>::infinity()};
      for (std::size_t c = 0; c < jobs[j].size(); ++c) {
        const power_choice& choice = jobs[j][c];
        require(choice.power >= watts{0} && choice.power < watts{1e300},
                "power_choice: power must be >= 0 W and finite");
        require(choice.time >= seconds{0} && choice.time < seconds{1e300},
                "power_choice: time must be >= 0 s and finite");
        if (choice.time > limits.time || choice.power > limits.each) continue;
        allowed[j].push_back(c);
        least = std::min(least, choice.power * choice.time);
        least_power = std::min(least_power, choice.power);
      }
      possible = possible && !allowed[j].empty();
      std::stable_sort(allowed[j].begin(), allowed[j].end(), [&](std::size_t a, std::size_t b) {
        return jobs[j][a].power * jobs[j][a].time < jobs[j][b].power * jobs[j][b].time;
      });
      rest_energy[j] = rest_energy[j + 1] + least;
      rest_power[j] = rest_power[j + 1] + least_power;
    }
    return possible;
  }

  void visit(std::size_t j, joules energy, watts power) {
    require(++branches <= 10000000, "least_energy: branches must be <= 1e7");
    if (energy + rest_energy[j] >= best.energy || power + rest_power[j] > cap) return;
    if (j == jobs.size()) {
      best = {.choice_of = chosen, .energy = energy, .power = power};
      return;
    }
    for (const std::size_t c : allowed[j]) {
      chosen[j] = c;
      visit(j + 1, energy + jobs[j][c].power * jobs[j][c].time, power + jobs[j][c].power);
    }
  }
};

}  // namespace detail

/// The choices of all jobs with the least energy within the limits: exact.
///
///     min sum P_i t_i    with  each P_i <= P_max  and  each t_i <= t_max
///
///     P_i, t_i  power and time of the choice of job i    W, s
///     P_max     most power of one job                    W, limits.each
///     t_max     most time of one job                     s, limits.time
///
/// Without more, each job takes its own best choice. `limits.all` adds a cap on the sum of the
/// power of jobs that run side by side, which couples them; then it is a branch and bound.
///
/// The source adds watts and calls the sum an energy; here the units forbid it.
///
/// Jobs have at most 64 choices, and at most 1e7 branches are looked at: some tenths of a second.
///
/// Source: definition of the aim; A. H. Land and A. G. Doig, "An automatic method of solving
/// discrete programming problems", Econometrica 28 (1960) 497-520, for the search.
///
/// \throws invalid_input if a job has no choice or more than 64, a value is out of range, or the
///         branches are too many
inline power_plan least_energy(std::span<const std::vector<power_choice>> jobs,
                               const power_limits& limits) {
  require(limits.each >= watts{0} && limits.all >= watts{0},
          "power_limits: each and all must be >= 0 W");
  require(limits.time >= seconds{0}, "power_limits: time must be >= 0 s");
  detail::energy_search search{.jobs = jobs};
  if (!search.prepare(limits)) return {};
  search.visit(0, joules{0}, watts{0});
  return search.best;
}

}  // namespace gpuplan
