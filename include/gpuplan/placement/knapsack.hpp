#pragma once
/// \file
/// Which jobs to run on a number of GPUs for the largest total value: a knapsack.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// A job that runs whole or not at all.
struct knapsack_item {
  int gpus = 1;      ///< >= 0
  double worth = 0;  ///< >= 0: priority, goodput, price
};

/// What to run.
struct knapsack_choice {
  std::vector<std::size_t> chosen{};  ///< ascending
  double worth = 0;
  int gpus = 0;  ///< that they take, <= those there are
};

/// The set of jobs of the largest worth that fits: exact, by dynamic programming over the GPUs.
///
///     V(j, g) = max(V(j - 1, g), V(j - 1, g - gpus_j) + worth_j)
///
/// O(n C) steps for n jobs on C GPUs, and n C bits of memory. Of equal worth the first jobs win.
///
/// Source: R. Bellman, "Dynamic Programming", Princeton University Press (1957).
///
/// \throws invalid_input if there are < 0 GPUs, n C is above 1e9, or an item is out of range
inline knapsack_choice best_jobs(std::span<const knapsack_item> items, int gpus) {
  require(gpus >= 0, "best_jobs: gpus must be >= 0");
  require(static_cast<double>(items.size()) * gpus <= 1e9, "best_jobs: jobs x GPUs must be <= 1e9");
  double asked = 0;
  for (const knapsack_item& item : items) {
    require(item.gpus >= 0, "best_jobs: gpus of a job must be >= 0");
    require(item.worth >= 0 && item.worth < 1e300, "best_jobs: worth must be >= 0 and finite");
    asked += item.gpus;
  }
  if (asked < gpus) gpus = static_cast<int>(asked);  // no more can be taken
  const std::size_t width = static_cast<std::size_t>(gpus) + 1;
  std::vector<double> most(width, 0);
  std::vector<bool> taken(width * items.size(), false);
  for (std::size_t j = 0; j < items.size(); ++j) {
    const auto needs = static_cast<std::size_t>(items[j].gpus);
    for (std::size_t g = width; g-- > needs;) {
      const double with = most[g - needs] + items[j].worth;
      if (!(with > most[g])) continue;
      most[g] = with;
      taken[j * width + g] = true;
    }
  }
  knapsack_choice best{.chosen = {}, .worth = most[width - 1], .gpus = 0};
  std::size_t left = width - 1;
  for (std::size_t j = items.size(); j-- > 0;) {
    if (!taken[j * width + left]) continue;
    best.chosen.push_back(j);
    best.gpus += items[j].gpus;
    left -= static_cast<std::size_t>(items[j].gpus);
  }
  std::reverse(best.chosen.begin(), best.chosen.end());
  return best;
}

}  // namespace gpuplan
