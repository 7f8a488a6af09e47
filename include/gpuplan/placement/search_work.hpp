#pragma once
/// \file
/// How many steps it takes to try every placement of n tasks on m nodes.
///
/// Placing tasks of several resources is NP-hard, and whether all find a place NP-complete: bin
/// packing is the case of equal nodes and one resource, so whoever could place could pack. (M. R.
/// Garey and D. S. Johnson, "Computers and Intractability", Freeman, 1979, problem SR1.) Greedy
/// rules are therefore judged by a bound on what they lose: packing_bounds.hpp.

#include <cmath>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Looks at a node for a task, by a greedy rule.
///
///     n m
///
///     n  tasks    count, >= 0
///     m  nodes    count, >= 0
///
/// Holds: the steps that grow; each step has its own cost.
///
/// Source: by definition, counted in a test.
///
/// \throws invalid_input if a count is not >= 0
constexpr double greedy_work(double tasks, double nodes) {
  require(tasks >= 0 && nodes >= 0, "greedy_work: tasks and nodes must be >= 0");
  return tasks * nodes;
}

/// Assignments that trying all of them looks at. Infinite beyond the range of a double. Where a
/// task may also be refused, m is one more than the nodes.
///
///     m^n
///
///     n  tasks    count, >= 0
///     m  nodes    count, >= 0
///
/// Holds: the steps that grow; each step has its own cost.
///
/// Source: as greedy_work.
///
/// \throws invalid_input if a count is not >= 0
inline double exhaustive_work(double tasks, double nodes) {
  require(tasks >= 0 && nodes >= 0, "exhaustive_work: tasks and nodes must be >= 0");
  return std::pow(nodes, tasks);
}

/// Looks at a node for a task, by a genetic search of G generations of P candidates, each of which
/// is judged by looking at each node for each task. A candidate that names the node of each task
/// is judged in n + m steps instead of n m.
///
///     G P n m
///
///     G  generations    count, >= 0
///     P  population     count, >= 0
///     n  tasks          count, >= 0
///     m  nodes          count, >= 0
///
/// Holds: the steps that grow; each step has its own cost.
///
/// Source: as greedy_work.
///
/// \throws invalid_input if a count is not >= 0
constexpr double genetic_work(double generations, double population, double tasks, double nodes) {
  require(generations >= 0 && population >= 0,
          "genetic_work: generations and population must be >= 0");
  return generations * population * greedy_work(tasks, nodes);
}

/// Steps of the knapsack by dynamic programming over C GPUs: polynomial in C, not in its digits, so
/// this is no way around NP-hardness where C is large or there are several resources.
///
///     n C
///
///     n  tasks    count, >= 0
///     C  GPUs     count, >= 0
///
/// Holds: the steps that grow; each step has its own cost.
///
/// Source: as greedy_work.
///
/// \throws invalid_input if a count is not >= 0
constexpr double knapsack_work(double tasks, double gpus) {
  require(tasks >= 0 && gpus >= 0, "knapsack_work: tasks and gpus must be >= 0");
  return tasks * gpus;
}

}  // namespace gpuplan
