#pragma once
/// \file
/// Places a list of tasks on a pool; tasks stay, or leave again.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/placement_refusal.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What became of the tasks.
struct replay_result {
  std::int64_t tasks = 0;
  std::array<std::int64_t, placement_refusals> count{};  ///< by placement_refusal
  std::int64_t asked_thousandths = 0;                    ///< of GPUs, by all tasks
  std::int64_t placed_thousandths = 0;                   ///< by those placed
  std::int64_t pool_thousandths = 0;
  std::int64_t most_in_use = 0;   ///< thousandths at once
  seconds from{};                 ///< first arrival
  seconds until{};                ///< last arrival; of a run with patience, its end
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

namespace detail {

/// The order in which tasks come: as listed, or by arrival.
inline std::vector<std::size_t> order_of(std::span<const arriving_task> tasks, replay_mode mode) {
  std::vector<std::size_t> turn(tasks.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  if (mode == replay_mode::leave)
    std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) {
      return tasks[a].arrival < tasks[b].arrival;
    });
  return turn;
}

/// A task that was placed, and goes again.
struct departing_task {
  seconds at{};
  std::size_t task = 0;
  task_placement from{};
  bool operator>(const departing_task& other) const {
    return at != other.at ? at > other.at : task > other.task;
  }
};

/// A pool while tasks come and go, and what is counted of it.
class pool_replay {
 public:
  pool_replay(placer& pool, std::span<const arriving_task> tasks) : pool_{&pool}, tasks_{tasks} {
    for (const gpu_node& host : pool.nodes()) {
      result_.pool_thousandths += std::int64_t{host.gpus} * whole_gpu;
      in_use_ += std::int64_t{host.gpus} * whole_gpu - host.free_gpu_thousandths();
    }
  }

  void begin(seconds at) { result_.from = now_ = at; }

  /// Lets the tasks go that are to go by then, and lets time pass until then.
  void pass_to(seconds until) {
    for (; !departures_.empty() && departures_.top().at <= until; departures_.pop()) {
      const departing_task& gone = departures_.top();
      count_time(gone.at);
      pool_->release(tasks_[gone.task].task, gone.from);
      released_.push_back(gone.from.node);
      in_use_ -= tasks_[gone.task].task.total_gpu_thousandths();
    }
    count_time(until);
  }

  /// The nodes that tasks have left since this was asked last, each as often.
  [[nodiscard]] std::vector<std::size_t> take_released() { return std::exchange(released_, {}); }
  [[nodiscard]] std::span<const gpu_node> nodes() const { return pool_->nodes(); }

  /// Places a task, or counts why it has no place.
  std::optional<task_placement> place(std::size_t t) {
    ask(t);
    const std::optional<task_placement> found = try_to_place(t);
    if (!found) refuse(t);
    return found;
  }

  /// Counts a task that comes.
  void ask(std::size_t t) {
    ++result_.tasks;
    result_.asked_thousandths += tasks_[t].task.total_gpu_thousandths();
  }

  /// Counts why a task has no place.
  void refuse(std::size_t t) {
    ++result_.count[static_cast<std::size_t>(pool_->refusal_of(tasks_[t].task))];
  }

  /// Places a task that was counted; empty where no node can host it now.
  std::optional<task_placement> try_to_place(std::size_t t) {
    const gpu_task& task = tasks_[t].task;
    const std::int64_t asked = task.total_gpu_thousandths();
    const std::optional<task_placement> found = pool_->place(task);
    if (!found) return found;
    ++result_.count[static_cast<std::size_t>(placement_refusal::none)];
    result_.placed_thousandths += asked;
    in_use_ += asked;
    result_.most_in_use = std::max(result_.most_in_use, in_use_);
    const auto user = static_cast<std::size_t>(std::max(0, tasks_[t].user));
    if (result_.by_user.size() <= user) result_.by_user.resize(user + 1, 0.0);
    result_.by_user[user] += static_cast<double>(asked);
    return found;
  }

  void leave_later(std::size_t t, const task_placement& from) {
    leave_at(tasks_[t].departure, t, from);
  }
  void leave_at(seconds at, std::size_t t, const task_placement& from) {
    departures_.push({at, t, from});
  }
  /// When the next task leaves; empty where none does.
  [[nodiscard]] std::optional<seconds> next_departure() const {
    return departures_.empty() ? std::nullopt : std::optional{departures_.top().at};
  }
  [[nodiscard]] seconds now() const { return now_; }

  [[nodiscard]] replay_result result() const {
    replay_result result = result_;
    result.until = now_;
    return result;
  }

 private:
  void count_time(seconds until) {
    result_.busy += static_cast<double>(in_use_) / whole_gpu * (until - now_);
    now_ = until;
  }

  placer* pool_;
  std::span<const arriving_task> tasks_;
  replay_result result_{};
  std::int64_t in_use_ = 0;  // thousandths of GPUs
  seconds now_{};
  std::priority_queue<departing_task, std::vector<departing_task>, std::greater<>> departures_;
  std::vector<std::size_t> released_{};
};

}  // namespace detail

/// Places the tasks one by one. In `where`, unless it is empty, each task's place is written.
///
/// \throws invalid_input if a task is invalid, or `where` is neither empty nor as long as the tasks
inline replay_result replay(placer& pool, std::span<const arriving_task> tasks, replay_mode mode,
                            std::span<std::optional<task_placement>> where = {}) {
  require(where.empty() || where.size() == tasks.size(),
          "replay: where must be empty or as long as tasks");
  const std::vector<std::size_t> turn = detail::order_of(tasks, mode);
  detail::pool_replay replayed{pool, tasks};
  replayed.begin(turn.empty() ? seconds{0} : tasks[turn.front()].arrival);
  for (const std::size_t t : turn) {
    if (mode == replay_mode::leave) replayed.pass_to(tasks[t].arrival);
    const std::optional<task_placement> found = replayed.place(t);
    if (!where.empty()) where[t] = found;
    if (found && mode == replay_mode::leave) replayed.leave_later(t, *found);
  }
  return replayed.result();
}

}  // namespace gpuplan
