#pragma once
/// \file
/// How many steps it takes to try every placement of n tasks on m nodes.

#include <cmath>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Looks at a node for a task, by a greedy rule: n m.
/// \throws invalid_input if a count is not >= 0
constexpr double greedy_work(double tasks, double nodes) {
  require(tasks >= 0 && nodes >= 0, "greedy_work: tasks and nodes must be >= 0");
  return tasks * nodes;
}

/// Assignments that trying all of them looks at: m^n. Infinite beyond the range of a double.
/// \throws invalid_input if a count is not >= 0
inline double exhaustive_work(double tasks, double nodes) {
  require(tasks >= 0 && nodes >= 0, "exhaustive_work: tasks and nodes must be >= 0");
  return std::pow(nodes, tasks);
}

/// Looks at a node for a task, by a genetic search of G generations of P candidates, each of which
/// is judged by looking at each node for each task: G P n m.
/// \throws invalid_input if a count is not >= 0
constexpr double genetic_work(double generations, double population, double tasks, double nodes) {
  require(generations >= 0 && population >= 0,
          "genetic_work: generations and population must be >= 0");
  return generations * population * greedy_work(tasks, nodes);
}

/// Steps of the knapsack by dynamic programming over C GPUs: n C.
/// \throws invalid_input if a count is not >= 0
constexpr double knapsack_work(double tasks, double gpus) {
  require(tasks >= 0 && gpus >= 0, "knapsack_work: tasks and gpus must be >= 0");
  return tasks * gpus;
}

}  // namespace gpuplan
