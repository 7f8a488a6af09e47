#pragma once
/// \file
/// One run of the placement framework: jobs that come, wait, run, move and go.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/failed_requests.hpp>
#include <gpuplan/placement/detail/waiting_line.hpp>
#include <gpuplan/placement/framework_options.hpp>
#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/placement/placement_refusal.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/placement/rebalance.hpp>
#include <gpuplan/placement/running_pool.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// One run of the framework.
class framework_run {
 public:
  static constexpr std::size_t most_tried = 64;  ///< different requests of a line, at one time

  framework_run(placer& pool, std::span<const arriving_task> tasks,
                const framework_options& options)
      : placer_{&pool},
        pool_{pool, tasks.size()},
        tasks_{tasks},
        options_{options},
        line_{options.ageing} {
    result_.where.resize(tasks.size());
    result_.wait.resize(tasks.size());
    result_.why.resize(tasks.size(), placement_refusal::gpus);
    for (const gpu_node& host : pool.nodes()) {
      result_.replay.pool_thousandths += std::int64_t{host.gpus} * whole_gpu;
      in_use_ += std::int64_t{host.gpus} * whole_gpu - host.free_gpu_thousandths();
    }
  }

  /// All jobs are known: each is tried once, then those without a node with moves.
  framework_result batch() {
    std::vector<std::size_t> without;
    for (const std::size_t t : ordered(all_jobs(), seconds{0}))
      if (!try_start(t, 0)) without.push_back(t);
    if (options_.moves > 0) {
      std::erase_if(without, [&](std::size_t t) { return try_start(t, options_.moves); });
      level();
    }
    for (const std::size_t t : without) refuse(t);
    return finished();
  }

  /// Jobs come and go; one that finds no node waits as long as it has patience.
  framework_result replay() {
    std::vector<std::size_t> coming = all_jobs();
    std::stable_sort(coming.begin(), coming.end(), [&](std::size_t a, std::size_t b) {
      return tasks_[a].arrival < tasks_[b].arrival;
    });
    if (!coming.empty()) now_ = result_.replay.from = tasks_[coming.front()].arrival;
    for (std::size_t i = 0; i < coming.size();) {
      const seconds at = tasks_[coming[i]].arrival;
      pass_to(at);
      std::vector<std::size_t> together;
      for (; i < coming.size() && tasks_[coming[i]].arrival == at; ++i)
        together.push_back(coming[i]);
      for (const std::size_t t : ordered(together, at)) arrive(t);
    }
    pass_to(now_);
    while (!line_.empty() && !departures_.empty()) pass_to(departures_.top().first);
    line_.each(now_, [&](std::size_t t) {
      refuse(t);
      return true;
    });
    return finished();
  }

 private:
  [[nodiscard]] std::vector<std::size_t> all_jobs() const {
    std::vector<std::size_t> all(tasks_.size());
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
    return all;
  }

  [[nodiscard]] waiting_job as_waiting(std::size_t t) const {
    const arriving_task& each = tasks_[t];
    return {.submit = each.arrival,
            .gpus = each.task.total_gpu_thousandths(),
            .priority = each.priority,
            .expected = (std::min)(each.departure - each.arrival, seconds{1e15}),
            .deadline = each.deadline};
  }

  [[nodiscard]] std::vector<std::size_t> ordered(std::vector<std::size_t> jobs, seconds now) const {
    if (jobs.size() < 2) return jobs;
    std::vector<waiting_job> waiting;
    waiting.reserve(jobs.size());
    for (const std::size_t t : jobs) waiting.push_back(as_waiting(t));
    std::vector<std::size_t> order = order_jobs(waiting, options_.order, now, options_.ageing);
    for (std::size_t& position : order) position = jobs[position];
    return order;
  }

  /// Starts a job, with up to so many moves of others, unless its like was tried in vain.
  bool try_start(std::size_t t, int moves) {
    const gpu_task& task = tasks_[t].task;
    if (!failed_.has(task)) {
      if (pool_.start(t, task)) return started(t);
      failed_.add(task);
    }
    if (moves == 0 || failed_with_moves_.has(task)) return false;
    const auto made = pool_.start_with_moves(t, task, moves);
    if (!made) {
      failed_with_moves_.add(task);
      return false;
    }
    for (const migration& move : *made) note_move(move.task, move.to);
    result_.moved += static_cast<std::int64_t>(made->size());
    ++result_.given_room;
    failed_.clear();  // other pieces are free now
    return started(t);
  }

  /// A running job goes on elsewhere.
  void note_move(std::size_t t, const task_placement& to) {
    if (result_.where[t]) result_.left.push_back({t, *result_.where[t], now_});
    result_.where[t] = to;
  }

