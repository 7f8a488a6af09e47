#pragma once
/// \file
/// How evenly users are served: Jain's index, and shares of the dominant resource.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/placement/resources.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Jain's fairness index.
///
///     J = (sum x_i)^2 / (n sum x_i^2)
///
///     x_i  what user i gets   any unit, >= 0, not all 0
///
/// 1 where all get the same, 1/n where one gets all; the same whatever the unit.
///
/// Source: R. Jain, D. Chiu and W. Hawe, "A quantitative measure of fairness and discrimination for
/// resource allocation in shared computer systems", DEC Research Report TR-301 (1984).
///
/// \throws invalid_input if there is no user, a value is not >= 0 and finite, or all are 0
constexpr double jain_index(std::span<const double> values) {
  require(!values.empty(), "jain_index: values must be >= 1");
  double most = 0;
  for (const double value : values) {
    require(value >= 0 && value < std::numeric_limits<double>::infinity(),
            "jain_index: every value must be >= 0 and finite");
    most = value > most ? value : most;
  }
  require(most > 0, "jain_index: some value must be > 0");
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    const double part = value / most;  // no square overflows
    sum += part;
    squares += part * part;
  }
  return sum * sum / (static_cast<double>(values.size()) * squares);
}

/// Part of the pool that a user has, of the kind of which it has most.
///
///     s_i = max_k u_ik / C_k
///
/// Source: A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker and I. Stoica, "Dominant
/// Resource Fairness: Fair Allocation of Multiple Resource Types", NSDI 2011, section 4.
///
/// \throws invalid_input as shares_of
constexpr double dominant_share(const resources& has, const resources& pool) {
  return shares_of(has, pool).largest();
}

/// What each task of a user asks for, and how many it has at most.
struct fair_user {
  resources task{};
  double weight = 1;                                       ///< > 0
  double most_tasks = std::numeric_limits<double>::max();  ///< >= 0
};

/// Tasks given to each user, whole ones, by dominant resource fairness: the next task always goes
/// to the user with the smallest dominant share over its weight whose task still fits.
///
/// Stops after `most_tasks` tasks in all, so that tiny tasks end too.
///
/// Source: Ghodsi et al. 2011, algorithm 1.
///
/// \throws invalid_input if a task asks for nothing, an amount is out of range, a kind is asked for
///         that the pool lacks, or a weight is not > 0
inline std::vector<int> dominant_resource_fairness(const resources& pool,
                                                   std::span<const fair_user> users,
                                                   int most_tasks = 1000000) {
  require(most_tasks >= 0, "dominant_resource_fairness: most_tasks must be >= 0");
  std::vector<double> each(users.size());
  for (std::size_t i = 0; i < users.size(); ++i) {
    require(users[i].weight > 0, "dominant_resource_fairness: weight must be > 0");
    require(users[i].most_tasks >= 0, "dominant_resource_fairness: most_tasks must be >= 0");
    each[i] = dominant_share(users[i].task, pool);
    require(each[i] > 0, "dominant_resource_fairness: every task must ask for a resource");
  }
  std::vector<int> tasks(users.size(), 0);
  resources used{};
  for (int given = 0; given < most_tasks; ++given) {
    std::size_t next = users.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < users.size(); ++i) {
      const double share = tasks[i] * each[i] / users[i].weight;
      if (share < least && tasks[i] + 1 <= users[i].most_tasks &&
          holds((1 + 1e-12) * pool, used + users[i].task)) {
        least = share;
        next = i;
      }
    }
    if (next == users.size()) break;
    ++tasks[next];
    used = used + users[next].task;
  }
  return tasks;
}

}  // namespace gpuplan
