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

/// The worth of an assignment of jobs to nodes by load and priority.
///
///     sum over jobs of  L_a(j) P_j
///
///     L_i  free part of node i        0 .. 1
///     P_j  priority of job j          any number >= 0
///     a    the node that each has
///
/// Source: definition.
///
/// \throws invalid_input if a job has no node, or a value is out of range
constexpr double load_priority(std::span<const double> free_parts,
                               std::span<const double> priorities,
                               std::span<const std::size_t> node_of) {
  require(node_of.size() == priorities.size(), "load_priority: every job must have a node");
  double worth = 0;
  for (std::size_t j = 0; j < node_of.size(); ++j) {
    require(node_of[j] < free_parts.size(), "load_priority: node must be one of those given");
    require(free_parts[node_of[j]] >= 0 && free_parts[node_of[j]] <= 1,
            "load_priority: free parts must be 0 .. 1");
    require(priorities[j] >= 0 && priorities[j] < 1e300,
            "load_priority: priorities must be >= 0 and finite");
    worth += free_parts[node_of[j]] * priorities[j];
  }
  return worth;
}

/// The assignment of the largest worth, one job a node: the largest priority to the freest node,
/// and so on down. Exact: exchanging two never helps (the rearrangement inequality). Jobs beyond
/// the nodes get none: std::size_t's largest.
///
/// Source: G. H. Hardy, J. E. Littlewood and G. Polya, "Inequalities", Cambridge (1934),
/// section 10.2.
///
/// \throws invalid_input if a value is not a number
inline std::vector<std::size_t> best_load_priority(std::span<const double> free_parts,
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
  const std::vector<std::size_t> nodes = falling(free_parts);
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
  [[nodiscard]] bool feasible() const { return energy < joules{1e300}; }
};

/// The choices of all jobs, run side by side, with the least energy under both caps: exact, by
/// branch and bound over the jobs.
///
///     min sum P_i t_i    with  sum P_i <= P_cap  and  each t_i <= t_cap
///
///     The source adds watts and calls the sum an energy; here the units forbid it.
///
/// Jobs have at most 64 choices, and at most 1e7 branches are looked at: some tenths of a second.
///
/// Source: definition of the aim; A. H. Land and A. G. Doig, "An automatic method of solving
/// discrete programming problems", Econometrica 28 (1960) 497-520, for the search.
///
/// \throws invalid_input if a job has no choice or more than 64, a value is out of range, or the
///         branches are too many
inline power_plan least_energy(std::span<const std::vector<power_choice>> jobs, watts power_cap,
                               seconds time_cap) {
  require(power_cap >= watts{0}, "least_energy: power_cap must be >= 0 W");
  require(time_cap >= seconds{0}, "least_energy: time_cap must be >= 0 s");
  const std::size_t count = jobs.size();
  std::vector<std::vector<std::size_t>> allowed(count);
  std::vector<joules> rest_energy(count + 1);  // at least, of the jobs from here on
  std::vector<watts> rest_power(count + 1);
  power_plan best;
  for (std::size_t j = count; j-- > 0;) {
    require(!jobs[j].empty() && jobs[j].size() <= 64, "least_energy: choices must be 1 .. 64");
    joules least_energy_of{std::numeric_limits<double>::infinity()};
    watts least_power{std::numeric_limits<double>::infinity()};
    for (std::size_t c = 0; c < jobs[j].size(); ++c) {
      const power_choice& choice = jobs[j][c];
      require(choice.power >= watts{0} && choice.power < watts{1e300},
              "power_choice: power must be >= 0 W and finite");
      require(choice.time >= seconds{0} && choice.time < seconds{1e300},
              "power_choice: time must be >= 0 s and finite");
      if (choice.time > time_cap) continue;
      allowed[j].push_back(c);
      least_energy_of = std::min(least_energy_of, choice.power * choice.time);
      least_power = std::min(least_power, choice.power);
    }
    if (allowed[j].empty()) return {};
    std::stable_sort(allowed[j].begin(), allowed[j].end(), [&](std::size_t a, std::size_t b) {
      return jobs[j][a].power * jobs[j][a].time < jobs[j][b].power * jobs[j][b].time;
    });
    rest_energy[j] = rest_energy[j + 1] + least_energy_of;
    rest_power[j] = rest_power[j + 1] + least_power;
  }
  const watts cap = (1 + 1e-12) * power_cap;
  std::vector<std::size_t> chosen(count);
  std::int64_t branches = 0;
  const auto visit = [&](const auto& self, std::size_t j, joules energy, watts power) -> void {
    require(++branches <= 10000000, "least_energy: branches must be <= 1e7");
    if (energy + rest_energy[j] >= best.energy || power + rest_power[j] > cap) return;
    if (j == count) {
      best = {.choice_of = chosen, .energy = energy, .power = power};
      return;
    }
    for (const std::size_t c : allowed[j]) {
      chosen[j] = c;
      self(self, j + 1, energy + jobs[j][c].power * jobs[j][c].time, power + jobs[j][c].power);
    }
  };
  visit(visit, 0, joules{0}, watts{0});
  return best;
}

}  // namespace gpuplan
