#pragma once
/// \file
/// Moves running tasks, to make room for gangs or to even out the load.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <gpuplan/placement/fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A task that runs, and where.
struct running_task {
  gpu_task task{};
  task_placement where{};
};

/// A task that is to move.
struct migration {
  std::size_t task = 0;  ///< of the list given
  task_placement from{};
  task_placement to{};
};

/// What to move, and what it is good for.
struct rebalancing {
  std::vector<migration> moves{};  ///< in this order each finds its room
  double before = 0;               ///< what was to be made better: said by the function
  double after = 0;
};

namespace detail {

/// The tasks of each node, by position.
inline std::vector<std::vector<std::size_t>> tasks_by_node(std::span<const gpu_node> nodes,
                                                           std::span<const running_task> tasks) {
  std::vector<std::vector<std::size_t>> on(nodes.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    require(tasks[t].where.node < nodes.size(), "running_task: node must be one of the pool");
    on[tasks[t].where.node].push_back(t);
  }
  return on;
}

/// A new place for a task on another node than `from`, where the least is left; the pool that it
/// finds is changed.
inline std::optional<task_placement> moved(std::vector<gpu_node>& pool, const gpu_task& task,
                                           std::size_t from, std::span<const char> closed) {
  std::optional<std::size_t> best;
  for (std::size_t n = 0; n < pool.size(); ++n) {
    if (n == from || closed[n] != 0 || !can_host(pool[n], task)) continue;
    if (!best || pool[n].free_gpu_thousandths() < pool[*best].free_gpu_thousandths()) best = n;
  }
  if (!best) return std::nullopt;
  const task_placement to{.node = *best,
                          .gpus = choose_gpus(pool[*best], task, gpu_choice::least_free)};
  pool[*best] = with_task(pool[*best], task, to.gpus);
  return to;
}

}  // namespace detail

/// Empties nodes so that more gangs of `gang` whole GPUs find one: at most `most_moves` tasks move,
/// each to the fullest node that has room. Node after node, first those that the fewest moves
/// empty, of these the emptiest; a node that cannot be emptied, or gains no gang, is left as it is.
///
/// `before` and `after` are gangs that find a node. A greedy rule: it never makes fewer gangs, and
/// need not find the most.
///
/// Source: ours.
///
/// \throws invalid_input if the gang is not >= 1, most_moves not >= 0, or a task is not on its node
inline rebalancing defragment(std::span<const gpu_node> nodes, std::span<const running_task> tasks,
                              int gang, int most_moves) {
  require(most_moves >= 0, "defragment: most_moves must be >= 0");
  const std::vector<std::vector<std::size_t>> on = detail::tasks_by_node(nodes, tasks);
  std::vector<gpu_node> pool(nodes.begin(), nodes.end());
  rebalancing plan{.before = static_cast<double>(free_gpus_of(nodes, gang).gangs)};

  std::vector<std::size_t> turn;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (!on[n].empty() && nodes[n].gpus >= gang) turn.push_back(n);
  std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) {
    if (on[a].size() != on[b].size()) return on[a].size() < on[b].size();
    return nodes[a].free_gpu_thousandths() > nodes[b].free_gpu_thousandths();
  });
  std::vector<char> closed(nodes.size(), 0);   // emptied: nothing moves there
  std::vector<char> touched(nodes.size(), 0);  // something moved there: not emptied any more
  for (const std::size_t n : turn) {
    const int left = most_moves - static_cast<int>(plan.moves.size());
    if (touched[n] != 0 || static_cast<int>(on[n].size()) > left) continue;
    std::vector<gpu_node> trial = pool;
    std::vector<migration> moves;
    for (const std::size_t t : on[n]) {
      const auto to = detail::moved(trial, tasks[t].task, n, closed);
      if (!to) break;
      trial[n] = without_task(trial[n], tasks[t].task, tasks[t].where.gpus);
      moves.push_back({t, tasks[t].where, *to});
    }
    if (moves.size() < on[n].size() ||
        free_gpus_of(trial, gang).gangs <= free_gpus_of(pool, gang).gangs)
      continue;
    pool = std::move(trial);
    closed[n] = 1;
    for (const migration& move : moves) {
      touched[move.to.node] = 1;
      plan.moves.push_back(move);
    }
  }
  plan.after = static_cast<double>(free_gpus_of(pool, gang).gangs);
  return plan;
}

/// Evens out the load: while it makes the pool's fullest node, among those that can give a task
/// away, less full, a task goes from it to the emptiest node with room. At most `most_moves` move.
///
/// `before` and `after` are the largest part of a node's GPUs in use less the smallest.
///
/// Source: ours.
///
/// \throws invalid_input if most_moves is not >= 0, or a task is not on its node
inline rebalancing spread_load(std::span<const gpu_node> nodes, std::span<const running_task> tasks,
                               int most_moves) {
  require(most_moves >= 0, "spread_load: most_moves must be >= 0");
  std::vector<std::vector<std::size_t>> on = detail::tasks_by_node(nodes, tasks);
  std::vector<gpu_node> pool(nodes.begin(), nodes.end());
  std::vector<task_placement> where(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) where[t] = tasks[t].where;

  const auto load_of = [](const gpu_node& host) {
    return host.gpus == 0 ? 0.0 : 1 - host.free_gpu_thousandths() / (1.0 * host.gpus * whole_gpu);
  };
  const auto range = [&] {
    double least = 1;
    double most = 0;
    bool any = false;
    for (const gpu_node& host : pool) {
      if (host.gpus == 0) continue;
      any = true;
      least = std::min(least, load_of(host));
      most = std::max(most, load_of(host));
    }
    return any ? most - least : 0;
  };

  rebalancing plan{.before = range()};
  for (int move = 0; move < most_moves; ++move) {
    // The move that leaves the fuller of its two nodes least full, from the fullest node.
    std::size_t fullest = pool.size();
    for (std::size_t n = 0; n < pool.size(); ++n)
      if (!on[n].empty() && (fullest == pool.size() || load_of(pool[n]) > load_of(pool[fullest])))
        fullest = n;
    if (fullest == pool.size()) break;
    std::optional<migration> best;
    double least = load_of(pool[fullest]) - 1e-12;
    for (const std::size_t t : on[fullest]) {
      const gpu_task& task = tasks[t].task;
      if (task.gpus == 0) continue;
      const gpu_node rest = without_task(pool[fullest], task, where[t].gpus);
      for (std::size_t n = 0; n < pool.size(); ++n) {
        if (n == fullest || !can_host(pool[n], task)) continue;
        const gpu_set on_gpus = choose_gpus(pool[n], task, gpu_choice::most_free);
        const double fuller = std::max(load_of(rest), load_of(with_task(pool[n], task, on_gpus)));
        if (fuller >= least) continue;
        least = fuller;
        best = migration{t, where[t], {.node = n, .gpus = on_gpus}};
      }
    }
    if (!best) break;
    pool[fullest] = without_task(pool[fullest], tasks[best->task].task, best->from.gpus);
    pool[best->to.node] = with_task(pool[best->to.node], tasks[best->task].task, best->to.gpus);
    std::erase(on[fullest], best->task);
    on[best->to.node].push_back(best->task);
    where[best->task] = best->to;
    plan.moves.push_back(*best);
  }
  plan.after = range();
  return plan;
}

}  // namespace gpuplan