  bool started(std::size_t t) {
    const std::int64_t asked = tasks_[t].task.total_gpu_thousandths();
    result_.where[t] = pool_.job(t).where;
    result_.why[t] = placement_refusal::none;
    replay_result& counted = result_.replay;
    counted.placed_thousandths += asked;
    in_use_ += asked;
    counted.most_in_use = (std::max)(counted.most_in_use, in_use_);
    const auto user = static_cast<std::size_t>((std::max)(0, tasks_[t].user));
    if (counted.by_user.size() <= user) counted.by_user.resize(user + 1, 0.0);
    counted.by_user[user] += static_cast<double>(asked);
    return true;
  }

  void refuse(std::size_t t) { result_.why[t] = placer_->refusal_of(tasks_[t].task); }

  void arrive(std::size_t t) {
    if (try_start(t, options_.moves)) {
      leave_later(t);
    } else if (options_.patience > seconds{0} && !is_final(placer_->refusal_of(tasks_[t].task))) {
      line_.add(t, as_waiting(t), now_);
      patient_.push_back(t);
    } else {
      refuse(t);
    }
  }

  /// A job that started runs as long as it would have from its arrival.
  void leave_later(std::size_t t) {
    result_.wait[t] = now_ - tasks_[t].arrival;
    const seconds leaves = tasks_[t].departure + result_.wait[t];
    if (isfinite(leaves)) departures_.emplace(leaves, t);
  }

  /// Lets jobs go, and those that wait start or give up, until then.
  void pass_to(seconds until) {
    while (!departures_.empty() && departures_.top().first <= until) {
      const seconds at = departures_.top().first;
      give_up(at);
      count_time(at);
      for (; !departures_.empty() && departures_.top().first == at; departures_.pop()) {
        const std::size_t gone = departures_.top().second;
        pool_.stop(gone);
        in_use_ -= tasks_[gone].task.total_gpu_thousandths();
      }
      failed_.clear();
      failed_with_moves_.clear();
      serve();
    }
    give_up(until);
    count_time(until);
  }

  /// Jobs whose patience ends before then; they came in the order in which it ends.
  void give_up(seconds until) {
    for (; !patient_.empty() && tasks_[patient_.front()].arrival + options_.patience < until;
         patient_.pop_front()) {
      const std::size_t t = patient_.front();
      if (result_.why[t] == placement_refusal::none) continue;
      line_.remove(t);
      refuse(t);
    }
  }

  /// Starts those of the line that find a node; for the first that does not others are moved.
  void serve() {
    std::vector<std::size_t> ready;
    int moves = options_.moves;
    line_.each(now_, [&](std::size_t t) {
      if (try_start(t, moves)) {
        ready.push_back(t);
      } else {
        moves = 0;
      }
      return failed_.size() < most_tried;
    });
    for (const std::size_t t : ready) {
      line_.remove(t);
      leave_later(t);
    }
  }

  void count_time(seconds until) {
    result_.replay.busy += static_cast<double>(in_use_) / whole_gpu * (until - now_);
    now_ = until;
  }

  /// Moves jobs from the fullest node to the emptiest, as long as no gang of whole GPUs of any size
  /// loses its place.
  void level() {
    std::vector<running_task> running;
    std::vector<std::size_t> numbers;
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      if (pool_.runs(t)) {
        running.push_back(pool_.job(t));
        numbers.push_back(t);
      }
    for (const migration& move : spread_load(pool_.nodes(), running, options_.moves).moves) {
      const gpu_node& from = pool_.nodes()[move.from.node];
      const gpu_node& to = pool_.nodes()[move.to.node];
      const gpu_task& task = running[move.task].task;
      const int less = without_task(from, task, move.from.gpus).whole_free_gpus();
      const int more = with_task(to, task, move.to.gpus).whole_free_gpus();
      for (int gang = 1; gang <= gpu_node::most_gpus; ++gang)
        if (less / gang + more / gang < from.whole_free_gpus() / gang + to.whole_free_gpus() / gang)
          return;
      pool_.move(numbers[move.task], move.to);
      note_move(numbers[move.task], move.to);
      ++result_.levelled;
    }
  }

  framework_result finished() {
    replay_result& counted = result_.replay;
    counted.tasks = static_cast<std::int64_t>(tasks_.size());
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      counted.asked_thousandths += tasks_[t].task.total_gpu_thousandths();
      ++counted.count[static_cast<std::size_t>(result_.why[t])];
    }
    counted.until = now_;
    return std::move(result_);
  }

  using departure = std::pair<seconds, std::size_t>;

  placer* placer_;
  running_pool pool_;
  std::span<const arriving_task> tasks_;
  framework_options options_;
  framework_result result_{};
  std::int64_t in_use_ = 0;  // thousandths of GPUs
  seconds now_{};
  waiting_line line_;
  std::deque<std::size_t> patient_{};  // jobs that wait, or waited, by arrival
  std::priority_queue<departure, std::vector<departure>, std::greater<>> departures_{};
  failed_requests failed_{};
  failed_requests failed_with_moves_{};
};

}  // namespace gpuplan::detail
