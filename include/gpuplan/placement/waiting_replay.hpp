#pragma once
/// \file
/// Places a list of tasks on a pool, where a task that finds no node waits until one can host it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placement_refusal.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Which of the tasks that wait is placed.
enum class waiting_rule : std::uint8_t {
  in_turn,      ///< the first alone: those behind it wait for it
  whoever_fits  ///< each that fits, the first ones first
};

/// "in-turn", "whoever-fits"
constexpr const char* name_of(waiting_rule rule) {
  return rule == waiting_rule::in_turn ? "in-turn" : "whoever-fits";
}

/// When a task ran, and where.
struct task_run {
  std::optional<task_placement> where{};                   ///< empty: it found no node
  seconds start{std::numeric_limits<double>::infinity()};  ///< infinite: it never ran
  seconds end{std::numeric_limits<double>::infinity()};    ///< infinite: it runs on
};

/// What became of the tasks and of the pool.
struct waiting_result {
  replay_result replay{};          ///< GPU time in use and most in use until the last arrival
  std::vector<task_run> runs{};    ///< of each task
  std::vector<gpu_node> nodes{};   ///< at the last arrival
  std::int64_t still_waiting = 0;  ///< tasks that a node could host, were it ever free
};

namespace detail {

/// What a node has free, laid out for a look by many tasks: can_host in a few comparisons.
class node_room {
 public:
  explicit node_room(const gpu_node& host)
      : type_{host.type}, cores_{host.free_core_thousandths}, memory_{host.free_memory} {
    least_[0] = whole_gpu;
    std::copy(host.free_gpu.begin(), host.free_gpu.begin() + host.gpus, least_.begin() + 1);
    std::sort(least_.begin() + 1, least_.begin() + 1 + host.gpus, std::greater<>{});
  }
  [[nodiscard]] bool can_host(const gpu_task& task) const {
    return task.core_thousandths <= cores_ && task.memory <= memory_ &&
           (task.gpus == 0 ||
            (task.gpu_thousandths <= least_[static_cast<std::size_t>(task.gpus)] &&
             task.accepts(type_)));
  }

 private:
  int type_;
  std::int64_t cores_;
  bytes memory_;
  std::array<int, gpu_node::most_gpus + 1> least_{};  ///< free of the GPU with the n-th most
};

/// Tasks that wait for a node of a pool.
class waiting_tasks {
 public:
  waiting_tasks(pool_replay& pool, std::span<const arriving_task> tasks, waiting_rule rule,
                std::vector<task_run>& runs)
      : pool_{&pool}, tasks_{tasks}, rule_{rule}, runs_{&runs} {}

  [[nodiscard]] bool empty() const { return line_.empty(); }
  [[nodiscard]] std::size_t size() const { return line_.size(); }

  /// A task comes: it starts, or joins the end of the line.
  void join(std::size_t t) {
    const bool blocked = rule_ == waiting_rule::in_turn && !line_.empty();
    if (blocked || !start(t)) line_.push_back({t, tasks_[t].task});
  }

  /// Starts those whose turn it is, and for which there is room now.
  void serve() {
    if (rule_ == waiting_rule::in_turn) {
      while (!line_.empty() && start(line_.front().place)) line_.pop_front();
      return;
    }
    // None of them fitted when this was done last: only what nodes have got back can host one now.
    const std::vector<std::size_t> released = pool_->take_released();
    std::vector<node_room> rooms;
    const auto look = [&] {
      rooms.clear();
      for (const std::size_t node : released) rooms.emplace_back(pool_->nodes()[node]);
    };
    look();
    std::size_t kept = 0;
    for (const waiting& one : line_) {
      const bool may_start = std::any_of(rooms.begin(), rooms.end(), [&](const node_room& room) {
        return room.can_host(one.task);
      });
      if (may_start && start(one.place))
        look();
      else
        line_[kept++] = one;
    }
    line_.resize(kept);
  }

 private:
  struct waiting {
    std::size_t place = 0;  ///< among all tasks
    gpu_task task{};
  };

  bool start(std::size_t t) {
    const std::optional<task_placement> found = pool_->try_to_place(t);
    if (!found) return false;
    const seconds now = pool_->now();
    const seconds end = now + (tasks_[t].departure - tasks_[t].arrival);
    (*runs_)[t] = {*found, now, end};
    if (end < seconds{std::numeric_limits<double>::infinity()}) pool_->leave_at(end, t, *found);
    return true;
  }

  pool_replay* pool_;
  std::span<const arriving_task> tasks_;
  waiting_rule rule_;
  std::vector<task_run>* runs_;
  std::deque<waiting> line_{};
};

}  // namespace detail

/// Replays the tasks by arrival. A task that no node can host now waits; it starts when others have
/// left, and runs as long as its departure is after its arrival. A task that no node could host,
/// were all empty, is refused at once. Goes on until nobody waits, or nobody leaves any more.
///
/// \throws invalid_input if a task is invalid
inline waiting_result replay_waiting(placer& pool, std::span<const arriving_task> tasks,
                                     waiting_rule rule) {
  waiting_result found;
  found.runs.resize(tasks.size());
  const std::vector<std::size_t> turn = detail::order_of(tasks, replay_mode::leave);
  detail::pool_replay replayed{pool, tasks};
  detail::waiting_tasks line{replayed, tasks, rule, found.runs};
  replayed.begin(turn.empty() ? seconds{0} : tasks[turn.front()].arrival);

  const auto pass_to = [&](seconds until) {
    for (auto next = replayed.next_departure(); next && *next <= until;
         next = replayed.next_departure()) {
      replayed.pass_to(*next);
      line.serve();
    }
  };
  for (const std::size_t t : turn) {
    pass_to(tasks[t].arrival);
    replayed.pass_to(tasks[t].arrival);
    replayed.ask(t);
    if (is_final(pool.refusal_of(tasks[t].task)))
      replayed.refuse(t);
    else
      line.join(t);
  }
  const replay_result by_then = replayed.result();
  found.nodes.assign(pool.nodes().begin(), pool.nodes().end());
  while (!line.empty() && replayed.next_departure()) pass_to(*replayed.next_departure());

  found.replay = replayed.result();
  found.replay.until = by_then.until;
  found.replay.busy = by_then.busy;
  found.replay.most_in_use = by_then.most_in_use;
  found.still_waiting = static_cast<std::int64_t>(line.size());
  return found;
}

/// Replays the tasks by arrival; one that finds no node is lost. As replay, with the times.
/// \throws invalid_input if a task is invalid
inline waiting_result replay_leaving(placer& pool, std::span<const arriving_task> tasks,
                                     replay_mode mode) {
  waiting_result found;
  std::vector<std::optional<task_placement>> where(tasks.size());
  found.replay = replay(pool, tasks, mode, where);
  found.nodes.assign(pool.nodes().begin(), pool.nodes().end());
  for (std::size_t t = 0; t < tasks.size(); ++t)
    found.runs.push_back(where[t] ? task_run{where[t], tasks[t].arrival, tasks[t].departure}
                                  : task_run{});
  return found;
}

}  // namespace gpuplan
