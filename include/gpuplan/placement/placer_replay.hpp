#pragma once
/// \file
/// A list of tasks placed on a pool, all that come and none that go, or as they come and go.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Why a task found no node.
enum class placement_refusal : std::uint8_t {
  none,    ///< it was placed
  never,   ///< no node could host it, were all of them empty
  cores,   ///< nodes have GPUs for it, but no cores
  memory,  ///< nodes have GPUs and cores for it, but no memory
  gpus     ///< no node has GPUs for it: too few, of other types, or too small pieces
};
inline constexpr std::size_t placement_refusals = 5;

/// The refusal as a plain phrase: "no node is large enough", ...
constexpr const char* name_of(placement_refusal why) {
  switch (why) {
    case placement_refusal::none: return "placed";
    case placement_refusal::never: return "no node is large enough";
    case placement_refusal::cores: return "no cores are left beside free GPUs";
    case placement_refusal::memory: return "no memory is left beside free GPUs";
    case placement_refusal::gpus: return "no node has free GPUs for it";
  }
  return "";
}

/// What became of the tasks.
struct replay_result {
  std::int64_t tasks = 0;
  std::array<std::int64_t, placement_refusals> count{};  ///< by placement_refusal
  std::int64_t asked_thousandths = 0;                    ///< of GPUs, by all tasks
  std::int64_t placed_thousandths = 0;                   ///< by those placed
  std::int64_t pool_thousandths = 0;
  std::int64_t most_in_use = 0;   ///< thousandths at once
  seconds from{};                 ///< first arrival
  seconds until{};                ///< last arrival
  seconds busy{};                 ///< GPU time in use between the two
  std::vector<double> by_user{};  ///< thousandths placed for each user

  [[nodiscard]] constexpr std::int64_t placed() const { return count[0]; }
  /// Part of the pool's GPUs that all placed tasks hold: at the end, where none goes.
  [[nodiscard]] constexpr double allocation() const {
    return pool_thousandths == 0
               ? 0
               : static_cast<double>(placed_thousandths) / static_cast<double>(pool_thousandths);
  }
  /// Mean part of the GPUs in use from the first arrival to the last.
  [[nodiscard]] constexpr double utilization() const {
    return until > from && pool_thousandths > 0
               ? busy / (until - from) / (static_cast<double>(pool_thousandths) / whole_gpu)
               : 0;
  }
};

/// Whether tasks go again.
enum class replay_mode : std::uint8_t {
  stay,  ///< as listed, one after another; none goes: a batch
  leave  ///< by arrival; each goes at its departure, and one that finds no node is lost
};

/// Why no node can host the task now.
/// \throws invalid_input if the task is invalid
inline placement_refusal refusal_of(std::span<const gpu_node> nodes, const gpu_task& task) {
  require_valid(task);
  placement_refusal why = placement_refusal::never;
  for (const gpu_node& host : nodes) {
    const bool could = task.core_thousandths <= host.core_thousandths &&
                       task.memory <= host.memory &&
                       (task.gpus == 0 || (task.gpus <= host.gpus && task.accepts(host.type)));
    if (!could) continue;
    if (why == placement_refusal::never) why = placement_refusal::gpus;
    if (task.gpus > 0 && host.gpus_with(task.gpu_thousandths) < task.gpus) continue;
    if (task.core_thousandths <= host.free_core_thousandths) return placement_refusal::memory;
    why = placement_refusal::cores;
  }
  return why;
}

/// Places the tasks one by one. In `where`, unless it is empty, each task's place is written.
///
/// \throws invalid_input if a task is invalid, or `where` is neither empty nor as long as the tasks
inline replay_result replay(placer& pool, std::span<const arriving_task> tasks, replay_mode mode,
                            std::span<std::optional<task_placement>> where = {}) {
  require(where.empty() || where.size() == tasks.size(),
          "replay: where must be empty or as long as tasks");
  replay_result result;
  std::int64_t in_use = 0;
  for (const gpu_node& host : pool.nodes()) {
    result.pool_thousandths += std::int64_t{host.gpus} * whole_gpu;
    in_use += std::int64_t{host.gpus} * whole_gpu - host.free_gpu_thousandths();
  }
  std::vector<std::size_t> turn(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) turn[t] = t;
  if (mode == replay_mode::leave)
    std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) {
      return tasks[a].arrival < tasks[b].arrival;
    });

  struct leaving {
    seconds at{};
    std::size_t task = 0;
    task_placement from{};
    bool operator>(const leaving& other) const {
      return at != other.at ? at > other.at : task > other.task;
    }
  };
  std::priority_queue<leaving, std::vector<leaving>, std::greater<>> departures;
  seconds now = turn.empty() ? seconds{0} : tasks[turn.front()].arrival;
  result.from = now;
  const auto pass = [&](seconds until) {
    result.busy += static_cast<double>(in_use) / whole_gpu * (until - now);
    now = until;
  };
  for (const std::size_t t : turn) {
    const arriving_task& each = tasks[t];
    if (mode == replay_mode::leave) {
      for (; !departures.empty() && departures.top().at <= each.arrival; departures.pop()) {
        const leaving& gone = departures.top();
        pass(gone.at);
        pool.release(tasks[gone.task].task, gone.from);
        in_use -= tasks[gone.task].task.total_gpu_thousandths();
      }
      pass(each.arrival);
    }
    const std::int64_t asked = each.task.total_gpu_thousandths();
    ++result.tasks;
    result.asked_thousandths += asked;
    const std::optional<task_placement> found = pool.place(each.task);
    if (!where.empty()) where[t] = found;
    const placement_refusal why =
        found ? placement_refusal::none : refusal_of(pool.nodes(), each.task);
    ++result.count[static_cast<std::size_t>(why)];
    if (!found) continue;
    result.placed_thousandths += asked;
    in_use += asked;
    result.most_in_use = std::max(result.most_in_use, in_use);
    const auto user = static_cast<std::size_t>(std::max(0, each.user));
    if (result.by_user.size() <= user) result.by_user.resize(user + 1, 0.0);
    result.by_user[user] += static_cast<double>(asked);
    if (mode == replay_mode::leave) departures.push({each.departure, t, *found});
  }
  result.until = now;
  return result;
}

}  // namespace gpuplan
